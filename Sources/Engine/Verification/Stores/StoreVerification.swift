internal import DataModel
internal import MigrationDiagnostics
package import PersistentStore
internal import SQLiteDatabase

/// Checks the result of any app's migration by reading both stores again.
///
/// The models and mapping models say what the new store has to contain. No code that runs them is used here. What they do
/// not say, such as what a policy makes, is not checked, and is named.
package struct StoreVerification {
  /// The old store.
  package let source: StoreReader
  /// The new store.
  package let result: StoreReader
  /// The hops between their versions, in order; at least one.
  package let hops: [MappedHop]
  /// The relationships that name the tables of many-to-many relationships, as `Entity.relationship`.
  package var joinTableRelationships: [String] = []
  /// The app's own tables and indexes that the migration has reported as not carried over.
  package var expectedMissingTables: Set<String> = []
  /// The number of rows of each new entity that policies are known to have made besides the mappings of that entity.
  package var addedCounts: [String: Int64] = [:]
  /// Whether the new store has its external data files by now.
  package var checksExternalFiles = true
  /// Asked now and then whether to stop.
  package var isCancelled: () -> Bool = { false }
  /// Called now and then with the number of rows that have been compared, and the total.
  package var onProgress: ((_ completedCount: Int, _ totalCount: Int) -> Void)?

  /// Prepares to compare two stores.
  package init(source: StoreReader, result: StoreReader, hops: [MappedHop]) {
    (self.source, self.result, self.hops) = (source, result, hops)
  }

  /// The result of a comparison.
  package struct Findings: Sendable, Hashable {
    /// The number of compared rows of each entity.
    package let rowCountByEntity: [String: Int64]
    /// The number of compared links.
    package let linksCount: Int64
    /// The number of rows of each old entity that the models or mapping models drop.
    package let removedCountByEntity: [String: Int64]
    /// The links of each relationship that its new version has no room for.
    package let droppedLinkCounts: [String: Int64]
    /// The contents that were not checked, and the reasons.
    package let unchecked: [String]
    /// The number of rows in each of the app's own tables that were carried over.
    package let keptTables: [String: Int64]
  }

  /// Compares the stores.
  ///
  /// - Returns: The findings; `nil` if the rows of the new store cannot be compared, which is reported as a difference.
  /// - Throws: An error if a store cannot be read, or the error that the log throws.
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
    try store.checkPrimaryKeys { root in try lineage.mostKeys(ofRootEntity: root, in: old, added: addedCounts) }
    let scratch = try Connection(path: "a temporary file", access: .temporary)
    let entities = EntityCheck(
      lineage, old: old, new: new, scratch: scratch, addedCounts: addedCounts, log: log)
    var progress = try Progress(isCancelled, onProgress, rowsOf: old)
    for entity in last.destination.entities where !entity.isAbstract {
      try entities.check(entity) { try progress.advance() }
    }
    try DanglingLinkCheck(side: new, log: log).run()
    try StrayValueCheck(old: old, new: new, log: log).run()
    var links = try LinkCheck(lineage, entities, old: old, new: new, scratch: scratch, log: log)
    try links.run()
    try tables.checkStrayRows()
    try tables.checkAppTables()
    if checksExternalFiles { try tables.checkFiles() }
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
}
