import Foundation
import TestSupport
import Testing

/// Differences between two stores, of which `diff` reads only the rows that may differ, and `query` lists all.
@Suite("The walk of diff and a comparison of all rows")
struct DifferingRowsTests {
  /// Changes of a copy.
  struct Change: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let sql: String
    /// The number of differences.
    let count: Int

    init(_ description: String, _ count: Int, _ sql: String) {
      (testDescription, self.count, self.sql) = (description, count, sql)
    }

    static let all = [
      Change("nothing", 0, "SELECT 1"),
      Change(
        "values", 5,
        """
        UPDATE ZA SET ZNAME = 'x' WHERE Z_PK = 2; UPDATE ZA SET ZNUMBER = -614.375 WHERE Z_PK = 6;
        UPDATE ZTAG SET ZNAME = NULL WHERE Z_PK = 5; UPDATE ZTHING SET ZSIZE = 7 WHERE Z_PK IN (2, 4)
        """),
      Change(
        "dates that are none", 3,
        """
        UPDATE ZA SET ZTIME = 'soon' WHERE Z_PK = 2; UPDATE ZA SET ZTIME = x'00' WHERE Z_PK = 3;
        UPDATE ZA SET ZTIME = 9e99 WHERE Z_PK = 5
        """),
      Change(
        "keys of a one-to-many relationship", 5,
        """
        UPDATE ZITEM SET ZOWNER = 1 WHERE Z_PK = 1;
        UPDATE ZITEM SET ZOWNER = NULL, Z_FOK_OWNER = NULL WHERE Z_PK = 7
        """),
      Change(
        "the order of both kinds of relationships", 2,
        """
        UPDATE ZITEM SET Z_FOK_OWNER = 9999 WHERE Z_PK = 3;
        UPDATE Z_1TAGS SET Z_FOK_1AS = 9999 WHERE Z_1AS = 3 AND Z_4TAGS = 2
        """),
      Change(
        "links of a many-to-many relationship", 4,
        "INSERT INTO Z_1TAGS VALUES (1, 7, 1024); DELETE FROM Z_1TAGS WHERE Z_1AS = 8"),
      Change(
        "links of a relationship that is its own inverse", 4,
        """
        INSERT INTO Z_1FRIENDS VALUES (1, 3), (3, 1);
        DELETE FROM Z_1FRIENDS WHERE 7 IN (Z_1FRIENDS, REFLEXIVE)
        """),
      Change(
        "ends of a one-to-one relationship", 3,
        """
        UPDATE ZA SET ZMATE = 5 WHERE Z_PK = 1; UPDATE ZMATE SET ZA = 1 WHERE Z_PK = 5;
        UPDATE ZMATE SET ZA = NULL WHERE Z_PK IN (1, 2)
        """),
      Change(
        "rows that are added and removed", 8,
        """
        INSERT INTO ZITEM VALUES (9, 2, 1, 5, 4096, 'new'); INSERT INTO ZA (Z_PK, Z_ENT, ZMATE) VALUES (9, 1, 5);
        DELETE FROM ZITEM WHERE Z_PK = 6; DELETE FROM ZTHING WHERE Z_PK IN (3, 16)
        """),
      Change("a row that links of each kind still name", 9, "DELETE FROM ZA WHERE Z_PK = 4"),
      Change("the other end of a one-to-one relationship", 2, "DELETE FROM ZMATE WHERE Z_PK = 6"),
      Change("the other end of a many-to-many relationship", 4, "DELETE FROM ZTAG WHERE Z_PK = 4"),
      Change("the entity of a row", 2, "UPDATE ZTHING SET Z_ENT = 6 WHERE Z_PK = 9"),
      Change(
        "the numbers of entities", 1,
        """
        UPDATE Z_PRIMARYKEY SET Z_ENT = Z_ENT + 10, Z_SUPER = CASE Z_SUPER WHEN 5 THEN 15 ELSE 0 END WHERE Z_ENT > 4;
        UPDATE ZTHING SET Z_ENT = Z_ENT + 10; UPDATE ZTHING SET ZNAME = 'x' WHERE Z_PK = 2
        """),
      Change(
        "links with one end only", 0,
        "INSERT INTO Z_1TAGS VALUES (NULL, 4, 1), (NULL, 4, 1), (NULL, 4, 2), (5, NULL, 1), (5, NULL, 1)"),
      Change(
        "links that are there twice", 0,
        """
        CREATE TABLE links AS SELECT * FROM Z_1FRIENDS; DROP TABLE Z_1FRIENDS;
        CREATE TABLE Z_1FRIENDS (Z_1FRIENDS INTEGER, REFLEXIVE INTEGER);
        INSERT INTO Z_1FRIENDS SELECT * FROM links UNION ALL SELECT * FROM links; DROP TABLE links
        """),
    ]
  }

  private static let entities = ["A", "Item", "Mate", "SubThing", "Tag", "Thing"]
  private static let orderedRelationships = ["A.items", "Tag.as"]

  @Test(arguments: Change.all)
  func `Both find the same differences`(change: Change) throws {
    let folder = try TemporaryFolder()
    let (store, copy) = (folder.file("s.sqlite"), folder.file("c.sqlite"))
    let model = try folder.models("M.xcdatamodeld", ["V": Self.model])
    try successfully("fixture", "new", "--rows", "8", "--model", "\(model):V", store)
    try Files.copy(store, to: copy)
    try Database.run(change.sql, in: copy)
    for (old, new) in [(store, copy), (copy, store)] {
      let result = try CommandRunner(["diff", old, new, "--format", "ndjson"]).run()
      let found = try Self.objects(result).map { row in
        ["change", "entity", "row", "field"].map { row[$0] as? String ?? "" }.joined(separator: " ")
      }
      let expected = try differences(old, new)
      #expect(found.sorted() == expected && expected.count == change.count, "\(result)")
      #expect(result.status == (change.count == 0 ? 0 : 3), "\(result)")
    }
  }

  /// The differences between all rows.
  private func differences(_ old: String, _ new: String) throws -> [String] {
    try Self.entities.flatMap { entity -> [String] in
      let (before, after) = (try rows(of: entity, in: old), try rows(of: entity, in: new))
      return Set(before.keys).union(after.keys).flatMap { key -> [String] in
        guard let row = before[key] else { return ["added \(entity) \(key) "] }
        guard let other = after[key] else { return ["removed \(entity) \(key) "] }
        return row.keys.filter { row[$0] != other[$0] }.map { "changed \(entity) \(key) \($0)" }
      }
    }.sorted()
  }

  /// The values of all rows of exactly an entity as text, by key.
  private func rows(of entity: String, in store: String) throws -> [Int: [String: String]] {
    var rows: [Int: [String: String]] = [:]
    for object in try Self.objects(try successfully("query", store, entity, "--format", "ndjson")) {
      guard object["entity"] as? String ?? entity == entity, let key = object["key"] as? Int else { continue }
      rows[key] = Dictionary(
        uniqueKeysWithValues: object.map { name, value in
          let isOrdered = Self.orderedRelationships.contains("\(entity).\(name)")
          let text = (value as? [String]).map { "\(isOrdered ? $0 : $0.sorted())" } ?? "\(value)"
          return (name, text)
        })
    }
    return rows
  }

  private static func objects(_ result: CommandResult) throws -> [[String: Any]] {
    try result.stdout.split(separator: "\n").map {
      try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
    }
  }

  private static var model: String {
    func attribute(_ name: String, _ type: String) -> String {
      "<attribute name=\"\(name)\" optional=\"YES\" attributeType=\"\(type)\" usesScalarValueType=\"NO\"/>"
    }
    func relationship(_ name: String, _ destination: String, _ inverse: String, _ details: String) -> String {
      "<relationship name=\"\(name)\" optional=\"YES\" deletionRule=\"Nullify\" destinationEntity=\"\(destination)\" "
        + "inverseName=\"\(inverse)\" inverseEntity=\"\(destination)\" \(details)/>"
    }
    let (one, many) = ("maxCount=\"1\"", "toMany=\"YES\"")
    let ordered = "\(many) ordered=\"YES\""
    let name = attribute("name", "String")
    // No to-one relationship leads to an entity with subentities: stores with one are compared row by row.
    return """
      <entity name="A">\(name)\(attribute("number", "Double"))\(attribute("time", "Date"))
      \(relationship("friends", "A", "friends", many))\(relationship("items", "Item", "owner", ordered))
      \(relationship("mate", "Mate", "a", one))\(relationship("tags", "Tag", "as", many))</entity>
      <entity name="Item">\(name)\(relationship("owner", "A", "items", one))</entity>
      <entity name="Mate">\(name)\(relationship("a", "A", "mate", one))</entity>
      <entity name="Tag">\(name)\(relationship("as", "A", "tags", ordered))</entity>
      <entity name="Thing">\(name)</entity>
      <entity name="SubThing" parentEntity="Thing">\(attribute("size", "Integer 32"))</entity>
      """
  }
}
