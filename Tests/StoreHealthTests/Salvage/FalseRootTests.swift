import MigrationTesting
import SQLiteDatabase
import StoreHealth
import TestSupport
import Testing

/// Roots of tables that read as trees which are whole, and are not those of their tables.
@Suite("Salvage where a table's root is another page")
struct FalseRootTests {
  private let rows = "SELECT Z_PK, Z_ENT, Z_OPT, ZTITLE, ZJSON FROM ZTRACK ORDER BY Z_PK"

  /// A library of one table with many leaves, and the number of its root.
  private func library(autoVacuum: Int = 0) throws -> (trial: SalvageTrial, root: Int) {
    let trial = try SalvageTrial(models: [TrackModels.v1])
    var library = TrackLibraryBuilder(
      (1...600).map { TrackRow($0, title: "title \($0)", text: String(repeating: "x", count: 150)) })
    library.autoVacuum = autoVacuum
    try library.write(to: trial.path)
    return (trial, try root(of: "ZTRACK", in: trial.path))
  }

  private func root(of table: String, in path: String) throws -> Int {
    try #require(
      try Database.value("SELECT rootpage FROM sqlite_schema WHERE name = '\(table)'", in: path).flatMap { Int($0) })
  }

  /// The leaves of a table, in the order of their keys.
  private func leaves(_ store: DamagedStore, with text: String) -> [Int] {
    (2...store.pageCount).filter { page in
      store.rowCount(ofPage: page) > 1
        && store.bytes[(page - 1) * store.pageSize..<page * store.pageSize].contains(Array(text.utf8))
    }
  }

  private func expectAllRows(_ trial: SalvageTrial, _ expected: [String]) throws {
    let report = try trial.salvage.run()
    #expect(try Database.rows(rows, in: trial.output) == expected, "\(report)")
    #expect(report.remarks.contains { $0.contains("the roots of ZTRACK do not lead to all pages") }, "\(report)")
    #expect(report.freeRowCount == 0 && report.rejects.isEmpty, "\(report)")
  }

  @Test(arguments: [0, 2], [0, 5]) func `A leaf in the place of the root hides no row`(map: Int, place: Int) throws {
    let (trial, root) = try library(autoVacuum: map)
    let expected = try Database.rows(rows, in: trial.path)
    var store = try DamagedStore(trial.path)
    let leaf = leaves(store, with: "title ")[place]
    store.copy(page: leaf, over: root)
    try Files.write(store.bytes, to: trial.path)
    try expectAllRows(trial, expected)
  }

  @Test func `An empty leaf in the place of the root hides no row`() throws {
    let (trial, root) = try library()
    let expected = try Database.rows(rows, in: trial.path)
    var store = try DamagedStore(trial.path)
    store.zero(page: root)
    store.bytes[(root - 1) * store.pageSize] = 13
    store.bytes[(root - 1) * store.pageSize + 5] = UInt8(store.pageSize >> 8)
    try Files.write(store.bytes, to: trial.path)
    try expectAllRows(trial, expected)
  }

  @Test(arguments: [0, 7]) func `A definition that names a leaf as the root hides no row`(place: Int) throws {
    let (trial, _) = try library()
    let expected = try Database.rows(rows, in: trial.path)
    let leaf = leaves(try DamagedStore(trial.path), with: "title ")[place]
    try Database.run(
      "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET rootpage = \(leaf) WHERE name = 'ZTRACK'", in: trial.path)
    try expectAllRows(trial, expected)
  }

  @Test func `A leaf that has changed places with the map of pages is found`() throws {
    let (trial, _) = try library(autoVacuum: 2)
    let expected = try Database.rows(rows, in: trial.path)
    var store = try DamagedStore(trial.path)
    store.swap(page: 2, with: leaves(store, with: "title ")[3])
    try Files.write(store.bytes, to: trial.path)
    let report = try trial.salvage.run()
    #expect(try Database.rows(rows, in: trial.output) == expected, "\(report)")
  }

  @Test func `A join table whose root is one of its leaves keeps its links`() throws {
    let folder = try TemporaryFolder(isInMemory: true)
    let healthy = folder.file("Healthy.sqlite")
    try StoreFixture(model: FriendsModel.model, rowCount: 900).write(to: healthy)
    let root = try root(of: "Z_1ADMINS", in: healthy)
    var store = try DamagedStore(healthy)
    let start = (root - 1) * store.pageSize
    try #require(store.bytes[start] == 5, "the table has one page only")
    let child = store.bytes[start + 8..<start + 12].reduce(0) { $0 << 8 | Int($1) }
    store.copy(page: child, over: root)
    let trial = try SalvageTrial(store, models: [FriendsModel.model])
    let report = try trial.salvage.run()
    let links = "SELECT * FROM Z_1ADMINS NOT INDEXED ORDER BY 1, 2"
    #expect(try Database.rows(links, in: trial.output) == Database.rows(links, in: healthy), "\(report)")
    #expect(report.rejectedLinkCount == 0, "\(report)")
  }

  /// Ways in which an index of a join table may come to have the pages of the other one.
  enum Exchange: CaseIterable {
    case copied, copiedBack, swapped, moved

    func damage(_ store: inout DamagedStore, table: Int, _ one: Int, _ other: Int) {
      if self == .moved {
        // Each root is that of the next, and the table has the last one.
        store.swap(page: table, with: one)
        store.swap(page: one, with: other)
        return
      }
      switch self {
      case .copied: store.copy(page: other, over: one)
      case .copiedBack: store.copy(page: one, over: other)
      case .swapped, .moved: store.swap(page: one, with: other)
      }
      store.zero(page: table)
    }
  }

  @Test(arguments: Exchange.allCases, ["Z_1ADMINS", "Z_5FOLLOWS"])
  func `No link is turned round if the indexes of a lost table have each other's pages`(
    exchange: Exchange, table: String
  ) throws {
    let folder = try TemporaryFolder(isInMemory: true)
    let healthy = folder.file("Healthy.sqlite")
    try StoreFixture(model: FriendsModel.model, rowCount: 900).write(to: healthy)
    let indexes = try Database.rows(
      "SELECT rootpage FROM sqlite_schema WHERE type = 'index' AND tbl_name = '\(table)'", in: healthy
    ).compactMap { Int($0) }
    try #require(indexes.count == 2)
    var store = try DamagedStore(healthy)
    exchange.damage(&store, table: try root(of: table, in: healthy), indexes[0], indexes[1])
    let trial = try SalvageTrial(store, models: [FriendsModel.model])
    let report = try trial.salvage.run()
    let links = "SELECT * FROM \(table) NOT INDEXED ORDER BY 1, 2"
    let (found, expected) = (try Database.rows(links, in: trial.output), try Database.rows(links, in: healthy))
    #expect(Set(found).isSubset(of: expected), "\(report)")
    #expect(found.count == expected.count, "\(found.count) of \(expected.count), \(report)")
  }

  @Test func `Text with the bytes of another page is remarked upon`() throws {
    let (trial, _) = try library()
    var store = try DamagedStore(trial.path)
    let leaf = leaves(store, with: "title ")[4]
    // A sector within the values of a row.
    let start = (leaf - 1) * store.pageSize + store.pageSize - 512
    let text = try #require(store.bytes[start...].firstRange(of: [UInt8](repeating: UInt8(ascii: "x"), count: 40)))
    store.bytes.replaceSubrange(text.prefix(8), with: [13, 0, 0, 0, 4, 0xFF, 0xC3, 0])
    try Files.write(store.bytes, to: trial.path)
    let report = try trial.salvage.run()
    #expect(report.remarks.contains { $0.hasPrefix("1 row of ZTRACK has text with zeros") }, "\(report)")
  }
}
