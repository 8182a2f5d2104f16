import DataModel
import Foundation
import Migration
import MigrationDiagnostics
import PersistentStore
import TestSupport
import Testing

/// The name of a join table for an entity's relationship with itself after a migration.
@Suite("The name of a join table")
struct JoinTableNameTests {
  private func person(_ attributes: String...) -> EntityDescription {
    EntityDescription(
      "P", attributes: attributes.map { AttributeDescription($0, .string) },
      relationships: [
        RelationshipDescription("follows", to: "P", inverse: "followedBy"),
        RelationshipDescription("followedBy", to: "P", inverse: "follows"),
      ])
  }

  private func other(_ attributes: String...) -> EntityDescription {
    EntityDescription("Other", attributes: attributes.map { AttributeDescription($0, .string) })
  }

  /// A store with two links, whose table is named after one of the sides.
  private func store(_ versions: [[EntityDescription]], naming: String = "follows") throws -> AppStore {
    try AppStore(
      versions, joinTables: ["P.\(naming)"],
      """
      INSERT INTO ZP (Z_PK, Z_ENT, Z_OPT) VALUES (1, 2, 1), (2, 2, 1), (3, 2, 1);
      INSERT INTO Z_2\(naming.uppercased()) (Z_2FOLLOWS, Z_2FOLLOWEDBY) VALUES (3, 1), (2, 3);
      """)
  }

  /// The table and who follows whom.
  private func links(_ store: AppStore) throws -> [String] {
    let tables = try store.rows(
      "SELECT name FROM sqlite_schema WHERE name LIKE 'Z\\_2%' ESCAPE '\\' AND type = 'table'")
    return try tables + store.rows("SELECT Z_2FOLLOWEDBY, Z_2FOLLOWS FROM \(tables.first ?? "") ORDER BY 1, 2")
  }

  @Test func `A join table's name is kept while the entity's properties are unchanged`() throws {
    let store = try store([[person("a"), other()], [person("a"), other("new")]])
    #expect(try store.result().plan.doubtfulJoinTables.isEmpty)
    #expect(try links(store) == ["Z_2FOLLOWS", "1|3", "3|2"])
  }

  @Test func `A join table's name follows the rule once the properties change`() throws {
    let store = try store([[person("a"), other()], [person("b"), other()]])
    #expect(try store.result().plan.doubtfulJoinTables.isEmpty)
    #expect(try links(store) == ["Z_2FOLLOWEDBY", "1|3", "3|2"])
  }

  @Test func `A join table's name is kept if a later hop restores the properties`() throws {
    let store = try store([
      [person("a"), other()], [person("a", "b"), other("p", "q", "r")], [person("a"), other("p", "q", "r", "s")],
    ])
    #expect(try store.result(store.stepwiseMigration).steps.count == 2)
    #expect(try links(store) == ["Z_2FOLLOWS", "1|3", "3|2"])
  }

  @Test func `A join table's name is kept when columns are added to a copy`() throws {
    let store = try store([[person("a"), other()], [person("a"), other("new")]])
    var migration = store.migration
    migration.leastSizeOfCopies = 0
    var log: [String] = []
    migration.log = { log.append($0) }
    _ = try store.result(migration)
    #expect(log.contains("adding columns to a copy of the store"))
    #expect(try links(store) == ["Z_2FOLLOWS", "1|3", "3|2"])
  }

  @Test func `A doubtful name is reported, stops a strict migration and can be decided`() throws {
    let store = try store([[person("a"), other()], [person("a", "title"), other()]], naming: "followedBy")
    var migration = store.migration
    #expect(try migration.plan().doubtfulJoinTables.map(\.name) == ["Z_2FOLLOWS"])
    migration.isStrict = true
    let error = try store.refusal(migration)
    #expect(error.code == .strictFindings)
    #expect(error.detail?.hasSuffix("after 'P.follows'") == true, "\(error)")
    migration.joinTableRelationships = ["P.followedBy"]
    let result = try store.result(migration)
    #expect(result.plan.doubtfulJoinTables.isEmpty)
    #expect(StoreMigrationReport(result, toolVersion: "1").doubtfulJoinTables == nil)
    #expect(try links(store) == ["Z_2FOLLOWEDBY", "1|3", "3|2"])
  }

  @Test func `The report lists doubtful names`() throws {
    let store = try store([[person("a"), other()], [person("a", "title"), other()]], naming: "followedBy")
    let report = StoreMigrationReport(try store.result(), toolVersion: "1")
    #expect(report.doubtfulJoinTables == ["Z_2FOLLOWS"])
    #expect(String(decoding: report.json, as: UTF8.self).contains(#""doubtful_join_tables""#))
    #expect(try links(store) == ["Z_2FOLLOWS", "1|3", "3|2"])
  }

  @Test(arguments: [["P.a"], ["Nobody.follows"], ["follows"], ["P.follows", "P.followedBy"]])
  func `A relationship that is not a side of the join table cannot decide its name`(relationships: [String]) throws {
    let store = try store([[person("a"), other()], [person("a"), other("new")]])
    var migration = store.migration
    migration.joinTableRelationships = relationships
    let error = try store.refusal(migration)
    #expect(error.code == .invalidJoinTable)
    #expect(error.subject.name == relationships[0])
    #expect(error.exitStatus == 64)
  }
}
