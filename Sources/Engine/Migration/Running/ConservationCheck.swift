internal import CoreDataExpressions
internal import DataModel
internal import MigrationDiagnostics
internal import PersistentStore
internal import SQLiteDatabase

/// Makes sure that no row is lost without a word: of each entity as many rows are written as were read, but for those
/// that are left out and named.
///
/// What was read and written is counted in the two stores. What a mapping makes of it, the code that copies has counted:
/// the two must agree.
struct ConservationCheck {
  /// The fate of the instances of an entity mapping's source.
  struct Passage: Sendable, Hashable {
    /// The instances that were handed over: all of them, or those that the filter lets through.
    var handedOver = 0
    /// Those of them of which something was made; `nil` where associations tell it.
    var carried: Int?

    /// Counts instances that were copied.
    mutating func add(copied count: Int) {
      handedOver += count
      carried = (carried ?? 0) + count
    }
  }

  let source: RowCensus
  let destination: RowCensus
  let mappings: [EntityMapping]
  /// By the names of the mappings, which several mapping models may have in common.
  let passages: [String: Passage]
  /// Whether code of the app works on what the mappings have made.
  var isFinishedByApp = false

  /// Compares the counts, and gives those of what was left out to the statistics.
  ///
  /// - Throws: `MigrationError` where rows are neither written nor named.
  func run(_ statistics: inout MigrationStatistics) throws(MigrationError) {
    // Those that take over all instances of an entity, and those that write one: a model may have thousands.
    let whole = Dictionary(
      grouping: mappings.filter { $0.isOneToOne && !$0.isFiltered }, by: \.sourceEntityName
    ).mapValues { Set($0.map(\.name)) }
    for (name, mappings) in Dictionary(grouping: mappings.filter(\.takesInstances), by: \.name) {
      let read = mappings.reduce(0) { $0 + source[$1.sourceEntityName ?? ""] }
      let passage = passages[name] ?? Passage()
      let carried = passage.carried ?? 0
      let entity = mappings.first?.sourceEntityName
      guard mappings.contains(where: \.isFiltered) ? passage.handedOver <= read : passage.handedOver == read else {
        throw violation(entity, "mapping '\(name)' has read \(passage.handedOver) of \(read.counting("row"))")
      }
      guard carried >= passage.handedOver || !mappings.allSatisfy(\.isOneToOne) else {
        throw violation(
          entity, "mapping '\(name)' has carried over \(carried) of \(passage.handedOver.counting("row"))")
      }
      // What another mapping takes over as a whole is not left out.
      let isLeftOut = mappings.contains { whole[$0.sourceEntityName]?.subtracting([name]).isEmpty != false }
      guard isLeftOut else { continue }
      statistics.filteredInstanceCounts[name] = read > passage.handedOver ? read - passage.handedOver : nil
      statistics.sourcesWithoutDestinationCounts[name] =
        passage.handedOver > carried ? passage.handedOver - carried : nil
    }
    try compareDestination(&statistics)
  }

  private func compareDestination(_ statistics: inout MigrationStatistics) throws(MigrationError) {
    let hasPolicies = isFinishedByApp || mappings.contains { $0.entityMigrationPolicyClassName != nil }
    let writers = Dictionary(grouping: mappings.filter(\.isOneToOne), by: \.destinationEntityName)
      .mapValues { Set($0.map(\.name)) }
    for (entity, written) in destination.counts.sorted(by: { $0.key < $1.key }) {
      let counted = statistics.destinationInstanceCounts[entity] ?? 0
      let names = writers[entity] ?? []
      let carried = names.reduce(0) { $0 + (passages[$1]?.carried ?? 0) }
      // A policy may write rows past the engine, which then only the store can count.
      guard written == counted && written == carried || hasPolicies && written >= counted else {
        let known = max(counted, carried)
        throw violation(
          entity, "the new store has \(written.counting("row")), and \(known) \(known == 1 ? "was" : "were") written")
      }
      if written > 0 { statistics.destinationInstanceCounts[entity] = written }
      if written > carried, !names.isEmpty { statistics.addedInstanceCounts[entity] = written - carried }
    }
  }

  private func violation(_ entity: String?, _ fact: String) -> MigrationError {
    var error = MigrationError(.migrationFailed, MigrationError.Subject(entity: entity), detail: fact)
    error.advice =
      "Nothing was changed. Check the store with 'PRAGMA integrity_check' of sqlite3; if it is not damaged, this is a bug "
      + "in the migration itself: please report it."
    return error
  }
}

extension MigrationManager {
  /// Makes sure, when all is written and before the store is completed, that every row is there or named.
  func requireConservation() throws {
    let mappings = mappingModels.flatMap(\.entityMappings)
    var passages = passages
    for mapping in mappings where passages[mapping.name]?.carried == nil {
      passages[mapping.name, default: .init()].carried =
        mapping.isOneToOne
        ? associations.count(mapping: mapping.name) : associations.sourceCount(mapping: mapping.name)
    }
    let source =
      try carriedRows.map { RowCensus($0.instances) }
      ?? RowCensus(source.connection, sourceSchema, countedBefore: sourceCounts)
    let removed = MigrationStep.removedEntityNames(from: sourceModel, by: mappings)
    statistics.removedInstanceCounts = source.counts.filter { $1 > 0 && removed.contains($0) }
    let destination = try RowCensus(destinationStore.writer.connection, destinationStore.schema)
    try ConservationCheck(
      source: source, destination: destination, mappings: mappings, passages: passages,
      isFinishedByApp: options.finishing != nil
    ).run(&statistics)
  }
}

/// The rows of a store, counted by entity with statements of its own: nothing here is shared with what copies rows.
///
/// Rows that threads read in ranges are counted there, range by range, also with statements of their own.
struct RowCensus {
  /// The number of rows, by entity: an abstract one has none, unless a store is odd.
  private(set) var counts: [String: Int] = [:]

  /// Takes counts from a caller that has counted the rows of this very state of a store.
  init(_ counts: [String: Int]) { self.counts = counts }

  /// Counts the rows of the main database of a connection.
  ///
  /// - Parameters:
  ///   - names: The entities that are wanted; without them, all.
  ///   - counts: What is known of entities that have a table for themselves.
  init(
    _ connection: Connection, _ schema: StoreSchema, of names: [String]? = nil,
    countedBefore counts: [String: Int] = [:]
  ) throws(SQLiteError) {
    for table in schema.tables {
      if table.entityNames.count == 1, let name = table.entityNames.first, let count = counts[name] {
        self.counts[name] = count
        continue
      }
      let entities = table.entityNames.filter { names?.contains($0) != false }
      // A statement has 2000 columns at most.
      for start in stride(from: 0, to: entities.count, by: 500) {
        try count(Array(entities[start..<min(start + 500, entities.count)]), in: table, schema, connection)
      }
    }
  }

  private mutating func count(
    _ entities: [String], in table: EntityTable, _ schema: StoreSchema, _ connection: Connection
  ) throws(SQLiteError) {
    // Where a table holds one entity only, its rows are that entity's, whatever their Z_ENT says.
    let columns: [SQLFragment] =
      table.entityNames.count == 1
      ? ["count(*)"] : entities.map { "count(CASE WHEN Z_ENT = \(.number(schema.entityNumber($0))) THEN 1 END)" }
    // An index that contradicts its table is not asked.
    let statement = try connection.prepare(
      fragment: "SELECT \(columns.joined(by: ", ")) FROM main.\(identifier: table.name) NOT INDEXED")
    guard try statement.step() else { return }
    for (index, name) in entities.enumerated() { counts[name] = Int(clamping: statement.integer(index)) }
  }

  subscript(entity: String) -> Int { counts[entity] ?? 0 }
}
