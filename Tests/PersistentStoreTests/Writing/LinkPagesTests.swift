import DataModel
import MigrationDiagnostics
import PersistentStore
import TestSupport
import Testing

/// The pages of large join tables, as SQLite itself finds them.
struct LinkPagesTests {
  let folder: TemporaryFolder
  let path: String

  init() throws {
    folder = try TemporaryFolder()
    path = folder.file("New.sqlite")
  }

  private func write(_ links: LinkList, _ layout: FileLayout = .coreData) throws {
    let writer = try StoreWriter(path: path, schema: StoreSchema(TrackModels.v2), layout: layout)
    let table = try #require(writer.schema.joinTables.first)
    #expect(try writer.insertLinks(links, into: table) == links.count)
    try writer.finish(metadata: .new(for: TrackModels.v2, uuid: "ID"))
  }

  /// Every row by each of the three trees, and what SQLite says about the file.
  private func expect(_ expected: [Link]) throws {
    #expect(try Database.rows("PRAGMA integrity_check", in: path) == ["ok"])
    let sorted = expected.sorted()
    let rows = sorted.enumerated().map { "\($0 + 1)|\($1.first)|\($1.second)" }
    #expect(try Database.rows("SELECT rowid, * FROM Z_1TRACKS NOT INDEXED", in: path) == rows)
    let other = sorted.enumerated().sorted { ($0.1.second, $0.1.first) < ($1.1.second, $1.1.first) }
    #expect(
      try Database.rows(
        "SELECT rowid, * FROM Z_1TRACKS INDEXED BY Z_1TRACKS_Z_2TRACKS_INDEX ORDER BY Z_2TRACKS, Z_1ARTISTS", in: path)
        == other.map { "\($0 + 1)|\($1.first)|\($1.second)" })
    #expect(
      try Database.rows(
        "SELECT rowid, * FROM Z_1TRACKS INDEXED BY sqlite_autoindex_Z_1TRACKS_1 ORDER BY Z_1ARTISTS, Z_2TRACKS",
        in: path) == rows)
  }

  @Test(arguments: [512, 1024, 4096, 8192, 65536] as [Int64], [0, 1, 2] as [Int64])
  func `Links are written with every page size and vacuum mode`(pageSize: Int64, autoVacuum: Int64) throws {
    var links = LinkList()
    var expected: [Link] = []
    // Numbers of each size that a record can have.
    for place in 0..<6_000 as Range<Int64> {
      let link = Link(first: place * place * 119 % 4_294_967_296, second: place % 7 * 50_000 + place % 3)
      links.append(link)
      expected.append(link)
    }
    try write(links, FileLayout(pageSize: pageSize, autoVacuum: autoVacuum, encoding: "UTF-8"))
    try expect(expected)
  }

  @Test func `Links are written for every count around page boundaries`() throws {
    for count in (5_000..<5_060 as Range<Int64>) {
      var links = LinkList()
      for place in 0..<count { links.append(Link(first: place % 40 + 1, second: place + 1)) }
      Files.remove(path)
      try write(links, FileLayout(pageSize: 512, autoVacuum: 2, encoding: "UTF-8"))
      #expect(try Database.rows("PRAGMA integrity_check", in: path) == ["ok"])
      #expect(
        try Database.rows("SELECT count(*), sum(Z_2TRACKS) FROM Z_1TRACKS", in: path) == [
          "\(count)|\(count * (count + 1) / 2)"
        ])
    }
  }

  @Test func `SQLite can continue to use the table`() throws {
    var links = LinkList()
    for place in 0..<9_000 as Range<Int64> { links.append(Link(first: place / 3 + 1, second: place + 1)) }
    try write(links)
    try Database.run(
      """
      DELETE FROM Z_1TRACKS WHERE Z_2TRACKS % 5 = 0;
      INSERT INTO Z_1TRACKS SELECT Z_1ARTISTS + 5000, Z_2TRACKS FROM Z_1TRACKS;
      PRAGMA incremental_vacuum;
      """, in: path)
    #expect(try Database.rows("PRAGMA integrity_check", in: path) == ["ok"])
    #expect(try Database.rows("SELECT count(*) FROM Z_1TRACKS", in: path) == ["14400"])
    try Database.run("VACUUM", in: path)
    #expect(try Database.rows("PRAGMA integrity_check", in: path) == ["ok"])
  }

  @Test func `Keys beyond 32 bits are written too`() throws {
    var links = LinkList()
    var expected: [Link] = []
    for place in 0..<6_000 as Range<Int64> {
      let link = Link(first: place == 5_500 ? .max : place, second: place == 5_900 ? -1 : place)
      links.append(link)
      expected.append(link)
    }
    try write(links)
    try expect(expected)
  }
}
