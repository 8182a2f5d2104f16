import CoreDataExpressions
import DataModel
import MigrationDiagnostics
import PersistentStore
import TestSupport
import Testing

@testable import Migration

@Suite("Rows that were read are written, or named")
struct ConservationTests {
  private static let model = TrackModels.model([
    EntityDescription("Letter", superentityName: "Note"),
    EntityDescription("Note", attributes: [AttributeDescription("x", .string)]),
    EntityDescription("Tag", attributes: [AttributeDescription("title", .string)]),
  ])

  private static let rows = [
    "INSERT INTO ZNOTE (Z_PK, Z_ENT, ZX) VALUES (1, 1, 'a'), (2, 1, 'b'), (3, 2, 'c'), (4, 99, 'd'), (5, NULL, 'e')",
    "INSERT INTO ZTAG (Z_PK, Z_ENT) VALUES (1, 3), (2, 77), (3, NULL)",
  ]

  /// Migrates a store, and does something to the result when it has been written.
  private func migrate(
    byInstance: Bool, policy: EntityMigrationPolicy? = nil, _ sql: String
  ) throws -> MigrationStatistics {
    var fixture = try ObjectFixture(Self.model, sql: Self.rows)
    if let policy { fixture.use(policy, for: "Tag") }
    let reader = try StoreReader(path: fixture.source)
    let writer = try StoreWriter(
      path: fixture.destination, schema: StoreSchema(Self.model), layout: reader.layout)
    var options = MigrationManager.Options(policies: fixture.registry)
    options.migratesPerInstance = byInstance
    options.log = { line in
      if line == "checking the result", !sql.isEmpty { try? writer.connection.execute(sql) }
    }
    return try MigrationManager(
      source: reader, sourceModel: Self.model, mappingModels: fixture.mappingModels, destination: writer,
      options: options
    ).migrate()
  }

  @Test(arguments: [false, true]) func `A complete migration reports no missing rows`(byInstance: Bool) throws {
    let statistics = try migrate(byInstance: byInstance, "")
    #expect(statistics.destinationInstanceCounts == ["Letter": 1, "Note": 2, "Tag": 3])
    #expect(statistics.filteredInstanceCounts.isEmpty)
    #expect(statistics.removedInstanceCounts.isEmpty)
    #expect(statistics.sourcesWithoutDestinationCounts.isEmpty)
  }

  @Test(
    arguments: [
      ("DELETE FROM ZTAG WHERE Z_PK = 1", "Tag", "the new store has 2 rows, and 3 were written"),
      ("INSERT INTO ZTAG (Z_PK, Z_ENT) VALUES (9, 3)", "Tag", "the new store has 4 rows, and 3 were written"),
      ("UPDATE ZNOTE SET Z_ENT = 1", "Letter", "the new store has 0 rows, and 1 was written"),
    ], [false, true])
  func `A result with rows other than those written is never completed`(
    change: (sql: String, entity: String, fact: String), byInstance: Bool
  ) throws {
    let error = #expect(throws: MigrationError.self) { try migrate(byInstance: byInstance, change.sql) }
    #expect(error?.code == .migrationFailed)
    #expect(error?.subject.entity == change.entity)
    #expect(error?.detail == change.fact)
    #expect(error.map { ErrorMessage($0).advice.hasPrefix("Nothing was changed. ") } == true)
  }

  @Test func `Missing rows are detected with policies too`() throws {
    let policy = ClosurePolicy()
    #expect(throws: MigrationError.self) {
      try migrate(byInstance: true, policy: policy, "DELETE FROM ZTAG WHERE Z_PK = 1")
    }
    // Rows that a policy writes without the engine are counted in the store.
    let more = try migrate(byInstance: true, policy: policy, "INSERT INTO ZTAG (Z_PK, Z_ENT) VALUES (9, 3)")
    #expect(more.destinationInstanceCounts["Tag"] == 4)
  }

  @Test func `Missing rows are detected with batch policies too`() throws {
    let policy = EmptyBatchPolicy()
    let whole = try migrate(byInstance: false, policy: policy, "")
    #expect(whole.destinationInstanceCounts["Tag"] == 3)
    #expect(whole.sourcesWithoutDestinationCounts.isEmpty)
    let error = #expect(throws: MigrationError.self) {
      try migrate(byInstance: false, policy: policy, "DELETE FROM ZTAG WHERE Z_PK = 1")
    }
    #expect(error?.detail == "the new store has 2 rows, and 3 were written")
  }

  @Test func `Copied rows are counted too`() throws {
    let fixture = try ObjectFixture(Self.model, sql: Self.rows)
    let manager = try fixture.manager()
    manager.carriedRows = CopiedRows(instances: ["Letter": 1, "Note": 2, "Tag": 3])
    let error = #expect(throws: MigrationError.self) { try manager.migrate() }
    #expect(error?.detail == "the new store has 0 rows, and 1 was written")
  }

  // Possible bugs in the copying code.

  private func check(
    _ read: [String: Int], _ written: [String: Int], _ passage: ConservationCheck.Passage,
    change: (inout EntityMapping) -> Void = { _ in }
  ) throws(MigrationError) -> MigrationStatistics {
    var mapping = EntityMapping.suggested(
      from: MigrationFixture.entity("Tag", in: Self.model), to: MigrationFixture.entity("Tag", in: Self.model))
    change(&mapping)
    var statistics = MigrationStatistics()
    statistics.destinationInstanceCounts = written
    try ConservationCheck(
      source: RowCensus(read), destination: RowCensus(written), mappings: [mapping], passages: ["TagToTag": passage]
    ).run(&statistics)
    return statistics
  }

  @Test func `A skipped row is an error unless a filter or a policy skipped it`() throws {
    let passage = ConservationCheck.Passage(handedOver: 59, carried: 59)
    let error = #expect(throws: MigrationError.self) { try check(["Tag": 60], ["Tag": 59], passage) }
    #expect(error?.detail == "mapping 'TagToTag' has read 59 of 60 rows")
    #expect(throws: MigrationError.self) { try check(["Tag": 58], ["Tag": 59], passage) }
    let filtered = try check(["Tag": 60], ["Tag": 59], passage) {
      $0.filterPredicate = .comparison(Comparison(.key("title"), .equal, .constant(.string("a"))))
    }
    #expect(filtered.filteredInstanceCounts == ["TagToTag": 1])
    let halfway = ConservationCheck.Passage(handedOver: 60, carried: 59)
    let other = #expect(throws: MigrationError.self) { try check(["Tag": 60], ["Tag": 59], halfway) }
    #expect(other?.detail == "mapping 'TagToTag' has carried over 59 of 60 rows")
    let uncounted = ConservationCheck.Passage(handedOver: 1)
    let nothing = #expect(throws: MigrationError.self) { try check(["Tag": 1], ["Tag": 0], uncounted) }
    #expect(nothing?.detail == "mapping 'TagToTag' has carried over 0 of 1 row")
    let decided = try check(["Tag": 60], ["Tag": 59], halfway) { $0.entityMigrationPolicyClassName = "P" }
    #expect(decided.sourcesWithoutDestinationCounts == ["TagToTag": 1])
  }

  @Test func `Sources of several destinations are counted once in any order`() {
    func id(_ key: Int64, _ store: ManagedObjectID.Store) -> ManagedObjectID {
      ManagedObjectID(store: store, entityNumber: 1, primaryKey: key)
    }
    var sorted = AssociationTable()
    for (source, destination) in [(1, 1), (1, 2), (2, 3)] as [(Int64, Int64)] {
      sorted.add(id(source, .source), id(destination, .destination), "m")
    }
    #expect(sorted.sourceCount(mapping: "m") == 2)
    sorted.add(id(1, .source), id(4, .destination), "m")
    #expect(sorted.sourceCount(mapping: "m") == 2)
    #expect(sorted.sourceCount(mapping: "none") == 0)
  }
}
