import DataModel
import Diagnostics
import Migration
import TestSupport
import Testing

/// What is copied for policies that only add to a plain copy.
struct BatchDecisionTests {
  private final class AddingNothing: EntityMigrationPolicy, BatchMigrationPolicy {
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

  @Test(arguments: [true, false])
  func `a value that is no value of the new type is refused, however instances are migrated`(
    perInstance: Bool
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
    #expect(error.code == .invalidMappingModel && error.subject.property == "x")
  }
}
