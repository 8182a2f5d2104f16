import Foundation
import TestSupport
import Testing

@Suite("The same feed makes the same library")
struct ImportIdentityTests {
  private static let lines = (1...500).map { #"{"key":\#($0),"title":"T \#($0)","artists":["A \#($0 % 7)"]}"# }
  private static let feed = Array((lines.joined(separator: "\n") + "\n").utf8)

  private let folder: TemporaryFolder
  private let path: String

  init() throws {
    folder = try TemporaryFolder()
    path = try folder.write(Self.feed, to: "feed")
  }

  private func imported(_ name: String, from feed: String? = nil, _ more: String...) throws -> [UInt8] {
    try successfully(["import", feed ?? path, folder.file(name), "-q"] + more)
    return try Files.bytes(folder.file(name))
  }

  private func uuid(_ name: String) throws -> String {
    try #require(try Database.value("SELECT Z_UUID FROM Z_METADATA", in: folder.file(name)))
  }

  @Test func `Two imports of one feed are the same bytes`() throws {
    let first = try imported("A.sqlite")
    #expect(try imported("B.sqlite") == first)
    #expect(try imported("C.sqlite", "--verify") == first)
    #expect(UUID(uuidString: try uuid("A.sqlite")) != nil)
  }

  @Test(arguments: [1, 7, 1000]) func `A feed from a pipe has the identity of the file`(portion: Int) throws {
    let first = try imported("A.sqlite")
    var runner = CommandRunner(
      [
        "-c", #"dd if="$1" bs="$2" 2>/dev/null | "$TOOL" import - "$3" -q"#, "sh", path, "\(portion)", folder.file("P"),
      ],
      environment: ["TOOL": Tool.path])
    runner.executable = "/bin/sh"
    #expect(try runner.run().status == 0)
    #expect(try Files.bytes(folder.file("P")) == first)
  }

  @Test func `A packed feed has the identity of what it holds`() throws {
    let first = try imported("A.sqlite")
    let script = #"gzip -c "$1" > whole; (head -c 3 "$1" | gzip; tail -c +4 "$1" | gzip) > parts"#
    #expect(try CommandRunner.shell(script, path, in: folder.path).run().status == 0)
    for name in ["whole", "parts"] {
      #expect(try imported("\(name).sqlite", from: folder.file(name)) == first)
    }
  }

  @Test func `Another feed, and other options, give another identity`() throws {
    _ = try imported("A.sqlite")
    var known: Set = [try uuid("A.sqlite")]
    // One bit at the start, in the middle and at the end.
    for place in [10, Self.feed.count / 2 + 3, Self.feed.count - 8] {
      var other = Self.feed
      other[place] ^= 1
      try folder.write(other, to: "other")
      _ = try imported("O\(place).sqlite", from: folder.file("other"))
      #expect(known.insert(try uuid("O\(place).sqlite")).inserted)
    }
    _ = try imported("I.sqlite", "--identity", "id", "--json", "spotify")
    #expect(known.insert(try uuid("I.sqlite")).inserted)
    // What is added to a library later does not change which library it is.
    let before = try uuid("A.sqlite")
    try successfully("import", folder.file("other"), folder.file("A.sqlite"), "-q", "--new-keys")
    #expect(try uuid("A.sqlite") == before)
  }

  @Test func `Two fixtures of one model, number and seed are the same bytes`() throws {
    let model = SampleStore.data("Notes/Notes.xcdatamodeld")
    func made(_ name: String, _ more: String...) throws -> [UInt8] {
      try successfully(["fixture", "new", "--model", model, folder.file(name), "--rows", "20"] + more)
      return try Files.bytes(folder.file(name))
    }
    let first = try made("A.sqlite")
    #expect(try made("B.sqlite") == first)
    #expect(try made("C.sqlite", "--seed", "2") != first)
    #expect(try uuid("C.sqlite") != uuid("A.sqlite"))
  }

  @Test(.enabled(if: Files.exists("/usr/share/zoneinfo/right/UTC"), "needs time zones with leap seconds"))
  func `Leap seconds of the time zone play no part`() throws {
    let dates = [
      "2024-05-01T12:30:00Z", "2016-12-31T23:59:60Z", "1600-02-29", "0001-01-01", "2000-02-29", "1900-02-29",
    ]
    let lines = dates.map { #"{"title":"T","artists":["A"],"lastPlayedAt":"\#($0)"}"# }
    try Files.write(lines.joined(separator: "\n"), to: path)
    for zone in ["right/UTC", "UTC", "Asia/Kathmandu"] {
      let library = folder.file(zone.replacing("/", with: "-"))
      let result = try CommandRunner(["import", path, library, "--verify", "-q"], environment: ["TZ": zone]).run()
      #expect(result.status == 0, "\(zone): \(result)")
    }
    #expect(try Files.bytes(folder.file("right-UTC")) == Files.bytes(folder.file("UTC")))
  }
}
