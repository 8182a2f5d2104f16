import DataModel
import MigrationDiagnostics
import PersistentStore
import SQLiteDatabase
import StoreHealth
import TestSupport
import Testing

/// The log, the journal, deleted rows, and what is kept out of the new store.
@Suite("Salvage of logs, deleted rows and links")
struct SalvageDetailTests {
  private func rows(_ path: String) throws -> [String] {
    try Database.rows("SELECT Z_PK, Z_ENT, Z_OPT, ZTITLE, ZJSON FROM ZTRACK ORDER BY Z_PK", in: path)
  }

  private func trial(_ text: String = "x") throws -> SalvageTrial {
    let trial = try SalvageTrial(models: [TrackModels.v1])
    try TrackLibraryBuilder(
      (1...200).map { TrackRow($0, title: "Title \($0)", text: String(repeating: text, count: 300)) }
    ).write(to: trial.path)
    return trial
  }

  /// Leaves changes in the log of a store.
  ///
  /// - Returns: The rows that the store has with them.
  private func changeInLog(_ trial: SalvageTrial) throws -> [String] {
    let connection = try Connection(path: trial.path, access: .create)
    _ = try connection.text("PRAGMA journal_mode = WAL")
    try connection.execute("PRAGMA wal_autocheckpoint = 0")
    for step in 0..<10 {
      try connection.execute(
        """
        BEGIN; UPDATE ZTRACK SET ZTITLE = 'step \(step)', Z_OPT = Z_OPT + 1 WHERE Z_PK % 20 = \(step);
        DELETE FROM ZTRACK WHERE Z_PK = \(step * 7 + 100); COMMIT
        """)
    }
    let rows = try Database.rows("SELECT Z_PK, Z_ENT, Z_OPT, ZTITLE, ZJSON FROM ZTRACK ORDER BY Z_PK", connection)
    for suffix in ["", "-wal"] {
      try Files.write(try Files.bytes(trial.path + suffix), to: trial.folder.file("Copy\(suffix)"))
    }
    try connection.close()
    for suffix in ["", "-wal"] {
      try Files.write(try Files.bytes(trial.folder.file("Copy\(suffix)")), to: trial.path + suffix)
    }
    return rows
  }

  // MARK: - Log and journal

  @Test func `Committed changes in the log come before the file`() throws {
    let trial = try trial()
    let expected = try changeInLog(trial)
    let report = try trial.salvage.run()
    #expect(report.imageCount > 0)
    #expect(try rows(trial.output) == expected)
  }

  @Test func `A log without its header is read but for its first frame`() throws {
    let trial = try trial()
    let expected = try changeInLog(trial)
    var log = try Files.bytes(trial.path + "-wal")
    log.replaceSubrange(0..<32, with: repeatElement(0, count: 32))
    try Files.write(log, to: trial.path + "-wal")
    _ = try trial.salvage.run()
    let found = try rows(trial.output)
    #expect(Set(found).isSubset(of: expected))
    #expect(found.count > expected.count / 2)
  }

  @Test(arguments: [0, 1, 7, 20])
  func `Rows of a page whose frame in the log is damaged are named, and not taken from an older image`(
    frame: Int
  ) throws {
    let trial = try trial()
    let expected = try changeInLog(trial)
    var log = try Files.bytes(trial.path + "-wal")
    let place = 32 + frame * (24 + 4096) + 24 + 2000
    try #require(place < log.count)
    log[place] ^= 0x55
    try Files.write(log, to: trial.path + "-wal")
    _ = try trial.salvage.run()
    let found = try rows(trial.output)
    #expect(Set(found).isSubset(of: expected))
    let named = Set(try trial.rejects().compactMap { $0["reason"] as? String })
    #expect(found.count == expected.count || named == ["outdated-page"])
  }

  @Test func `A transaction whose end is cut off is left out`() throws {
    let trial = try trial()
    _ = try changeInLog(trial)
    let log = try Files.bytes(trial.path + "-wal")
    try Files.write(Array(log.dropLast(2000)), to: trial.path + "-wal")
    let report = try trial.salvage.run()
    #expect(report.remarks.contains { $0.contains("a transaction without an end") })
    let titles = try Database.rows("SELECT DISTINCT ZTITLE FROM ZTRACK WHERE ZTITLE LIKE 'step%'", in: trial.output)
    #expect(titles.sorted() == (0..<9).map { "step \($0)" })
  }

  @Test func `What a journal would roll back is rolled back`() throws {
    let trial = try trial()
    let expected = try rows(trial.path)
    try makeJournal(trial)
    _ = try trial.salvage.run()
    #expect(try rows(trial.output) == expected)
  }

  @Test func `A journal that has lost its first bytes is rolled back, and named`() throws {
    let trial = try trial()
    let expected = try rows(trial.path)
    try makeJournal(trial) { $0.replaceSubrange(0..<8, with: repeatElement(1, count: 8)) }
    let report = try trial.salvage.run()
    #expect(try rows(trial.output) == expected)
    #expect(report.remarks.contains { $0.hasPrefix("the journal cannot be rolled back as a whole") }, "\(report)")
  }

  @Test func `Rows of a page whose image in the journal is damaged are named`() throws {
    let trial = try trial()
    let expected = try rows(trial.path)
    let healthy = try DamagedStore(trial.path)
    try makeJournal(trial)
    let images = try #require(try JournalPages(ofJournalAt: trial.path + "-journal"))
    #expect(images.damage == nil && images.damagedPages == [])
    let page = try #require(images.offsets.keys.sorted().first { healthy.rowCount(ofPage: $0) > 3 })
    var journal = try Files.bytes(trial.path + "-journal")
    // The sum of a record has this byte of its page.
    journal[Int(images.offsets[page] ?? 0) + 96] ^= 0x55
    try Files.write(journal, to: trial.path + "-journal")
    #expect(try JournalPages(ofJournalAt: trial.path + "-journal")?.damagedPages == [page])
    let report = try trial.salvage.run()
    let found = try rows(trial.output)
    #expect(Set(found).isSubset(of: expected) && found.count < expected.count && found.count > 150, "\(report)")
    #expect(report.rejects.keys.allSatisfy { $0 == .outdatedPage }, "\(report.rejects)")
    #expect(report.remarks.contains { $0.hasPrefix("the journal cannot be rolled back as a whole") }, "\(report)")
  }

  @Test func `Beside a journal of other bytes, the rows may not be those that were committed`() throws {
    let trial = try trial()
    try Files.write(Array("garbage".utf8), to: trial.path + "-journal")
    let report = try trial.salvage.run()
    #expect(report.rowCount == 200)
    #expect(report.remarks.contains { $0.contains("changes that were never completed") }, "\(report.remarks)")
  }

  /// Leaves an unfinished transaction and its journal.
  private func makeJournal(_ trial: SalvageTrial, damaging damage: (inout [UInt8]) -> Void = { _ in }) throws {
    let connection = try Connection(path: trial.path, access: .create)
    try connection.execute("PRAGMA cache_size = 1; BEGIN; UPDATE ZTRACK SET ZTITLE = 'never'; DELETE FROM ZTRACK")
    let store = try Files.bytes(trial.path)
    var journal = try Files.bytes(trial.path + "-journal")
    try connection.execute("ROLLBACK")
    try connection.close()
    damage(&journal)
    try Files.write(store, to: trial.path)
    try Files.write(journal, to: trial.path + "-journal")
  }

  @Test func `The image of a page in the log comes before an older one that has changed its place`() throws {
    let trial = try SalvageTrial(models: [TrackModels.v1])
    var library = TrackLibraryBuilder(
      (1...60).map { TrackRow($0, title: "T \($0)", text: String(repeating: "x", count: $0 == 50 ? 9000 : 300)) })
    library.autoVacuum = 0
    try library.write(to: trial.path)
    let number = try Database.value("SELECT rootpage FROM sqlite_schema WHERE name = 'ZTRACK'", in: trial.path)
    let root = try #require(number.flatMap { Int($0) })
    let connection = try Connection(path: trial.path, access: .create)
    _ = try connection.text("PRAGMA journal_mode = WAL")
    try connection.execute(
      """
      PRAGMA wal_autocheckpoint = 0; DELETE FROM ZTRACK WHERE Z_PK = 3;
      UPDATE ZTRACK SET ZTITLE = 'new' WHERE Z_PK = 5
      """)
    let log = try Files.bytes(trial.path + "-wal")
    var store = try DamagedStore(trial.path)
    try connection.close()
    let leaf = log[32..<36].reduce(0) { $0 << 8 | Int($1) }
    try #require(store.rowCount(ofPage: leaf) > 3 && leaf != root)
    let end = try #require(
      (3...store.pageCount).first { page in
        let start = (page - 1) * store.pageSize
        return Array(store.bytes[start..<start + 6]) == [0, 0, 0, 0, UInt8(ascii: "x"), UInt8(ascii: "x")]
      })
    store.swap(page: leaf, with: end)
    store.zero(page: root)
    try Files.write(store.bytes, to: trial.path)
    try Files.write(log, to: trial.path + "-wal")
    let report = try trial.salvage.run()
    let titles = try Database.rows("SELECT Z_PK, ZTITLE FROM ZTRACK ORDER BY Z_PK", in: trial.output)
    #expect(titles == (1...60).filter { $0 != 3 && $0 != 50 }.map { "\($0)|\($0 == 5 ? "new" : "T \($0)")" })
    #expect(report.rejects.values.reduce(0, +) == 1 && report.deletedCount == 0, "\(report.rejects)")
  }

  // MARK: - Deleted rows

  @Test func `Deleted rows come back only if they are asked for`() throws {
    let trial = try trial()
    let before = try rows(trial.path)
    try Database.run("PRAGMA secure_delete = OFF; DELETE FROM ZTRACK WHERE Z_PK BETWEEN 51 AND 150", in: trial.path)
    let after = try rows(trial.path)
    let report = try trial.salvage.run()
    #expect(try rows(trial.output) == after)
    #expect(report.freeRowCount > 50 && report.deletedCount == 0)
    let second = StoreSalvage(path: trial.path, outputPath: trial.folder.file("All.sqlite"))
    var salvage = second
    (salvage.candidates, salvage.takesDeleted) = (trial.salvage.candidates, true)
    let all = try salvage.run()
    let found = try rows(salvage.outputPath)
    #expect(all.deletedCount > 50 && found.count == 100 + all.deletedCount)
    #expect(Set(after).isSubset(of: found) && Set(found).isSubset(of: before))
  }

  @Test func `Of a row that was deleted and is there, the one in use is taken`() throws {
    let trial = try trial()
    try Database.run(
      """
      PRAGMA secure_delete = OFF; CREATE TABLE t AS SELECT * FROM ZTRACK; DELETE FROM ZTRACK;
      INSERT INTO ZTRACK SELECT Z_PK, Z_ENT, 2, ZLASTPLAYEDAT, ZARTISTNAME, ZIMAGEURL, ZJSON, 'new' FROM t WHERE Z_PK < 9;
      """, in: trial.path)
    let expected = try rows(trial.path)
    trial.salvage.takesDeleted = true
    _ = try trial.salvage.run()
    let found = try rows(trial.output)
    #expect(Set(expected).isSubset(of: found))
    #expect(found.prefix(8).allSatisfy { $0.contains("|new|") })
  }

  @Test func `A deleted row without its key is kept among the rejects`() throws {
    let trial = try trial()
    try Database.run("PRAGMA secure_delete = OFF; DELETE FROM ZTRACK WHERE Z_PK = 151", in: trial.path)
    trial.salvage.takesDeleted = true
    _ = try trial.salvage.run()
    let rejects = try trial.rejects()
    #expect(rejects.count == 1 && rejects.first?["reason"] as? String == "lost-key")
    #expect((rejects.first?["values"] as? [String: Any])?["ZTITLE"] as? String == "Title 151")
  }

  @Test func `Deleted rows with values larger than a page are kept among the rejects`() throws {
    let trial = try SalvageTrial(models: [TrackModels.v1])
    try TrackLibraryBuilder((1...80).map { TrackRow($0, title: "T \($0)", text: String(repeating: "x", count: 5000)) })
      .write(to: trial.path)
    try Database.run("PRAGMA secure_delete = OFF; DELETE FROM ZTRACK WHERE Z_PK BETWEEN 11 AND 70", in: trial.path)
    trial.salvage.takesDeleted = true
    let report = try trial.salvage.run()
    #expect(try rows(trial.output) == rows(trial.path))
    #expect(report.deletedCount == 0 && report.rejects[.deletedOverflow] ?? 0 > 20)
  }

  // MARK: - Parts of rows

  @Test func `A row whose value goes on in a lost page is kept with what is there`() throws {
    let trial = try SalvageTrial(models: [TrackModels.v1])
    let text = (0..<4000).map { "\($0)," }.joined()
    try TrackLibraryBuilder([TrackRow(1, title: "Long", text: text), TrackRow(2, title: "Short", text: "{}")])
      .write(to: trial.path)
    var store = try DamagedStore(trial.path)
    store.zero(page: store.pageCount)
    try Files.write(store.bytes, to: trial.path)
    let report = try trial.salvage.run()
    #expect(report.rowCount == 1 && report.rejects == [.lostPage: 1])
    let reject = try #require(try trial.rejects().first)
    #expect(reject["key"] as? Int == 1 && reject["other_page"] as? Int == store.pageCount)
    let values = try #require(reject["values"] as? [String: Any])
    let json = try #require(values["ZJSON"] as? [String: Any])
    let found = try #require(json["text"] as? String)
    #expect(text.hasPrefix(found) && found.utf8.count == json["found_bytes_count"] as? Int)
    #expect(json["bytes_count"] as? Int == text.utf8.count && found.utf8.count > 4000)
  }

  @Test(arguments: [0, 2])
  func `Pages that values go on in and that have changed places are noticed`(autoVacuum: Int) throws {
    let trial = try SalvageTrial(models: [TrackModels.v1])
    // SQLite fills the last page of a value, unless the rest is too long to be in the row's own page.
    var library = TrackLibraryBuilder(
      (1...6).map { key in
        TrackRow(key, title: "T", text: String(repeating: "\(key)", count: (key < 4 ? 4100 : 12300) + 40 * Int(key)))
      })
    library.autoVacuum = autoVacuum
    try library.write(to: trial.path)
    let healthy = try DamagedStore(trial.path)
    let expected = try rows(trial.path)
    var noticedCount = 0
    for (one, two) in [1, 4].flatMap({ step in (3...healthy.pageCount - step).map { ($0, $0 + step) } }) {
      var store = healthy
      store.swap(page: one, with: two)
      try Files.write(store.bytes, to: trial.path)
      Files.remove(trial.output)
      let report = try trial.salvage.run()
      #expect(Set(try rows(trial.output)).isSubset(of: expected), "\(one) \(two)")
      noticedCount += report.rejects[.foreignPage] ?? 0
    }
    #expect(noticedCount > 0)
  }

  @Test func `A value whose pages follow each other in any order is whole`() throws {
    let trial = try SalvageTrial(models: [TrackModels.v1])
    var library = TrackLibraryBuilder([])
    library.autoVacuum = 0
    try library.write(to: trial.path)
    func row(_ key: Int, _ text: String) -> String { "(\(key), 1, 1, 0, 'a', 'b', \(text), 't')" }
    func long(_ pages: Int) -> String { "printf('%.*c', \(4092 * pages + 480), 'x')" }
    // The pages that become free are used again from the last on.
    try Database.run(
      """
      VACUUM; INSERT INTO ZTRACK VALUES \(row(1, "'keep'")), \(row(2, long(1))), \(row(3, long(2))), \(row(4, long(1))),
        \(row(5, long(2))), \(row(6, "'keep'"));
      DELETE FROM ZTRACK WHERE Z_PK = 2; DELETE FROM ZTRACK WHERE Z_PK = 4; DELETE FROM ZTRACK WHERE Z_PK = 3;
      DELETE FROM ZTRACK WHERE Z_PK = 5; INSERT INTO ZTRACK VALUES \(row(7, long(5)))
      """, in: trial.path)
    let expected = try rows(trial.path)
    let report = try trial.salvage.run()
    #expect(try rows(trial.output) == expected)
    #expect(report.rejects == [:])
  }

  @Test func `A value with a sector of zeros is named`() throws {
    let trial = try SalvageTrial(models: [TrackModels.v1])
    // Each row fills most of a page.
    try TrackLibraryBuilder((1...9).map { TrackRow($0, title: "T", text: String(repeating: "x", count: 3000)) })
      .write(to: trial.path)
    var store = try DamagedStore(trial.path)
    let page = try #require(
      (3...store.pageCount).first { page in
        store.rowCount(ofPage: page) == 1
          && store.bytes[(page - 1) * 4096 + 2000..<page * 4096 - 1000].allSatisfy { $0 == UInt8(ascii: "x") }
      })
    store.zero((page - 1) * 4096 + 2048..<(page - 1) * 4096 + 2560)
    try Files.write(store.bytes, to: trial.path)
    let report = try trial.salvage.run()
    #expect(report.rowCount == 8 && report.rejects == [.blankedValue: 1])
  }

  @Test(.timeLimit(.minutes(1))) func `Values whose pages lead in a circle are named, and take no time`() throws {
    let trial = try SalvageTrial(models: [TrackModels.v1])
    var library = TrackLibraryBuilder([TrackRow(1, title: "T", text: "x")])
    (library.pageSize, library.autoVacuum) = (512, 0)
    try library.write(to: trial.path)
    let root = try #require(
      try Database.value("SELECT rootpage FROM sqlite_schema WHERE name = 'ZTRACK'", in: trial.path).flatMap { Int($0) }
    )
    var store = try DamagedStore(trial.path)
    func variable(_ value: Int) -> [UInt8] {
      stride(from: 28, through: 0, by: -7).map { UInt8(value >> $0 & 0x7F) | ($0 > 0 ? 0x80 : 0) }
    }
    // Values of two gigabytes, each of four million pages, of which there are two.
    let size = 39 + 4_000_000 * 508
    let first = UInt8(store.pageCount + 1)
    let record: [UInt8] = [13, 0, 1, 1, 0, 0, 0] + variable(12 + 2 * (size - 15)) + [0, 1, 1]
    let cells = (1...9).map { key -> [UInt8] in
      variable(size) + [UInt8(key)] + record + [UInt8](repeating: 7, count: 39 - record.count) + [0, 0, 0, first]
    }
    let content = 512 - 49 * cells.count
    var page: [UInt8] = [13, 0, 0, 0, UInt8(cells.count), UInt8(content >> 8), UInt8(content & 0xFF), 0]
    for place in cells.indices { page += [UInt8((content + 49 * place) >> 8), UInt8((content + 49 * place) & 0xFF)] }
    page += [UInt8](repeating: 0, count: content - page.count) + cells.flatMap(\.self)
    store.bytes.replaceSubrange((root - 1) * 512..<root * 512, with: page)
    for next in [first + 1, first] { store.bytes += [0, 0, 0, next] + [UInt8](repeating: 7, count: 508) }
    try Files.write(store.bytes, to: trial.path)
    let report = try trial.salvage.run()
    #expect(report.rowCount == 0 && report.rejects == [.foreignPage: 9])
  }

  @Test func `Rows around a sector of zeros come back`() throws {
    let trial = try trial()
    var store = try DamagedStore(trial.path)
    let page = try #require((3...store.pageCount).first { store.rowCount(ofPage: $0) > 3 })
    // A sector may take the heads of rows with it, or only a part of one value.
    store.zero((page - 1) * 4096 + 3072..<(page - 1) * 4096 + 3584)
    try Files.write(store.bytes, to: trial.path)
    let healthy = try SalvageTrial(models: [TrackModels.v1])
    try TrackLibraryBuilder(
      (1...200).map { TrackRow($0, title: "Title \($0)", text: String(repeating: "x", count: 300)) }
    ).write(to: healthy.path)
    _ = try trial.salvage.run()
    let (found, expected) = (try rows(trial.output), try rows(healthy.path))
    #expect(Set(found).isSubset(of: expected) && found.count < 200 && found.count > 180)
  }

  // MARK: - Links

  @Test func `A link to a row that is lost is left out and named`() throws {
    let source = HealthySource.books
    var store = try DamagedStore(source.path)
    let page = try Database.value("SELECT rootpage FROM sqlite_schema WHERE name = 'ZUSER'", in: source.path)
    let root = try #require(page.flatMap { Int($0) })
    store.zero(page: root)
    let trial = try SalvageTrial(store, models: [source.model])
    let report = try trial.salvage.run()
    let dangling = try Database.value(
      "SELECT count(*) FROM ZBOOK WHERE ZUSER IS NOT NULL AND ZUSER NOT IN (SELECT Z_PK FROM ZUSER)", in: trial.output)
    #expect(dangling == "0")
    let named = try trial.rejects().filter { $0["reason"] as? String == "missing-destination" }
    #expect(named.count == report.rejects[.missingDestination] && !named.isEmpty)
    #expect(named.allSatisfy { $0["relationship"] as? String == "user" && $0["entity"] as? String == "Book" })
    #expect(try SalvageDifference(trial, source).wrong == [])
  }

  @Test(arguments: ["Z_1ADMINS", "Z_5FOLLOWS", "Z_5FRIENDS"])
  func `Links come back from the indexes of a join table that is lost`(table: String) throws {
    let source = HealthySource.friends
    var store = try DamagedStore(source.path)
    let page = try Database.value("SELECT rootpage FROM sqlite_schema WHERE name = '\(table)'", in: source.path)
    store.zero(page: try #require(page.flatMap { Int($0) }))
    let trial = try SalvageTrial(store, models: [source.model])
    _ = try trial.salvage.run()
    let difference = try SalvageDifference(trial, source)
    #expect(difference.wrong == [] && difference.missingCount == 0)
  }

  @Test func `Join tables that have exchanged their pages keep their own links`() throws {
    let source = HealthySource.friends
    let roots = try ["Z_1ADMINS", "Z_5FOLLOWS"].map { table in
      let page = try Database.value("SELECT rootpage FROM sqlite_schema WHERE name = '\(table)'", in: source.path)
      return try #require(page.flatMap { Int($0) })
    }
    var store = try DamagedStore(source.path)
    store.swap(page: roots[0], with: roots[1])
    let trial = try SalvageTrial(store, models: [source.model])
    _ = try trial.salvage.run()
    let difference = try SalvageDifference(trial, source)
    #expect(difference.wrong == [] && difference.missingCount == 0)
  }

  @Test func `Of rows with the same unique value, the one in use stays`() throws {
    let track = EntityDescription(
      "Track", uniquenessConstraints: [["title"]], attributes: TrackModels.v1.entities[0].ownAttributes)
    let trial = try trial()
    trial.salvage.candidates = [CandidateModel(name: "Unique", model: TrackModels.model([track]))]
    // Rows in use have taken the titles of deleted rows with lower keys. Without metadata, the model is the one that fits.
    try Database.run(
      """
      PRAGMA secure_delete = OFF; DELETE FROM ZTRACK WHERE Z_PK BETWEEN 51 AND 150;
      UPDATE ZTRACK SET ZTITLE = 'Title ' || (Z_PK - 90) WHERE Z_PK > 150; DELETE FROM Z_METADATA
      """, in: trial.path)
    let expected = try rows(trial.path)
    trial.salvage.takesDeleted = true
    let report = try trial.salvage.run()
    let found = try rows(trial.output)
    #expect(Set(expected).isSubset(of: found) && found.count == 100 + report.deletedCount)
    #expect(try Database.value("SELECT count(DISTINCT ZTITLE) FROM ZTRACK", in: trial.output) == "\(found.count)")
    let keys = try trial.rejects().filter { $0["reason"] as? String == "not-unique" }.compactMap { $0["key"] as? Int }
    #expect(keys.count == report.rejects[.notUnique] && !keys.isEmpty && keys.allSatisfy { 61...110 ~= $0 })
  }

  // MARK: - Large values

  @Test func `External data files are shared, and missing ones are named`() throws {
    let fixture = try HealthFixture()
    let (path, output) = (fixture.path, fixture.folder.file("New.sqlite"))
    _ = try StoreSalvage(path: path, outputPath: output).run()
    #expect(try Files.bytes(fixture.folder.file(".New_SUPPORT/_EXTERNAL_DATA/\(HealthFixture.file)")) == [1, 2, 3])
    Files.remove(fixture.folder.file(".H_SUPPORT/_EXTERNAL_DATA/\(HealthFixture.file)"))
    let report = try StoreSalvage(path: path, outputPath: fixture.folder.file("Other.sqlite")).run()
    #expect(report.rejects == [.missingExternalFile: 1])
  }

  @Test(arguments: [
    ("ZG TEXT GENERATED ALWAYS AS (ZTITLE || ',x)') VIRTUAL,", ""), ("ZG AS (1) STORED,", ""),
    ("generated INT CONSTRAINT one CHECK (generated > 0) DEFAULT (2 + 1),", ""), ("", ", CHECK (ZTITLE <> 'a,b)')"),
    ("ZG TEXT AS (lower(ZTITLE)),", ", CONSTRAINT \"a b\" CHECK (ZG <> '(') UNIQUE (ZG, ZTITLE), CHECK (Z_PK > 0)"),
  ])
  func `Computed columns and rules do not change which value is whose`(column: String, rule: String) throws {
    let trial = try trial()
    try Database.run(
      """
      ALTER TABLE ZTRACK RENAME TO old;
      CREATE TABLE ZTRACK (Z_PK INTEGER PRIMARY KEY, ZTITLE VARCHAR, \(column) Z_OPT INTEGER, Z_ENT INTEGER,
        ZIMAGEURL VARCHAR, ZARTISTNAME VARCHAR, ZJSON BLOB, ZLASTPLAYEDAT TIMESTAMP\(rule));
      INSERT INTO ZTRACK (Z_PK, ZTITLE, Z_OPT, Z_ENT, ZIMAGEURL, ZARTISTNAME, ZJSON, ZLASTPLAYEDAT)
        SELECT Z_PK, ZTITLE, Z_OPT, Z_ENT, 'url', 'Ann', ZJSON, 7 FROM old;
      DROP TABLE old
      """, in: trial.path)
    let list = "SELECT Z_PK, Z_ENT, Z_OPT, ZTITLE, ZIMAGEURL, ZARTISTNAME, ZJSON, ZLASTPLAYEDAT FROM ZTRACK ORDER BY 1"
    let expected = try Database.rows(list, in: trial.path)
    let report = try trial.salvage.run()
    #expect(try Database.rows(list, in: trial.output) == expected)
    #expect(report.rejects == [:] && !report.remarks.contains { $0.contains("definition") }, "\(report)")
  }

  @Test func `A table without one of its columns keeps the values of the others`() throws {
    let trial = try trial()
    try Database.run("ALTER TABLE ZTRACK DROP COLUMN ZARTISTNAME", in: trial.path)
    let expected = try rows(trial.path)
    let report = try trial.salvage.run()
    #expect(try rows(trial.output) == expected)
    #expect(report.remarks == ["the tables do not have ZTRACK.ZARTISTNAME, whose values are missing"])
  }

  @Test func `A greatest key that no app has given does not count`() throws {
    let trial = try trial()
    try Database.run("UPDATE Z_PRIMARYKEY SET Z_MAX = \(Int64.max)", in: trial.path)
    let report = try trial.salvage.run()
    #expect(report.tables.map(\.mostMissing) == [nil])
    #expect(try Database.value("SELECT Z_MAX FROM Z_PRIMARYKEY", in: trial.output) == "200")
  }

  @Test func `What the model does not have is named`() throws {
    let trial = try trial()
    try Database.run(
      "CREATE TABLE own (x); INSERT INTO own VALUES (1); ALTER TABLE ZTRACK ADD COLUMN ZRATING INTEGER", in: trial.path)
    let report = try trial.salvage.run()
    #expect(report.rowCount == 200)
    #expect(report.remarks == ["the model does not have ZTRACK.ZRATING, own, which were left out"])
  }

  @Test func `A store of a configuration of a model is known`() throws {
    let entities = TrackModels.v1.entities + [EntityDescription("Other")]
    let model = try ManagedObjectModel(entities: entities, configurations: ["Part": ["Track"]])
    let trial = try SalvageTrial(models: [model])
    try TrackLibraryBuilder((1...9).map { TrackRow($0, title: "T \($0)", text: "{}") }).write(to: trial.path)
    #expect(try trial.salvage.run().rowCount == 9)
    let document = try StoreExamination(path: trial.path, candidates: trial.salvage.candidates).run()
    #expect(document.model == .named("Model 1, configuration Part"))
    var redaction = StoreRedaction(path: trial.path, outputPath: trial.folder.file("Shown.sqlite"))
    (redaction.candidates, redaction.requiresCandidate) = (trial.salvage.candidates, true)
    #expect(try redaction.run().modelProblem == nil)
  }

  @Test func `Rows that are older than a column have none of its values`() throws {
    let model = TrackModels.model([
      EntityDescription(
        "Track", attributes: TrackModels.v1.entities[0].ownAttributes + [AttributeDescription("rating", .integer16)])
    ])
    let trial = try SalvageTrial(models: [model])
    try TrackLibraryBuilder((1...9).map { TrackRow($0, title: "T \($0)", text: "{}") }).write(to: trial.path)
    try Database.run(
      "ALTER TABLE ZTRACK ADD COLUMN ZRATING INTEGER; UPDATE ZTRACK SET ZRATING = 5 WHERE Z_PK > 6; DELETE FROM Z_METADATA",
      in: trial.path)
    _ = try trial.salvage.run()
    let ratings = try Database.rows("SELECT Z_PK, ZRATING, ZTITLE FROM ZTRACK ORDER BY 1", in: trial.output)
    #expect(ratings == (1...9).map { "\($0)|\($0 > 6 ? "5" : "NULL")|T \($0)" })
  }
}
