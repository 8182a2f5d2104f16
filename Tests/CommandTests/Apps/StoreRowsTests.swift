import Foundation
import TestSupport
import Testing

/// The rows of any store: `query`, `export --entity` and `diff`.
@Suite("Rows of any store")
struct StoreRowsTests {
  private let folder: TemporaryFolder
  private let store: String
  private let model = Checkout.root.appending(path: "SampleData/Notes/Notes.xcdatamodeld").path

  init() throws {
    folder = try TemporaryFolder()
    store = folder.file("Notes.sqlite")
    try successfully("fixture", "new", "--rows", "20", "--model", "\(model):Notes 3", store)
  }

  @Test func `Rows have their key, their attributes and the keys of what they are linked with`() throws {
    let rows = try successfully("query", store, "Note", "--format", "ndjson").stdout.split(separator: "\n").map {
      try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
    }
    #expect(rows.count == 20)
    #expect(Set(rows[0].keys) == ["key", "title", "body", "dateCreated", "displayIndex", "attachments"])
    let sql = try Database.rows(
      """
      SELECT n.Z_PK, n.ZTITLE, coalesce(n.ZBODY, ''), n.ZDISPLAYINDEX,
      (SELECT group_concat(a.Z_PK, ' ') FROM (SELECT Z_PK FROM ZATTACHMENT WHERE ZNOTE = n.Z_PK ORDER BY 1) a) FROM ZNOTE n
      """, in: store)
    let own = rows.map { row in
      let keys = (row["attachments"] as? [String] ?? []).joined(separator: " ")
      let values = ["key", "title", "body", "displayIndex"].map {
        "\(row[$0].flatMap { $0 is NSNull ? nil : $0 } ?? "")"
      }
      return "\(values.joined(separator: "|"))|\(keys.isEmpty ? "NULL" : keys)"
    }
    #expect(own.sorted() == sql.sorted())
  }

  @Test func `The SQL that finds rows is shown, with what is evaluated on them`() throws {
    let condition = "displayIndex >= 0 AND title MATCHES '.*' AND attachments.@count > 0"
    let lines = try successfully("query", store, "Note", "--where", condition, "--sort", "-title", "--explain").stdout
      .split(separator: "\n").map(String.init)
    #expect(lines.dropFirst().first == #"-- Evaluated on each of these rows: title MATCHES ".*""#)
    #expect(lines.dropFirst(2).first?.contains("SQL has nothing like it") == true)
    #expect(lines.last == "-- Then sorted by: -title")
    let found = try Database.rows("SELECT Z_PK FROM (\(lines[0].dropLast()))", in: store)
    let rows = try successfully(
      "query", store, "Note", "--where", condition, "--fields", "key", "--format", "csv"
    ).stdout.split(separator: "\n").dropFirst().map(String.init)
    #expect(!rows.isEmpty && Set(found).isSuperset(of: rows))
    let plain = try successfully("query", store, "Note", "--where", "displayIndex >= 0", "--explain").stdout
    #expect(!plain.contains("Evaluated"))
  }

  @Test func `They are filtered, sorted, limited and cut to fields`() throws {
    let output = try successfully(
      "query", store, "Note", "--where", "key = 1 OR attachments.@count > 1".replacing("key = 1 OR ", with: ""),
      "--fields",
      "attachments,key", "--sort", "-displayIndex", "--limit", "2", "--format", "csv"
    ).stdout
    let expected = try Database.rows(
      """
      SELECT n.Z_PK FROM ZNOTE n WHERE (SELECT count(*) FROM ZATTACHMENT WHERE ZNOTE = n.Z_PK) > 1
      ORDER BY n.ZDISPLAYINDEX DESC LIMIT 2
      """, in: store)
    let lines = output.split(whereSeparator: \.isNewline)
    #expect(
      lines.first == "attachments,key"
        && lines.dropFirst().map { $0.split(separator: ",").last.map(String.init) } == expected)
  }

  @Test(arguments: [
    ("dateCreated > '2001-01-01'", "ZDATECREATED > 0"), ("dateCreated < now() - 86400", "ZDATECREATED < 600000000"),
    (
      "length(title) > 3 AND dateCreated <= '1999-12-31T23:00:00-01:00'",
      "length(ZTITLE) > 3 AND ZDATECREATED <= -31622400"
    ),
  ])
  func `Dates in a condition are text, with SQLite and without`(condition: String, sql: String) throws {
    // Besides what the fixture has, which may be as old as a calendar.
    try Database.run(
      """
      UPDATE ZNOTE SET ZDATECREATED = CASE Z_PK % 4 WHEN 0 THEN 86400 WHEN 1 THEN -31622400 WHEN 2 THEN 9e9 END, ZTITLE = 'titled'
      """, in: store)
    let found = try successfully("query", store, "Note", "--where", condition, "--fields", "key", "--format", "csv")
      .lines
    let expected = try Database.rows("SELECT Z_PK FROM ZNOTE WHERE \(sql) ORDER BY 1", in: store)
    #expect(!expected.isEmpty && Array(found.dropFirst()) == expected)
  }

  @Test func `An export of an entity is its query, in a file that is replaced at once`() throws {
    let path = folder.file("Notes.ndjson")
    try Files.write("old", to: path)
    try successfully("export", store, "--entity", "Note", "--output", path)
    #expect(try Files.text(path) == successfully("query", store, "Note", "--format", "ndjson").stdout)
    #expect(try folder.listing() == ["Notes.ndjson", "Notes.sqlite"])
    let refused = try CommandRunner(["export", store, "--entity", "Note", "--output", store], folder: folder.path).run()
    #expect(refused.status == 73, "\(refused)")
  }

  @Test(arguments: [
    (["query", "S", "Nte"], "Did you mean 'Note'?"),
    (["query", "S", "Note", "--fields", "titel"], "Did you mean 'title'?"),
    (["query", "S", "Note", "--where", "title =="], "is not a predicate"),
    (
      ["query", "S", "Note", "--where", "titel = 'x'"], "entity 'Note' has no attribute 'titel'. Did you mean 'title'?"
    ),
    (["query", "S", "Note", "--where", "zzz.y = 1"], "has no attribute 'zzz'. Its attributes and relationships are "),
    (
      ["query", "S", "Note", "--where", "ANY attachments.imag = 1"], "entity 'Attachment' has no attribute 'imag'"
    ),
    (["export", "S", "--entity", "x"], "has no entity"),
    (["diff", "S", "S", "--by", "nosuch"], "has no attribute 'nosuch'"),
    (["diff", "S", "S", "--entity", "Attachment", "--by", "note"], "has no attribute 'note'"),
  ])
  func `A wrong name is told with the right ones`(words: [String], problem: String) throws {
    let result = try CommandRunner(words.map { $0 == "S" ? store : $0 }, folder: folder.path).run()
    #expect(result.status == 64 && result.stderr.contains(problem), "\(result)")
  }

  @Test func `A store without a copy of its model needs its model`() throws {
    try Database.run("DELETE FROM Z_MODELCACHE", in: store)
    let refused = try CommandRunner(["query", store, "Note"], folder: folder.path).run()
    #expect(refused.status != 0 && refused.stderr.contains("--model"), "\(refused)")
    #expect(try successfully("query", store, "Note", "--model", model, "--format", "csv").stdout.contains("key,"))
  }

  @Test func `Two stores differ in the rows that were changed, added and removed`() throws {
    let other = folder.file("Other.sqlite")
    try Files.copy(store, to: other)
    #expect(try successfully("diff", store, other).stdout == "The stores hold the same.\n")
    try Database.run(
      """
      UPDATE ZNOTE SET ZTITLE = 'zzz' WHERE Z_PK = 3; DELETE FROM ZNOTE WHERE Z_PK = 5;
      UPDATE ZATTACHMENT SET ZNOTE = NULL WHERE ZNOTE IN (5, 6);
      INSERT INTO ZNOTE (Z_PK, Z_ENT, Z_OPT, ZTITLE) VALUES (99, 2, 1, 'new')
      """, in: other)
    let result = try CommandRunner(["diff", store, other, "--entity", "Note", "--format", "csv"], folder: folder.path)
      .run()
    #expect(result.status == 3)
    let lines = result.stdout.split(whereSeparator: \.isNewline).dropFirst()
    #expect(lines.contains { $0.hasPrefix("changed,Note,3,title,") && $0.hasSuffix(",zzz") }, "\(result)")
    #expect(lines.contains("removed,Note,5,,,") && lines.contains("added,Note,99,,,"), "\(result)")
    let attached = try Database.rows("SELECT count(*) FROM ZATTACHMENT WHERE ZNOTE = 6", in: store)
    #expect(lines.contains { $0.hasPrefix("changed,Note,6,attachments,") } == (attached != ["0"]), "\(result)")

    try successfully("fixture", "new", "--rows", "5", "--model", "\(model):Notes 2", folder.file("Notes-2.sqlite"))
    let models = try CommandRunner(["diff", store, folder.file("Notes-2.sqlite")], folder: folder.path).run()
    #expect(models.status == 64 && models.stderr.contains("are not of one model"), "\(models)")
  }
}
