internal import DataModel
public import Diagnostics
public import PersistentStore

/// A track library that is open for reading, whatever its version.
public final class TrackLibraryReader {
  /// The store.
  public let store: StoreReader
  /// The version of its model.
  public let version: TrackModelVersion

  /// Opens a library.
  ///
  /// - Throws: `MigrationError` when it is no store, or of a version that is not known.
  public init(path: String) throws(MigrationError) {
    store = try StoreReader(path: path)
    version = try Self.version(of: store)
  }

  /// Opens a library whose artists can be queried.
  ///
  /// - Throws: `MigrationError`, with `migrationRequired` for a library of an older version.
  public init(migratedLibraryAt path: String) throws(MigrationError) {
    store = try StoreReader(path: path)
    version = try Self.version(of: store)
    guard version == .current else {
      throw MigrationError(.migrationRequired, MigrationError.Subject(path: path, name: version.rawValue))
    }
  }

  /// Tells the version of a store by its version hashes.
  static func version(of store: StoreReader) throws(MigrationError) -> TrackModelVersion {
    let hashes = store.metadata.versionHashes
    if let version = TrackModelVersion(versionHashes: hashes) { return version }
    let names = hashes.keys.sorted()
    // Hashes say nothing of older and newer. What has all entities of the newest version, with other contents, can
    // only be a later one.
    let isNewer = TrackModelVersion.current.model.entities.allSatisfy { hashes[$0.name] != nil }
    let isNewerFormat = (store.metadata.versionHashesVersion ?? 0) > 3
    let entities = names.isEmpty ? "it names no entities" : "its entities are \(names.joined(separator: ", "))"
    throw MigrationError(
      isNewer || isNewerFormat ? .newerVersion : .unknownVersion, path: store.file.path, detail: entities)
  }
}
