import Foundation
import TestSupport
import Testing

@Suite("Importing an export")
struct FeedRoundTripTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// All that a library holds but for its identity.
  private func content(_ path: String) throws -> [String] {
    try Rows.tracks(path) + Rows.migrated(path)
      + Database.rows("SELECT * FROM Z_PRIMARYKEY", in: path)
      + Database.rows("SELECT type, name, sql FROM sqlite_schema ORDER BY name", in: path)
  }

  /// A library with every odd input that a migration handles, and with what only an app may have done to it.
  private func library(identity: String = "name") throws -> String {
    let library = folder.file("Library.sqlite")
    try successfully("sample", "900", library, "--odd")
    try successfully(library, "--quiet", "--no-backup", "--force", "--identity", identity)
    try Database.run(
      """
      INSERT INTO ZARTIST (Z_PK, Z_ENT, Z_OPT, ZNAME) VALUES (9001, 1, 1, 'No tracks'), (9002, 1, 1, 'No tracks'),
        (9003, 1, 1, NULL), (9004, 1, 1, ''), (9005, 1, 1, char(0, 1, 127, 8232, 65279, 128512));
      INSERT INTO ZARTIST (Z_PK, Z_ENT, Z_OPT, ZID, ZNAME) VALUES (9006, 1, 1, '', 'No tracks'), (9007, 1, 1, '7', NULL);
      INSERT INTO ZTRACK (Z_PK, Z_ENT, Z_OPT, ZTITLE, ZIMAGEURL, ZLASTPLAYEDAT) VALUES
        (5001, 2, 1, NULL, NULL, NULL), (5003, 2, 1, '', '', 1e-7), (5004, 2, 1, char(10, 13, 9, 34, 92), 'x', -1e300),
        (5005, 2, 1, 'a' || char(0) || 'b', 'x', 9e999), (5006, 2, 1, 'Date', 'x', 0.1), (5007, 2, 1, 'Date', 'x', 5),
        (5008, 2, 1, 'Date', 'x', 123456789.123456789), (5009, 2, 1, 'Date', 'x', -63114076800.25);
      INSERT INTO Z_1TRACKS VALUES (9003, 5001), (9004, 5001), (9007, 5003), (1, 5003);
      UPDATE Z_PRIMARYKEY SET Z_MAX = CASE Z_NAME WHEN 'Track' THEN 5009 ELSE 9007 END;
      """, in: library)
    return library
  }

  @Test(arguments: ["name", "id"])
  func `The import of an export is the same library`(identity: String) throws {
    let library = try library(identity: identity)
    let feed = folder.file("Library.ndjson")
    try successfully("export", library, "--output", feed)
    let new = folder.file("New.sqlite")
    try successfully("import", feed, new, "--verify")
    #expect(try content(new) == content(library))
    #expect(try Database.isWhole(new))
    #expect(try successfully("export", new).output == successfully("export", library).output)
  }

  @Test func `A feed comes from standard input too, and may be packed by gzip`() throws {
    let library = try library()
    let feed = try successfully("export", library, "--output", "-").output
    let plain = try folder.write(feed, to: "Library.ndjson")
    let script = """
      "$TOOL" export "$1" | "$TOOL" import - A.sqlite && gzip -k "$2" && "$TOOL" import "$2.gz" B.sqlite &&
      "$TOOL" import - C.sqlite < "$2.gz" && (head -c 1000 "$2" | gzip; tail -c +1001 "$2" | gzip) > two.gz &&
      "$TOOL" import two.gz D.sqlite
      """
    let result = try CommandRunner.shell(script, library, plain, in: folder.path).run()
    #expect(result.status == 0, "\(result)")
    for name in ["A.sqlite", "B.sqlite", "C.sqlite", "D.sqlite"] {
      #expect(try content(folder.file(name)) == content(library), "\(name)")
    }
  }

  @Test func `Damaged gzip data changes nothing`() throws {
    let library = try library()
    let plain = try folder.write(successfully("export", library).output, to: "Library.ndjson")
    let packed = try CommandRunner.shell("gzip -c \"$1\"", plain).run().output
    let before = try folder.snapshot()
    var flipped = packed
    flipped[packed.count / 2] ^= 0xFF
    for bytes in [Array(packed.dropLast()), Array(packed.prefix(100)), flipped, packed + [1, 2, 3]] {
      for target in ["New.sqlite", "Library.sqlite"] {
        var runner = CommandRunner(["import", "-", target], folder: folder.path)
        runner.input = bytes
        let result = try runner.run()
        #expect(result.status == 65, "\(result)")
        #expect(result.stderr.contains("'standard input' cannot be imported: "), "\(result)")
        #expect(try folder.snapshot() == before)
      }
    }
  }

  @Test func `An export that a library has already changes nothing`() throws {
    let library = try library()
    let feed = try folder.write(successfully("export", library).output, to: "Library.ndjson")
    let before = try folder.snapshot()
    let result = try successfully("import", feed, library)
    #expect(
      result.stderr == """
        Added 0 tracks and 0 artists to '\(library)'.
        Already there: 908 tracks.
          no artist                  8  tracks without an artistName either

        """)
    #expect(try folder.snapshot() == before)
  }

  @Test func `An export lists tracks, artists and links in the order of their keys`() throws {
    let feed = try folder.write(
      Array(
        """
        {"key":7,"title":"B","artists":[{"key":3,"name":"Ann","id":"a1"},{"key":2,"name":"Bob, Jr."}]}
        {"key":4,"title":"A","lastPlayedAt":"2020-02-29T12:00:00.5Z","imageURL":"i","artists":[{"key":3,"name":"Ann","id":"a1"}]}
        """.utf8), to: "feed.ndjson")
    let library = folder.file("L.sqlite")
    try successfully("import", feed, library)
    func export(_ what: String, _ format: String) throws -> String {
      try successfully("export", library, "--what", what, "--format", format).stdout.replacing("\r\n", with: "\n")
    }
    #expect(
      try export("tracks", "csv") == """
        key,title,imageURL,lastPlayedAt,artists
        4,A,i,2020-02-29T12:00:00.5Z,Ann
        7,B,,,"Bob, Jr.; Ann"

        """)
    #expect(try export("artists", "csv") == "key,name,id,imageURL\n2,\"Bob, Jr.\",,\n3,Ann,a1,\n")
    #expect(try export("links", "csv") == "track,artist\n4,3\n7,2\n7,3\n")
    #expect(
      try export("links", "ndjson")
        == "{\"track\":4,\"artist\":3}\n{\"track\":7,\"artist\":2}\n{\"track\":7,\"artist\":3}\n")
    #expect(
      try export("tracks", "ndjson") == """
        {"key":4,"title":"A","imageURL":"i","lastPlayedAt":"2020-02-29T12:00:00.5Z","artists":[{"key":3,"name":"Ann","id":"a1"}]}
        {"key":7,"title":"B","artists":[{"key":2,"name":"Bob, Jr."},{"key":3,"name":"Ann","id":"a1"}]}

        """)
  }

  @Test func `A failing export leaves no file`() throws {
    try successfully("sample", "3", folder.file("V1.sqlite"))
    let before = try folder.listing()
    let result = try tracksMigrate("export", "V1.sqlite", "--output", "Out.ndjson", in: folder.path)
    #expect(result.status == 65 && result.stderr.contains("is still a v1 library"), "\(result)")
    #expect(try folder.listing() == before)
  }
}
