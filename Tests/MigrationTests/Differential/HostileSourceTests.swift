import DataModel
import Migration
import MigrationDiagnostics
import PersistentStore
import TestSupport
import Testing

/// Sources whose schema or rows are not what their model says: a clear error, or a result without a silent loss.
struct HostileSourceTests {
  private static let old = TrackModels.model([
    EntityDescription("A", isAbstract: true, attributes: [AttributeDescription("x", .integer32)]),
    EntityDescription("B", superentityName: "A"), EntityDescription("C", superentityName: "B"),
    EntityDescription("D", relationships: [BulkFixture.one("a", "A")]),
  ])
  private static let new = TrackModels.model(
    old.entities.map {
      EntityDescription(
        $0.name, isAbstract: $0.isAbstract, superentityName: $0.superentityName,
        attributes: $0.ownAttributes + ($0.name == "D" ? [AttributeDescription("y", .string)] : []),
        relationships: $0.ownRelationships)
    })

  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func migrate(_ sql: String, isStrict: Bool = false) throws -> StoreMigration.Result {
    let store = folder.file("Old.sqlite")
    let rows = [
      "INSERT INTO ZA (Z_PK, Z_ENT, Z_OPT, ZX) VALUES (1, 2, 1, 5), (2, 3, 1, 6), (3, 3, 1, 7)",
      "INSERT INTO ZD (Z_PK, Z_ENT, Z_OPT, ZA, Z1_A) VALUES (1, 4, 1, 2, 3)",
    ]
    try SampleStore.write(Self.old, rows, to: store)
    try Database.run(sql, in: store)
    var migration = StoreMigration(
      path: store,
      versions: [LoadedModelVersion(name: "1", model: Self.old), LoadedModelVersion(name: "2", model: Self.new)])
    migration.outputPath = folder.file("New.sqlite")
    migration.isStrict = isStrict
    guard case .migrated(let result) = try migration.run() else { throw MigrationError(.migrationFailed, path: store) }
    return result
  }

  private func count() throws -> [String] {
    try Database.rows("SELECT (SELECT count(*) FROM ZA), (SELECT count(*) FROM ZD)", in: folder.file("New.sqlite"))
  }

  @Test(arguments: [
    "DROP TABLE ZD; CREATE VIEW ZD AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i AS Z_PK, 4 AS Z_ENT, 1 AS Z_OPT, NULL AS ZA, NULL AS Z1_A FROM n",
    "ALTER TABLE Z_PRIMARYKEY RENAME TO t; CREATE VIEW Z_PRIMARYKEY AS SELECT * FROM t",
    "DROP TABLE ZD; CREATE TABLE ZD (Z_PK INTEGER PRIMARY KEY, Z_ENT, Z_OPT, ZA AS (7), Z1_A)",
    "DELETE FROM Z_PRIMARYKEY", "UPDATE Z_PRIMARYKEY SET Z_ENT = -Z_ENT", "DROP TABLE ZD",
    "CREATE TABLE t AS SELECT * FROM ZD; DROP TABLE ZD; ALTER TABLE t RENAME TO ZD; INSERT INTO ZD SELECT * FROM ZD",
    "CREATE TABLE t AS SELECT * FROM ZD; DROP TABLE ZD; ALTER TABLE t RENAME TO ZD; UPDATE ZD SET Z_PK = 'key'",
    "CREATE TABLE t (Z_PK INTEGER PRIMARY KEY, Z_ENT, Z_OPT, ZA, Z1_A) WITHOUT ROWID; INSERT INTO t SELECT * FROM ZD; DROP TABLE ZD; ALTER TABLE t RENAME TO ZD",
  ])
  func `A store that contradicts its model throws an error, and nothing is written`(sql: String) throws {
    #expect(throws: MigrationError.self) { try migrate(sql) }
    #expect(try folder.listing() == ["Old.sqlite"])
  }

  @Test(arguments: [
    "CREATE TRIGGER ZE AFTER INSERT ON ZD BEGIN DELETE FROM ZA; END",
    "UPDATE ZD SET Z_PK = 9223372036854775807", "UPDATE ZD SET Z_PK = -9223372036854775807 - 1",
    "UPDATE Z_PRIMARYKEY SET Z_SUPER = Z_ENT", "UPDATE Z_PRIMARYKEY SET Z_MAX = 9223372036854775807",
    "CREATE TABLE t AS SELECT * FROM Z_PRIMARYKEY UNION ALL SELECT * FROM Z_PRIMARYKEY; DROP TABLE Z_PRIMARYKEY; ALTER TABLE t RENAME TO Z_PRIMARYKEY",
    "UPDATE ZA SET ZX = 'text', Z_OPT = 9e999", "UPDATE ZD SET ZA = 'text', Z1_A = 1e300",
  ])
  func `Odd but harmless data loses no instance`(sql: String) throws {
    _ = try migrate(sql)
    #expect(try count() == ["3|1"])
    #expect(try Database.integrity(folder.file("New.sqlite")) == ["ok"])
  }

  @Test(arguments: ["999", "NULL", "1", "4", "'x'", "4294967299"])
  func `Rows of an unknown entity are reported, and a strict migration stops`(number: String) throws {
    let sql = "UPDATE ZA SET Z_ENT = \(number) WHERE Z_PK < 3"
    let error = try #require(throws: MigrationError.self) { try migrate(sql, isStrict: true) }
    #expect(error.code == .strictFindings)
    Files.remove(folder.file("Old.sqlite"))
    let left = try migrate(sql).surroundings.leftBehind
    #expect(left.map { "\($0.name) \($0.count)" } == ["ZA: rows of no entity 2"])
    #expect(try count() == ["1|1"])
  }
}
