import Foundation
import TestSupport
import Testing

@Suite("Results of a batch in another folder")
struct BatchOutputTests {
  private let folder: TemporaryFolder
  private let library: String

  init() throws {
    folder = try TemporaryFolder()
    library = try folder.library("L.sqlite", .many(30))
    setTime(-7200)
    try #require(try batch().status == 0)
  }

  private func batch() throws -> CommandResult {
    try CommandRunner(["batch", "L.sqlite", "--output-dir", "out"], folder: folder.path).run()
  }

  /// Sets the time of the library's last change, in seconds from now.
  private func setTime(_ offset: Double, _ path: String? = nil) {
    let date = Date(timeIntervalSinceNow: offset)
    try? FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: path ?? library)
  }

  private func requireChanged(sourceLocation: SourceLocation = #_sourceLocation) throws {
    let result = try batch()
    #expect(result.status == 1 && result.stdout.contains("has changed since"), sourceLocation: sourceLocation)
    #expect(result.stdout.contains(#""error_code":"output-exists""#), sourceLocation: sourceLocation)
  }

  private func requireCurrent(sourceLocation: SourceLocation = #_sourceLocation) throws {
    let result = try batch()
    #expect(
      result.status == 0 && result.stdout.contains(#""status":"current""#), "\(result)", sourceLocation: sourceLocation)
  }

  @Test func `A library that was replaced by one with an older time is not the one of the result`() throws {
    let other = folder.file("other")
    try Files.write(try Files.bytes(library), to: other)
    try Database.run("DELETE FROM ZTRACK WHERE Z_PK > 20; VACUUM", in: other)
    setTime(-3600, other)
    #expect(rename(other, library) == 0)
    try requireChanged()
  }

  @Test func `Results wait for the reader of a pipe`() throws {
    let result = try CommandRunner.shell(
      """
      mkfifo R && "$TOOL" batch L.sqlite -q --results R & batch=$!
      sleep 1; timeout 20 cat R; wait $batch
      """, in: folder.path
    ).run()
    #expect(result.status == 0 && result.stdout.contains(#""status":"migrated""#), "\(result)")
    // Without a reader, the end request is heard.
    try successfully("restore", library, "-q")
    let before = try Files.bytes(library)
    let waiting = try CommandRunner.shell(#"timeout -s TERM 2 "$TOOL" batch L.sqlite -q --results R"#, in: folder.path)
      .run()
    #expect(waiting.status == 124, "\(waiting)")
    #expect(try Files.bytes(library) == before)
  }

  @Test func `Results are not written into a pipe that no reader can open any more`() throws {
    let result = try CommandRunner.shell(
      #"{ sleep 1; timeout 20 "$TOOL" batch L.sqlite -q --results /dev/fd/3; echo "$?" > status; } 3>&1 >&2 | true"#,
      in: folder.path
    ).run()
    #expect(result.status == 0, "\(result)")
    #expect(
      ["74", "141"].contains(
        String(decoding: try Files.bytes(folder.file("status")).filter { $0 != 0x0a }, as: UTF8.self)), "\(result)")
  }

  @Test func `The second name that a killed worker has left goes with the next run`() throws {
    let second = folder.file("out/.L.sqlite.tracks-migrate")
    #expect(link(folder.file("out/L.sqlite"), second) == 0)
    try requireCurrent()
    #expect(!Files.exists(second) && Files.exists(folder.file("out/L.sqlite")))
  }

  @Test func `A time in the future fails no repetition`() throws {
    setTime(86_400)
    try requireCurrent()
  }

  @Test func `A copy with the same bytes and any time is the library of the result`() throws {
    let other = folder.file("other")
    try Files.write(try Files.bytes(library), to: other)
    for offset in [-86_400.0, 86_400] {
      setTime(offset, other)
      #expect(rename(other, library) == 0)
      try Files.write(try Files.bytes(library), to: other)
      try requireCurrent()
    }
  }

  @Test func `Other bytes of the same size and time are not those of the result`() throws {
    let date = try FileManager.default.attributesOfItem(atPath: library)[.modificationDate] as? Date
    var bytes = try Files.bytes(library)
    let title = try #require(bytes.firstRange(of: Array("Title 7".utf8)) ?? bytes.firstRange(of: Array("Track".utf8)))
    bytes[title.lowerBound] ^= 1
    let handle = try FileHandle(forWritingTo: URL(filePath: library))
    try handle.write(contentsOf: Data(bytes))
    try handle.close()
    try FileManager.default.setAttributes([.modificationDate: try #require(date)], ofItemAtPath: library)
    try requireChanged()
  }

  @Test func `A commit in the library's log counts`() throws {
    try FileManager.default.removeItem(atPath: library)
    try FileManager.default.removeItem(atPath: folder.file("out"))
    _ = try folder.library("L.sqlite", LibraryBuilder(writeAheadLogStart: 2))
    try #require(try batch().status == 0)
    try requireCurrent()
    try Database.run("UPDATE ZTRACK SET ZTITLE = 'later' WHERE Z_PK = 1", in: library)
    try requireChanged()
  }

  @Test func `A result that does not say what it was made from is not taken for current`() throws {
    let statistics = folder.file("out/L.sqlite.migration.json")
    try FileManager.default.removeItem(atPath: statistics)
    let result = try batch()
    #expect(result.status == 1 && result.stdout.contains("does not say what it was made from"), "\(result)")
  }

  @Test func `The options of a current result are those of the run that made it`() throws {
    let words = ["--identity", "id"]
    let own = try CommandRunner(["batch", "L.sqlite", "--output-dir", "made"] + words, folder: folder.path).run()
    let made = #""options":["--identity=id"]"#
    try #require(own.stdout.contains(made), "\(own)")
    let again = try CommandRunner(["batch", "L.sqlite", "--output-dir", "made"], folder: folder.path).run()
    #expect(again.stdout.contains(#""status":"current""#) && again.stdout.contains(made), "\(again)")
    // The one that was made without options has none, whatever this run has.
    let other = try CommandRunner(["batch", "L.sqlite", "--output-dir", "out"] + words, folder: folder.path).run()
    #expect(other.stdout.contains(#""status":"current""#) && !other.stdout.contains("options"), "\(other)")
    try Files.copy(library, to: folder.file("M.sqlite"))
    let inPlace = try CommandRunner(["batch", "M.sqlite"] + words, folder: folder.path).run()
    #expect(inPlace.stdout.contains(made), "\(inPlace)")
    let current = try CommandRunner(["batch", "M.sqlite"], folder: folder.path).run()
    #expect(current.stdout.contains(#""status":"current""#) && current.stdout.contains(made), "\(current)")
  }
}
