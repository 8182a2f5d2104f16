internal import DataModel
internal import Foundation
package import MigrationDiagnostics
internal import SQLiteDatabase

/// Something in what a store says of itself that Core Data would not write.
package struct MetadataFault: Sendable, Hashable {
  /// The kinds of faults.
  package enum Kind: Sendable, Hashable {
    /// `Z_METADATA` has more than one row.
    case furtherRows
    /// The row has another version than 1.
    case foreignVersion
    /// The UUID is missing, or none.
    case noUUID
    /// The kind of store is another one.
    case foreignStoreType
    /// The version hashes are missing, or made by an unknown rule.
    case noVersionHashes
    /// The copy of the model cannot be read, or is that of another version.
    case foreignModelCopy
    /// The header of the file asks for a newer SQLite than any to write to it.
    case readOnlyFormat
  }

  /// The kind.
  package let kind: Kind
  /// The number of rows, if it is about them.
  package var count: Int64?
  private let subject: String
  private let predicate: String

  fileprivate init(_ kind: Kind, _ subject: String, _ predicate: String) {
    (self.kind, self.subject, self.predicate) = (kind, subject, predicate)
  }

  /// The fact, as a clause about the store.
  package var fact: String { "its \(subject) \(predicate)" }

  /// The fact, as a sentence about a file.
  func sentence(about path: String) -> String { "the \(subject) of '\(path)' \(predicate)" }
}

extension StoreReader {
  /// Compares what the store says of itself with what Core Data writes.
  package func metadataFaults() throws(MigrationError) -> [MetadataFault] {
    var faults: [MetadataFault] = []
    if file.isReadOnlyFormat {
      faults.append(
        MetadataFault(
          .readOnlyFormat, "header", "has a format for writing that SQLite does not know, so nothing can be saved"))
    }
    let (count, version) = try reporting(path: file.path) {
      (
        try connection.integer("SELECT count(*) FROM Z_METADATA") ?? 0,
        try connection.integer("SELECT min(Z_VERSION) FROM Z_METADATA")
      )
    }
    if count > 1 {
      var fault = MetadataFault(
        .furtherRows, "table 'Z_METADATA'", "has \(count) rows, and Core Data reads the first one only")
      fault.count = count
      faults.append(fault)
    }
    if version != 1 {
      let found = version.map { "the version \($0) (Z_VERSION), where Core Data writes 1" } ?? "no version (Z_VERSION)"
      faults.append(MetadataFault(.foreignVersion, "metadata", "has \(found)"))
    }
    if UUID(uuidString: metadata.uuid) == nil {
      // It may be a secret, like all of the metadata.
      faults.append(
        MetadataFault(
          .noUUID, "metadata", "has \(metadata.uuid.isEmpty ? "no UUID" : "a UUID that is none") (Z_UUID)"))
    }
    if let type = metadata.properties[StoreMetadata.Key.storeType], type.string != "SQLite" {
      faults.append(MetadataFault(.foreignStoreType, "metadata", "says that it is not a SQLite store (NSStoreType)"))
    }
    if metadata.versionHashes.isEmpty {
      faults.append(MetadataFault(.noVersionHashes, "metadata", "has no version hashes"))
    } else if let version = metadata.versionHashesVersion, version != StoreMetadata.hashesVersion {
      faults.append(
        MetadataFault(
          .noVersionHashes, "version hashes",
          "are of the version \(version), and only \(StoreMetadata.hashesVersion) is known"))
    }
    if let fault = try modelCopyFault() { faults.append(fault) }
    return faults
  }

  private func modelCopyFault() throws(MigrationError) -> MetadataFault? {
    // Without version hashes nothing says that the copy is wrong.
    guard !metadata.versionHashes.isEmpty else { return nil }
    do throws(MigrationError) {
      guard let copy = try cachedModel(), !copy.isCompatible(withVersionHashes: metadata.versionHashes) else {
        return nil
      }
      return MetadataFault(.foreignModelCopy, "model copy", "has other version hashes than the metadata")
    } catch {
      guard error.code == .unreadableModelCache else { throw error }
      return MetadataFault(
        .foreignModelCopy, "model copy", "cannot be read" + (error.detail.map { ": \($0)" } ?? ""))
    }
  }
}
