internal import DataModel
internal import MigrationDiagnostics
package import PersistentStore
internal import SQLiteDatabase

/// Proves that the store of any app is what its migration had to make of another, by reading both anew.
///
/// The models and the descriptions in the mapping models say what there has to be. Nothing that carries them out is used
/// here. What they do not say, such as what a policy makes, is not judged, and is named.
package struct StoreVerification {
  /// The old store.
  package let source: StoreReader
  /// The new store.
  package let result: StoreReader
  /// The hops between their versions, in order; at least one.
  package let hops: [MappedHop]
  /// The relationships that name the tables of many-to-many relationships, as `Entity.relationship`.
  package var joinTableRelationships: [String] = []
  /// The app's own tables and indexes that could not be carried over, as the migration has said.
  package var expectedMissingTables: Set<String> = []
  /// Whether files of large values lie beside the new store by now.
  package var checksExternalFiles = true
  /// Asked now and then whether to stop.
  package var isCancelled: () -> Bool = { false }
  /// Called now and then with the number of rows that are compared, and of all.
  package var onProgress: ((_ completedCount: Int, _ totalCount: Int) -> Void)?

  /// Prepares to compare two stores.
  package init(source: StoreReader, result: StoreReader, hops: [MappedHop]) {
    (self.source, self.result, self.hops) = (source, result, hops)
  }

  /// What was seen.
  package struct Findings: Sendable, Hashable {
    /// The rows of each entity that were compared.
    package let rowCountByEntity: [String: Int64]
    /// The links that were compared.
    package let linksCount: Int64
    /// The rows of each old entity that the models or mapping models have no place for.
    package let removedCountByEntity: [String: Int64]
    /// The links of each relationship that its new version has no room for.
    package let droppedLinkCounts: [String: Int64]
    /// What was not judged, and why.
    package let unchecked: [String]
    /// The tables of the app's own that are carried over, with the number of rows in each.
    package let keptTables: [String: Int64]
  }

  /// Compares the stores.
  ///
  /// - Returns: What was seen; `nil` where the new store is such that its rows cannot be compared, which is among the
  ///   differences.
  /// - Throws: What keeps the stores from being read, or what the log throws.
  package func run(_ log: DifferenceLog) throws -> Findings? {
    try source.compared(with: result, isCancelled) {
      try compare(log)
    } damaged: { message in
      try log.add(.damage) { $0.found = message }
    }
  }

  private func compare(_ log: DifferenceLog) throws -> Findings? {
    guard let first = hops.first, let last = hops.last else { return nil }
    let old = StoreSide(reader: source, schema: try StoreSchema(first.source, introspecting: source))
    let naming = JoinTableNaming(chosen: joinTableRelationships, foundIn: old.schema)
    let new = StoreSide(reader: result, schema: StoreSchema(last.destination, joinTables: naming))
    let store = StoreCheck(old: old, new: new, log: log)
    let tables = try TableCheck(old: old, new: new, explained: expectedMissingTables, log: log)
    try store.checkMetadata()
    let hasTables = try store.checkSchema(besides: tables.appNames, inAnyOrder: true)
    guard try store.checkIntegrity(), hasTables else { return nil }
    try store.checkMetadataRows()
    try store.checkModelCache()
    var lineage = Lineage(old.schema)
    for hop in hops { lineage.follow(hop) }
    try store.checkPrimaryKeys { root in try lineage.mostKeys(ofRootEntity: root, in: old) }
    let scratch = try Connection(path: "a temporary file", access: .temporary)
    let entities = EntityCheck(lineage, old: old, new: new, scratch: scratch, log: log)
    var progress = Progress(isCancelled, onProgress, total: try totalCount(old))
    for entity in last.destination.entities where !entity.isAbstract {
      try entities.check(entity) { try progress.advance() }
    }
    try DanglingLinkCheck(side: new, log: log).run()
    try StrayValueCheck(old: old, new: new, log: log).run()
    var links = try LinkCheck(lineage, entities, old: old, new: new, scratch: scratch, log: log)
    try links.run()
    try tables.checkStrayRows()
    try tables.checkAppTables()
    if checksExternalFiles { try tables.checkFiles(inUse: lineage.opaqueEntities.isEmpty) }
    return Findings(
      rowCountByEntity: entities.counts, linksCount: links.count,
      removedCountByEntity: try removedCounts(lineage, old), droppedLinkCounts: links.droppedCounts,
      unchecked: entities.unchecked + links.unchecked,
      keptTables: tables.rowCounts)
  }

  private func removedCounts(_ lineage: Lineage, _ old: StoreSide) throws -> [String: Int64] {
    var counts: [String: Int64] = [:]
    for entity in lineage.removedEntities {
      guard let table = old.schema.table(forEntityNamed: entity)?.name else { continue }
      let count = try old.count(table, where: old.condition(forEntityNamed: entity))
      if count > 0 { counts[entity] = count }
    }
    return counts
  }

  private func totalCount(_ old: StoreSide) throws -> Int {
    guard onProgress != nil else { return 0 }
    return try old.schema.tables.reduce(0) { try $0 + Int(old.count($1.name)) }
  }
}
