import DataModel
import Migration
import TestSupport
import Testing

@Suite("Links of a store to instances that are gone")
struct DanglingLinkTests {
  private static func versions() -> [[EntityDescription]] {
    [[], [AttributeDescription("extra", .string)]].map { extra in
      [
        EntityDescription("Folder", relationships: [RelationshipDescription("notes", to: "Note", inverse: "folder")]),
        EntityDescription(
          "Note", attributes: [AttributeDescription("text", .string)] + extra,
          relationships: [
            RelationshipDescription("folder", to: "Folder", inverse: "notes", maxCount: 1),
            RelationshipDescription("tags", to: "Tag", inverse: "notes"),
          ]),
        EntityDescription("Tag", relationships: [RelationshipDescription("notes", to: "Note", inverse: "tags")]),
      ]
    }
  }

  /// Three notes in two folders, with two tags; the keys have gaps, so each must be looked up.
  private static let rows = """
    INSERT INTO ZFOLDER (Z_PK, Z_ENT, Z_OPT) VALUES (1, 1, 1), (5, 1, 1);
    INSERT INTO ZNOTE (Z_PK, Z_ENT, Z_OPT, ZFOLDER, ZTEXT)
    VALUES (1, 2, 1, 1, 'one'), (2, 2, 1, 5, 'two'), (7, 2, 1, NULL, 'seven');
    INSERT INTO ZTAG (Z_PK, Z_ENT, Z_OPT) VALUES (1, 3, 1), (4, 3, 1);
    INSERT INTO Z_2TAGS (Z_2NOTES, Z_3TAGS) VALUES (1, 1), (1, 4), (7, 4);
    UPDATE Z_PRIMARYKEY SET Z_MAX = 9;
    """
  private static let dangling = """
    UPDATE ZNOTE SET ZFOLDER = 3 WHERE Z_PK = 2;
    INSERT INTO ZNOTE (Z_PK, Z_ENT, Z_OPT, ZFOLDER) VALUES (8, 2, 1, 9), (9, 2, 1, 'x');
    INSERT INTO Z_2TAGS (Z_2NOTES, Z_3TAGS) VALUES (2, 3), (3, 1);
    """

  /// - Parameter leastSizeOfCopies: The size from which on a store is copied as it is, if nothing is wrong with it.
  @Test(arguments: [0, 1 << 20] as [Int64])
  func `Dangling references are dropped, counted and named`(leastSizeOfCopies: Int64) throws {
    let store = try AppStore(Self.versions(), Self.rows + Self.dangling)
    var migration = store.migration
    migration.leastSizeOfCopies = leastSizeOfCopies
    let result = try store.result(migration)
    #expect(
      result.surroundings.danglingLinks.map { "\($0.entity).\($0.property) \($0.count) \($0.rows)" }
        == ["Note.folder 3 [2, 8, 9]", "Note.tags 1 [2]", "Tag.notes 1 [1]"])
    #expect(try store.rows("SELECT count(*), sum(ZFOLDER) FROM ZNOTE") == ["5|1"])
    #expect(try store.rows("SELECT count(*) FROM Z_2TAGS") == ["3"])
    #expect(
      StoreMigrationReport(result, toolVersion: "0").danglingLinksCountByRelationship
        == ["Note.folder": 3, "Note.tags": 1, "Tag.notes": 1])
    let text = MigrationText().outcome(.migrated(result), of: store.path)
    #expect(
      text.filter { $0.hasPrefix("  links left out: ") } == [
        "  links left out: Note.folder: 3 instances refer to missing rows (1550): rows 2, 8, 9",
        "  links left out: Note.tags: 1 instance refers to a missing row (1550): row 2",
        "  links left out: Tag.notes: 1 instance refers to a missing row (1550): row 1",
      ])
  }

  /// One of them is all that is wrong, and the least or the greatest key that is named.
  @Test(arguments: ["3", "0", "1.5", "'x'"])
  func `Dangling references are found where the keys have no gaps`(key: String) throws {
    let rows = """
      INSERT INTO ZFOLDER (Z_PK, Z_ENT, Z_OPT) VALUES (1, 1, 1), (2, 1, 1);
      INSERT INTO ZNOTE (Z_PK, Z_ENT, Z_OPT, ZFOLDER) VALUES (1, 2, 1, 1), (2, 2, 1, 2), (3, 2, 1, NULL), (4, 2, 1, 2);
      UPDATE Z_PRIMARYKEY SET Z_MAX = 9;
      """
    let whole = try AppStore(Self.versions(), rows)
    #expect(try whole.result().surroundings.danglingLinks == [])
    let store = try AppStore(Self.versions(), rows + "UPDATE ZNOTE SET ZFOLDER = \(key) WHERE Z_PK = 4")
    let found = try store.result().surroundings.danglingLinks
    #expect(found.map { "\($0.entity).\($0.property) \($0.count) \($0.rows)" } == ["Note.folder 1 [4]"])
  }

  @Test func `Each column of keys is judged by its own values`() throws {
    func version(_ attributes: [AttributeDescription]) -> [EntityDescription] {
      let names = ["a", "b", "c"]
      return [
        EntityDescription(
          "Note", attributes: attributes,
          relationships: names.map { RelationshipDescription($0, to: "Note", inverse: "\($0)s", maxCount: 1) }
            + names.map { RelationshipDescription("\($0)s", to: "Note", inverse: $0) })
      ]
    }
    for column in ["ZA", "ZB", "ZC"] {
      let store = try AppStore(
        [version([]), version([AttributeDescription("extra", .string)])],
        """
        INSERT INTO ZNOTE (Z_PK, Z_ENT, Z_OPT, ZA, ZB, ZC) VALUES (1, 1, 1, 1, 1, 1), (2, 1, 1, 1, 1, 1);
        UPDATE Z_PRIMARYKEY SET Z_MAX = 2; UPDATE ZNOTE SET \(column) = 1.5 WHERE Z_PK = 2
        """)
      let found = try store.result().surroundings.danglingLinks
      #expect(found.map { "\($0.property) \($0.rows)" } == ["\(column.dropFirst().lowercased()) [2]"])
    }
  }

  @Test func `A strict migration refuses dangling references`() throws {
    let store = try AppStore(Self.versions(), Self.rows + Self.dangling)
    var migration = store.migration
    migration.isStrict = true
    let error = try store.refusal(migration)
    #expect(error.code == .strictFindings)
    #expect(error.detail == "links refer to missing rows: Note.folder (3), Note.tags (1), Tag.notes (1)")
  }

  @Test func `Dangling references are found in a table with hundreds of relationships`() throws {
    let links = (1...700).map { RelationshipDescription("link\($0)", to: "Note", maxCount: 1) }
    let versions = [[], [AttributeDescription("extra", .string)]].map {
      [EntityDescription("Note", attributes: $0, relationships: links)]
    }
    let store = try AppStore(
      versions, "INSERT INTO ZNOTE (Z_PK, Z_ENT, Z_OPT, ZLINK1, ZLINK650, ZLINK700) VALUES (3, 1, 1, 3, 5, 9)")
    #expect(
      try store.result().surroundings.danglingLinks.map { "\($0.property) \($0.rows)" } == [
        "link650 [3]", "link700 [3]",
      ])
  }

  @Test(arguments: ["", "DELETE FROM ZFOLDER WHERE Z_PK = 5; UPDATE ZNOTE SET ZFOLDER = NULL WHERE Z_PK = 2"])
  func `An intact store has no dangling references`(sql: String) throws {
    let store = try AppStore(Self.versions(), Self.rows + sql)
    #expect(try store.result().surroundings.danglingLinks == [])
    #expect(try store.rows("SELECT count(*) FROM Z_2TAGS") == ["3"])
  }
}
