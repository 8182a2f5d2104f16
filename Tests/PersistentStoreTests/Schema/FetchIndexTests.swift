import DataModel
import PersistentStore
import TestSupport
import Testing

struct FetchIndexTests {
  private func statements(_ indexes: [FetchIndexDescription]) -> [String] {
    let schema = StoreSchema(
      TrackModels.model([
        EntityDescription(
          "Song", uniquenessConstraints: [["title", "album"]],
          attributes: [
            AttributeDescription("title", .string), AttributeDescription("rating", .double),
            AttributeDescription("draft", .string, isTransient: true),
          ],
          relationships: [
            RelationshipDescription("album", to: "Album", maxCount: 1), RelationshipDescription("others", to: "Album"),
          ],
          fetchIndexes: indexes),
        EntityDescription("Album"),
        EntityDescription(
          "Live", superentityName: "Song", fetchIndexes: [FetchIndexDescription("byTitle", properties: ["title"])]),
      ]))
    return schema.indexStatements.filter { $0.contains("COLLATE") }
  }

  private static let ofOthers = [
    "CREATE UNIQUE INDEX Z_Song_UNIQUE_title_album ON ZSONG (ZTITLE COLLATE BINARY ASC, ZALBUM COLLATE BINARY ASC)",
    "CREATE INDEX Z_Live_byTitle ON ZSONG (ZTITLE COLLATE BINARY ASC)",
  ]

  @Test(arguments: [
    (
      FetchIndexDescription("byTitle", properties: ["title", "rating"]),
      "CREATE INDEX Z_Song_byTitle ON ZSONG (ZTITLE COLLATE BINARY ASC, ZRATING COLLATE BINARY ASC)"
    ),
    (
      FetchIndexDescription("best", elements: [FetchIndexElementDescription(property: "rating", isAscending: false)]),
      "CREATE INDEX Z_Song_best ON ZSONG (ZRATING COLLATE BINARY DESC)"
    ),
    (
      FetchIndexDescription("mixed", properties: ["album", "title"]),
      "CREATE INDEX Z_Song_mixed ON ZSONG (ZALBUM COLLATE BINARY ASC, ZTITLE COLLATE BINARY ASC)"
    ),
    (
      FetchIndexDescription(
        "self", elements: [FetchIndexElementDescription(.entity), FetchIndexElementDescription(.instance)]),
      "CREATE INDEX Z_Song_self ON ZSONG (Z_ENT COLLATE BINARY ASC, Z_PK COLLATE BINARY ASC)"
    ),
    (
      FetchIndexDescription("by-title; x", properties: ["title"]),
      "CREATE INDEX \"Z_Song_by-title; x\" ON ZSONG (ZTITLE COLLATE BINARY ASC)"
    ),
  ])
  func `A fetch index becomes an SQL index`(index: FetchIndexDescription, expected: String) {
    #expect(statements([index]) == [expected] + Self.ofOthers)
  }

  @Test(arguments: [
    FetchIndexDescription("album", properties: ["album"]),
    FetchIndexDescription("others", properties: ["others"]),
    FetchIndexDescription("draft", properties: ["draft"]),
    FetchIndexDescription("none", elements: []),
    FetchIndexDescription("place", elements: [FetchIndexElementDescription(property: "rating", collationType: .rTree)]),
    FetchIndexDescription("expression", elements: [FetchIndexElementDescription(.expression("lowercase:(title)"))]),
    FetchIndexDescription(
      "partial", elements: [FetchIndexElementDescription(property: "title")], partialIndexPredicate: "rating > 3"),
  ])
  func `Fetch indexes that Core Data omits or SQL cannot express are left out`(index: FetchIndexDescription) {
    #expect(statements([index]) == Self.ofOthers)
  }

  @Test func `The name of a composite attribute means all of its elements`() {
    func attribute(_ name: String, _ elements: [AttributeDescription]) -> AttributeDescription {
      AttributeDescription(name, .composite, elements: elements)
    }
    let point = ["y", "x"].map { AttributeDescription($0, .double) }
    let schema = StoreSchema(
      TrackModels.model([
        EntityDescription(
          "P", uniquenessConstraints: [["kind"], ["n", "at"]],
          attributes: [
            AttributeDescription("n", .string), attribute("kind", [AttributeDescription("kind", .string)]),
            attribute("at", [attribute("point", point), AttributeDescription("label", .string)]),
          ],
          fetchIndexes: [
            FetchIndexDescription(
              "far",
              elements: [
                FetchIndexElementDescription(property: "at.point", isAscending: false),
                FetchIndexElementDescription(property: "n"),
              ])
          ]), EntityDescription("Kid", superentityName: "P", uniquenessConstraints: [["kind"]]),
      ]))
    #expect(
      schema.indexStatements.filter { $0.contains("COLLATE") } == [
        "CREATE INDEX Z_P_far ON ZP (ZY COLLATE BINARY DESC, ZX COLLATE BINARY DESC, ZN COLLATE BINARY ASC)",
        "CREATE UNIQUE INDEX Z_P_UNIQUE_kind ON ZP (ZKIND COLLATE BINARY ASC)",
        "CREATE UNIQUE INDEX Z_P_UNIQUE_n_at ON ZP (ZN COLLATE BINARY ASC, ZY COLLATE BINARY ASC, "
          + "ZX COLLATE BINARY ASC, ZLABEL COLLATE BINARY ASC)",
        "CREATE UNIQUE INDEX Z_Kid_UNIQUE_kind ON ZP (ZKIND COLLATE BINARY ASC)",
      ])
  }

  @Test func `Names that are not plain words are quoted, and SQLite accepts every statement`() throws {
    let folder = try TemporaryFolder()
    let name = "X (a); ATTACH 'evil' AS y; --"
    let schema = StoreSchema(
      TrackModels.model([
        EntityDescription(
          name, uniquenessConstraints: [["a\"b"]], attributes: [AttributeDescription("a\"b", .string)],
          relationships: [
            RelationshipDescription("one two", to: name, maxCount: 1),
            RelationshipDescription("m-n", to: name, inverse: "m-n"),
          ],
          fetchIndexes: [FetchIndexDescription("i'", properties: ["a\"b"])]),
        EntityDescription("Künstler", attributes: [AttributeDescription("größe", .integer16)]),
        EntityDescription("Sub", superentityName: name),
      ]))
    for statement in schema.tableStatements + schema.indexStatements {
      try Database.run(statement, in: folder.file("store"))
    }
    #expect(try folder.listing() == ["store"])
    #expect(
      try Database.rows("SELECT count(*) FROM sqlite_schema WHERE sql IS NOT NULL", in: folder.file("store"))
        == ["\(schema.tableStatements.count + schema.indexStatements.count)"])
  }
}
