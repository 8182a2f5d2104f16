import DataModel
import Migration
import MigrationDiagnostics
import TestSupport
import Testing

/// Bulk copies for policies that only add to a plain copy.
struct BatchDecisionTests {
  private class AddingNothing: EntityMigrationPolicy, BatchMigrationPolicy {
    struct Preparer: RowPreparer {
      let byteCount = 0

      mutating func prepare(_ row: SourceRow) throws(MigrationError) {}
      mutating func takeBatch() -> Int { 0 }
    }

    let preparedAttributes: [String] = []

    func makePreparer(for mapping: EntityMapping, manager: MigrationManager) throws -> Preparer { Preparer() }
    func apply(_ batch: Int, in mapping: EntityMapping, manager: MigrationManager) throws {}
  }

  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test(arguments: [(false, "cannot be taken for"), (true, "that was asked for")])
  func `a policy that works in batches is refused where statements will not do`(
    perInstance: Bool, reason: String
  ) throws {
    let old = TrackModels.model([EntityDescription("A", attributes: [AttributeDescription("x", .string)])])
    let new = TrackModels.model([EntityDescription("A", attributes: [AttributeDescription("x", .integer16)])])
    let store = folder.file("Old.sqlite")
    try SampleStore.write(old, ["INSERT INTO ZA (Z_PK, Z_ENT, Z_OPT, ZX) VALUES (1, 1, 1, 'text')"], to: store)
    var options = MigrationManager.Options()
    options.migratesPerInstance = perInstance
    options.policies.register("Adding") { AddingNothing() }
    let mapping = EntityMapping.suggested(
      from: MigrationFixture.entity("A", in: old), to: MigrationFixture.entity("A", in: new), policy: "Adding")
    let error = try #require(throws: MigrationError.self) {
      try SampleStore.migrate(
        store, old, to: folder.file("New.sqlite"), new, MappingModel(entityMappings: [mapping]), options: options)
    }
    #expect(error.code == .invalidMappingModel && error.subject.property == (perInstance ? nil : "x"))
    #expect(error.detail?.contains(reason) == true)
  }

  @Test func `A policy that works in batches may share its entity with another mapping`() throws {
    let old = TrackModels.model([EntityDescription("A", attributes: [AttributeDescription("x", .string)])])
    let new = TrackModels.model(
      ["A", "B"].map { EntityDescription($0, attributes: [AttributeDescription("x", .string)]) })
    let store = folder.file("Old.sqlite")
    try SampleStore.write(
      old, ["INSERT INTO ZA (Z_PK, Z_ENT, Z_OPT, ZX) VALUES (1, 1, 1, 'one'), (2, 1, 1, 'two')"], to: store)
    var options = MigrationManager.Options()
    options.policies.register("Adding") { AddingNothing() }
    let source = MigrationFixture.entity("A", in: old)
    let mappings = [
      EntityMapping.suggested(from: source, to: MigrationFixture.entity("A", in: new), policy: "Adding"),
      EntityMapping.suggested(from: source, to: MigrationFixture.entity("B", in: new)),
    ]
    try SampleStore.migrate(
      store, old, to: folder.file("New.sqlite"), new, MappingModel(entityMappings: mappings), options: options)
    for table in ["ZA", "ZB"] {
      #expect(try Database.rows("SELECT ZX FROM \(table) ORDER BY 1", in: folder.file("New.sqlite")) == ["one", "two"])
    }
  }

  @Test func `Objects that a policy adds to a bulk-copied entity get keys that no row has`() throws {
    final class Adding: AddingNothing {
      override func endInstanceCreation(forMapping mapping: EntityMapping, manager: MigrationManager) throws {
        let store = manager.destinationStore
        let keys = try (1...2).map { _ in try store.nextPrimaryKey(forEntityNamed: "B") }
        manager.statistics.addExample("\(keys)", to: "keys")
      }
    }
    let entities = ["A", "B", "C"].map { EntityDescription($0, attributes: [AttributeDescription("x", .string)]) }
    let model = TrackModels.model(entities)
    for (greatest, expected) in [(9, "[10, 11]"), (1, "[6, 7]")] {
      let store = folder.file("Old \(greatest).sqlite")
      try SampleStore.write(
        model,
        [
          "INSERT INTO ZA (Z_PK, Z_ENT, Z_OPT) VALUES (1, 1, 1)",
          "INSERT INTO ZB (Z_PK, Z_ENT, Z_OPT) VALUES (5, 2, 1)",
          "UPDATE Z_PRIMARYKEY SET Z_MAX = \(greatest) WHERE Z_NAME = 'B'",
        ], to: store)
      var options = MigrationManager.Options()
      options.policies.register("Adding") { Adding() }
      let mappings = ["A", "B", "C"].map { name in
        let entity = MigrationFixture.entity(name, in: model)
        return EntityMapping.suggested(from: entity, to: entity, policy: name == "A" ? "Adding" : nil)
      }
      let statistics = try SampleStore.migrate(
        store, model, to: folder.file("New \(greatest).sqlite"), model, MappingModel(entityMappings: mappings),
        options: options)
      #expect(statistics.examples["keys"] == [expected])
    }
  }
}
