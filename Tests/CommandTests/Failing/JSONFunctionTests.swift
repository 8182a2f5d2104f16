import TestSupport
import Testing

/// Some versions of SQLite, such as 3.40, count JSON functions among those that a schema should not use.
@Suite("JSON functions in what an app has added to a store")
struct JSONFunctionTests {
  @Test(arguments: [
    "CREATE INDEX own ON ZTRACK (CASE WHEN json_valid(ZJSON) THEN json_extract(ZJSON, '$.isrc') END)",
    "CREATE INDEX own ON ZTRACK (ZTITLE) WHERE json_valid(ZJSON)",
    "CREATE TABLE own (a TEXT CHECK (json_valid(a))); INSERT INTO own VALUES ('{}')",
    "CREATE TABLE own (a TEXT, b AS (a ->> '$.x')); INSERT INTO own VALUES ('{\"x\":1}')",
  ])
  func `Such a store is healthy, migrates and is verified`(sql: String) throws {
    let folder = try TemporaryFolder()
    let library = try folder.library()
    try Database.run(sql, in: library)
    for words in [["doctor", library], [library, "--dry-run"], [library], ["verify", library], ["doctor", library]] {
      let result = try CommandRunner(words).run()
      #expect(result.status == 0, "\(words) \(result)")
    }
    #expect(try Rows.migrated(library) == [TrackRow].fewMigrated)
    try successfully("redact", library, "--output", folder.file("Copy.sqlite"))
  }
}
