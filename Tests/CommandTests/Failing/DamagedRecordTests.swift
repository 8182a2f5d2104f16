import SQLiteDatabase
import TestSupport
import Testing

@Suite("A record that is not as long as its header says")
struct DamagedRecordTests {
  let folder: TemporaryFolder
  let library: String

  init() throws {
    folder = try TemporaryFolder()
    library = folder.file("L.sqlite")
    let feed = try folder.write(Array(#"{"title":"A title to be found","artists":["A"]}"#.utf8), to: "feed.ndjson")
    try successfully("import", feed, library)
  }

  /// Gives one value of the track a byte that it does not have, which SQLite finds when it reads the values behind it.
  private func damage() throws {
    var bytes = try Files.bytes(library)
    let title = Array("A title to be found".utf8)
    let place = try #require(bytes.indices.first { bytes[$0...].starts(with: title) })
    // The header: its length, NULL for the key, an integer of one byte, and 1, which has no bytes.
    let header = try #require((place - 20..<place).last { bytes[$0...].starts(with: [7, 0, 1, 9]) })
    bytes[header + 3] = 1
    try Files.write(bytes, to: library)
  }

  @Test(arguments: [
    ["stats", "L.sqlite"], ["info", "L.sqlite"], ["report", "L.sqlite"], ["artists", "L.sqlite"],
    ["tracks", "L.sqlite"],
    ["export", "L.sqlite"], ["import", "feed.ndjson", "L.sqlite"],
    ["import", "feed.ndjson", "L.sqlite", "--no-backup"],
  ])
  func `It is found by every command that reads much`(words: [String]) throws {
    try damage()
    let before = try folder.snapshot()
    let result = try CommandRunner(words, folder: folder.path).run()
    #expect(result.status == 65 && result.stderr.contains("'L.sqlite' is damaged"), "\(result)")
    #expect(try folder.snapshot() == before)
  }
}
