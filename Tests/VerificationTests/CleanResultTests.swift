import PersistentStore
import Policies
import Samples
import TestSupport
import Testing
import TrackLibrary

@Suite("The verification of correct results") struct CleanResultTests {
  @Test(arguments: [ArtistIdentity.name, .id])
  func `A sample with all oddities and a live write-ahead log has no differences`(identity: ArtistIdentity) throws {
    let pair = try VerifiedPair()
    var library = SampleLibrary(trackCount: 120, seed: 3)
    library.includesOddities = true
    library.includesGiants = true
    library.leavesWriteAheadLog = true
    _ = try library.write(to: pair.old)
    try pair.migrate {
      $0.trackOptions.identity = identity
      $0.isVerified = true
    }
    // The identity is read from the statistics.
    #expect(try pair.differences() == [])
    let other: ArtistIdentity = identity == .name ? .id : .name
    #expect(try !pair.differences { $0.identity = other }.isEmpty)
  }

  private static let variants = OwnModelLibrary.firstVersions.flatMap { library in
    ["UTF-8", "UTF-16le", "UTF-16be"].map { (library, $0) }
  }

  @Test(arguments: variants)
  func `A library with a model of its own has no differences`(library: OwnModelLibrary, encoding: String) throws {
    let pair = try VerifiedPair()
    try library.write(to: pair.old, encoding: encoding)
    try pair.migrate { $0.isVerified = true }
    #expect(try pair.differences() == [])
  }

  @Test(arguments: ["UTF-8", "UTF-16be"])
  func `Rows too large to be read at once have no differences`(encoding: String) throws {
    let pair = try VerifiedPair()
    let large = "\u{E4}" + String(repeating: "x", count: encoding == "UTF-8" ? 1_100_000 : 550_000)
    var builder = TrackLibraryBuilder([
      TrackRow(1, title: .text(large), json: .text(#"{"pad":"\#(large)","artists":[{"name":"A"}]}"#)),
      TrackRow(2, title: "Short", artistName: .text(large), json: "[]"),
      TrackRow(.max, title: "Last", json: #"{"artists":["C"]}"#),
      TrackRow(.min, title: "First", json: #"{"artists":["A"]}"#),
    ])
    builder.encoding = encoding
    try builder.write(to: pair.old)
    try pair.migrate()
    #expect(try pair.differences() == [])
    try Database.run(
      "UPDATE ZTRACK SET ZTITLE = substr(ZTITLE, 1, length(ZTITLE) - 1) || 'y' WHERE Z_PK = 1", in: pair.new)
    #expect(try pair.differences() == ["value Track 1 title"])
  }

  @Test func `An app's own schema objects have no differences, whether kept or left behind`() throws {
    let pair = try VerifiedPair()
    try TrackLibraryBuilder(VerifiedPair.rows).write(to: pair.old)
    try Database.run(
      """
      CREATE TABLE plain (a /* a remark */, "b c" VARCHAR(20) DEFAULT "text" NOT NULL,
        d DEFAULT -1.5 REFERENCES other (id) ON DELETE CASCADE, UNIQUE (a, d));
      CREATE TABLE other (id INTEGER PRIMARY KEY AUTOINCREMENT, t TEXT COLLATE NOCASE);
      CREATE TABLE keyed (k TEXT PRIMARY KEY, v) WITHOUT ROWID;
      CREATE TABLE strict_one (i INT, t ANY) STRICT;
      CREATE TABLE checked (a CHECK (a > 0));
      CREATE TABLE [odd name] ([x y], `z`);
      CREATE INDEX plain_a ON plain (a COLLATE NOCASE DESC, d);
      CREATE UNIQUE INDEX [odd index] ON [odd name] (z);
      CREATE INDEX lowered ON plain (lower(a));
      CREATE INDEX partly ON plain (a) WHERE a > 1;
      CREATE INDEX Z_1TRACKS_Z_2TRACKS_INDEX ON plain (d);
      CREATE VIEW v AS SELECT * FROM plain;
      CREATE TRIGGER t AFTER INSERT ON plain BEGIN DELETE FROM plain; END;
      CREATE TABLE ATRANSACTION (Z_PK INTEGER PRIMARY KEY);
      INSERT INTO other (t) VALUES ('x'), ('Y'); DELETE FROM other WHERE id = 2;
      INSERT INTO keyed VALUES ('b', 1), ('a', 2); INSERT INTO strict_one VALUES (1, x'00');
      INSERT INTO [odd name] VALUES (1, 2); INSERT INTO checked VALUES (1); ANALYZE; PRAGMA user_version = 9
      """, in: pair.old)
    try pair.migrate { $0.isVerified = true }
    #expect(
      try Database.rows("SELECT name FROM sqlite_schema WHERE name IN ('plain', 'odd index', 'checked')", in: pair.new)
        .sorted() == ["odd index", "plain"])
    #expect(try pair.differences() == [])
    // Otherwise the keys of removed rows would be reused.
    try Database.run("UPDATE sqlite_sequence SET seq = 1 WHERE name = 'other'", in: pair.new)
    #expect(try pair.differences() == ["schema other"])
  }

  @Test func `A library of an old framework without model cache and digests has no differences`() throws {
    let pair = try VerifiedPair()
    var builder = TrackLibraryBuilder(VerifiedPair.rows)
    builder.extraMetadata = [(StoreMetadata.Key.frameworkVersion, .integer(300))]
    try builder.write(to: pair.old)
    try pair.migrate { $0.isVerified = true }
    #expect(try Database.value("SELECT count(*) FROM Z_MODELCACHE", in: pair.new) == "0")
    #expect(try pair.differences() == [])
  }

  @Test func `A library without tracks or with dangling references has no differences`() throws {
    let empty = try VerifiedPair()
    try TrackLibraryBuilder([]).write(to: empty.old)
    try empty.migrate { $0.isVerified = true }
    #expect(try empty.differences() == [])

    let pair = try VerifiedPair()
    try OwnModelLibrary.related.write(to: pair.old)
    try Database.run(
      """
      UPDATE ZTRACK SET ZALBUM = 99 WHERE Z_PK = 2; INSERT INTO Z_2TRACKS VALUES (1, 99), (9, 1);
      UPDATE ZTRACK SET Z5ITEMS = 7 WHERE Z_PK = 3; UPDATE Z_4TRACKS SET Z_FOK_6TRACKS1 = NULL WHERE Z_6TRACKS1 = 2
      """, in: pair.old)
    try pair.migrate { $0.isVerified = true }
    #expect(try pair.differences() == [])
  }

  @Test(arguments: 0..<12)
  func `Random libraries have no differences`(seed: Int) throws {
    let pair = try VerifiedPair()
    var documents = RandomDocument(seed: UInt64(seed))
    let rows = (1...150).map { key in
      TrackRow(Int64(key), title: "T", artistName: documents.artistName(), json: documents.document())
    }
    var builder = TrackLibraryBuilder(rows)
    builder.encoding = ["UTF-8", "UTF-16le", "UTF-8"][seed % 3]
    try builder.write(to: pair.old)
    try pair.migrate {
      $0.isVerified = true
      $0.trackOptions.identity = seed.isMultiple(of: 2) ? .name : .id
    }
    #expect(try pair.differences() == [])
  }
}
