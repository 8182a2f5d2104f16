internal import DataModel
internal import PersistentStore
internal import SQLiteDatabase

/// Looks at the row of `Z_METADATA`, and at the copy of the model.
struct MetadataExamination {
  private let store: StoreReader
  private let faults: [MetadataFault]

  init(_ store: StoreReader) throws {
    self.store = store
    faults = try store.metadataFaults()
  }

  func run(_ notes: inout HealthNotes) {
    for fault in faults {
      // The copy is mended by the model that is known.
      guard let code = Finding.Code(fault.kind) else { continue }
      var finding = Finding(code, fault.fact)
      if let count = fault.count { (finding.table, finding.count) = ("Z_METADATA", count) }
      notes.add(finding)
    }
  }

  /// Examines the store's copy of its model.
  ///
  /// - Parameter known: Another model with the store's version hashes.
  /// - Returns: The copy, if it is a model with the store's version hashes.
  func examineModelCopy(_ known: ManagedObjectModel?, _ notes: inout HealthNotes) -> ManagedObjectModel? {
    guard let fault = faults.first(where: { $0.kind == .foreignModelCopy }) else {
      let copy = try? store.cachedModel()
      return copy?.isCompatible(withVersionHashes: store.metadata.versionHashes) == true ? copy : nil
    }
    let statements = known.flatMap { try? $0.modelCache() }.map { bytes in
      "DELETE FROM Z_MODELCACHE; INSERT INTO Z_MODELCACHE VALUES (\(ColumnValue.blob(bytes).sqlLiteral))"
    }
    var finding = Finding(
      .modelCopy, fault.fact,
      repair: statements.map { Repair(deed: "wrote the copy of the model again", work: .statements($0)) })
    finding.table = "Z_MODELCACHE"
    notes.add(finding)
    return nil
  }
}

extension Finding.Code {
  /// The kind of finding that a fault of the metadata is; `nil` for the copy of the model.
  fileprivate init?(_ kind: MetadataFault.Kind) {
    switch kind {
    case .furtherRows: self = .furtherMetadata
    case .foreignVersion: self = .metadataVersion
    case .noUUID: self = .noUUID
    case .foreignStoreType: self = .storeType
    case .noVersionHashes: self = .noVersionHashes
    case .readOnlyFormat: self = .readOnlyFormat
    case .foreignModelCopy: return nil
    }
  }
}
