import Foundation
import TestSupport
import Testing

@Suite("The artists command")
struct ArtistsTests {
  /// Returns the names in the list, in order.
  private func names(_ options: [String]) throws -> [String] {
    let result = try CommandRunner(["artists", try MusicLibrary.path, "--format", "json"] + options).run()
    #expect(result.status == 0, "\(result)")
    #expect(result.stderr == "")
    let rows = try #require(try JSONSerialization.jsonObject(with: Data(result.output)) as? [[String: Any]])
    return rows.map { $0["name"] as? String ?? "-" }
  }

  @Test(arguments: [
    (["--name", "bjork"], ["Björk"]),
    (["--name", "BJÖRK"], ["Björk"]),
    (["--name", "Bjo\u{308}rk"], ["Björk"]),
    (["--name", "ros"], ["Sigur Rós"]),
    (["--name", "fullwidth"], ["ｆｕｌｌｗｉｄｔｈ"]),
    (["--name", "ＡＣ／ＤＣ"], ["AC/DC"]),
    (["--name", "robyn"], ["ROBYN", "robyn"]),
    (["--name", "nobody's"], ["Nobody's Artist"]),
    (["--name", "%"], []),
    (["--name", "_"], []),
    (["--name", "\" OR 1=1 --"], []),
    (["--id", "bj"], ["Björk"]),
    (["--id", "BJ"], []),
    (["--id", ""], []),
    (["--track", "hyper"], ["Björk"]),
    (["--track", "agætis"], ["Björk", "Sigur Rós"]),
    (["--track", "quoted"], ["AC/DC", #"Say "Hi", they said"#]),
    (["--min-tracks", "4"], ["Björk"]),
    (["--min-tracks", "2"], ["AC/DC", "Björk"]),
    (["--min-tracks", "99"], []),
    (["--sort", "tracks", "--limit", "2"], ["Björk", "AC/DC"]),
    (["--limit", "0"], []),
    (["--sort", "-tracks", "--limit", "2"], ["Björk", "AC/DC"]),
    (["--sort", "+tracks", "--limit", "2"], ["Nobody's Artist", MusicLibrary.hostileName]),
    (["--sort", "-tracks,-name", "--limit", "3"], ["Björk", "AC/DC", "Twin"]),
    (["--sort=-name", "--limit", "2"], ["Twin", "Twin"]),
    (["--sort", "-id", "--limit", "1"], ["ROBYN"]),
    (["--sort", "imageURL,-key", "--limit", "3"], ["Björk", "Nobody's Artist", "-"]),
    (["--name", "r", "--min-tracks", "1", "--sort", "tracks", "--limit", "1"], ["Björk"]),
  ])
  func `Each filter finds its artists`(options: [String], expected: [String]) throws {
    #expect(try names(options) == expected)
  }

  @Test func `All artists are listed by name, regardless of case and accents`() throws {
    #expect(
      try names([]) == [
        "AC/DC", "Björk", MusicLibrary.hostileName, "ｆｕｌｌｗｉｄｔｈ", "Nobody's Artist", "ROBYN", "robyn",
        #"Say "Hi", they said"#, "Sigur Rós", "Twin", "Twin", "-",
      ])
  }

  @Test func `Letters without accents to remove are sorted beside their base letters`() throws {
    let folder = try TemporaryFolder()
    let sorted = [
      "Ægir", "Aegis", "Afel", "Đorđe", "Ðorte", "Dzem", "Ilk", "ıllık", "Lo", "Łódź", "Lodzia", "Łona", "Ma", "Øde",
      "Odin", "Œdipe", "Œdipus", "Straße", "Strassen", "þe", "Thf", "Zed", "Жук", "東京",
    ]
    let tracks = sorted.shuffled().map { TrackRow(title: "T", artistName: .text($0)) }
    let library = try folder.library("Library.sqlite", tracks)
    try successfully(library)
    for (sort, expected) in [("name", sorted), ("-name", sorted.reversed())] {
      let result = try successfully("artists", library, "--fields", "name", "--sort", sort, "--format", "csv")
      #expect(result.lines.dropFirst() == expected[...])
    }
  }

  @Test(arguments: [
    ("csv", "key,name,tracks\n1,Björk,4\n2,AC/DC,2\n"),
    ("json", #"[\#n{"key":1,"name":"Björk","tracks":4},\#n{"key":2,"name":"AC/DC","tracks":2}\#n]\#n"#),
    ("ndjson", #"{"key":1,"name":"Björk","tracks":4}\#n{"key":2,"name":"AC/DC","tracks":2}\#n"#),
    ("table", "KEY  NAME   TRACKS\n  1  Björk       4\n  2  AC/DC       2\n"),
  ])
  func `--fields chooses and orders the columns of every format`(format: String, expected: String) throws {
    let options = ["--fields", "key,name,tracks", "--sort", "tracks", "--min-tracks", "2", "--format", format]
    #expect(try CommandRunner(["artists", try MusicLibrary.path] + options).run().stdout == expected)
  }

  @Test(arguments: [
    (
      ["--fields", "id,nmae"],
      "'nmae' in '--fields' is not a field. Did you mean 'name'? The fields are name, id, tracks, imageURL, key."
    ),
    (["--fields", ""], "'' in '--fields' is not a field."),
    (["--fields", "-id"], "'-id' in '--fields' is not a field."),
    (["--fields", "id,name,id"], "'--fields' names 'id' twice."),
    (["--sort", "-title"], "'title' in '--sort' is not a field."),
    (["--sort", "name,"], "'' in '--sort' is not a field."),
    (["--sort", "--limit"], "the value of '--sort <fields>' is missing."),
    (["--safe-csv"], "'--safe-csv' requires '--format csv'."),
  ])
  func `Wrong fields are reported with the right ones`(options: [String], message: String) throws {
    let result = try CommandRunner(["artists", try MusicLibrary.path] + options).run()
    #expect(result.status == 64)
    #expect(result.stderr.contains(message), "\(result.stderr)")
  }

  @Test func `--safe-csv marks formulas in every command's CSV`() throws {
    let folder = try TemporaryFolder()
    let (feed, library, other) = (folder.file("f.ndjson"), folder.file("L.sqlite"), folder.file("M.sqlite"))
    try Files.write(#"{"title":"=1+1","artists":[{"name":"@A"}]}"# + "\n", to: feed)
    try successfully("import", feed, library, "-q")
    try Files.write(#"{"title":"=2+2","artists":[{"name":"@A"}]}"# + "\n", to: feed)
    try successfully("import", feed, other, "-q")
    for words in [
      ["tracks", library], ["export", library, "--what", "tracks"], ["export", library, "--entity", "Track"],
      ["query", library, "Track"], ["diff", library, other], ["verify", library, "--feed", feed],
    ] {
      let plain = try CommandRunner(words + ["--format", "csv"]).run()
      let safe = try CommandRunner(words + ["--format", "csv", "--safe-csv"]).run()
      // A verification quotes values itself.
      let isQuoted = words[0] == "verify"
      #expect(plain.stdout.contains("=") && plain.stdout.contains("'=") == isQuoted, "\(words) \(plain)")
      #expect(safe.stdout.contains("'="), "\(words) \(safe)")
      #expect(safe.status == plain.status)
    }
  }

  @Test func `--safe-csv marks formulas, but no numbers`() throws {
    let folder = try TemporaryFolder()
    let tracks = ["=1+1", "+1", "-1", "@SUM(A1)", "\tx", "a=1"].map { TrackRow(title: "T", artistName: .text($0)) }
    let library = try folder.library("Library.sqlite", tracks)
    try successfully(library)
    let options = ["--fields", "name", "--sort", "key", "--format", "csv"]
    let plain = try CommandRunner(["artists", library] + options).run()
    #expect(plain.lines == ["name", "=1+1", "+1", "-1", "@SUM(A1)", "\tx", "a=1"])
    let safe = try CommandRunner(["artists", library] + options + ["--safe-csv"]).run()
    #expect(safe.lines == ["name", "'=1+1", "'+1", "'-1", "'@SUM(A1)", "'\tx", "a=1"])
  }

  @Test func `Artists without tracks are listed unless --min-tracks excludes them`() throws {
    #expect(try names(["--min-tracks", "0"]).contains("Nobody's Artist"))
    #expect(try !names(["--min-tracks", "1"]).contains("Nobody's Artist"))
  }

  @Test func `The table format has aligned columns`() throws {
    let result = try successfully("artists", try MusicLibrary.path, "--min-tracks", "2")
    #expect(
      result.lines == [
        "NAME   ID  TRACKS  IMAGE URL             KEY", "AC/DC  ac       2                          2",
        "Björk  bj       4  https://i.example/bj    1",
      ])
  }

  @Test func `The CSV format quotes names`() throws {
    let result = try successfully("artists", try MusicLibrary.path, "--format", "csv", "--track", "quoted")
    #expect(
      result.stdout.replacingOccurrences(of: "\r\n", with: "\n")
        == "name,id,tracks,imageURL,key\nAC/DC,ac,2,,2\n\"Say \"\"Hi\"\", they said\",quote,1,,6\n")
  }

  @Test func `The JSON format has numbers and nulls`() throws {
    let result = try successfully("artists", try MusicLibrary.path, "--format", "json", "--id", "ac")
    let rows = try #require(try JSONSerialization.jsonObject(with: Data(result.output)) as? [[String: Any]])
    #expect(rows.count == 1)
    #expect(rows[0]["tracks"] as? Int == 2)
    #expect(rows[0]["imageURL"] is NSNull)
    #expect(Set(rows[0].keys) == ["name", "id", "tracks", "imageURL", "key"])
  }

  @Test func `The NDJSON format has an object on each line`() throws {
    let result = try successfully("artists", try MusicLibrary.path, "--format", "ndjson")
    #expect(result.lines.count == 12)
    for line in result.lines {
      #expect(try JSONSerialization.jsonObject(with: Data(line.utf8)) is [String: Any])
    }
  }

  @Test(arguments: ["table", "csv", "json", "ndjson"])
  func `An empty result is not a failure`(format: String) throws {
    let result = try successfully("artists", try MusicLibrary.path, "--name", "nobody at all", "--format", format)
    if format == "json" { #expect(try JSONSerialization.jsonObject(with: Data(result.output)) as? [Int] == []) }
    if format == "ndjson" { #expect(result.stdout == "") }
  }

  @Test(arguments: [
    ["artists"], ["artists", "--format", "json"], ["artists", "--format", "ndjson"], ["tracks"], ["artist", "hostile"],
    ["tracks", "--format", "json"],
  ])
  func `A hostile name cannot control the terminal`(question: [String]) throws {
    var runner = CommandRunner([question[0], try MusicLibrary.path] + question.dropFirst())
    runner.terminalStreams = [.output, .error]
    let result = try runner.run()
    #expect(result.status == 0)
    #expect(result.colorlessTerminal.contains("Evil"))
    for scalar in ["\u{1B}", "\u{07}"] { #expect(!result.colorlessTerminal.contains(scalar)) }
    // The terminal sees nothing but its own line ends.
    #expect(!result.colorlessTerminal.replacingOccurrences(of: "\r\n", with: "").contains { $0 == "\n" || $0 == "\r" })
    if !question.contains("--format") { #expect(!result.colorlessTerminal.unicodeScalars.contains("\u{202E}")) }
  }

  @Test(arguments: [40, 60, 200] as [UInt16])
  func `The table fits on the terminal`(width: UInt16) throws {
    var runner = CommandRunner(["artists", try MusicLibrary.path])
    runner.terminalStreams = [.output]
    runner.terminalWidth = width
    let result = try runner.run()
    for line in result.colorlessTerminal.split(separator: "\r\n") { #expect(line.count <= Int(width), "\(line)") }
  }

  @Test(arguments: [["artists", "--id", "bj"], ["tracks", "--artist", "björk"], ["artist", "bj"]])
  func `--no-truncate keeps cells whole on a narrow terminal`(question: [String]) throws {
    func output(_ options: [String]) throws -> String {
      var runner = CommandRunner([question[0], try MusicLibrary.path] + question.dropFirst() + options)
      runner.terminalStreams = [.output]
      runner.terminalWidth = 30
      return try runner.run().terminal
    }
    #expect(try output([]).contains("…"))
    #expect(try !output(["--no-truncate"]).contains("…"))
  }
}
