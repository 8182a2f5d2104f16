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

  private func write(_ links: consuming LinkList, _ layout: FileLayout = .coreData) throws {
    let writer = try StoreWriter(path: path, schema: StoreSchema(TrackModels.v2), layout: layout)
    let table = try #require(writer.schema.joinTables.first)
    let count = links.count
    let written = try writer.insertLinks(links, into: table)
    #expect(written == count)
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

  /// Links in an order of their own, each of them several times.
  private func shuffled(_ count: Int64, besideStoreAt path: String = "", runLength: Int = .max) -> LinkList {
    var links = LinkList(besideStoreAt: path, runLength: runLength)
    for place in 0..<count * 2 {
      links.append(Link(first: place * 7919 % count % 97 + 1, second: place * 104_729 % count + 1))
    }
    return links
  }

  @Test(arguments: [1, 2, 700, 6_000, 11_999, 12_000, 12_001])
  func `Links that were sorted in a file are written like those in memory`(runLength: Int) throws {
    let layout = FileLayout(pageSize: 1024, autoVacuum: 0, encoding: "UTF-8")
    func bytes(_ links: consuming LinkList) throws -> [UInt8] {
      let writer = try StoreWriter(path: path, schema: StoreSchema(TrackModels.v2), layout: layout)
      let table = try #require(writer.schema.joinTables.first)
      let written = try writer.insertLinks(links, into: table)
      #expect(written == 6_000)
      try writer.finish(metadata: .new(for: TrackModels.v2, uuid: "ID"))
      defer { Files.remove(path) }
      // The file of the links has no name.
      #expect(try folder.listing() == ["New.sqlite"])
      return try Files.bytes(path)
    }
    let expected = try bytes(shuffled(6_000))
    #expect(try bytes(shuffled(6_000, besideStoreAt: path, runLength: runLength)) == expected)
  }

  @Test func `Links in a file and links that need more room are written in one order`() throws {
    var links = LinkList(besideStoreAt: path, runLength: 100)
    var expected: [Link] = []
    for place in 0..<1_000 as Range<Int64> {
      let link = Link(first: place % 7 == 0 ? -place : place, second: place % 11 == 0 ? .max - place : place)
      links.append(link)
      expected.append(link)
    }
    try write(links)
    try expect(expected)
  }

  @Test(.enabled(if: SmallDisk.isPossible))
  func `A full disk is reported when links are written into a file, and nothing is left`() throws {
    var failures = 0
    for size in stride(from: 64, through: 1024, by: 32) {
      let disk = try SmallDisk(kibibytes: size)
      let path = disk.path + "/New.sqlite"
      do throws(MigrationError) {
        let writer = try StoreWriter(path: path, schema: StoreSchema(TrackModels.v2), layout: .coreData)
        guard let table = writer.schema.joinTables.first else { return }
        let links = shuffled(6_000, besideStoreAt: path, runLength: 500)
        let written = try writer.insertLinks(links, into: table)
        #expect(written == 6_000)
      } catch {
        #expect(error.code == .diskFull && error.subject.path == path, "\(error)")
        failures += 1
      }
      #expect(try Files.listing(disk.path) == ["New.sqlite"])
    }
    // The smallest disk has no room for the first run, the largest for all.
    #expect((3...25).contains(failures))
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

  @Test(arguments: [0, 11, 22])
  func `Links are sorted by whichever bits of their keys differ`(shift: Int64) throws {
    var links = LinkList()
    var expected: [Link] = []
    for place in 0..<6_000 as Range<Int64> {
      let link = Link(first: place + 1, second: 1 + (3 - place % 4) << shift)
      links.append(link)
      expected.append(link)
    }
    try write(links)
    try expect(expected)
  }

  @Test func `So many links that two connections count them are written`() throws {
    let count: Int64 = 100_000
    var links = LinkList()
    for place in 0..<count { links.append(Link(first: place * 7919 % 30_011 + 1, second: place + 1)) }
    try write(links)
    #expect(try Database.rows("PRAGMA integrity_check", in: path) == ["ok"])
    #expect(
      try Database.rows("SELECT count(*), sum(Z_2TRACKS) FROM Z_1TRACKS", in: path) == [
        "\(count)|\(count * (count + 1) / 2)"
      ])
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

  /// The three trees of a join table, page for page, beside those that SQLite builds of the same links.
  @Test(arguments: [512, 4096, 65536] as [Int64], [500, 30_000] as [Int64])
  func `pages hold what SQLite would write into them`(pageSize: Int64, count: Int64) throws {
    var links = LinkList()
    for place in 0..<count { links.append(Link(first: place * 7919 % 30_011 + 1, second: place * 300 + 1)) }
    try write(links, FileLayout(pageSize: pageSize, autoVacuum: 0, encoding: "UTF-8"))
    let table = try #require(StoreSchema(TrackModels.v2).joinTables.first)
    let peer = folder.file("SQLite.sqlite")
    try Database.run(
      """
      PRAGMA page_size = \(pageSize); ATTACH '\(path)' AS own; \(table.createStatement);
      INSERT INTO main.Z_1TRACKS SELECT * FROM own.Z_1TRACKS ORDER BY 1, 2; \(table.indexStatement);
      """, in: peer)
    for name in ["Z_1TRACKS", "sqlite_autoindex_Z_1TRACKS_1", "Z_1TRACKS_Z_2TRACKS_INDEX"] {
      let (own, other) = (try BTree(name, in: path), try BTree(name, in: peer))
      #expect(own.cells == other.cells, "\(name)")
      #expect(own.levels.last == other.levels.last, "\(name)")
      #expect(own.levels.allSatisfy { $0.count == 1 } && own.levels.count <= other.levels.count + 1, "\(name)")
      // SQLite leaves room in the leaves of an index to which it adds one by one, and so needs more of them; those of a
      // table it fills.
      #expect(own.leafSizes.count <= other.leafSizes.count, "\(name)")
      if name == table.name { #expect(own.leafSizes == other.leafSizes) }
    }
    #expect(try Database.rows("PRAGMA freelist_count", in: path) == ["0"])
    #expect(try Database.rows("PRAGMA integrity_check", in: path) == ["ok"])
  }
}

/// A b-tree of a database file, read as sqlite.org/fileformat2.html describes it.
private struct BTree {
  /// The rows or records in their order; those of an index that lie in the pages above stand between two leaves.
  private(set) var cells: [ArraySlice<UInt8>] = []
  /// How many of them each leaf has.
  private(set) var leafSizes: [Int] = []
  /// The types of the pages of each level, from the root on.
  private(set) var levels: [Set<UInt8>] = []
  private let bytes: [UInt8]
  private let pageSize: Int

  /// Reads the tree of a table or an index.
  init(_ name: String, in path: String) throws {
    bytes = try Files.bytes(path)
    pageSize = try #require(Database.rows("PRAGMA page_size", in: path).first.flatMap { Int($0) })
    let root = try Database.rows("SELECT rootpage FROM sqlite_schema WHERE name = '\(name)'", in: path)
    read(try #require(root.first.flatMap { Int($0) }), level: 0)
  }

  private mutating func read(_ number: Int, level: Int) {
    let page = (number - 1) * pageSize
    let type = bytes[page]
    if levels.count == level { levels.append([]) }
    levels[level].insert(type)
    let isLeaf = type == 10 || type == 13
    let count = integer(page + 3, size: 2)
    if isLeaf { leafSizes.append(count) }
    for place in 0..<count {
      var cell = page + integer(page + (isLeaf ? 8 : 12) + 2 * place, size: 2)
      if !isLeaf {
        read(integer(cell, size: 4), level: level + 1)
        cell += 4
      }
      var end = cell
      let size = variable(&end)
      // The cell of a table's row has its number too; those above the leaves of a table have nothing else.
      if type == 13 { _ = variable(&end) }
      if type == 5 { continue }
      cells.append(bytes[cell..<(end + size)])
    }
    if !isLeaf { read(integer(page + 8, size: 4), level: level + 1) }
  }

  private func integer(_ offset: Int, size: Int) -> Int {
    bytes[offset..<(offset + size)].reduce(0) { $0 << 8 | Int($1) }
  }

  private func variable(_ offset: inout Int) -> Int {
    var value = 0
    while bytes[offset] & 0x80 != 0 {
      value = value << 7 | Int(bytes[offset] & 0x7F)
      offset += 1
    }
    value = value << 7 | Int(bytes[offset])
    offset += 1
    return value
  }
}
