import DataModel
import MigrationDiagnostics
import MigrationTesting
import PersistentStore
import StoreHealth
import TestSupport
import Testing

/// Images of rows that would be right if nothing else were known.
@Suite("Salvage without the list of free pages, or with lost leaves")
struct DoubtfulImageTests {
  private func rows(_ path: String) throws -> [String] {
    try Database.rows("SELECT Z_PK, Z_ENT, Z_OPT, ZTITLE, ZJSON FROM ZTRACK ORDER BY Z_PK", in: path)
  }

  /// A library whose rows were all rewritten in other pages: the older images are in free ones.
  private func rewritten() throws -> (trial: SalvageTrial, store: DamagedStore, leaves: [Int]) {
    let trial = try SalvageTrial(models: [TrackModels.v1])
    var library = TrackLibraryBuilder(
      (1...600).map { TrackRow($0, title: "old \($0)", text: String(repeating: "x", count: 150)) })
    library.autoVacuum = 0
    try library.write(to: trial.path)
    try Database.run(
      """
      PRAGMA secure_delete = OFF; CREATE TABLE t AS SELECT * FROM ZTRACK; DELETE FROM ZTRACK;
      INSERT INTO ZTRACK SELECT Z_PK, Z_ENT, 2, ZLASTPLAYEDAT, ZARTISTNAME, ZIMAGEURL, substr(ZJSON, 1, 60), 'new' FROM t WHERE Z_PK < 580;
      DROP TABLE t
      """, in: trial.path)
    let store = try DamagedStore(trial.path)
    let leaves = (2...store.pageCount).filter { page in
      let bytes = store.bytes[(page - 1) * store.pageSize..<page * store.pageSize]
      return store.rowCount(ofPage: page) > 0 && bytes.contains(Array("new".utf8))
    }
    try #require(leaves.count > 4)
    return (trial, store, leaves)
  }

  enum Loss: CaseIterable {
    case header, firstPage, firstTrunk

    func damage(_ store: inout DamagedStore) {
      switch self {
      case .header: store.zero(0..<100)
      case .firstPage: store.zero(page: 1)
      case .firstTrunk: store.zero(page: store.bytes[32..<36].reduce(0) { $0 << 8 | Int($1) })
      }
    }
  }

  @Test(arguments: Loss.allCases, [1, 4, .max])
  func `Older images of rows whose leaves are lost are named, and not taken`(loss: Loss, leafCount: Int) throws {
    let (trial, healthy, leaves) = try rewritten()
    let expected = try rows(trial.path)
    var store = healthy
    loss.damage(&store)
    let lost = leaves.suffix(leafCount)
    for page in lost { store.zero(page: page) }
    try Files.write(store.bytes, to: trial.path)
    let report = try trial.salvage.run()
    let found = try rows(trial.output)
    #expect(Set(found).isSubset(of: expected), "\(found.filter { $0.contains("old") }.prefix(3))")
    let lostCount = lost.reduce(0) { $0 + healthy.rowCount(ofPage: $1) }
    #expect(found.count == expected.count - lostCount, "\(report)")
    if leafCount > 4 { #expect(report.rejects[.placedElsewhere] ?? 0 > 0, "\(report.rejects)") }
  }

  @Test func `Without inner pages, it is said how many rows may be older images`() throws {
    let trial = try SalvageTrial(models: [TrackModels.v1])
    var library = TrackLibraryBuilder([TrackRow(1, title: "T", text: "{}")])
    library.autoVacuum = 0
    try library.write(to: trial.path)
    #expect(try trial.salvage.run().unconfirmedRowCount == 0)
    var store = try DamagedStore(trial.path)
    store.zero(page: 1)
    try Files.write(store.bytes, to: trial.path)
    Files.remove(trial.output)
    #expect(try trial.salvage.run().unconfirmedRowCount == 1)
  }

  @Test func `An older image of a row whose leaf is lost was not deleted`() throws {
    let (trial, healthy, leaves) = try rewritten()
    let expected = try rows(trial.path)
    var store = healthy
    for page in leaves { store.zero(page: page) }
    try Files.write(store.bytes, to: trial.path)
    trial.salvage.takesDeleted = true
    let report = try trial.salvage.run()
    let found = try rows(trial.output)
    let deleted = found.filter { !expected.contains($0) }.compactMap {
      $0.split(separator: "|").first.flatMap { Int($0) }
    }
    #expect(deleted.allSatisfy { $0 >= 580 }, "\(deleted)")
    #expect(report.deletedCount == deleted.count && report.rejects[.placedElsewhere] ?? 0 > 0, "\(report.rejects)")
  }

  // MARK: - Links

  @Test(arguments: [1, 3]) func `Links are saved or named if some of their rows are lost`(lostCount: Int) throws {
    let folder = try TemporaryFolder(isInMemory: true)
    let healthy = folder.file("Healthy.sqlite")
    try StoreFixture(model: FriendsModel.model, rowCount: 150).write(to: healthy)
    var store = try DamagedStore(healthy)
    let people = (2...store.pageCount).filter { page in
      store.rowCount(ofPage: page) > 1
        && store.bytes[(page - 1) * store.pageSize..<page * store.pageSize].contains(Array("unique ".utf8))
    }
    try #require(people.count > lostCount)
    store.zero(page: 1)
    for page in people.suffix(lostCount) { store.zero(page: page) }
    let trial = try SalvageTrial(store, models: [FriendsModel.model])
    let report = try trial.salvage.run()
    let named = try trial.rejects().compactMap { $0["table"] as? String }
    for table in ["Z_1MEMBERS", "Z_1ADMINS", "Z_5FOLLOWS", "Z_5FRIENDS"] {
      let links = "SELECT * FROM \(table) NOT INDEXED"
      #expect(Set(try Database.rows(links, in: trial.output)).isSubset(of: try Database.rows(links, in: healthy)))
    }
    let count =
      "SELECT (SELECT count(*) FROM Z_1MEMBERS) + (SELECT count(*) FROM Z_1ADMINS) + "
      + "(SELECT count(*) FROM Z_5FOLLOWS) + (SELECT count(*) FROM Z_5FRIENDS)"
    let (before, after) = (
      try #require(try Database.value(count, in: healthy).flatMap { Int($0) }),
      try #require(try Database.value(count, in: trial.output).flatMap { Int($0) })
    )
    #expect(after > 0 && after + named.count { $0.hasPrefix("Z_") } == before, "\(report)")
  }

  // MARK: - Columns

  @Test func `Columns in another order than that of a new store are noticed by what rows must have`() throws {
    let trial = try SalvageTrial()
    let model = TrackModels.model([
      EntityDescription(
        "Note",
        attributes: [
          AttributeDescription("body", .string), AttributeDescription("title", .string, isOptional: false),
        ])
    ])
    try StoreFixture(model: model, rowCount: 30).write(to: trial.path)
    try Database.run(
      """
      CREATE TABLE h AS SELECT * FROM ZNOTE; DROP TABLE ZNOTE; UPDATE h SET ZBODY = NULL WHERE Z_PK % 3 = 0;
      CREATE TABLE ZNOTE (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZTITLE VARCHAR, ZBODY VARCHAR);
      INSERT INTO ZNOTE SELECT Z_PK, Z_ENT, Z_OPT, ZTITLE, ZBODY FROM h; DROP TABLE h
      """, in: trial.path)
    var store = try DamagedStore(trial.path)
    store.zero(page: 1)
    try Files.write(store.bytes, to: trial.path)
    let report = try trial.salvage.run()
    #expect(report.rejects[.columnOrder] ?? 0 >= 10 && report.contradictions["ZNOTE"] ?? 0 >= 10, "\(report)")
  }

  // MARK: - Large values

  @Test(arguments: [true, false])
  func `Where the folder of external files cannot be, no copies of them are left`(isLink: Bool) throws {
    let fixture = try HealthFixture()
    let place = fixture.folder.file(".New_SUPPORT")
    if isLink { try Files.link(place, to: fixture.folder.file("other")) } else { try Files.write([1], to: place) }
    let before = try fixture.folder.listing()
    #expect(throws: MigrationError.self) {
      try StoreSalvage(path: fixture.path, outputPath: fixture.folder.file("New.sqlite")).run()
    }
    #expect(try fixture.folder.listing() == before)
  }
}
