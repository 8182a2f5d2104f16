internal import DataModel
internal import Foundation
internal import MigrationDiagnostics
internal import PersistentStore
internal import SQLiteDatabase

/// Looks at the row of `Z_METADATA`, and at the copy of the model.
struct MetadataExamination {
  private let store: StoreReader

  init(_ store: StoreReader) {
    self.store = store
  }

  func run(_ notes: inout HealthNotes) throws {
    let metadata = store.metadata
    let count = try store.connection.integer("SELECT count(*) FROM Z_METADATA") ?? 0
    if count > 1 {
      var finding = Finding(.furtherMetadata, "its table 'Z_METADATA' has \(count) rows instead of one")
      (finding.table, finding.count) = ("Z_METADATA", count)
      notes.add(finding)
    }
    if UUID(uuidString: metadata.uuid) == nil {
      // It may be a secret, like all of the metadata.
      notes.add(
        Finding(.noUUID, "its metadata has \(metadata.uuid.isEmpty ? "no UUID" : "a UUID that is none") (Z_UUID)"))
    }
    if let type = metadata.properties[StoreMetadata.Key.storeType], type.string != "SQLite" {
      notes.add(Finding(.storeType, "its metadata says that it is not a SQLite store (NSStoreType)"))
    }
    if metadata.versionHashes.isEmpty {
      notes.add(Finding(.noVersionHashes, "its metadata has no version hashes"))
    } else if let version = metadata.versionHashesVersion, version != Self.hashesVersion {
      notes.add(
        Finding(
          .noVersionHashes, "its version hashes are of the version \(version), and only \(Self.hashesVersion) is known")
      )
    }
  }

  /// The version of the algorithm behind the hashes in all stores of Core Data's.
  private static let hashesVersion: Int64 = 3

  /// Examines the store's copy of its model.
  ///
  /// - Parameter known: Another model with the store's version hashes.
  /// - Returns: The copy, if it is a model with the store's version hashes.
  func examineModelCopy(_ known: ManagedObjectModel?, _ notes: inout HealthNotes) throws -> ManagedObjectModel? {
    let fact: String
    switch try copy() {
    case .model(nil): return nil
    case .model(let copy?):
      if copy.isCompatible(withVersionHashes: store.metadata.versionHashes) { return copy }
      fact = "the copy of its model has other version hashes than its metadata"
    case .unreadable(let detail): fact = "the copy of its model cannot be read" + (detail.map { ": \($0)" } ?? "")
    }
    // Without version hashes nothing says that the copy is wrong.
    guard !store.metadata.versionHashes.isEmpty else { return nil }
    let statements = known.flatMap { try? $0.modelCache() }.map { bytes in
      "DELETE FROM Z_MODELCACHE; INSERT INTO Z_MODELCACHE VALUES (\(ColumnValue.blob(bytes).sqlLiteral))"
    }
    var finding = Finding(
      .modelCopy, fact,
      repair: statements.map { Repair(deed: "wrote the copy of the model again", work: .statements($0)) })
    finding.table = "Z_MODELCACHE"
    notes.add(finding)
    return nil
  }

  private enum ModelCopy {
    case model(ManagedObjectModel?)
    case unreadable(detail: String?)
  }

  private func copy() throws(MigrationError) -> ModelCopy {
    do throws(MigrationError) {
      return .model(try store.cachedModel())
    } catch {
      guard error.code == .unreadableModelCache else { throw error }
      return .unreadable(detail: error.detail)
    }
  }
}
