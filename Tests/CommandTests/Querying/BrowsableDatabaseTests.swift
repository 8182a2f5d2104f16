import Foundation
import TestSupport
import Testing

@Suite("Plain databases to browse")
struct BrowsableDatabaseTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func rows(_ sql: String) throws -> [String] { try Database.rows(sql, in: folder.file("B.db")) }

  /// The number of rows of a view, whose query is run: no connection of the project runs views.
  private func count(ofView name: String, _ condition: String = "1") throws -> Int {
    let sql = try #require(try rows("SELECT sql FROM sqlite_schema WHERE type = 'view' AND name = '\(name)'").first)
    let query = try #require(sql.firstRange(of: " AS SELECT "))
    let counted = try rows(
      "SELECT count(*) FROM (\(sql[sql.index(query.lowerBound, offsetBy: 4)...])) WHERE \(condition)")
    return try #require(Int(counted[0]))
  }

  @Test func `A library has plain tables with foreign keys, views, search and a description`() throws {
    let library = folder.file("L.sqlite")
    try Files.write(try Files.bytes("\(Readme.root)/SampleData/Tracks/library-v1.sqlite"), to: library)
    try successfully(library, "-q")
    let before = try Files.bytes(library)
    let made = try successfully("export", library, "--format", "sqlite", "--output", folder.file("B.db"))
    #expect(made.stderr.contains("Made '\(folder.file("B.db"))' with 367 rows"), "\(made)")
    #expect(try Files.bytes(library) == before)
    #expect(
      try rows(
        """
        SELECT (SELECT count(*) FROM artists), (SELECT count(*) FROM tracks), (SELECT count(*) FROM artist_tracks),
          (SELECT count(*) FROM pragma_foreign_key_check), (SELECT count(*) FROM pragma_foreign_key_list('artist_tracks'))
        """) == ["67|300|395|0|2"])
    // As the library itself says it.
    let exported = try successfully("export", library, "--what", "tracks", "--format", "csv").stdout
    let played = try rows("SELECT lastPlayedAt FROM tracks WHERE key = 1")[0]
    #expect(played.hasSuffix("Z") && exported.contains(played))
    #expect(try rows("SELECT count(*) FROM artists_fts WHERE artists_fts MATCH 'sarka'") == ["1"])
    #expect(try count(ofView: "artists_with_tracks", "artists_name = 'DJ Solir'") == 83)
    #expect(try count(ofView: "tracks_with_artists") == 395)
    let text = try Files.bytes(folder.file("B.db.metadata.json"))
    let metadata = try #require(try JSONSerialization.jsonObject(with: Data(text)) as? [String: Any])
    let tables = ((metadata["databases"] as? [String: Any])?["B"] as? [String: Any])?["tables"] as? [String: Any]
    #expect((tables?["artists"] as? [String: Any])?["label_column"] as? String == "name")
    #expect((tables?["tracks"] as? [String: Any])?["label_column"] as? String == "title")
  }

  @Test(arguments: [("Books", ["Author", "Book"]), ("Notes", ["Note"])])
  func `Any app's store has a table for each entity`(name: String, entities: [String]) throws {
    let store = try SampleStore(name)
    try store.migrate()
    try successfully(
      "export", store.path, "--model", store.model, "--format", "sqlite", "--output", folder.file("B.db"))
    let tables = try rows("SELECT name FROM sqlite_schema WHERE type = 'table'")
    for entity in entities { #expect(tables.contains(entity), "\(tables)") }
    #expect(try rows("SELECT count(*) FROM pragma_foreign_key_check") == ["0"])
    for entity in entities {
      let listed = try successfully("query", store.path, entity, "--model", store.model, "--format", "ndjson").lines
      #expect(try rows("SELECT count(*) FROM \"\(entity)\"") == ["\(listed.count)"])
    }
    // Every view can be read.
    for view in try rows("SELECT name FROM sqlite_schema WHERE type = 'view'") {
      _ = try count(ofView: view)
    }
  }

  @Test func `Text that is not valid is named by its row and column, and the file is made`() throws {
    let library = try folder.library("L.sqlite")
    try successfully(library, "-q")
    try Database.run(
      """
      UPDATE ZTRACK SET ZTITLE = CAST(x'41FF42' AS TEXT) WHERE Z_PK = 2;
      UPDATE ZARTIST SET ZNAME = CAST(x'C3' AS TEXT) WHERE Z_PK = 1
      """, in: library)
    let words = ["export", library, "--format", "sqlite", "--output"]
    let made = try successfully(words + [folder.file("B.db")])
    #expect(
      made.stderr.contains(
        "warning: 2 texts in '\(library)' are not valid UTF-8; the invalid bytes were replaced by U+FFFD: "
          + "row 1 of 'artists', column 'name'; row 2 of 'tracks', column 'title'.\n"), "\(made)")
    #expect(try rows("SELECT title FROM tracks WHERE key = 2") == ["A\u{FFFD}B"])
    // Only the first of many are named.
    try Database.run(
      """
      INSERT INTO ZTRACK (Z_ENT, Z_OPT, ZTITLE)
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20)
      SELECT (SELECT Z_ENT FROM ZTRACK LIMIT 1), 1, CAST(x'FF' AS TEXT) FROM n
      """, in: library)
    let many = try successfully(words + [folder.file("C.db")])
    #expect(many.stderr.contains("22 texts") && many.stderr.contains("; and 12 more.\n"), "\(many)")
  }

  @Test func `The description replaces only an earlier description`() throws {
    let library = folder.file("L.sqlite")
    try Files.write(try Files.bytes("\(Readme.root)/SampleData/Tracks/library-v1.sqlite"), to: library)
    try successfully(library, "-q")
    let description = folder.file("B.db.metadata.json")
    func refusal(_ path: String) throws -> String {
      let before = try folder.listing()
      let result = try CommandRunner(["export", path, "--format", "sqlite", "--output", folder.file("B.db")]).run()
      #expect(result.status != 0, "\(result)")
      #expect(try folder.listing() == before)
      return result.stderr
    }
    try FileManager.default.copyItem(atPath: library, toPath: description)
    #expect(try refusal(description).contains("would replace the library"))
    #expect(try Files.bytes(description) == Files.bytes(library))
    for text in ["{\"title\":\"mine\"}", "not JSON"] {
      try Files.write(text, to: description)
      #expect(try refusal(library).contains("It is not a description by this command"))
      #expect(try Files.text(description) == text)
    }
    try FileManager.default.removeItem(atPath: description)
    try FileManager.default.createSymbolicLink(atPath: description, withDestinationPath: "notes.txt")
    #expect(try refusal(library).contains("It is not a description by this command"))
    try FileManager.default.removeItem(atPath: description)
    try #require(mkfifo(description, 0o600) == 0)
    #expect(try refusal(library).contains("it is not a regular file"))
    try FileManager.default.removeItem(atPath: description)
    try successfully("export", library, "--format", "sqlite", "--output", folder.file("B.db"))
    // A database may be anything; its description is known.
    #expect(try refusal(library).contains("there is a SQLite database of this name"))
    try FileManager.default.removeItem(atPath: folder.file("B.db"))
    try successfully("export", library, "--format", "sqlite", "--output", folder.file("B.db"))
    #expect(try Files.text(description).hasPrefix("{\"title\":\"L.sqlite\""))
  }

  @Test func `Names that SQLite or its search has taken are not lost`() throws {
    func entity(_ name: String, _ attributes: [String], _ relationship: String = "") -> String {
      let lines = attributes.map { "<attribute name=\"\($0)\" optional=\"YES\" attributeType=\"String\"/>" }
      return "<entity name=\"\(name)\" representedClassName=\"\(name)\">\(lines.joined())\(relationship)</entity>"
    }
    let group = """
      <relationship name="group" optional="YES" toMany="YES" destinationEntity="Group" inverseName="order" \
      inverseEntity="Group"/>
      """
    let order = """
      <relationship name="order" optional="YES" maxCount="1" destinationEntity="Order" inverseName="group" \
      inverseEntity="Order"/>
      """
    let entities = [
      entity("Order", ["rank", "key", "select", "Order_fts_"], group), entity("Order_fts", ["name"]),
      entity("Group", ["Name"], order), entity("Group_by_order", ["Name"]), entity("Group_fts_data", ["text"]),
    ]
    let model = folder.file("E.xcdatamodel")
    try FileManager.default.createDirectory(atPath: model, withIntermediateDirectories: true)
    try Files.write(
      """
      <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
      <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">\(entities.joined())</model>
      """, to: "\(model)/contents")
    let store = folder.file("E.sqlite")
    try successfully("fixture", "new", "--model", model, store)
    try successfully("export", store, "--format", "sqlite", "--output", folder.file("B.db"))
    let tables = try rows("SELECT name FROM sqlite_schema WHERE type = 'table'")
    for name in ["Order", "Order_fts", "Group", "Group_by_order", "Group_fts_data"] {
      #expect(tables.contains(name), "\(tables)")
      #expect(try rows("SELECT count(*) > 0 FROM \"\(name)\"") == ["1"])
    }
    #expect(try rows("SELECT count(*) FROM pragma_foreign_key_check") == ["0"])
    #expect(try rows("SELECT count(*) FROM Group_fts_ WHERE Group_fts_ MATCH 'nothing'") == ["0"])
  }

  @Test func `What cannot be made is said`() throws {
    let library = try folder.library("V1.sqlite", .many(3))
    for (words, reason) in [
      ([], "'--format sqlite' requires '--output', a file."),
      (["--output", "B.db", "--what", "tracks"], "'--what' and '--format sqlite' cannot be used together."),
      (["--output", "B.db", "--entity", "Track"], "'--entity' and '--format sqlite' cannot be used together."),
      (["--output", "B.db", "--safe-csv"], "'--safe-csv' requires '--format csv'."),
      (["--output", "B.db"], "is still a v1 library. Migrate it first"),
      (["--output", library], "would replace the library"),
    ] {
      let result = try CommandRunner(
        ["export", library, "--format", "sqlite"] + words, folder: folder.path
      ).run()
      #expect(result.status != 0 && result.stderr.contains(reason), "\(result)")
    }
    #expect(try folder.listing() == ["V1.sqlite"])
  }
}
