public import DataModel
public import Diagnostics
internal import SQLite

extension StoreReader {
  /// The most bytes of a packed model that are read.
  ///
  /// Those of Apple's own apps have less than one megabyte.
  private static let modelCacheLimit: Int64 = 64 << 20

  /// Reads the model that the store keeps of itself, in its table `Z_MODELCACHE`.
  ///
  /// Core Data writes it since framework version 637 (iOS 9). Nothing forces it to be the one that the rows were
  /// written with: compare its hashes with those in `metadata`, or use ``writtenModel()``.
  ///
  /// - Returns: The model, or `nil` when the store keeps none.
  /// - Throws: `MigrationError`, `damaged` when there is one that cannot be read.
  public func cachedModel() throws(MigrationError) -> ManagedObjectModel? {
    guard let bytes = try modelCache() else { return nil }
    do {
      return try ManagedObjectModel(modelCache: bytes)
    } catch {
      throw MigrationError(
        .damaged, path: file.path, detail: "the model that it keeps cannot be read: \(error.problem.problem)".sentence)
    }
  }

  /// The model that the store was written with, as far as the store itself tells.
  ///
  /// - Returns: The model that it keeps, if that has the version hashes of its metadata; otherwise `nil`.
  /// - Throws: `MigrationError`, `damaged` when there is a model that cannot be read.
  public func writtenModel() throws(MigrationError) -> ManagedObjectModel? {
    guard let model = try cachedModel(), model.isCompatible(withVersionHashes: metadata.versionHashes) else {
      return nil
    }
    return model
  }

  private func modelCache() throws(MigrationError) -> [UInt8]? {
    let bytes = try reporting(path: file.path) { () -> [UInt8]? in
      guard try connection.hasPlainTable("Z_MODELCACHE"),
        try connection.hasPlainColumns(["Z_CONTENT"], in: "Z_MODELCACHE")
      else { return nil }
      let statement = try connection.prepare(
        "SELECT Z_CONTENT FROM Z_MODELCACHE WHERE length(Z_CONTENT) <= \(Self.modelCacheLimit) LIMIT 1")
      return try statement.step() ? statement.blob(0) : nil
    }
    return bytes?.isEmpty == false ? bytes : nil
  }
}

extension String {
  /// The text without the period at its end.
  fileprivate var sentence: String { hasSuffix(".") ? String(dropLast()) : self }
}
