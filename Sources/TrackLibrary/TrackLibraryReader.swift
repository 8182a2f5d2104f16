public import DataModel
public import Diagnostics
public import PersistentStore

/// A track library that is open for reading, whatever its version.
public final class TrackLibraryReader {
  /// The store.
  public let store: StoreReader
  /// How the store is laid out.
  public let schema: StoreSchema
  private let libraryModel: TrackLibraryModel

  /// The version of its model.
  public var version: TrackModelVersion { libraryModel.version }
  /// The model that it was written with.
  public var model: ManagedObjectModel { libraryModel.model }
  /// Whether the model is the library's own rather than exactly one of ours.
  public var isVariant: Bool { libraryModel.isVariant }

  /// Opens a library.
  ///
  /// - Throws: `MigrationError` when it is no store, or of a version that is not known.
  public init(path: String) throws(MigrationError) {
    store = try StoreReader(path: path)
    store.requireBoundedTablesOfLongQuestions()
    libraryModel = try TrackLibraryModel(of: store)
    schema = try StoreSchema(libraryModel.model, asFoundIn: store)
  }

  /// Opens a library whose artists can be queried.
  ///
  /// - Throws: `MigrationError`, with `migrationRequired` for a library of an older version.
  public convenience init(migratedLibraryAt path: String) throws(MigrationError) {
    try self.init(path: path)
    guard version == .current else {
      throw MigrationError(.migrationRequired, MigrationError.Subject(path: path, name: version.rawValue))
    }
  }
}
