import Foundation
import TestSupport
import Testing

/// Persistent history names rows by entity numbers and keys, so it comes along only where both stay.
@Suite("Persistent history and mirrors")
struct HistoryTests {
  private let folder: TemporaryFolder
  private let store: String
  private let model = Checkout.root.appending(path: "SampleData/Notes/Notes.xcdatamodeld").path
  private let tables = ["ACHANGE", "ATRANSACTION", "ATRANSACTIONSTRING"]

  init() throws {
    folder = try TemporaryFolder()
    store = folder.file("Notes.sqlite")
    try Files.copy(Checkout.root.appending(path: "SampleData/Notes/library-v1.sqlite").path, to: store)
    try Database.run(
      """
      CREATE TABLE ACHANGE (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZCHANGETYPE INTEGER, ZENTITY INTEGER,
        ZENTITYPK INTEGER, ZTRANSACTIONID INTEGER, ZCOLUMNS BLOB);
      CREATE TABLE ATRANSACTION (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZAUTHORTS INTEGER,
        ZTIMESTAMP FLOAT, ZAUTHOR VARCHAR);
      CREATE TABLE ATRANSACTIONSTRING (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR);
      CREATE INDEX ACHANGE_ZTRANSACTIONID_INDEX ON ACHANGE (ZTRANSACTIONID);
      CREATE UNIQUE INDEX Z_TRANSACTIONSTRING_UNIQUE_NAME ON ATRANSACTIONSTRING (ZNAME COLLATE BINARY ASC);
      INSERT INTO ATRANSACTION VALUES (1, 16002, NULL, 1, 5.0, NULL);
      INSERT INTO ATRANSACTIONSTRING VALUES (1, 16003, NULL, 'app');
      INSERT INTO ACHANGE VALUES (1, 16001, NULL, 0, 1, 1, 1, NULL), (9, 16001, NULL, 1, 1, 2, 1, x'03');
      INSERT INTO Z_PRIMARYKEY VALUES (16001, 'CHANGE', 0, 12), (16002, 'TRANSACTION', 0, 1),
        (16003, 'TRANSACTIONSTRING', 0, 1);
      """, in: store)
  }

  private func migrate(_ version: String, _ options: String...) throws -> CommandResult {
    try CommandRunner(
      ["migrate", store, "--model", model, "--to", version, "--output", folder.file("New.sqlite")] + options,
      folder: folder.path
    ).run()
  }

  private func contents(_ path: String) throws -> [String] {
    try tables.flatMap { try Database.rows("SELECT * FROM \($0)", in: path) }
      + Database.rows("SELECT * FROM Z_PRIMARYKEY WHERE Z_ENT > 16000 ORDER BY 1", in: path)
  }

  @Test func `It comes along where entities keep their numbers, even if nothing may be lost`() throws {
    let before = try contents(store)
    let result = try migrate("Notes 2", "--keep-history", "--strict", "--verify")
    #expect(result.status == 0, "\(result)")
    #expect(try contents(folder.file("New.sqlite")) == before)
    #expect(try Database.isWhole(folder.file("New.sqlite")))
    #expect(
      try Database.rows("SELECT count(*) FROM sqlite_schema WHERE tbl_name LIKE 'A%'", in: folder.file("New.sqlite"))
        == ["5"])
    for table in tables { #expect(result.stderr.contains("kept unchanged: \(table)"), "\(result)") }
    #expect(try successfully("info", folder.file("New.sqlite")).stdout.contains("1 transaction, 2 changes"))
  }

  @Test func `It is left behind and named where they do not, and without the option`() throws {
    let moved = try migrate("Notes 3", "--keep-history")
    #expect(moved.status == 0, "\(moved)")
    for table in tables { #expect(moved.stderr.contains("not kept: \(table) (it names rows by"), "\(moved)") }
    #expect(throws: (any Error).self) { try contents(folder.file("New.sqlite")) }
    try FileManager.default.removeItem(atPath: folder.file("New.sqlite"))

    let strict = try migrate("Notes 3", "--keep-history", "--strict")
    #expect(strict.status == 65 && strict.stderr.contains("--strict"), "\(strict)")
    #expect(!FileManager.default.fileExists(atPath: folder.file("New.sqlite")))

    let plain = try migrate("Notes 2")
    #expect(plain.status == 0 && plain.stderr.contains("left behind: ACHANGE (2)"), "\(plain)")
  }

  @Test func `A mirror is explained`() throws {
    try Database.run("CREATE TABLE ANSCKRECORDMETADATA (Z_PK INTEGER PRIMARY KEY, ZENTITYID INTEGER)", in: store)
    let info = try successfully("info", store).stdout
    #expect(info.contains("CloudKit mirror     1 table; a migration leaves the mirror out"), "\(info)")
    let json = try #require(
      try JSONSerialization.jsonObject(with: Data(try successfully("info", store, "--format", "json").stdout.utf8))
        as? [String: Any])
    #expect(json["history_changes_count"] as? Int == 2 && (json["history_size_bytes"] as? Int ?? 0) > 0)
    #expect(json["cloudkit_mirror_tables"] as? [String] == ["ANSCKRECORDMETADATA"])
    let result = try migrate("Notes 2", "--keep-history")
    #expect(result.stderr.contains("a CloudKit mirror: set it up again in the app"), "\(result)")
  }

  @Test func `The checksums are literals for the stages of a migration`() throws {
    let lines = try successfully("models", "hash", model, "--checksums").stdout.split(separator: "\n")
    #expect(lines.count == 4 && lines.allSatisfy { $0.wholeMatch(of: /"[A-Za-z0-9+\/]{43}=",  \/\/ Notes.*/) != nil })
    let hashes = try successfully("models", "hash", model, "--all-versions", "--format", "csv").stdout
    for line in lines { #expect(hashes.contains(line.split(separator: "\"")[0])) }
  }
}
