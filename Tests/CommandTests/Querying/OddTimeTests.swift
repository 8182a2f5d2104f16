import TestSupport
import Testing

@Suite("A time that another program has stored in another form")
struct OddTimeTests {
  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    let lines = ["a", "b", "c", "d", "e", "f"].map {
      #"{"title":"\#($0)","artists":["A"],"lastPlayedAt":"2020-01-01T00:00:00Z"}"#
    }
    try folder.write(Array(lines.joined(separator: "\n").utf8), to: "feed.ndjson")
    try successfully("import", folder.file("feed.ndjson"), folder.file("L.sqlite"))
    try Database.run(
      """
      UPDATE ZTRACK SET ZLASTPLAYEDAT = '2020-01-01 00:00:00' WHERE ZTITLE = 'b';
      UPDATE ZTRACK SET ZLASTPLAYEDAT = 1577836800000 WHERE ZTITLE = 'c';
      UPDATE ZTRACK SET ZLASTPLAYEDAT = x'0102' WHERE ZTITLE = 'd';
      UPDATE ZTRACK SET ZLASTPLAYEDAT = 599529600.5 WHERE ZTITLE = 'e';
      UPDATE ZTRACK SET ZLASTPLAYEDAT = 0.00005 WHERE ZTITLE = 'f';
      """, in: folder.file("L.sqlite"))
  }

  /// `tracks` shows times to the second, `query` with as many digits as it takes.
  @Test(arguments: [
    (["tracks", "L.sqlite"], ["e,2020-01-01T00:00:00Z", "f,2001-01-01T00:00:00Z"]),
    (["query", "L.sqlite", "Track"], ["e,2020-01-01T00:00:00.5Z", "f,5e-05"]),
  ])
  func `Every command shows what is stored`(words: [String], fractions: [String]) throws {
    let options = ["--format", "csv", "--fields", "title,lastPlayedAt"]
    let output = try successfully(words + options, in: folder.path).stdout
    #expect(
      output.split(separator: "\n").dropFirst().map(String.init)
        == ["a,2020-01-01T00:00:00Z", "b,2020-01-01 00:00:00", "c,1577836800000.0", "d,AQI="] + fractions)
  }

  @Test func `An export keeps it, and an import takes what is a date and says what is none`() throws {
    let exported = try successfully("export", folder.file("L.sqlite")).stdout
    #expect(exported.contains(#""lastPlayedAt":"2020-01-01 00:00:00""#))
    #expect(exported.contains(#""secondsSince2001":1577836800000.0"#))
    #expect(exported.contains(#""storedTime":"AQI=""#))
    try folder.write(Array(exported.utf8), to: "export.ndjson")
    let result = try successfully("import", folder.file("export.ndjson"), folder.file("N.sqlite"), "--verify")
    #expect(result.stderr.contains("warning: 1 time cannot be read as a date, such as in line 4"), "\(result)")
    #expect(!result.stderr.contains("Rejects: "), "\(result)")
    let rows = "SELECT ZTITLE, ZLASTPLAYEDAT FROM ZTRACK"
    #expect(
      try Database.rows(rows, in: folder.file("N.sqlite")) == [
        "a|599529600", "b|599529600", "c|1577836800000", "d|NULL", "e|599529600.5", "f|5.0e-05",
      ])
    #expect(
      try tracksMigrate("import", folder.file("export.ndjson"), folder.file("S.sqlite"), "--strict").status == 65)
  }

  @Test func `A date as Foundation describes it is one`() throws {
    try Database.run(
      "UPDATE ZTRACK SET ZLASTPLAYEDAT = '2020-01-01 02:00:00 +0200' WHERE ZTITLE = 'b'", in: folder.file("L.sqlite"))
    let exported = try successfully("export", folder.file("L.sqlite")).stdout
    let feed = try folder.write(Array(exported.utf8), to: "export.ndjson")
    try successfully("import", feed, folder.file("N.sqlite"), "--verify")
    let time = "SELECT ZLASTPLAYEDAT FROM ZTRACK WHERE ZTITLE = 'b'"
    #expect(try Database.value(time, in: folder.file("N.sqlite")) == "599529600")
  }

  @Test(arguments: [
    ("lastPlayedAt > '2019-01-01'", "a c e"), ("lastPlayedAt >= '2019-01-01'", "a c e"),
    ("lastPlayedAt < '2019-01-01'", "f"),
    ("lastPlayedAt BETWEEN {'2019-01-01', '2021-01-01'}", "a e"), ("NOT lastPlayedAt > '2019-01-01'", "b d f"),
  ])
  func `Text has no place in the order of dates`(condition: String, titles: String) throws {
    let result = try successfully(
      ["tracks", "L.sqlite", "--where", condition, "--format", "csv", "--fields", "title"], in: folder.path)
    #expect(result.stdout.split(separator: "\n").dropFirst().joined(separator: " ") == titles)
  }

  @Test func `Text is no date, whatever it says`() throws {
    try Files.copy(folder.file("L.sqlite"), to: folder.file("M.sqlite"))
    try Database.run("UPDATE ZTRACK SET ZLASTPLAYEDAT = 599529600 WHERE ZTITLE = 'b'", in: folder.file("L.sqlite"))
    try Database.run(
      "UPDATE ZTRACK SET ZLASTPLAYEDAT = '2020-01-01T00:00:00Z' WHERE ZTITLE = 'b'", in: folder.file("M.sqlite"))
    let result = try CommandRunner(["diff", folder.file("L.sqlite"), folder.file("M.sqlite")]).run()
    #expect(result.status == 3 && result.stdout.contains("2020-01-01T00:00:00Z (text)"), "\(result)")
  }

  @Test func `The page does not take text for a time`() throws {
    try successfully("report", folder.file("L.sqlite"), "--output", folder.file("page.html"))
    let page = String(decoding: try Files.bytes(folder.file("page.html")), as: UTF8.self)
    #expect(page.contains("tracks have text or bytes in place of a time."))
  }
}
