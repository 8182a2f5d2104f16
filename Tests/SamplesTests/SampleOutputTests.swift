import Migration
import MigrationDiagnostics
import Samples
import TestSupport
import Testing
import TrackLibrary

@Suite final class SampleOutputTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Returns the error of writing a sample.
  private func failure(_ path: String, wal: Bool, count: Int = 200, cancelled: Bool = false) -> MigrationError? {
    var sample = SampleLibrary(trackCount: count)
    sample.leavesWriteAheadLog = wal
    if cancelled { sample.cancellation.cancel() }
    do throws(MigrationError) {
      _ = try sample.write(to: path)
      return nil
    } catch {
      return error
    }
  }

  @Test(arguments: ["", "-wal", "-shm", "-journal"], [false, true])
  func `An existing file stays unchanged`(suffix: String, wal: Bool) throws {
    try Files.write("mine", to: folder.file("a\(suffix)"))
    let before = try folder.snapshot()
    let error = failure(folder.file("a"), wal: wal)
    #expect(error?.code == .outputExists)
    #expect(error?.subject.path == folder.file("a\(suffix)"))
    #expect(try folder.snapshot() == before)
  }

  @Test func `A dangling link counts as an existing file`() throws {
    try Files.link(folder.file("a"), to: folder.file("nowhere"))
    #expect(failure(folder.file("a"), wal: false)?.code == .outputExists)
    #expect(try folder.listing() == ["a"])
  }

  @Test(arguments: ["no/a", "a/"]) func `A path in a missing folder is named`(path: String) throws {
    let error = failure(folder.file(path), wal: true)
    #expect(error?.code == .cannotCreate)
    #expect(error?.subject.path == folder.file(path))
    #expect(try folder.listing() == [])
  }

  @Test func `A read-only folder is reported with the path`() throws {
    folder.setPermissions(0o555)
    let error = try Privileges.asNobody { failure(folder.file("a"), wal: false) }
    #expect(error?.code == .cannotCreate && error?.subject.path == folder.file("a"))
    #expect(try folder.listing() == [])
  }

  @Test(arguments: [false, true]) func `An interrupted run leaves nothing behind`(wal: Bool) throws {
    let error = failure(folder.file("a"), wal: wal, cancelled: true)
    #expect(error?.code == .interrupted && error?.subject.path == folder.file("a"))
    #expect(try folder.listing() == [])
  }

  @Test func `A run interrupted between its two stores leaves nothing behind`() throws {
    var sample = SampleLibrary(trackCount: 8000)
    sample.leavesWriteAheadLog = true
    let cancellation = sample.cancellation
    sample.onProgress = { completed, _ in if completed >= 7000 { cancellation.cancel() } }
    #expect(throws: MigrationError.self) { try sample.write(to: self.folder.file("a")) }
    #expect(try folder.listing() == [])
  }

  // The library has 256 KiB, the one that the log is made from 340 KiB, and the log 90 KiB. Each disk is too small for
  // another one of them.
  @Test(.enabled(if: SmallDisk.isPossible), arguments: [128, 512, 640])
  func `A full disk is left empty`(size: Int) throws {
    let disk = try SmallDisk(kibibytes: size)
    let error = failure("\(disk.path)/a", wal: true, count: 300)
    #expect(error?.code == .diskFull && error?.subject.path == "\(disk.path)/a")
    #expect(try Files.listing(disk.path) == [])
  }

  @Test func `The remains of a dead run are reused`() throws {
    for suffix in ["", "-wal", ".complete"] {
      try Files.write("half", to: folder.file(".a.tracks-migrate\(suffix)"))
    }
    #expect(failure(folder.file("a"), wal: true) == nil)
    #expect(try folder.listing() == ["a", "a-wal"])
  }

  @Test func `The progress goes up to all rows`() throws {
    var sample = SampleLibrary(trackCount: 10_000)
    sample.leavesWriteAheadLog = true
    var told: [Int] = []
    sample.onProgress = { completed, total in
      #expect(total == 17_500)
      told.append(completed)
    }
    _ = try sample.write(to: folder.file("a"))
    #expect(told == told.sorted() && told.first == 0 && told.last == 17_500 && told.count > 4)
  }
}
