import Foundation
import TestSupport
import Testing

@Suite("Places in the lines of a feed")
struct FeedPathTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private static let own = (1...3).map {
    #"{"song":{"name":"T\#($0)","at":170000000\#($0),"artists":[{"n":"A\#($0)","u":"\#($0)"}]}}"#
  }
  private static let listens = (1...3).map {
    #"{"track_metadata":{"track_name":"T\#($0)","artist_name":"A\#($0)"},"listened_at":170000000\#($0)}"#
  }

  private func run(_ command: String, _ lines: [String], _ options: [String]) throws -> CommandResult {
    _ = try folder.write(Array(lines.joined(separator: "\n").utf8), to: "feed.ndjson")
    for name in try folder.listing() where name.hasPrefix("New.sqlite") { Files.remove(folder.file(name)) }
    let target = command == "import" ? ["New.sqlite"] : ["--output", "out.ndjson"]
    return try CommandRunner([command, "feed.ndjson"] + target + options, folder: folder.path).run()
  }

  @Test(
    arguments: ["import", "extract"],
    [
      (["--title-path", "$.song.nope"], "--title-path '$.song.nope' never found anything; the documents have 'song'."),
      (["--played-path", "$.song"], "--played-path '$.song' found an object."),
      (["--title-path", "$.song.artists"], "--title-path '$.song.artists' found an array."),
      (["--image-path", "n.url"], "--image-path 'n.url' never found anything; the artists have 'n', 'u'."),
      (["--id-path", "nope"], "--id-path 'nope' never found anything; the artists have 'n', 'u'."),
    ])
  func `A place without values is named with what is there`(
    command: String, choice: (options: [String], warning: String)
  ) throws {
    let artists = ["--artists-path", "$.song.artists[*]", "--name-path", "n"]
    let result = try run(command, Self.own, artists + choice.options)
    #expect(result.status == 0, "\(result)")
    #expect(result.stderr.components(separatedBy: "never found anything").count <= 2, "\(result)")
    #expect(result.stderr.contains("warning: \(choice.warning)\n"), "\(result)")
  }

  @Test(arguments: ["title", "song", "song_name", "trackName", "name", "recording"], [true, false])
  func `Titles, images and times are found beside artists at a place of one's own`(word: String, isPreset: Bool) throws
  {
    let line = #"{"\#(word)":"T","imageURL":"http://i","ts":"2024-05-01T00:00:00Z","who":[{"n":"Ann"}]}"#
    let preset = #"{"name":"own","detect":"$.who","artists":[{"path":"$.who[*]","name":"n"}]}"#
    let file = try folder.write(Array(preset.utf8), to: "own.json")
    let choice = isPreset ? ["--json", file] : ["--artists-path", "$.who[*]", "--name-path", "n"]
    let result = try run("import", [line], choice)
    #expect(result.status == 0 && !result.stderr.contains("warning"), "\(result)")
    let tracks = try CommandRunner(["export", "New.sqlite"], folder: folder.path).run().stdout
    for part in [#""title":"T""#, "i\",", #""lastPlayedAt":"2024-05-01T00:00:00Z""#, #""name":"Ann""#] {
      #expect(tracks.contains(part), "\(tracks)")
    }
    let verified = try CommandRunner(
      ["verify", "New.sqlite", "--feed", "feed.ndjson"] + choice, folder: folder.path
    ).run()
    #expect(verified.status == 0, "\(verified)")
  }

  @Test func `The document itself is a place where artists stand`() throws {
    let found = try run("import", Self.listens, ["--artists-path", "$", "--name-path", "track_metadata.artist_name"])
    #expect(found.status == 0 && !found.stderr.contains("never found"), "\(found)")
    let missed = try run("import", Self.listens, ["--artists-path", "$", "--name-path", "nope"])
    #expect(
      missed.stderr.contains("--name-path 'nope' never found anything; the artists have 'listened_at'"), "\(missed)")
  }

  @Test(arguments: ["import", "extract"])
  func `What only later lines have was found`(command: String) throws {
    let lines =
      (1...150).map { #"{"title":"T\#($0)","json":{"zz":1}}"# }
      + (1...2000).map { #"{"title":"U\#($0)","json":{"performers":[{"name":"P\#($0)"}]}}"# }
    let result = try run(command, lines, ["--artists-path", "$.performers[*]"])
    #expect(result.status == 0 && !result.stderr.contains("found nothing"), "\(result)")
  }

  @Test(arguments: ["import", "extract"], ["text", "object", "line"])
  func `A place with values is not called empty, wherever the document is`(command: String, form: String) throws {
    let lines = try Self.own.map { document in
      switch form {
      case "text":
        #"{"key":\#(document.utf8.count),"json":"# + String(decoding: try JSONEncoder().encode(document), as: UTF8.self)
          + "}"
      case "object": #"{"json":\#(document)}"#
      default: document
      }
    }
    let options = ["--title-path", "$.song.name", "--played-path", "$.song.at", "--artists-path", "$.song.artists[*]"]
    let result = try run(command, Array(lines.prefix(1)), options + ["--name-path", "n", "--id-path", "u"])
    #expect(result.status == 0 && !result.stderr.contains("warning"), "\(result)")
  }

  @Test(arguments: [("--title-path", "title"), ("--played-path", "time")])
  func `Titles and times that the presets would find are a loss, which a strict import refuses`(
    option: String, name: String
  ) throws {
    let loss = "none of the tracks got a \(name), although the built-in presets find some in 3 of 3 lines"
    let refused = try run("import", Self.listens, [option, "$.nope", "--strict"])
    #expect(refused.status == 65 && refused.stderr.contains(loss), "\(refused)")
    #expect(refused.stderr.contains("\(option) '$.nope' never found anything"), "\(refused)")
    let kept = try run("import", Self.listens, [option, "$.nope"])
    #expect(kept.status == 0 && kept.stderr.contains("warning: \(loss).\n"), "\(kept)")
    #expect(try Files.text(folder.file("New.sqlite.migration.json")).contains(loss))
    let extracted = try run("extract", Self.listens, [option, "$.nope"])
    #expect(extracted.status == 0 && extracted.stderr.contains("warning: \(loss).\n"), "\(extracted)")
  }

  @Test(arguments: ["import", "extract"], ["text", "object", "line"])
  func `Documents of an unknown shape are described, with the likely places of artists`(
    command: String, form: String
  ) throws {
    let lines = (1...3).map { number in
      switch form {
      case "text": #"{"title":"T","json":"{\"performers\":[{\"name\":\"P\#(number)\"}]}"}"#
      case "object": #"{"title":"T","json":{"performers":[{"name":"P\#(number)"}]}}"#
      default: #"{"title":"T","performers":[{"name":"P\#(number)"}]}"#
      }
    }
    let result = try run(command, lines + [#"{"title":"T","artists":["A"]}"#], [])
    #expect(result.status == 0, "\(result)")
    #expect(result.stderr.contains("warning: 3 of 4 JSON documents have no artists in a known place;"), "\(result)")
    let suggestion = "in 3 of 3, such as 'P1': --artists-path '$.performers[*]' --name-path 'name'"
    #expect(result.stderr.contains(suggestion), "\(result)")
    let followed = try run(command, lines, ["--artists-path", "$.performers[*]", "--name-path", "name"])
    #expect(followed.status == 0 && !followed.stderr.contains("warning"), "\(followed)")
  }

  @Test func `A feed without titles and artists in known places says what its lines have`() throws {
    let problem = "none of its lines has a title or an artist in a known place; "
    let lines = [#"{"nm":"T","arts":[{"n":"A"}]}"#, #"{"nm":"U","arts":[{"n":"B"}]}"#]
    let result = try run("import", lines, [])
    #expect(result.status == 65 && result.stderr.contains(problem + #"their keys are "nm" (string)"#), "\(result)")
    #expect(result.stderr.contains("Say where they are, with --title-path and --artists-path."), "\(result)")
    let named = try run("import", lines, ["--artists-path", "$.arts[*]", "--name-path", "nam"])
    #expect(named.status == 65, "\(named)")
    #expect(named.stderr.contains("--name-path 'nam' never found anything; the artists have 'n'"), "\(named)")
  }

  @Test func `Times that are not dates are counted, and durations are not times`() throws {
    let lines = ["yesterday", "2024-13-01", "1e999"].map { #"{"artist":"A","title":"T","played_at":"\#($0)"}"# }
    let result = try run("import", lines + [#"{"artist":"A","title":"T","time":225}"#], ["--verify"])
    let warning = "3 times cannot be read as dates, such as in line 1, so that the tracks have none.\n"
    #expect(result.status == 0 && result.stderr.contains("warning: \(warning)"), "\(result)")
    let library = folder.file("New.sqlite")
    #expect(try Database.value("SELECT count(ZLASTPLAYEDAT) FROM ZTRACK", in: library) == "0")
    #expect(try Files.text(library + ".migration.json").contains(#""unread_times" : 3"#))
    #expect(try run("extract", lines, []).stderr.contains(warning))
    let refused = try run("import", lines, ["--strict"])
    #expect(refused.status == 65 && refused.stderr.contains("3 times cannot be read as a date"), "\(refused)")
    let chosen = try run("import", lines, ["--played-path", "$.played_at"])
    #expect(chosen.stderr.contains("--played-path '$.played_at' found no dates."), "\(chosen)")
  }

  @Test func `A path that finds something late is not called empty`() throws {
    let lines = (0..<300).map { #"{"title":"T","x":1,"p":[{"name":"A\#($0)"}]}"# }
    let options = ["--artists-path", "$.p[*]", "--id-path", "ident"]
    let last = #"{"title":"T","x":1,"p":[{"name":"B","ident":"7"}]}"#
    #expect(try !run("import", lines + [last], options).stderr.contains("warning"))
    #expect(try run("import", lines, options).stderr.contains("--id-path 'ident' never found anything"))
  }

  @Test(arguments: [
    (["--title-path", "artistName"], "Name|http://a|Ann|NULL|NULL"),
    (["--artists-path", "$.artist", "--id-path", "imageURL"], "Title|http://a|Obj|http://o|http://o"),
    (["--artists-path", "$.artist", "--image-path", "name"], "Title|http://a|Obj|NULL|Obj"),
    (["--artists-path", "$", "--name-path", "artistName", "--id-path", "title"], "Title|http://a|Name|Title|http://a"),
    (["--json", "own.json"], "Name|http://a|Name|NULL|NULL"),
    (["--json", "own.json", "--json", "auto"], "Name|http://a|Name|NULL|NULL"),
    ([], "Title|http://a|Ann|NULL|NULL"), (["--json", "any"], "Title|http://a|Ann|NULL|NULL"),
    (["--json", "v1"], "Title|http://a|Ann|NULL|NULL"),
  ])
  func `What a person says comes before the names of a feed's own fields`(options: [String], row: String) throws {
    let own =
      #"{"name":"own","detect":"$.artistName","trackTitle":"artistName","#
      + #""artists":[{"path":"$","name":"artistName"}]}"#
    _ = try folder.write(Array(own.utf8), to: "own.json")
    let line =
      #"{"title":"Title","imageURL":"http://a","artistName":"Name","artists":["Ann"],"#
      + #""artist":{"name":"Obj","imageURL":"http://o"}}"#
    let result = try run("import", [line], options + ["--verify"])
    #expect(result.status == 0, "\(result)")
    let rows = try Database.rows(
      "SELECT ZTITLE, t.ZIMAGEURL, ZNAME, ZID, a.ZIMAGEURL FROM ZTRACK t, ZARTIST a ORDER BY a.Z_PK LIMIT 1",
      in: folder.file("New.sqlite"))
    #expect(rows == [row])
  }

  @Test(arguments: ["import", "extract"])
  func `A title and a time that were not taken are said with the option that takes them`(command: String) throws {
    let lines = (1...3).map {
      #"{"artists":["Ann"],"info":{"heading":"T\#($0)"},"when":{"playback":"2024-05-0\#($0)T10:00:00Z"}}"#
    }
    let result = try run(command, lines, [])
    #expect(
      result.stderr.contains(
        "none of the tracks got a title; '$.info.heading' looks like one ('T1') and was not taken; take it with "
          + "--title-path."), "\(result)")
    #expect(result.stderr.contains("'$.when.playback' looks like one ('2024-05-01T10:00:00Z')"), "\(result)")
    let options = ["--title-path", "$.info.heading", "--played-path", "$.when.playback"]
    #expect(try !run(command, lines, options).stderr.contains("not taken"))
    let own = #"{"name":"own","detect":"$.artists","artists":[{"path":"$.artists[*]","name":"@"}]}"#
    let preset = try folder.write(Array(own.utf8), to: "own.json")
    #expect(try run(command, lines, ["--json", preset]).stderr.contains("'$.info.heading' looks like one"))
  }

  @Test(arguments: ["import", "extract"])
  func `Titles and times that were not taken are said although other lines have some`(command: String) throws {
    let lines = [
      #"{"title":"T","artists":["Ann"],"played_at":"2024-05-01T10:00:00Z"}"#,
      #"{"artists":["Ann"],"info":{"heading":"U"},"when":{"playback":"2024-05-02T10:00:00Z"}}"#,
    ]
    let result = try run(command, lines, [])
    #expect(
      result.stderr.contains(
        "1 of 2 tracks got no title; '$.info.heading' looks like one ('U') and was not taken; take it with "
          + "--title-path."), "\(result)")
    #expect(
      result.stderr.contains("1 of 2 tracks got no time; '$.when.playback' looks like one ('2024-05-02T10:00:00Z')"),
      "\(result)")
    #expect(try !run(command, Array(lines.prefix(1)), []).stderr.contains("not taken"))
  }

  @Test func `Titles that only the built-in presets find are said of a preset without a place for them`() throws {
    let own =
      #"{"name":"own","detect":"$.track_metadata","#
      + #""artists":[{"path":"$.track_metadata","name":"artist_name"}]}"#
    let preset = try folder.write(Array(own.utf8), to: "own.json")
    let result = try run("import", Self.listens, ["--json", preset, "--strict"])
    #expect(result.status == 65, "\(result)")
    #expect(result.stderr.contains("none of the tracks got a title, although the built-in presets find"), "\(result)")
  }
}
