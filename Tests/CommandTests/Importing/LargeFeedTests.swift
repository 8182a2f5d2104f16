import Foundation
import TestSupport
import Testing

@Suite("Importing a feed of many blocks")
struct LargeFeedTests {
  let folder: TemporaryFolder

  /// More lines than one block has, each with the key of its place.
  private static let lines = (1...4000).map { key in
    #"{"key":\#(key),"title":"T\#(key)","lastPlayedAt":\#(978_307_200 + key),"artists":["A\#(key % 700)","B"]}"#
  }

  init() throws { folder = try TemporaryFolder() }

  /// Imports lines, verifies the library, and returns its tracks.
  @discardableResult
  private func imported(_ lines: [String], to name: String = "L.sqlite", separator: String = "\n") throws -> [String] {
    let feed = try folder.write(Array(lines.joined(separator: separator).utf8), to: "feed.ndjson")
    try successfully("import", feed, folder.file(name), "--verify")
    #expect(try Database.isWhole(folder.file(name)))
    return try tracks(name)
  }

  private func tracks(_ name: String) throws -> [String] {
    try Database.rows(
      """
      SELECT Z_PK, Z_ENT, Z_OPT, ZTITLE, typeof(ZLASTPLAYEDAT), ZLASTPLAYEDAT, length(ZTITLE),
        (SELECT group_concat(ZNAME, ' ') FROM (SELECT ZNAME FROM Z_1TRACKS JOIN ZARTIST a ON a.Z_PK = Z_1ARTISTS
          WHERE Z_2TRACKS = t.Z_PK ORDER BY ZNAME))
      FROM ZTRACK t ORDER BY Z_PK
      """, in: folder.file(name))
  }

  private var rejects: [String] {
    get throws { try Files.text(folder.file("L.sqlite.rejects.ndjson")).split(separator: "\n").map(String.init) }
  }

  @Test func `The order of the keys makes no difference to the rows`() throws {
    let expected = try imported(Self.lines)
    #expect(expected.count == 4000)
    // The first rows ascend, and the others do not.
    let mixed = Self.lines[..<1500] + Self.lines[2000...] + Self.lines[1500..<2000].reversed()
    #expect(try Set(imported(Array(mixed), to: "Mixed.sqlite")) == Set(expected))
    #expect(try imported(Self.lines.reversed(), to: "Reversed.sqlite").count == 4000)
  }

  @Test func `A key that comes again is rejected with its line, wherever it comes`() throws {
    let expected = try imported(Self.lines, to: "Expected.sqlite")
    let lines = Self.lines[..<2000] + [Self.lines[1999], "", Self.lines[5]] + Self.lines[2000...] + [Self.lines[3000]]
    #expect(try imported(Array(lines)) == expected)
    let starts = [2001, 2003, 4004].map { #"{"line":\#($0),"reason":"repeated_key","byteOffset":null,"# }
    #expect(try zip(rejects, starts).allSatisfy { $0.hasPrefix($1) } && rejects.count == 3)
  }

  @Test func `Rows that need more than a page, and lines of more than a block, stand among others`() throws {
    var lines = Self.lines
    lines[1200] = #"{"key":1201,"title":"\#(String(repeating: "x", count: 5000))"}"#
    lines[2400] = #"{"key":2401,"title":"\#(String(repeating: "y", count: 3 << 20))"}"#
    lines[2401] = #"{"key":2402,"title":"\#(String(repeating: "z", count: 1 << 18))"#
    let rows = try imported(lines)
    #expect(rows.count == 3999)
    #expect(rows[1200].hasSuffix("|5000|NULL") && rows[2400].hasSuffix("|\(3 << 20)|NULL"))
    #expect(try rejects.first?.hasPrefix(#"{"line":2402,"reason":"json_truncated","byteOffset":"#) == true)
    #expect(try rejects.count == 1)
  }

  @Test func `Tracks without keys get the next ones, also among others that have some`() throws {
    let lines = (1...3000).map { $0 % 1000 == 0 ? #"{"key":\#($0 * 2),"title":"K"}"# : #"{"title":"T"}"# }
    let keys = try imported(lines).compactMap { $0.split(separator: "|").first.flatMap { Int($0) } }
    #expect(keys == Array(1...999) + Array(2000...2999) + Array(4000...4999) + [6000])
  }

  @Test func `One processor makes the same library as all`() throws {
    let lines = Self.lines[..<3000] + ["no track", "  \r"] + Self.lines[3000...].reversed()
    let expected = try imported(Array(lines), separator: "\r\n")
    let script = """
      one=$(taskset -cp $$ | sed 's/.*: //; s/[-,].*//')
      taskset -c "$one" "$TOOL" import feed.ndjson One.sqlite && "$TOOL" import - Two.sqlite < feed.ndjson &&
      gzip -c feed.ndjson | "$TOOL" import - Three.sqlite
      """
    let result = try CommandRunner.shell(script, in: folder.path).run()
    #expect(result.status == 0, "\(result)")
    for name in ["One.sqlite", "Two.sqlite", "Three.sqlite"] { #expect(try tracks(name) == expected) }
  }
}
