import DataModel
import MigrationDiagnostics
import PersistentStore
import SQLiteDatabase
import StoreHealth
import TestSupport
import Testing

/// Damage whose end is known.
@Suite("Salvage of damaged stores")
struct SalvageTests {
  private static let models = [TrackModels.v1, TrackModels.v2]

  private func root(of table: String, in source: HealthySource) throws -> Int {
    Int(try Database.value("SELECT rootpage FROM sqlite_schema WHERE name = '\(table)'", in: source.path) ?? "") ?? 0
  }

  // MARK: - The bars

  @Test func `Of 1,408 pages, 12 of which are zeroed, all other rows come back`() throws {
    var store = try DamagedStore(HealthySource.tracks.path)
    try #require(store.pageCount == 1408)
    var lostCount = 0
    for page in stride(from: 70, to: 1400, by: 111) {
      lostCount += store.rowCount(ofPage: page)
      store.zero(page: page)
    }
    try #require(lostCount > 30 && lostCount <= 44)
    let trial = try SalvageTrial(store, models: Self.models)
    let report = try trial.salvage.run()
    #expect(report.rowCount == 5000 - lostCount)
    #expect(report.rowCount >= 4956)
    #expect(report.unreadablePages.count == 12)
    #expect(report.tables.first?.mostMissing == Int64(lostCount))
    #expect(try Database.isWhole(trial.output))
    #expect(try SalvageDifference(trial, .tracks).wrong == [])
  }

  @Test func `Without the root of their table, all rows come back`() throws {
    var store = try DamagedStore(HealthySource.tracks.path)
    store.zero(page: try root(of: "ZTRACK", in: .tracks))
    let trial = try SalvageTrial(store, models: Self.models)
    #expect(try trial.salvage.run().rowCount == 5000)
    let difference = try SalvageDifference(trial, .tracks)
    #expect(difference.wrong == [])
    #expect(difference.missingCount == 0)
  }

  // MARK: - The beginning of the file

  enum Beginning: CaseIterable {
    case magic, header, firstSector, firstPage

    func damage(_ store: inout DamagedStore) {
      switch self {
      case .magic: store.zero(0..<16)
      case .header: store.zero(0..<100)
      case .firstSector: store.zero(0..<512)
      case .firstPage: store.zero(page: 1)
      }
    }
  }

  @Test(arguments: Beginning.allCases, [512, 1024, 4096, 8192, 65536])
  func `A store without its beginning is read, whatever the size of its pages`(
    beginning: Beginning, pageSize: Int
  ) throws {
    let trial = try SalvageTrial(models: Self.models)
    var library = TrackLibraryBuilder(
      (1...60).map { TrackRow($0, title: "T", text: String(repeating: "{\"a\":\($0)}", count: 20)) })
    library.pageSize = pageSize
    try library.write(to: trial.path)
    let healthy = try Self.rows(trial.path)
    var store = try DamagedStore(trial.path)
    beginning.damage(&store)
    try Files.write(store.bytes, to: trial.path)
    let report = try trial.salvage.run()
    #expect(report.rowCount == 60)
    #expect(try Self.rows(trial.output) == healthy)
    #expect(try Database.value("PRAGMA page_size", in: trial.output) == "\(pageSize)")
    #expect(report.remarks.contains { $0.contains("header of the file is lost") } == (beginning != .magic))
  }

  private static func rows(_ path: String) throws -> [String] {
    try Database.rows("SELECT *, hex(ZJSON) FROM ZTRACK ORDER BY Z_PK", in: path)
  }

  @Test(arguments: ["UTF-8", "UTF-16le", "UTF-16be"], [0, 1, 2])
  func `Text in each encoding is read with and without a header and a map of pages`(
    encoding: String, autoVacuum: Int
  ) throws {
    for isHeaderLost in [false, true] {
      let trial = try SalvageTrial(models: Self.models)
      var library = TrackLibraryBuilder(
        (1...40).map { TrackRow($0, title: "Title \($0) 🎵 Ø", text: String(repeating: "ü\($0)", count: 900)) })
      (library.encoding, library.autoVacuum) = (encoding, autoVacuum)
      try library.write(to: trial.path)
      let healthy = try Self.rows(trial.path)
      if isHeaderLost {
        var store = try DamagedStore(trial.path)
        store.zero(0..<100)
        try Files.write(store.bytes, to: trial.path)
      }
      let report = try trial.salvage.run()
      #expect(report.rowCount == 40)
      #expect(try Self.rows(trial.output) == healthy)
      #expect(try Database.value("PRAGMA encoding", in: trial.output) == encoding)
    }
  }

  @Test(arguments: HealthySource.small)
  func `A first page that has changed places is found`(source: HealthySource) throws {
    var store = try DamagedStore(source.path)
    store.swap(page: 1, with: store.pageCount)
    let trial = try SalvageTrial(store, models: [source.model])
    _ = try trial.salvage.run()
    #expect(try SalvageDifference(trial, source).wrong == [])
  }

  @Test func `A file that is cut off in the middle of a page keeps the rows before`() throws {
    var store = try DamagedStore(HealthySource.tracks.path)
    store.cut(to: store.bytes.count / 2 + 1000)
    let trial = try SalvageTrial(store, models: Self.models)
    let report = try trial.salvage.run()
    #expect((2400...2600).contains(report.rowCount))
    #expect(report.unreadablePages.ranges == [705...1408])
    #expect(try SalvageDifference(trial, .tracks).wrong == [])
  }

  // MARK: - Files that are none

  @Test func `Noise may be encrypted`() throws {
    var random = SeededGenerator(seed: 7)
    let trial = try SalvageTrial()
    try Files.write((0..<1 << 16).map { _ in UInt8.random(in: 0...255, using: &random) }, to: trial.path)
    let error = try #require(throws: MigrationError.self) { try trial.salvage.run() }
    #expect(error.code == .notADatabase)
    #expect(error.detail?.contains("may be encrypted with a key") == true)
    #expect(try trial.folder.listing() == ["Damaged.sqlite"])
  }

  @Test(arguments: [[], Array("Not a database.\n".utf8), [UInt8](repeating: 0, count: 40_960)])
  func `A file without a page of a database is refused`(bytes: [UInt8]) throws {
    let trial = try SalvageTrial()
    try Files.write(bytes, to: trial.path)
    let error = try #require(throws: MigrationError.self) { try trial.salvage.run() }
    #expect(error.code == .notADatabase)
    #expect(try trial.folder.listing() == ["Damaged.sqlite"])
  }

  @Test func `A database that is not a store is refused`() throws {
    let trial = try SalvageTrial(models: Self.models)
    try Database.run("CREATE TABLE t (a, b); INSERT INTO t VALUES (1, 'x')", in: trial.path)
    let error = try #require(throws: MigrationError.self) { try trial.salvage.run() }
    #expect(error.code == .notACoreDataStore)
    #expect(try trial.folder.listing() == ["Damaged.sqlite"])
  }

  // MARK: - The model

  @Test func `Without metadata and a model, the candidate that fits the rows is taken`() throws {
    var store = try DamagedStore(HealthySource.fewTracks.path)
    store.zero(page: try root(of: "Z_METADATA", in: .fewTracks))
    let trial = try SalvageTrial(store, models: Self.models)
    let report = try trial.salvage.run()
    #expect(report.rowCount == 100)
    #expect(report.remarks.contains { $0.contains("'Model 1' alone fits") })
    #expect(try StoreReader(path: trial.output).metadata.versionHashes == TrackModels.v1.entityVersionHashesByName)
  }

  @Test func `Candidates that fit equally well are named`() throws {
    var store = try DamagedStore(HealthySource.fewTracks.path)
    store.zero(page: try root(of: "Z_METADATA", in: .fewTracks))
    let trial = try SalvageTrial(store, models: [TrackModels.v1, TrackModels.v1])
    let error = try #require(throws: MigrationError.self) { try trial.salvage.run() }
    #expect(error.code == .noModelCache)
    #expect(error.detail?.contains("'Model 1', 'Model 2'") == true)
  }

  @Test func `A model with other version hashes is not taken`() throws {
    let trial = try SalvageTrial(try DamagedStore(HealthySource.fewTracks.path), models: [TrackModels.v2])
    #expect(try #require(throws: MigrationError.self) { try trial.salvage.run() }.code == .unknownVersion)
  }

  // MARK: - Order and repetition

  @Test(arguments: [HealthySource.friends, .media])
  func `The same file gives the same bytes`(source: HealthySource) throws {
    var store = try DamagedStore(source.path)
    for page in [4, 9, 17] { store.zero(page: page) }
    store.swap(page: 20, with: 31)
    let results = try (0..<2).map { _ in
      let trial = try SalvageTrial(store, models: [source.model])
      _ = try trial.salvage.run()
      let rejects = trial.output + ".rejects.ndjson"
      return [try Files.bytes(trial.output), Files.exists(rejects) ? try Files.bytes(rejects) : []]
    }
    #expect(results[0] == results[1])
  }
}
