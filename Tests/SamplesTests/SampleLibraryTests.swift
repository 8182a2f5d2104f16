import SQLiteDatabase
import Samples
import TestSupport
import Testing
import TrackLibrary

@Suite final class SampleLibraryTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Writes a sample and returns its bytes and those of its log.
  private func bytes(_ count: Int, seed: UInt64 = 42, odd: Bool = false, wal: Bool = false) throws -> [[UInt8]] {
    let name = "\(try folder.listing().count)"
    var sample = SampleLibrary(trackCount: count, seed: seed)
    sample.includesOddities = odd
    sample.leavesWriteAheadLog = wal
    _ = try sample.write(to: folder.file(name))
    return try [name, "\(name)-wal"].map { Files.exists(folder.file($0)) ? try Files.bytes(folder.file($0)) : [] }
  }

  @Test(arguments: [(false, false), (true, false), (false, true), (true, true)])
  func `The same options give the same bytes`(odd: Bool, wal: Bool) throws {
    let first = try bytes(500, odd: odd, wal: wal)
    #expect(try bytes(500, odd: odd, wal: wal) == first)
    #expect(try bytes(500, seed: 7, odd: odd, wal: wal) != first)
    #expect(try bytes(501, odd: odd, wal: wal) != first)
    #expect(first[1].isEmpty != wal)
  }

  @Test func `Every part depends on the seed`() throws {
    for (name, seed) in [("a", 1 as UInt64), ("b", 2)] {
      _ = try SampleLibrary(trackCount: 50, seed: seed).write(to: folder.file(name))
    }
    for sql in ["SELECT Z_UUID FROM Z_METADATA", "SELECT ZJSON FROM ZTRACK", "SELECT ZARTISTNAME FROM ZTRACK"] {
      let (first, second) = (try rows(sql, in: "a"), try rows(sql, in: "b"))
      #expect(zip(first, second).count(where: ==) <= first.count / 4)
    }
  }

  @Test func `The layout is that of Core Data`() throws {
    _ = try SampleLibrary(trackCount: 20).write(to: folder.file("a"))
    #expect(
      try rows("SELECT sql FROM sqlite_schema", in: "a") == [
        "CREATE TABLE ZTRACK ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZLASTPLAYEDAT TIMESTAMP, "
          + "ZARTISTNAME VARCHAR, ZIMAGEURL VARCHAR, ZJSON VARCHAR, ZTITLE VARCHAR )",
        "CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER)",
        "CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB)",
        "CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB)",
      ])
    #expect(try rows("SELECT * FROM Z_PRIMARYKEY", in: "a") == ["1|Track|0|20"])
    #expect(try rows("SELECT DISTINCT Z_ENT, Z_OPT FROM ZTRACK", in: "a") == ["1|1"])
    #expect(try rows("PRAGMA page_size", in: "a") + rows("PRAGMA auto_vacuum", in: "a") == ["4096", "2"])
    #expect(try TrackLibraryReader(path: folder.file("a")).version == .v1)
    let uuid = try #require(try rows("SELECT Z_UUID FROM Z_METADATA", in: "a").first)
    #expect(uuid.wholeMatch(of: /[0-9A-F]{8}-[0-9A-F]{4}-4[0-9A-F]{3}-[89AB][0-9A-F]{3}-[0-9A-F]{12}/) != nil)
  }

  @Test func `The proportions are those of real libraries`() throws {
    let counts = try SampleLibrary(trackCount: 8000).write(to: folder.file("a"))
    #expect(counts.trackCount == 8000 && counts.possibleArtistCount == 1000 && counts.oddityCount == 0)
    #expect(counts.size == Int64(try Files.bytes(folder.file("a")).count) && counts.writeAheadLogSize == 0)
    let sizes = "SELECT avg(length(CAST(ZJSON AS BLOB))) BETWEEN 880 AND 960, min(json_valid(ZJSON)) FROM ZTRACK"
    #expect(try rows(sizes, in: "a") == ["1|1"])
    // The columns agree with the JSON.
    let same = """
      SELECT count(*) FROM ZTRACK WHERE ZTITLE = ZJSON ->> '$.title' AND ZARTISTNAME = ZJSON ->> '$.artists[0].name'
      AND ZIMAGEURL = ZJSON ->> '$.album.images[0].url' AND ZLASTPLAYEDAT BETWEEN 0 AND 7e8
      """
    #expect(try rows(same, in: "a") == ["8000"])
    #expect(try rows("SELECT DISTINCT typeof(ZLASTPLAYEDAT) FROM ZTRACK ORDER BY 1", in: "a") == ["integer", "real"])
    let mentions = "(SELECT value ->> 'name' AS name FROM ZTRACK, json_each(ZJSON, '$.artists'))"
    #expect(try rows("SELECT round(count(*) / 8000.0, 1) FROM \(mentions)", in: "a") == ["1.4"])
    // Few artists are frequent: the first of a thousand appears about once in twelve times, most others rarely.
    let byArtist = "(SELECT count(*) AS n FROM \(mentions) GROUP BY name)"
    #expect(try rows("SELECT max(n) BETWEEN 700 AND 1300, count(*) > 900 FROM \(byArtist)", in: "a") == ["1|1"])
  }

  @Test func `Every artist has a unique name and a unique id`() throws {
    _ = try SampleLibrary(trackCount: 100_000).write(to: folder.file("a"))
    let artists =
      "(SELECT DISTINCT value ->> 'name' AS n, value ->> 'id' AS i FROM ZTRACK, json_each(ZJSON, '$.artists'))"
    let sql = "SELECT count(*) > 10000, count(*) - count(DISTINCT n), count(*) - count(DISTINCT i) FROM \(artists)"
    #expect(try rows(sql, in: "a") == ["1|0|0"])
  }

  @Test(arguments: [-1, 0, 1, 2, 3, 4, 5, 50, 51, 52])
  func `A library can have any number of tracks`(count: Int) throws {
    for wal in [false, true] {
      var sample = SampleLibrary(trackCount: count)
      sample.includesOddities = true
      sample.leavesWriteAheadLog = wal
      let counts = try sample.write(to: folder.file("\(wal)"))
      let wanted = max(0, count)
      #expect(counts.trackCount == wanted && counts.oddityCount == min(wanted, SampleLibrary.oddityCount))
      #expect(counts.trackCountInWriteAheadLog == (wal ? (wanted + 3) / 4 : 0))
      let path = folder.file("\(wal)")
      #expect(
        try Database.rows("SELECT count(*), max(Z_PK) IS NOT NULL FROM ZTRACK", in: path) == [
          "\(wanted)|\(wanted.signum())"
        ])
      #expect(try Database.integrity(path) == ["ok"])
    }
  }

  private func rows(_ sql: String, in name: String) throws -> [String] {
    try Database.rows(sql, in: folder.file(name))
  }
}
