import CoreDataExpressions
import DataModel
import Migration
import MigrationDiagnostics
import PersistentStore
import TestSupport
import Testing

struct DefaultPolicyTests {
  @Test func `Attributes are copied, and keys are assigned in source order`() throws {
    var rows = [TrackRow(-3, title: "first", json: nil), TrackRow(8, title: nil, json: nil)]
    rows[0].lastPlayedAt = .real(0.25)
    rows[0].imageURL = "a\0b"
    rows[1].lastPlayedAt = .integer(7)
    let fixture = try MigrationFixture(rows)
    let statistics = try fixture.migrate()
    #expect(
      try fixture.rows("SELECT Z_PK, Z_ENT, Z_OPT, ZLASTPLAYEDAT, hex(ZIMAGEURL), ZTITLE FROM ZTRACK ORDER BY 1")
        == ["1|2|1|0.25|610062|first", "2|2|1|7||NULL"])
    #expect(statistics.sourceInstanceCounts == ["Track": 2])
    #expect(statistics.destinationInstanceCounts == ["Track": 2])
    #expect(statistics[MigrationManager.unassociatedCounter] == 0)
    #expect(try fixture.rows("SELECT * FROM Z_PRIMARYKEY") == ["1|Artist|0|0", "2|Track|0|8"])
    #expect(try Database.integrity(fixture.destination) == ["ok"])
  }

  @Test func `Constants and defaults give values, and a missing expression gives none`() throws {
    var fixture = try MigrationFixture([TrackRow(1, title: "x", json: nil)])
    fixture.mappings[0].attributeMappings = [
      PropertyMapping(name: "title", valueExpression: .constant(.string("fixed"))),
      PropertyMapping(name: "imageURL", valueExpression: nil),
      PropertyMapping(name: "lastPlayedAt", valueExpression: .null),
    ]
    try fixture.migrate()
    #expect(try fixture.rows("SELECT ZTITLE, ZIMAGEURL, ZLASTPLAYEDAT FROM ZTRACK") == ["fixed|NULL|NULL"])
  }

  @Test(arguments: [
    "$source.nothing", "$source.title.nothing", "$sauce.title", "$manager.nothing", "$source", "1 / 0",
    "FUNCTION($manager, 'destinationInstancesForEntityMappingNamed:sourceInstances:', 'x', $source)",
    "FUNCTION($manager, 'destinationInstancesForEntityMappingNamed:sourceInstances:', 'TrackToTrack', 7)",
    "FUNCTION($manager, 'destinationInstancesForEntityMappingNamed:sourceInstances:')",
    "FUNCTION($manager, 'explode')", "FUNCTION($source, 'explode')",
  ])
  func `An invalid expression throws an error`(format: String) throws {
    var fixture = try MigrationFixture([TrackRow(1, title: "x", json: nil)])
    fixture.mappings[0].attributeMappings = [
      PropertyMapping(name: "title", valueExpression: try Expression(format: format))
    ]
    #expect(try #require(throws: MigrationError.self) { try fixture.migrate() }.code == .invalidMappingModel)
  }

  @Test(
    arguments: [
      ("$source.title", "x"), ("uppercase($source.title)", "X"), ("'fixed'", "fixed"), ("nil", "NULL"),
      ("TERNARY($source.imageURL == nil, 'none', $source.imageURL)", "none"),
    ] as [(String, String)])
  func `Expressions in Core Data's format are evaluated`(format: String, title: String) throws {
    var fixture = try MigrationFixture([TrackRow(1, title: "x", json: nil)])
    fixture.mappings[0].attributeMappings = [
      PropertyMapping(name: "title", valueExpression: try Expression(format: format))
    ]
    try fixture.migrate()
    #expect(try fixture.rows("SELECT ZTITLE FROM ZTRACK") == [title])
  }

  @Test func `Entities that share a table are kept apart, and so are their columns`() throws {
    let folder = try TemporaryFolder()
    func model(_ modifier: String?) -> ManagedObjectModel {
      TrackModels.model([
        EntityDescription("Base", isAbstract: true, versionHashModifier: modifier),
        EntityDescription("A", superentityName: "Base", attributes: [AttributeDescription("text", .string)]),
        EntityDescription("B", superentityName: "Base", attributes: [AttributeDescription("text", .string)]),
      ])
    }
    let (old, new) = (model(nil), model("2"))
    let writer = try StoreWriter(path: folder.file("old"), schema: StoreSchema(old), layout: .coreData)
    for (key, entity) in [(1, "A"), (2, "B"), (3, "A")] {
      try writer.inserter(forEntityNamed: entity, properties: ["text"])
        .insert(primaryKey: Int64(key), values: [.text("\(entity)\(key)")])
    }
    try writer.finish(metadata: .new(for: old, uuid: "ID"))
    let mappings = ["B", "A"].map { name in
      EntityMapping.suggested(from: MigrationFixture.entity(name, in: old), to: MigrationFixture.entity(name, in: new))
    }
    let manager = try MigrationManager(
      source: try StoreReader(path: folder.file("old")), sourceModel: old,
      mappingModels: [MappingModel(entityMappings: mappings)],
      destination: try StoreWriter(path: folder.file("new"), schema: StoreSchema(new), layout: .coreData))
    let statistics = try manager.migrate()
    #expect(statistics.destinationInstanceCounts == ["A": 2, "B": 1])
    #expect(
      try Database.rows("SELECT Z_PK, Z_ENT, ZTEXT, ZTEXT1 FROM ZBASE ORDER BY 1", in: folder.file("new"))
        == ["1|2|A1|NULL", "2|3|NULL|B2", "3|2|A3|NULL"])
    #expect(
      try Database.rows("SELECT Z_NAME, Z_MAX FROM Z_PRIMARYKEY", in: folder.file("new")) == ["Base|3", "A|0", "B|0"])
  }

  @Test func `One mapping can copy instances of several entities, each with its own attributes`() throws {
    final class Both: EntityMigrationPolicy {
      override func createDestinationInstances(
        forSource sInstance: ManagedObject, in mapping: EntityMapping, manager: MigrationManager
      ) throws {
        try super.createDestinationInstances(forSource: sInstance, in: mapping, manager: manager)
        for other in try manager.sourceContext.fetch(FetchRequest(entityName: "B")) {
          try super.createDestinationInstances(forSource: other, in: mapping, manager: manager)
        }
      }
    }
    let x = AttributeDescription("x", .string)
    let old = TrackModels.model([
      EntityDescription("A", attributes: [x]),
      EntityDescription("B", attributes: [AttributeDescription("a", .string), x]),
    ])
    let new = TrackModels.model([EntityDescription("A", attributes: [x])])
    let folder = try TemporaryFolder()
    let rows = [
      "INSERT INTO ZA (Z_PK, Z_ENT, Z_OPT, ZX) VALUES (1, 1, 1, 'A')",
      "INSERT INTO ZB (Z_PK, Z_ENT, Z_OPT, ZA, ZX) VALUES (1, 2, 1, 'no', 'B'), (2, 2, 1, 'no', 'C')",
    ]
    try SampleStore.write(old, rows, to: folder.file("Old.sqlite"))
    var options = MigrationManager.Options()
    options.policies.register("Both") { Both() }
    let mapping = EntityMapping.suggested(
      from: MigrationFixture.entity("A", in: old), to: MigrationFixture.entity("A", in: new), policy: "Both")
    try SampleStore.migrate(
      folder.file("Old.sqlite"), old, to: folder.file("New.sqlite"), new, MappingModel(entityMappings: [mapping]),
      options: options)
    #expect(try Database.rows("SELECT ZX FROM ZA ORDER BY Z_PK", in: folder.file("New.sqlite")) == ["A", "B", "C"])
  }

  @Test func `A damaged source is reported as such and not as a policy failure`() throws {
    let fixture = try MigrationFixture([TrackRow(1, json: nil)])
    try Database.run("ALTER TABLE ZTRACK DROP COLUMN ZTITLE", in: fixture.source)
    let error = try #require(throws: MigrationError.self) { try fixture.migrate() }
    #expect(error.code == .damaged)
    #expect(error.subject.path == fixture.source)
  }
}

/// Reads titles in batches, and does nothing with them.
class EmptyBatchPolicy: EntityMigrationPolicy, BatchMigrationPolicy {
  struct Preparer: RowPreparer {
    private var keys: [Int64] = []

    var byteCount: Int { keys.count * 8 }

    mutating func prepare(_ row: SourceRow) { keys.append(row.primaryKey) }

    mutating func takeBatch() -> [Int64] {
      defer { keys = [] }
      return keys
    }
  }

  let preparedAttributes = ["title"]

  func makePreparer(for mapping: EntityMapping, manager: MigrationManager) -> Preparer { Preparer() }

  func apply(_ batch: [Int64], in mapping: EntityMapping, manager: MigrationManager) {
    manager.statistics.count("rows", by: batch.count)
  }
}
