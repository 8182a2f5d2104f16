import TestSupport
import Testing

@Suite("A time that another program has stored in another form")
struct OddTimeTests {
  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    let lines = ["a", "b", "c", "d"].map {
      #"{"title":"\#($0)","artists":["A"],"lastPlayedAt":"2020-01-01T00:00:00Z"}"#
    }
    try folder.write(Array(lines.joined(separator: "\n").utf8), to: "feed.ndjson")
    try successfully("import", folder.file("feed.ndjson"), folder.file("L.sqlite"))
    try Database.run(
      """
      UPDATE ZTRACK SET ZLASTPLAYEDAT = '2020-01-01 00:00:00' WHERE ZTITLE = 'b';
      UPDATE ZTRACK SET ZLASTPLAYEDAT = 1577836800000 WHERE ZTITLE = 'c';
      UPDATE ZTRACK SET ZLASTPLAYEDAT = x'0102' WHERE ZTITLE = 'd';
      """, in: folder.file("L.sqlite"))
  }

  @Test(arguments: [
    ["tracks", "--format", "csv", "--fields", "title,lastPlayedAt"],
    ["query", "Track", "--format", "csv", "--fields", "title,lastPlayedAt"],
  ])
  func `Every command shows what is stored`(words: [String]) throws {
    let path = folder.file("L.sqlite")
    let output = try successfully([words[0], path] + words.dropFirst()).stdout
    #expect(
      output.split(separator: "\n").dropFirst()
        == ["a,2020-01-01T00:00:00Z", "b,2020-01-01 00:00:00", "c,1577836800000.0", "d,AQI="])
  }

  @Test func `An export keeps it, and an import takes what is a date`() throws {
    let exported = try successfully("export", folder.file("L.sqlite")).stdout
    #expect(exported.contains(#""lastPlayedAt":"2020-01-01 00:00:00""#))
    #expect(exported.contains(#""secondsSince2001":1577836800000.0"#))
    #expect(exported.contains(#""lastPlayedAt":"AQI=""#))
    try folder.write(Array(exported.utf8), to: "export.ndjson")
    let result = try successfully("import", folder.file("export.ndjson"), folder.file("N.sqlite"))
    #expect(result.stderr.contains("Rejects: "))
    let rows = "SELECT ZTITLE, ZLASTPLAYEDAT FROM ZTRACK"
    #expect(
      try Database.rows(rows, in: folder.file("N.sqlite")) == ["a|599529600", "b|599529600", "c|1577836800000"])
  }

  @Test func `The page does not take text for a time`() throws {
    try successfully("report", folder.file("L.sqlite"), "--output", folder.file("page.html"))
    let page = String(decoding: try Files.bytes(folder.file("page.html")), as: UTF8.self)
    #expect(page.contains("tracks have text or bytes in place of a time."))
  }
}
