import Foundation
import TestSupport
import Testing

@Suite("Importing a feed")
struct FeedImportTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Imports lines, and returns what the library holds then.
  @discardableResult
  private func imported(_ lines: [String], _ more: String..., to name: String = "L.sqlite") throws -> [String] {
    let result = try self.result(lines, more, to: name)
    try #require(result.status == 0, "\(result)")
    return try exported(name)
  }

  private func result(_ lines: [String], _ more: [String] = [], to name: String = "L.sqlite") throws -> CommandResult {
    let feed = try folder.write(Array(lines.joined(separator: "\n").utf8), to: "feed.ndjson")
    return try CommandRunner(["import", feed, folder.file(name), "--verify"] + more).run()
  }

  private func exported(_ name: String = "L.sqlite") throws -> [String] {
    try successfully("export", folder.file(name)).lines
  }

  @Test func `Fields are read by their names`() throws {
    let lines = try imported([
      #"{"title":"A","imageURL":"i","lastPlayedAt":"2024-05-01T12:30:00.25+02:00","artistName":"Ann"}"#,
      #"{"title":"B","lastPlayedAt":978307201,"json":{"artists":[{"name":"Bob","id":7}]}}"#,
      #"{"title":"C","lastPlayedAt":1714559400000,"json":"{\"artists\":[{\"name\":\"Bob\"},\"Eve\"]}"}"#,
      #"{"title":"D","lastPlayedAt":"1714559400","artists":["Eve",{"name":"Fay","role":"featured","imageURL":"f"}]}"#,
      #"{"title":"E","json":null,"artistName":"Ann","artists":[]}"#,
      #"{"artist":{"name":"Gil"}}"#,
      #"{"title":"H","lastPlayedAt":"2001-01-01"}"#,
    ])
    #expect(
      lines == [
        #"{"key":1,"title":"A","imageURL":"i","lastPlayedAt":"2024-05-01T10:30:00.25Z","artists":[{"key":1,"name":"Ann"}]}"#,
        #"{"key":2,"title":"B","lastPlayedAt":"2001-01-01T00:00:01Z","artists":[{"key":2,"name":"Bob","id":"7"}]}"#,
        #"{"key":3,"title":"C","lastPlayedAt":"2024-05-01T10:30:00Z","artists":[{"key":2,"name":"Bob","id":"7"},{"key":3,"name":"Eve"}]}"#,
        #"{"key":4,"title":"D","lastPlayedAt":"2024-05-01T10:30:00Z","artists":[{"key":3,"name":"Eve"},{"key":4,"name":"Fay","imageURL":"f"}]}"#,
        #"{"key":5,"title":"E","artists":[{"key":1,"name":"Ann"}]}"#,
        #"{"key":6,"title":"H","lastPlayedAt":"2001-01-01T00:00:00Z"}"#,
        #"{"artist":{"key":5,"name":"Gil"}}"#,
      ])
  }

  @Test func `A line may be the answer of a service`() throws {
    let lines = try imported([
      ##"{"artist":{"#text":"Ann","mbid":"m"},"name":"Song","date":{"uts":"978307205"},"image":[{"#text":"s"},{"#text":"l"}]}"##,
      #"{"type":"track","id":1,"title":"Dee","duration":1,"rank":2,"artist":{"name":"Ann","id":2},"album":{"cover":"c"}}"#,
      #"{"ts":"2001-01-01T00:00:09Z","master_metadata_track_name":"Spo","master_metadata_album_artist_name":"Bob"}"#,
      #"{"listened_at":978307203,"track_metadata":{"track_name":"Lis","artist_name":"Cat"}}"#,
      #"{"item":{"type":"track","name":"Wrapped","artists":[{"name":"Dan","uri":"u"}]}}"#,
      #"{"artists":[{"name":"Eve"}],"title":"Own","lastPlayedAt":978307200,"extra":true}"#,
    ])
    #expect(
      lines == [
        #"{"key":1,"title":"Song","imageURL":"l","lastPlayedAt":"2001-01-01T00:00:05Z","artists":[{"key":1,"name":"Ann","id":"m"}]}"#,
        #"{"key":2,"title":"Dee","imageURL":"c","artists":[{"key":1,"name":"Ann","id":"m"}]}"#,
        #"{"key":3,"title":"Spo","lastPlayedAt":"2001-01-01T00:00:09Z","artists":[{"key":2,"name":"Bob"}]}"#,
        #"{"key":4,"title":"Lis","lastPlayedAt":"2001-01-01T00:00:03Z","artists":[{"key":3,"name":"Cat"}]}"#,
        #"{"key":5,"title":"Wrapped","artists":[{"key":4,"name":"Dan"}]}"#,
        #"{"key":6,"title":"Own","lastPlayedAt":"2001-01-01T00:00:00Z","artists":[{"key":5,"name":"Eve"}]}"#,
      ])
  }

  @Test func `Paths and preset files say where a title and a time are`() throws {
    let line = #"{"song":{"name":"Deep","at":978307201,"by":[{"n":"Zed","r":"main"},{"n":"Yve","r":"featured"}]}}"#
    let expected = [
      #"{"key":1,"title":"Deep","lastPlayedAt":"2001-01-01T00:00:01Z","artists":[{"key":1,"name":"Zed"}]}"#
    ]
    #expect(
      try imported(
        [line], "--title-path", "song.name", "--played-path", "$.song.at", "--artists-path", "$.song.by[*]",
        "--name-path", "n", "--role-path", "r", "--roles", "main") == expected)
    let preset = """
      {"name":"mine","detect":"$.song","artists":[{"path":"$.song.by[*]","name":"n","role":"r"}],
       "trackTitle":["song.title","song.name"],"playedAt":"song.at"}
      """
    let file = try folder.write(Array(preset.utf8), to: "mine.json")
    #expect(try imported([line], "--json", file, "--roles", "main", to: "P.sqlite") == expected)
  }

  @Test func `A key that a line without one got is no repeated one`() throws {
    let result = try result([
      #"{"title":"a"}"#, #"{"key":1,"title":"b"}"#, #"{"key":5,"title":"c"}"#, #"{"title":"d"}"#,
    ])
    #expect(result.status == 0, "\(result)")
    #expect(result.stderr.contains("such as line 2: a key that an earlier line without one was given"), "\(result)")
    #expect(try exported().map { $0.contains("\"key\":6") } == [false, false, true])
  }

  @Test(arguments: ["name", "id"]) func `An artist that got a key is not replaced by another one with it`(
    identity: String
  ) throws {
    let lines = [
      #"{"title":"a","artists":["Ann"]}"#, #"{"title":"b","artists":[{"key":1,"name":"Bob"}]}"#,
      #"{"title":"c","artists":[{"key":1,"name":"Ann"}]}"#,
    ]
    for options in [["--replace"], []] {
      let name = "L\(options.count).sqlite"
      let result = try result(lines, ["--identity", identity] + options, to: name)
      #expect(result.stderr.contains("such as line 2: a key that an earlier line without one was given"), "\(result)")
      #expect(try Database.value("SELECT group_concat(ZNAME) FROM ZARTIST", in: folder.file(name)) == "Ann")
    }
  }

  @Test(arguments: ["name", "id"]) func `Artists without a name are not one artist, with or without keys`(
    identity: String
  ) throws {
    let lines = [
      #"{"title":"a","artists":[{"key":5,"name":""}]}"#, #"{"title":"b","artists":[{"key":9,"imageURL":"x"}]}"#,
    ]
    for options in [["--new-keys"], []] {
      let name = "L\(options.count).sqlite"
      #expect(try result(lines, ["--identity", identity] + options, to: name).status == 0)
      #expect(try Database.value("SELECT count(*) FROM ZARTIST", in: folder.file(name)) == "2")
    }
  }

  @Test func `Lines that are not tracks are kept word for word`() throws {
    let bad: [(line: String, reason: String, offset: String)] = [
      (#"{"title":5}"#, "wrong_type", "null"), ("not json", "json_syntax", "1"),
      (#"{"title":"x""#, "json_truncated", "12"), (#"["x"]"#, "not_an_object", "null"), ("{}", "no_track", "null"),
      (#"{"key":0,"title":"x"}"#, "wrong_type", "null"),
      (#"{"title":"x","lastPlayedAt":"2023-02-29"}"#, "wrong_type", "null"),
      (#"{"type":"album","name":"x","artists":[{"name":"x"}]}"#, "other_answer", "null"),
      (#"{"key":1,"title":"again"}"#, "repeated_key", "null"),
    ]
    let lines = [#"{"key":1,"title":"first"}"#, "", " \r"] + bad.map(\.line) + [#"{"title":"é"}"# + "\r"]
    let result = try result(lines)
    #expect(result.status == 0, "\(result)")
    #expect(
      result.stderr.contains("L.sqlite.rejects.ndjson (9 lines, such as line 4: a value of another type, "), "\(result)"
    )
    #expect(try exported() == [#"{"key":1,"title":"first"}"#, #"{"key":2,"title":"é"}"#])
    let rejects = try Files.text(folder.file("L.sqlite.rejects.ndjson")).split(separator: "\n")
    try #require(rejects.count == bad.count)
    for (number, (reject, bad)) in zip(4..., zip(rejects, bad)) {
      #expect(
        reject.hasPrefix(#"{"line":\#(number),"reason":"\#(bad.reason)","byteOffset":\#(bad.offset),"json":"#),
        "\(reject)")
      let object = try JSONSerialization.jsonObject(with: Data(reject.utf8)) as? [String: Any]
      #expect(object?["json"] as? String == bad.line)
    }
    let before = try folder.listing()
    let strict = try self.result(lines, ["--strict"], to: "Strict.sqlite")
    #expect(strict.status == 65 && strict.stderr.contains("because of --strict: 9 lines"), "\(strict)")
    #expect(try folder.listing() == before)
  }

  @Test(arguments: ["42", "-1.5e3", "true", "[1]", "\"42\""])
  func `A track whose JSON is not an object is imported with its artistName, as in a migration`(json: String) throws {
    let lines = [#"{"title":"A","json":\#(json)}"#, #"{"title":"B","json":\#(json),"artistName":"Ben"}"#]
    #expect(
      try imported(lines) == [#"{"key":1,"title":"A"}"#, #"{"key":2,"title":"B","artists":[{"key":1,"name":"Ben"}]}"#])
    #expect(try folder.listing() == ["L.sqlite", "L.sqlite.migration.json", "feed.ndjson"])
    let statistics = try JSONSerialization.jsonObject(with: Data(Files.bytes(folder.file("L.sqlite.migration.json"))))
    let reasons = (statistics as? [String: Any])?["fallback_tracks_count_by_reason"] as? [String: Int]
    #expect(reasons == ["not_an_object": 2])
  }

  @Test func `A track with broken JSON gets its artistName, and the line is kept`() throws {
    let line = #"{"title":"D","json":"{broken","artistName":"Dan"}"#
    #expect(try imported([line]) == [#"{"key":1,"title":"D","artists":[{"key":1,"name":"Dan"}]}"#])
    #expect(try Files.text(folder.file("L.sqlite.rejects.ndjson")).hasPrefix(#"{"line":1,"reason":"json_syntax""#))
  }

  @Test func `A file that is no feed makes no library`() throws {
    let result = try result(["[", #"{"title":"A"},"#, "]"])
    #expect(result.status == 65 && result.stderr.contains("none of its lines is a track; line 1: "), "\(result)")
    #expect(try folder.listing() == ["feed.ndjson"])
  }

  @Test func `Invalid UTF-8, a byte-order mark and a missing last newline are handled`() throws {
    let bytes: [[UInt8]] = [
      [0xEF, 0xBB, 0xBF], Array("{\"title\":\"A\"}\n{\"title\":\"".utf8), [0xFF], Array("\"}\n{\"title\":\"B\"}".utf8),
    ]
    let feed = try folder.write(Array(bytes.joined()), to: "feed.ndjson")
    try successfully("import", feed, folder.file("L.sqlite"))
    #expect(try exported() == [#"{"key":1,"title":"A"}"#, #"{"key":2,"title":"B"}"#])
    #expect(try Files.text(folder.file("L.sqlite.rejects.ndjson")).contains(#""reason":"json_invalid_utf8""#))
  }

  @Test(arguments: [
    (#""artists":"Ann""#, ["Ann"]), (#""artists":"Ann; Bob""#, ["Ann; Bob"]), (#""artists":{"name":"Ann"}"#, ["Ann"]),
    (#""artist":311"#, ["311"]), (#""artists":"Ann","artistName":"Bob""#, ["Ann"]),
    (#""artist":{"artist":{"name":"Ann"}}"#, ["Ann"]),
    (#""artists":"","artist":"Bob""#, ["Bob"]), (#""artists":[],"artist":"Bob""#, ["Bob"]),
    (#""artists":"Ann","json":{"artists":["Cy"]}"#, ["Ann"]), (#""artists":[]"#, []), (#""artist":[]"#, []),
    (#""artists":null,"artist":null"#, []),
  ])
  func `What can be had of artists of another type is taken`(members: String, artists: [String]) throws {
    let result = try result([#"{"title":"T",\#(members)}"#], ["--strict"])
    #expect(result.status == 0, "\(result)")
    #expect(try Database.rows("SELECT ZNAME FROM ZARTIST", in: folder.file("L.sqlite")) == artists)
  }

  @Test(arguments: [
    #""artists":5"#, #""artists":true"#, #""artist":false"#, #""artist":{}"#, #""artist":{"of":{"name":"Ann"}}"#,
    #""artist":{"of":"Ann"},"artistName":"Bob""#,
  ])
  func `Artists that cannot be had are a reason to reject the line`(members: String) throws {
    let lines = [#"{"title":"T",\#(members)}"#, #"{"title":"U"}"#]
    let result = try result(lines)
    #expect(result.status == 0 && result.stderr.contains("line 1: a value of another type"), "\(result)")
    #expect(try Files.text(folder.file("L.sqlite.rejects.ndjson")).contains("wrong_type"))
    #expect(try self.result(lines, ["--strict"], to: "S.sqlite").status == 65)
  }

  @Test func `Artists without a role are main ones, also where a name is all there is`() throws {
    let lines = [
      #"{"title":"a","artist":"Ann"}"#, #"{"title":"b","artists":"Ann"}"#,
      #"{"title":"c","artists":[{"name":"Bob","role":"featured"}],"artist":"Ann"}"#, #"{"title":"d"}"#,
    ]
    let result = try result(lines, ["--roles", "featured"])
    #expect(result.status == 0, "\(result)")
    #expect(result.stderr.contains("2 tracks without artists from the JSON: no artist with"), "\(result)")
    #expect(try Database.rows("SELECT ZNAME FROM ZARTIST", in: folder.file("L.sqlite")) == ["Bob"])
  }
}
