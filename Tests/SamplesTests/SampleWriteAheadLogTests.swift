import Samples
import TestSupport
import Testing
import TrackLibrary

@Suite final class SampleWriteAheadLogTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func write(_ count: Int, to name: String, wal: Bool) throws -> SampleLibrary.Counts {
    var sample = SampleLibrary(trackCount: count)
    sample.includesOddities = true
    sample.leavesWriteAheadLog = wal
    return try sample.write(to: folder.file(name))
  }

  private func rows(_ sql: String, in name: String) throws -> [String] {
    try Database.rows(sql, in: folder.file(name))
  }

  @Test func `The file alone lacks the rows in the log`() throws {
    let counts = try write(200, to: "a", wal: true)
    #expect(counts.trackCountInWriteAheadLog == 50)
    #expect(try folder.listing() == ["a", "a-wal"])
    try Files.copy(folder.file("a"), to: folder.file("alone"))
    #expect(try Database.integrity(folder.file("alone")) == ["ok"])
    #expect(try rows("SELECT count(*), max(Z_PK) FROM ZTRACK", in: "alone") == ["150|150"])
    #expect(try rows("SELECT Z_MAX FROM Z_PRIMARYKEY", in: "alone") == ["150"])
    #expect(try rows("SELECT count(*), max(Z_PK) FROM ZTRACK", in: "a") == ["200|200"])
  }

  @Test(arguments: [1, 7, 300, 5000])
  func `The file with its log equals the library written without one`(count: Int) throws {
    _ = try write(count, to: "whole", wal: false)
    _ = try write(count, to: "split", wal: true)
    #expect(try rows("PRAGMA journal_mode", in: "split") == ["wal"])
    #expect(try Database.integrity(folder.file("split")) == ["ok"])
    for table in ["ZTRACK", "Z_PRIMARYKEY", "Z_METADATA", "Z_MODELCACHE", "sqlite_schema"] {
      #expect(try rows("SELECT * FROM \(table)", in: "split") == rows("SELECT * FROM \(table)", in: "whole"))
    }
  }

  @Test func `SQLite can checkpoint the log`() throws {
    _ = try write(300, to: "whole", wal: false)
    _ = try write(300, to: "split", wal: true)
    #expect(try rows("PRAGMA wal_checkpoint(TRUNCATE)", in: "split") == ["0|0|0"])
    #expect(try folder.listing() == ["split", "whole"])
    // Bytes 18 and 19 say that there may be a log. SQLite keeps the rest of the header as it is in the log.
    var split = try Files.bytes(folder.file("split"))
    split.replaceSubrange(18..<20, with: [1, 1])
    #expect(try split == Files.bytes(folder.file("whole")))
  }

  @Test func `The library migrates with all its tracks`() throws {
    _ = try write(200, to: "a", wal: true)
    var migration = LibraryMigration(path: folder.file("a"))
    migration.outputPath = folder.file("b")
    _ = try migration.run()
    #expect(try rows("SELECT count(*) FROM ZTRACK", in: "b") == ["200"])
  }
}
