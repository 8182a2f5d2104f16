import Foundation
import TestSupport
import Testing

@Suite("Contents that a migration without a backup would lose")
struct LostContentTests {
  private let folder: TemporaryFolder
  private let library: String
  private static let column = "ALTER TABLE ZT ADD COLUMN ZMINE; UPDATE ZT SET ZMINE = 'my words' WHERE Z_PK < 3"

  init() throws {
    folder = try TemporaryFolder()
    library = try folder.library()
  }

  /// What a store may hold, as SQL with `ZT` for a table of the model, and what an error says of it.
  private static let contents = [
    (column, "ZT.ZMINE (2)"),
    ("CREATE VIRTUAL TABLE mine USING fts5(a); INSERT INTO mine VALUES ('words')", "'mine' cannot be carried over"),
    ("CREATE INDEX mine ON ZT (Z_OPT)", "'mine' cannot be carried over"),
    ("CREATE TRIGGER mine AFTER INSERT ON ZT BEGIN DELETE FROM ZT; END", "'mine' cannot be carried over"),
    ("CREATE VIEW mine AS SELECT Z_PK FROM ZT; \(column)", "'mine' cannot be carried over"),
  ]

  @Test(arguments: contents) func `A track library is kept unless its contents are given up`(sql: String, text: String)
    throws
  {
    try Database.run(sql.replacing("ZT", with: "ZTRACK"), in: library)
    let before = try folder.snapshot()
    for options in [[], ["--dry-run"], ["--quiet"]] {
      let refused = try CommandRunner([library, "--no-backup"] + options).run()
      #expect(refused.status == 65, "\(refused)")
      #expect(refused.stderr.contains("--no-backup would discard what it cannot keep: "), "\(refused)")
      #expect(refused.stderr.contains(text.replacing("ZT", with: "ZTRACK")), "\(refused)")
      #expect(refused.stderr.contains("or with --force to discard it."), "\(refused)")
      #expect(try folder.snapshot() == before)
    }
    try successfully(library, "--dry-run", "--no-backup", "--force")
    try successfully(library, "--output", folder.file("New.sqlite"))
    let forced = try successfully(library, "--no-backup", "--force")
    #expect(forced.stderr.contains("left behind"), "\(forced)")
    #expect(try Rows.migrated(library) == [TrackRow].fewMigrated)
  }

  @Test(arguments: contents) func `A batch fails for such a library, and its results say what was left behind`(
    sql: String, text: String
  ) throws {
    try Database.run(sql.replacing("ZT", with: "ZTRACK"), in: library)
    let before = try folder.snapshot()
    let refused = try CommandRunner(["batch", library, "--no-backup"]).run()
    #expect(refused.status == 1, "\(refused)")
    #expect(refused.stdout.contains(#""error_code":"content-would-be-lost""#), "\(refused)")
    #expect(refused.stdout.contains(text.replacing("ZT", with: "ZTRACK")), "\(refused)")
    #expect(try folder.snapshot() == before)
    let copy = folder.file("Copy.sqlite")
    try Files.copy(library, to: copy)
    for words in [[library], [copy, "--no-backup", "--force"]] {
      let result = try successfully(["batch"] + words)
      if sql.contains("ZMINE") {
        #expect(result.stdout.contains(#""left_behind_count_by_name":{"ZTRACK.ZMINE":2}"#), "\(result)")
      }
      #expect(result.stdout.contains(#""uncopied_reason_by_name":{"mine":"#) == sql.contains("mine"), "\(result)")
      let merged = try CommandRunner(
        ["batch", "summarize", folder.write(Array(result.stdout.utf8), to: "r"), "--format", "ndjson"]
      ).run()
      #expect(merged.stdout.contains("by_name"), "\(merged)")
    }
  }

  @Test(arguments: contents) func `An app's store is kept unless its contents are given up`(sql: String, text: String)
    throws
  {
    let store = try SampleStore("Notes")
    try Database.run(sql.replacing("ZT", with: "ZNOTE"), in: store.path)
    for option in ["--quiet", "--dry-run", "--allow-loss"] {
      let refused = try store.refuse(65, "--no-backup", option)
      #expect(refused.contains("--no-backup would discard what it cannot keep: "), "\(refused)")
      #expect(refused.contains(text.replacing("ZT", with: "ZNOTE")), "\(refused)")
    }
    try store.migrate("--no-backup", "--force")
  }

  @Test func `A column without values and a table that is carried over are no loss`() throws {
    try Database.run(
      "ALTER TABLE ZTRACK ADD COLUMN ZMINE; CREATE TABLE own (a); INSERT INTO own VALUES (7)", in: library)
    try successfully(library, "--no-backup")
    #expect(try Database.value("SELECT a FROM own", in: library) == "7")
  }
}

@Suite("Artists that chosen paths miss within documents")
struct MissedArtistTests {
  @Test(arguments: [1, 10]) func `They are counted, and no migration loses them for good`(count: Int) throws {
    let folder = try TemporaryFolder()
    let library = folder.file("L.sqlite")
    try successfully("sample", "\(count)", library)
    let artists = ["A", "B", "C"].map { "json_object('name', '\($0) ' || Z_PK, 'id', '\($0)' || Z_PK)" }
    try Database.run(
      "UPDATE ZTRACK SET ZJSON = json_object('title', 't', 'artists', json_array(\(artists.joined(separator: ", "))))",
      in: library)
    let before = try folder.snapshot()
    let finding = "\(2 * count) of \(3 * count) artists that the built-in presets find in \(count) of \(count) JSON "
    for option in ["--no-backup", "--strict"] {
      let refused = try CommandRunner([library, option, "--artists-path", "$.artists[0]"]).run()
      #expect(refused.status == 65 && refused.stderr.contains(finding), "\(refused)")
      #expect(try folder.snapshot() == before)
    }
    let whole = folder.file("Whole.sqlite")
    try successfully(library, "--strict", "--artists-path", "$.artists[*]", "--output", whole)
    #expect(try Database.value("SELECT count(*) FROM ZARTIST", in: whole) == "\(3 * count)")
    let kept = try successfully(library, "--artists-path", "$.artists[0]")
    #expect(kept.stderr.contains("warning: \(finding)"), "\(kept)")
  }

  @Test func `The artists of an album, and the same artist in several places, are not missed`() throws {
    let folder = try TemporaryFolder()
    let library = folder.file("L.sqlite")
    try successfully("sample", "4", library)
    try Database.run(
      """
      UPDATE ZTRACK SET ZJSON = json_object('title', 't', 'artists', json_array(json_object('name', 'A', 'id', '1')),
        'album', json_object('name', 'x', 'artists', json_array(json_object('name', 'Album artist', 'id', '2'))),
        'artist', json_object('name', 'A', 'id', '1'))
      """, in: library)
    try successfully(library, "--no-backup", "--strict", "--artists-path", "$.artists[*]")
  }
}
