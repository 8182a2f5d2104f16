import DataModel
import StoreHealth
import TestSupport
import Testing

/// Reasons that only rare damage gives.
@Suite("Reasons of a salvage to leave something out")
struct RejectReasonTests {
  private func trial(_ models: [ManagedObjectModel] = [TrackModels.v1]) throws -> SalvageTrial {
    let trial = try SalvageTrial(models: models)
    try TrackLibraryBuilder(
      (1...200).map { TrackRow($0, title: "Title \($0)", text: String(repeating: "x", count: 300)) }
    ).write(to: trial.path)
    return trial
  }

  private func root(of table: String, in path: String) throws -> Int {
    let page = try Database.value("SELECT rootpage FROM sqlite_schema WHERE name = '\(table)'", in: path)
    return try #require(page.flatMap { Int($0) })
  }

  private func count(of table: String, in path: String) throws -> Int? {
    try Database.value("SELECT count(*) FROM \(table)", in: path).flatMap { Int($0) }
  }

  // MARK: - Rows

  @Test func `A value that its column would have converted was never stored`() throws {
    let trial = try trial()
    func declare(_ type: String, insteadOf other: String) throws {
      try Database.run(
        """
        PRAGMA writable_schema = ON;
        UPDATE sqlite_schema SET sql = replace(sql, 'ZTITLE \(other)', 'ZTITLE \(type)') WHERE name = 'ZTRACK'
        """, in: trial.path)
    }
    try declare("INTEGER", insteadOf: "VARCHAR")
    try Database.run("UPDATE ZTRACK SET ZTITLE = 5 WHERE Z_PK = 7", in: trial.path)
    try declare("VARCHAR", insteadOf: "INTEGER")
    let report = try trial.salvage.run()
    #expect(report.rowCount == 199 && report.rejects == [.otherType: 1])
    let reject = try #require(try trial.rejects().first)
    #expect(reject["reason"] as? String == "other-type" && reject["key"] as? Int == 7)
    #expect((reject["values"] as? [String: Any])?["ZTITLE"] as? Int == 5)
  }

  @Test func `A row that is older than a column with a default value is not given one`() throws {
    let model = TrackModels.model([
      EntityDescription(
        "Track", attributes: TrackModels.v1.entities[0].ownAttributes + [AttributeDescription("rating", .integer16)])
    ])
    let trial = try trial([model])
    try Database.run(
      """
      ALTER TABLE ZTRACK ADD COLUMN ZRATING INTEGER DEFAULT 3; UPDATE ZTRACK SET ZRATING = 5 WHERE Z_PK > 150;
      DELETE FROM Z_METADATA
      """, in: trial.path)
    let report = try trial.salvage.run()
    #expect(report.rowCount == 50 && report.rejects == [.missingDefault: 150])
    #expect(try Database.rows("SELECT DISTINCT ZRATING FROM ZTRACK", in: trial.output) == ["5"])
    #expect(Set(try trial.rejects().compactMap { $0["key"] as? Int }) == Set(1...150))
  }

  @Test func `Of two images of a row that say different things, none is taken`() throws {
    let trial = try trial()
    // The last page of the value becomes another image of a page whose tree is lost.
    try Database.run("CREATE TABLE own (x); INSERT INTO own VALUES (zeroblob(9000))", in: trial.path)
    let root = try root(of: "ZTRACK", in: trial.path)
    var store = try DamagedStore(trial.path)
    let size = store.pageSize
    let first = try #require((3...store.pageCount).first { store.rowCount(ofPage: $0) > 3 })
    var page = Array(store.bytes[(first - 1) * size..<first * size])
    let title = try #require(page.firstRange(of: Array("Title ".utf8)))
    page[title.lowerBound] ^= 1
    store.bytes.replaceSubrange((store.pageCount - 1) * size..<store.pageCount * size, with: page)
    store.zero(page: root)
    try Files.write(store.bytes, to: trial.path)
    let report = try trial.salvage.run()
    #expect(report.rowCount == 199 && report.rejects == [.severalImages: 2])
    let rejects = try trial.rejects()
    #expect(Set(rejects.compactMap { $0["key"] as? Int }).count == 1)
    let titles = rejects.compactMap { ($0["values"] as? [String: Any])?["ZTITLE"] as? String }
    #expect(Set(titles).count == 2)
  }

  // MARK: - Links

  @Test func `A link of which both indexes say otherwise is left out, and theirs is taken`() throws {
    let source = HealthySource.friends
    var store = try DamagedStore(source.path)
    // The last byte of a table's page is the second key of its first row, unless that is 0, 1 or large.
    let end = try ["Z_1ADMINS", "Z_5FOLLOWS", "Z_5FRIENDS"].map { table in
      (table, try root(of: table, in: source.path) * store.pageSize - 1)
    }.first { table, end in
      let row = try Database.rows("SELECT * FROM \(table) NOT INDEXED WHERE rowid = 1", in: source.path).first
      let key = row?.split(separator: "|").last.flatMap { UInt8($0) }
      return key == store.bytes[end] && store.bytes[end] > 1
    }
    let (table, place) = try #require(end)
    store.bytes[place] ^= 4
    let trial = try SalvageTrial(store, models: [source.model])
    let report = try trial.salvage.run()
    #expect(report.rejects == [.unconfirmedLink: 1])
    #expect(try trial.rejects().first?["table"] as? String == table)
    let difference = try SalvageDifference(trial, source)
    #expect(difference.wrong == [] && difference.missingCount == 0)
  }

  @Test func `Links of an ordered relationship whose places are lost are left out`() throws {
    let source = HealthySource.friends
    let count = try #require(try count(of: "Z_1MEMBERS", in: source.path))
    var store = try DamagedStore(source.path)
    store.zero(page: try root(of: "Z_1MEMBERS", in: source.path))
    let trial = try SalvageTrial(store, models: [source.model])
    let report = try trial.salvage.run()
    #expect(count > 0 && report.rejects == [.lostOrder: count])
    #expect(report.rejectedLinkCount == count)
    #expect(try self.count(of: "Z_1MEMBERS", in: trial.output) == 0)
    #expect(try SalvageDifference(trial, source).wrong == [])
  }

  @Test func `Links that may be those of several relationships are left out`() throws {
    let source = HealthySource.friends
    let tables = ["Z_1ADMINS", "Z_5FOLLOWS", "Z_5FRIENDS"]
    let counts = try tables.map { try #require(try count(of: $0, in: source.path)) }
    var store = try DamagedStore(source.path)
    // Without the schema, nothing says which page is of which table.
    store.zero(page: 1)
    let trial = try SalvageTrial(store, models: [source.model])
    let report = try trial.salvage.run()
    #expect(report.rejects[.ambiguousLink] == counts.reduce(0, +))
    for table in tables { #expect(try count(of: table, in: trial.output) == 0) }
    #expect(try SalvageDifference(trial, source).wrong == [])
  }
}
