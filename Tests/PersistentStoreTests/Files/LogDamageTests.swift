import DataModel
import Foundation
import MigrationDiagnostics
import PersistentStore
import SQLiteDatabase
import TestSupport
import Testing

/// A store of which some transactions are only in the log.
private struct LoggedStore {
  static let pageSize = 512
  static let frameSize = 24 + pageSize

  let folder: TemporaryFolder
  let path: String
  private(set) var log: [UInt8] = []

  /// - Parameter changes: Made in the mode WAL, one after the other.
  init(_ changes: [String]) throws {
    folder = try TemporaryFolder(isInMemory: true)
    path = folder.file("Copy.sqlite")
    let layout = FileLayout(pageSize: Int64(Self.pageSize), autoVacuum: 0, encoding: "UTF-8")
    let model = TrackModels.model([EntityDescription("Note", attributes: text("title"))])
    let store = try StoreFixture(model, layout: layout)
    let connection = try Connection(path: store.path, access: .create)
    try connection.execute("PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0")
    for change in changes { try connection.execute(change) }
    try Files.copy(store.path, to: path)
    log = try Files.bytes(store.path + "-wal")
  }

  var frameCount: Int { (log.count - 32) / Self.frameSize }

  static func offset(ofFrame number: Int) -> Int { 32 + (number - 1) * frameSize }

  /// The number of rows that a reader finds with a log; `nil` if the log is refused.
  func rowCount(_ log: [UInt8]) throws -> Int64? {
    try Files.write(log, to: path + "-wal")
    do {
      let reader = try StoreReader(path: path)
      let count = try reader.connection.integer("SELECT count(*) FROM ZNOTE NOT INDEXED")
      try reader.close()
      return count
    } catch let error as MigrationError where error.code == .unreadableWriteAheadLog {
      return nil
    }
  }
}

@Suite("Damage in a write-ahead log")
struct LogDamageTests {
  private static func notes(_ count: Int, length: Int = 100) -> String {
    """
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
    INSERT INTO ZNOTE (Z_ENT, Z_OPT, ZTITLE) SELECT 1, 1, printf('%0\(length)d', i) FROM n
    """
  }

  /// Three transactions of several pages, and one of a single page.
  private static func threeAndOne() throws -> LoggedStore {
    try LoggedStore([notes(12), notes(9), notes(15), "UPDATE ZNOTE SET ZTITLE = 'x' WHERE Z_PK = 1", notes(7)])
  }

  @Test func `Every changed byte of a header is refused, or hides nothing but the last frame`() throws {
    let store = try Self.threeAndOne()
    #expect(try store.rowCount(store.log) == 43)
    #expect(store.frameCount > 10)
    let headers = (1...store.frameCount).flatMap { number in
      (0..<24).map { LoggedStore.offset(ofFrame: number) + $0 }
    }
    let last = LoggedStore.offset(ofFrame: store.frameCount)
    for place in Array(0..<32) + Rounds.some(97, of: headers) {
      var log = store.log
      log[place] ^= place % 2 == 0 ? 1 : 128
      let count = try store.rowCount(log)
      // Of the salts, the checksums tell. The rest of the last frame may be as if it had not been written to the end.
      let isLast = place >= last && !(last + 8..<last + 16).contains(place)
      #expect(count == nil || isLast && count == 36, "byte \(place)")
    }
  }

  @Test func `Every sector of zeros is refused, or hides nothing but the last frame`() throws {
    let store = try Self.threeAndOne()
    let last = LoggedStore.offset(ofFrame: store.frameCount)
    for sector in stride(from: 0, to: store.log.count, by: 512) {
      var log = store.log
      let end = min(sector + 512, log.count)
      log.replaceSubrange(sector..<end, with: [UInt8](repeating: 0, count: end - sector))
      let count = try store.rowCount(log)
      #expect(count == nil || end > last && sector + 512 > last && count == 36, "sector at \(sector)")
    }
  }

  @Test(arguments: [32, 32 + 24, 32 + 536])
  func `Zeros over the header of a log are refused if anything follows`(count: Int) throws {
    let store = try Self.threeAndOne()
    let log = [UInt8](repeating: 0, count: count) + store.log.dropFirst(count)
    #expect(try store.rowCount(log) == nil)
    #expect(try store.rowCount([UInt8](repeating: 0, count: store.log.count)) == 0)
  }

  @Test func `Changed bytes of pages are refused, except in the last frame`() throws {
    let store = try Self.threeAndOne()
    let last = LoggedStore.offset(ofFrame: store.frameCount)
    for place in stride(from: 32 + 24, to: store.log.count, by: Rounds.areMany ? 97 : 397) {
      var log = store.log
      log[place] ^= 16
      let count = try store.rowCount(log)
      #expect(count == nil || place >= last && count == 36, "byte \(place)")
    }
  }

  @Test(arguments: [1, 7, 24, 512, 536, 600, 4096])
  func `A log that has lost bytes is refused, or ends where they were`(
    count: Int
  ) throws {
    let store = try Self.threeAndOne()
    let (whole, last) = (store.log, LoggedStore.offset(ofFrame: store.frameCount))
    for place in stride(from: 0, to: whole.count, by: Rounds.areMany ? 397 : 1597) {
      let log = Array(whole[..<place] + whole[min(place + count, whole.count)...])
      let rows = try store.rowCount(log)
      // If nothing whole is left behind them, it is as if the log had been cut.
      #expect(rows == nil || place + count > last, "\(count) bytes at \(place): \(rows ?? 0) rows")
    }
  }

  @Test(arguments: [1, 24, 512, 536, 4096]) func `A log with more bytes in the middle is refused`(count: Int) throws {
    let store = try Self.threeAndOne()
    let last = LoggedStore.offset(ofFrame: store.frameCount)
    var generator = SeededGenerator(seed: UInt64(count))
    for place in stride(from: 1, to: store.log.count, by: Rounds.areMany ? 401 : 1601) {
      let isNoise = place.isMultiple(of: 2)
      let added = (0..<count).map { _ in isNoise ? UInt8.random(in: 0...255, using: &generator) : 0 }
      let rows = try store.rowCount(Array(store.log[..<place]) + added + store.log[place...])
      #expect(rows == nil || place > last, "\(count) bytes at \(place): \(rows ?? 0) rows")
    }
  }

  @Test func `Lost bytes are found although frames of earlier uses follow`() throws {
    let store = try LoggedStore([
      Self.notes(60), "PRAGMA wal_checkpoint(RESTART)", Self.notes(9), Self.notes(9),
    ])
    var log = store.log
    log.removeSubrange(LoggedStore.offset(ofFrame: 1) + 100..<LoggedStore.offset(ofFrame: 1) + 101)
    #expect(try store.rowCount(log) == nil)
  }

  // MARK: - Healthy logs

  @Test func `Pages that hold headers of frames of their log are no damage`() throws {
    func header(_ log: [UInt8]) -> [UInt8] {
      [0, 0, 0, 1, 0, 0, 0, 9] + log[16..<24] + [UInt8](repeating: 7, count: 8)
    }
    // A last frame that was not written to its end.
    let store = try Self.threeAndOne()
    var torn = store.log
    torn.replaceSubrange(torn.count - 100..<torn.count - 76, with: header(torn))
    #expect(try store.rowCount(torn) == 36)
    // A frame of a transaction that was rolled back.
    let left = try LoggedStore([
      Self.notes(5), "PRAGMA cache_size = 5; BEGIN", Self.notes(300), "ROLLBACK", Self.notes(3),
    ])
    var log = left.log
    let place = LoggedStore.offset(ofFrame: left.frameCount / 2)
    #expect(log[place + 8..<place + 16] == log[16..<24])
    log.replaceSubrange(place + 60..<place + 84, with: header(log))
    #expect(try left.rowCount(log) == 8)
  }

  @Test func `A log that was cut anywhere is read up to its last whole transaction`() throws {
    let store = try Self.threeAndOne()
    var last: Int64 = 0
    for length in Array(stride(from: 0, to: store.log.count, by: Rounds.areMany ? 61 : 241)) + [store.log.count] {
      let count = try #require(try store.rowCount(Array(store.log.prefix(length))), "\(length) bytes")
      #expect([0, 12, 21, 36, 43].contains(count) && count >= last)
      last = count
    }
    #expect(last == 43)
  }

  @Test func `Frames from before a log was restarted are no damage`() throws {
    for generations in 1...3 {
      let restarts = (1...generations).flatMap { number in
        ["PRAGMA wal_checkpoint(RESTART)", Self.notes(10 / number)]
      }
      let store = try LoggedStore([Self.notes(40)] + restarts)
      #expect(store.frameCount > 10)
      #expect(try store.rowCount(store.log) == 40 + Int64((1...generations).map { 10 / $0 }.reduce(0, +)))
    }
    let restarted = try LoggedStore([Self.notes(40), "PRAGMA wal_checkpoint(RESTART)"])
    #expect(try restarted.rowCount(restarted.log) == 40)
  }

  @Test func `A damaged frame is found although frames of earlier uses follow`() throws {
    let store = try LoggedStore([
      Self.notes(60), "PRAGMA wal_checkpoint(RESTART)", Self.notes(9), Self.notes(9),
    ])
    var log = store.log
    log[LoggedStore.offset(ofFrame: 2) + 9] ^= 1
    #expect(try store.rowCount(log) == nil)
  }

  @Test func `Frames of a transaction that was rolled back are no damage`() throws {
    // With a small cache, pages are written before the end.
    let store = try LoggedStore([
      Self.notes(5), "PRAGMA cache_size = 5; BEGIN", Self.notes(300), "ROLLBACK", Self.notes(3),
    ])
    #expect(store.frameCount > 50)
    #expect(try store.rowCount(store.log) == 8)
    let unfinished = try LoggedStore([Self.notes(5), "PRAGMA cache_size = 5; BEGIN", Self.notes(300)])
    #expect(unfinished.frameCount > 50)
    #expect(try unfinished.rowCount(unfinished.log) == 5)
  }

  @Test func `A last frame that was not written to its end is ignored`() throws {
    let store = try Self.threeAndOne()
    let last = LoggedStore.offset(ofFrame: store.frameCount)
    for written in [0, 24, 300] {
      let zeros = [UInt8](repeating: 0, count: LoggedStore.frameSize - written)
      #expect(try store.rowCount(Array(store.log.prefix(last + written)) + zeros) == 36)
    }
  }

  @Test func `A log that is written meanwhile is never refused`() throws {
    let store = try StoreFixture([EntityDescription("Note", attributes: text("title"))])
    try Database.run("PRAGMA journal_mode = WAL; \(Self.notes(200))", in: store.path)
    let path = store.path
    let isDone = DispatchSemaphore(value: 0)
    nonisolated(unsafe) var failure: (any Error)?
    let writer = Thread {
      do {
        let connection = try Connection(path: path, access: .readWrite, busyTimeout: 5000)
        try connection.execute("PRAGMA wal_autocheckpoint = 10; PRAGMA synchronous = OFF")
        while !Thread.current.isCancelled { try connection.execute("UPDATE ZNOTE SET Z_OPT = Z_OPT + 1") }
      } catch {
        failure = error
      }
      isDone.signal()
    }
    writer.start()
    for _ in 0..<Rounds.count(30) { try StoreReader(path: path, busyTimeout: 5000).close() }
    writer.cancel()
    isDone.wait()
    #expect(failure == nil)
  }
}
