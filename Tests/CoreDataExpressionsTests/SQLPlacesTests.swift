import CoreDataExpressions
import Testing

/// Where SQL looks for values, and which of them a column can hold.
struct SQLPlacesTests {
  /// The music library, attached under a name.
  private struct AttachedNaming: SQLSchema {
    let databaseName: String? = "old \"one\""

    func property(_ key: String, of entity: String) -> SQLProperty? { MusicNaming().property(key, of: entity) }
  }

  @Test(
    arguments: [
      ("album.name", #"(SELECT "e1"."ZNAME" FROM "old ""one"""."ZALBUM" "e1" WHERE "e1"."Z_PK" = "t0"."ZALBUM")"#),
      (
        "album.tracks.@count",
        #"CASE WHEN "t0"."ZALBUM" IS NOT NULL THEN (SELECT count(*) FROM "old ""one"""."ZTRACK" "e1" WHERE "e1"."ZALBUM" = "t0"."ZALBUM") END"#
      ),
      (
        "artists.@count",
        #"(SELECT count(*) FROM "old ""one"""."Z_1TRACKS" "e2" JOIN "old ""one"""."ZARTIST" "e1" ON "e1"."Z_PK" = "e2"."Z_1ARTISTS" WHERE "e2"."Z_2TRACKS" = "t0"."Z_PK")"#
      ),
    ])
  func `Tables of an attached store are qualified with its name`(format: String, sql: String) throws {
    let expression = try Expression(format: format)
    #expect(try expression.sql(on: MusicNaming.track, naming: AttachedNaming()).sql == sql)
  }

  @Test func `An object cannot be the value of an attribute`() throws {
    for format in ["SELF", "album", "album.label", "TERNARY(rating == 1, album, nil)"] {
      let expression = try Expression(format: format)
      #expect(throws: SQLTranslationError.self, "\(format)") {
        try expression.attributeSQL(of: .integer16, on: MusicNaming.track, naming: MusicNaming())
      }
      _ = try expression.sql(on: MusicNaming.track, naming: MusicNaming())
    }
    let text = try Expression(format: "album.name")
    #expect(
      try text.attributeSQL(of: .string, on: MusicNaming.track, naming: MusicNaming())
        == text.sql(on: MusicNaming.track, naming: MusicNaming()))
  }

  @Test(arguments: [
    ("rating", SQLValueType.integer64), ("rating + 1", .integer32), ("rating", .real), ("7", .integer16),
    ("nil", .date),
  ])
  func `Numbers can be stored in columns that hold their whole range`(format: String, type: SQLValueType) throws {
    _ = try Expression(format: format).attributeSQL(of: type, on: MusicNaming.track, naming: MusicNaming())
  }

  @Test(arguments: [
    ("title", SQLValueType.integer64), ("rating * 1.5", .integer64), ("70000", .integer16), ("rating", .string),
    ("'text'", .url), ("rating", .other),
  ])
  func `A value that its column would store differently is refused`(
    format: String, type: SQLValueType
  ) throws {
    let expression = try Expression(format: format)
    #expect(throws: SQLTranslationError.self) {
      try expression.attributeSQL(of: type, on: MusicNaming.track, naming: MusicNaming())
    }
  }
}
