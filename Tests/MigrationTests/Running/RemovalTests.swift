import CoreDataExpressions
import DataModel
import Migration
import MigrationDiagnostics
import TestSupport
import Testing

@Suite("What a migration removes")
struct RemovalTests {
  /// Instances of `A` and `B`; the test decides which of them a mapping model migrates.
  private func store(_ mappings: (_ old: ManagedObjectModel, _ new: ManagedObjectModel) throws -> [EntityMapping])
    throws -> AppStore
  {
    let old = ["A", "B"].map { EntityDescription($0, attributes: [AttributeDescription("x", .integer32)]) }
    let new = ["A", "B"].map { EntityDescription($0, attributes: [AttributeDescription("x", .integer64)]) }
    var store = try AppStore(
      [old, new],
      """
      INSERT INTO ZA (Z_PK, Z_ENT, ZX) VALUES (1, 1, 1), (2, 1, 2);
      INSERT INTO ZB (Z_PK, Z_ENT, ZX) VALUES (1, 2, 1), (2, 2, 2), (3, 2, 3)
      """)
    let (first, last) = (store.versions[0].model, store.versions[1].model)
    store.mappings = [
      LoadedMappingModel(
        name: "m", sourceVersionName: "V1", destinationVersionName: "V2",
        mappingModel: MappingModel(
          entityMappings: [.suggested(from: entity("A", first), to: entity("A", last))] + (try mappings(first, last))))
    ]
    return store
  }

  private func entity(_ name: String, _ model: ManagedObjectModel) -> EntityDescription {
    MigrationFixture.entity(name, in: model)
  }

  @Test func `A removing mapping and an entity without a mapping require permission`() throws {
    let removing = try store { old, _ in
      [EntityMapping(name: "RemoveB", mappingType: .remove, source: entity("B", old), destination: nil)]
    }
    for store in [removing, try store { _, _ in [] }] {
      let error = try store.refusal()
      #expect(error.code == .rowsWouldBeLost)
      #expect(error.detail == "'B' (3 rows), from 'V1' to 'V2'")
      #expect(try store.migration.plan().removals.map { "\($0.entity) \($0.count)" } == ["B 3"])
      var migration = store.migration
      migration.allowsLoss = true
      let result = try store.result(migration)
      #expect(result.steps[0].statistics.removedInstanceCounts == ["B": 3])
      #expect(try store.rows("SELECT (SELECT count(*) FROM ZA), (SELECT count(*) FROM ZB)") == ["2|0"])
    }
  }

  @Test func `An entity with a custom policy is not removed, and the rows that it drops are reported`() throws {
    let store = try store { old, new in
      [.suggested(from: entity("B", old), to: entity("B", new), policy: "Odd")]
    }
    /// Takes over what has an odd number.
    final class Odd: EntityMigrationPolicy {
      override func createDestinationInstances(
        forSource sInstance: ManagedObject, in mapping: EntityMapping, manager: MigrationManager
      ) throws {
        guard sInstance.objectID.primaryKey % 2 == 1 else { return }
        try super.createDestinationInstances(forSource: sInstance, in: mapping, manager: manager)
      }
    }
    var migration = store.migration
    migration.policies.register("Odd") { Odd() }
    #expect(try migration.plan().removals.isEmpty)
    let result = try store.result(migration)
    #expect(result.steps[0].statistics.sourcesWithoutDestinationCounts == ["BToB": 1])
    #expect(result.steps[0].statistics.removedInstanceCounts.isEmpty)
    #expect(try store.rows("SELECT count(*) FROM ZB") == ["2"])
  }

  @Test func `Rows that a filter skips are reported`() throws {
    let store = try store { old, new in
      var mapping = EntityMapping.suggested(from: entity("B", old), to: entity("B", new))
      mapping.filterPredicate = try Predicate(format: "x > 1")
      return [mapping]
    }
    let result = try store.result()
    #expect(result.steps[0].statistics.filteredInstanceCounts == ["BToB": 1])
    #expect(MigrationText().outcome(.migrated(result), of: "").contains("    passed over by the filter of 'BToB': 1"))
    #expect(try store.rows("SELECT count(*) FROM ZB") == ["2"])
    let report = String(decoding: StoreMigrationReport(result, toolVersion: "1").json, as: UTF8.self)
    #expect(report.replacing(" ", with: "").contains("\"filtered_instances_count_by_mapping\":{\n\"BToB\":1\n}"))
  }

  @Test func `Rows that one mapping skips and another migrates are not reported`() throws {
    let store = try store { old, new in
      var mapping = EntityMapping.suggested(from: entity("B", old), to: entity("A", new))
      mapping.filterPredicate = try Predicate(format: "x > 1")
      return [mapping, .suggested(from: entity("B", old), to: entity("B", new))]
    }
    let statistics = try store.result().steps[0].statistics
    #expect(statistics.filteredInstanceCounts.isEmpty)
    #expect(statistics.destinationInstanceCounts == ["A": 4, "B": 3])
  }

  @Test(arguments: [0, 1])
  func `A strict migration refuses to remove an entity only if it has rows`(count: Int) throws {
    let entities = ["A", "B"].map { EntityDescription($0, attributes: [AttributeDescription("x", .integer32)]) }
    let rows = count == 0 ? "" : "INSERT INTO ZB (Z_PK, Z_ENT, ZX) VALUES (1, 2, 1)"
    let store = try AppStore([entities, [entities[0]]], rows)
    var migration = store.migration
    (migration.isStrict, migration.allowsLoss) = (true, true)
    if count == 0 {
      _ = try store.result(migration)
    } else {
      #expect(try store.refusal(migration).code == .strictFindings)
    }
  }

  @Test func `A tool of its own prints all remarks with the option that its help names`() throws {
    let names = (1...7).map { "x\($0)" }
    let old = EntityDescription("A", attributes: names.map { AttributeDescription($0, .integer32) })
    let store = try AppStore([[old], [EntityDescription("A", attributes: [AttributeDescription("y", .string)])]])
    let model = store.folder.file("M.xcdatamodeld")
    for version in store.versions {
      let folder = try store.folder.makeFolder("M.xcdatamodeld/\(version.name).xcdatamodel")
      try Files.write(try version.model.xml(), to: "\(folder)/contents")
    }
    func lines(_ arguments: String...) -> [String] {
      var lines: [String] = []
      var tool = MigrationTool(modelPath: model)
      tool.destinationVersionName = "V2"
      let status = tool.run(
        arguments + ["--plan", store.path], print: { lines.append($0) }, printError: { lines.append($0) })
      #expect(status == 0)
      return lines.filter { $0.contains("remark") }
    }
    #expect(lines() == ["     … and 2 more remarks; see them with --verbose"])
    #expect(lines("--verbose").isEmpty)
  }

  @Test func `A key that the source entity does not have is refused by the plan`() throws {
    func refusal(policy: String? = nil, _ change: (inout EntityMapping) throws -> Void) throws -> MigrationError? {
      let store = try store { old, new in
        var mapping = EntityMapping.suggested(from: entity("B", old), to: entity("B", new), policy: policy)
        try change(&mapping)
        return [mapping]
      }
      var migration = store.migration
      migration.policies.register("Policy") { EntityMigrationPolicy() }
      do throws(MigrationError) {
        _ = try migration.plan()
        return nil
      } catch {
        #expect(error.code == .invalidMappingModel)
        #expect((error.subject.entity, error.subject.property) == ("B", "xx"))
        return error
      }
    }
    #expect(
      try refusal { $0.filterPredicate = try Predicate(format: "x > 1 AND xx == 2") }?.detail
        == "the filter in mapping 'BToB' asks for it, but the entity has no such property; the nearest is 'x'")
    let expression: (inout EntityMapping) throws -> Void = {
      $0.attributeMappings[0].valueExpression = try Expression(format: "$source.xx + 1")
    }
    #expect(
      try refusal(expression)?.detail
        == "the expression of 'x' in mapping 'BToB' asks for it, but the entity has no such property; "
        + "the nearest is 'x'")
    // A policy may leave expressions alone, but not filters.
    #expect(try refusal(policy: "Policy", expression) == nil)
    #expect(try refusal(policy: "Policy") { $0.filterPredicate = try Predicate(format: "xx == 2") } != nil)
    #expect(try refusal { $0.filterPredicate = try Predicate(format: "objectID != nil AND SELF.x == 1") } == nil)
  }
}
