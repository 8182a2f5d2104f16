import CoreDataExpressions
import DataModel
import Migration
import MigrationDiagnostics
import PersistentStore
import TestSupport
import Testing

/// Expressions of mappings in the hands of policies.
struct PassExpressionTests {
  /// Expressions that the default policy precomputes, each with an equivalent that it must evaluate.
  @Test(arguments: [
    ("$source.body", "TERNARY(1 == 1, $source.body, nil)"), ("'x'", "TERNARY($source == nil, nil, 'x')"),
    ("nil", "TERNARY($source == nil, 'x', nil)"),
  ])
  func `Precomputed expressions give the same result as evaluated ones`(plain: String, evaluated: String) throws {
    var results: [[String]] = []
    for format in [plain, evaluated] {
      var fixture = try ObjectFixture(Notes.old, sql: Notes.rows)
      let mapping = try Notes.attribute("body", format)
      fixture.change("Note") { $0.attributeMappings = [mapping] }
      try fixture.migrate()
      results.append(try fixture.rows("SELECT ZBODY FROM ZNOTE"))
    }
    #expect(results[0] == results[1])
  }

  @Test func `A policy may pass a different mapping to the default policy for each instance`() throws {
    final class Policy: EntityMigrationPolicy {
      override func createDestinationInstances(
        forSource sInstance: ManagedObject, in mapping: EntityMapping, manager: MigrationManager
      ) throws {
        var mapping = mapping
        mapping.attributeMappings = [
          PropertyMapping(name: "body", valueExpression: .constant(.string("\(sInstance.objectID.primaryKey)")))
        ]
        try super.createDestinationInstances(forSource: sInstance, in: mapping, manager: manager)
      }
    }
    var fixture = try ObjectFixture(Notes.old, sql: Notes.rows)
    fixture.use(Policy(), for: "Note")
    try fixture.migrate()
    #expect(try fixture.rows("SELECT ZBODY FROM ZNOTE") == ["3", "5", "9"])
  }

  @Test func `Expressions can call the policy and refer to the mapping and its user info`() throws {
    final class Policy: EntityMigrationPolicy {
      override func perform(
        _ selector: String, with arguments: [ExpressionValue], manager: MigrationManager
      ) throws -> ExpressionValue? {
        guard selector == "shout:", case .string(let text) = arguments[0] else { return nil }
        return .string(text.uppercased() + "!")
      }
    }
    for (format, wanted) in [
      ("FUNCTION($entityPolicy, 'shout:', $source.body)", "A!"), ("$entityMapping.userInfo.version", "2"),
      ("$entityMapping.name", "NoteToNote"), ("$source.body", "a"),
    ] {
      var fixture = try ObjectFixture(Notes.old, sql: Notes.rows)
      let mapping = try Notes.attribute("body", format)
      fixture.use(Policy(), for: "Note")
      fixture.change("Note") {
        $0.attributeMappings = [mapping]
        $0.userInfo = ["version": "2"]
      }
      try fixture.migrate()
      #expect(try fixture.rows("SELECT ZBODY FROM ZNOTE").first == wanted)
    }
    var fixture = try ObjectFixture(Notes.old, sql: Notes.rows)
    let mapping = try Notes.attribute("body", "FUNCTION($entityPolicy, 'whisper:', $source.body)")
    fixture.use(Policy(), for: "Note")
    fixture.change("Note") { $0.attributeMappings = [mapping] }
    #expect(try #require(throws: MigrationError.self) { try fixture.migrate() }.code == .invalidMappingModel)
  }
}
