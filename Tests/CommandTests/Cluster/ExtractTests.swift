import Foundation
import TestSupport
import Testing

@Suite("Extracting a shard")
struct ExtractTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func lines(_ feed: [String], _ options: String...) throws -> [String] {
    let path = try folder.write(Array(feed.joined(separator: "\n").utf8), to: "feed.ndjson")
    return try successfully(["extract", path, "-q"] + options).lines
  }

  @Test func `A line of a feed becomes a track, and a line for each artist that it mentions`() throws {
    let lines = try lines([
      #"{"key":7,"title":"A\u0007\"","imageURL":"i","lastPlayedAt":"2001-01-01T00:00:01.5Z","artists":["Ann",{"name":"Bob","id":4,"role":"featured","imageURL":"b"}]}"#,
      #"{"title":"B","artistName":"Ann","json":null}"#,
      #"{"artist":{"name":"Nobody"}}"#,
      #"{"title":"#,
    ])
    #expect(
      lines.dropLast() == [
        #"{"kind":"track","key":7,"title":"A\u0007\"","imageURL":"i","secondsSince2001":1.5}"#,
        #"{"kind":"mention","track":7,"position":0,"artist":"Ann","name":"Ann"}"#,
        #"{"kind":"mention","track":7,"position":1,"artist":"Bob","name":"Bob","id":"4","imageURL":"b","role":"featured"}"#,
        #"{"kind":"track","key":8,"title":"B"}"#,
        #"{"kind":"mention","track":8,"position":0,"artist":"Ann","name":"Ann","fallback":true}"#,
        #"{"kind":"reject","line":3,"reason":"artist_without_track","byteOffset":null,"json":"{\"artist\":{\"name\":\"Nobody\"}}"}"#,
        #"{"kind":"reject","line":4,"reason":"json_truncated","byteOffset":9,"json":"{\"title\":"}"#,
      ])
    let summary = try #require(lines.last)
    #expect(summary.hasPrefix(#"{"kind":"summary","#))
    #expect(summary.contains(#""tracks_count":2,"mentions_count":3,"rejects_count":2,"#))
    #expect(summary.contains(#""fallback_tracks_count_by_reason":{"no_json":1}"#))
  }

  @Test func `Artists are grouped by name, or by the id of their service`() throws {
    let feed = [
      #"{"key":1,"title":"t","json":{"type":"track","id":1,"title":"Dee","duration":1,"rank":2,"artist":{"name":"Ann","id":2},"album":{"cover":"c"}}}"#,
      #"{"key":2,"title":"t","artistName":"Ann"}"#,
    ]
    #expect(
      try lines(feed, "--identity", "id").filter { $0.contains("position") } == [
        #"{"kind":"mention","track":1,"position":0,"artist":"id:deezer:2","name":"Ann","id":"2"}"#,
        #"{"kind":"mention","track":2,"position":0,"artist":"name:Ann","name":"Ann","fallback":true}"#,
      ])
  }

  @Test func `The greatest key is a key, as in an import, and nothing comes after it`() throws {
    let key = "9223372036854775807"
    let line = #"{"key":\#(key),"title":"A","artists":["X"]}"#
    #expect(try lines([line])[0] == #"{"kind":"track","key":\#(key),"title":"A"}"#)
    #expect(try lines([#"{"title":"A"}"#], "--first-key", key)[0] == #"{"kind":"track","key":\#(key),"title":"A"}"#)
    let library = folder.file("L.sqlite")
    try successfully("import", folder.write(Array(line.utf8), to: "feed.ndjson"), library, "-q")
    #expect(try Database.value("SELECT Z_PK FROM ZTRACK", in: library) == key)
    let more = try folder.write(Array((line + "\n{\"title\":\"B\"}").utf8), to: "more.ndjson")
    let result = try tracksMigrate("extract", more)
    #expect(result.status == 65 && result.stderr.contains("line 2 has no key, and no key is left"), "\(result)")
    #expect(try tracksMigrate("import", more, folder.file("M.sqlite")).stderr.contains("no primary keys left"))
  }

  @Test func `An empty shard has only a summary, and keys begin where they are told to`() throws {
    #expect(try lines([]).count == 1)
    #expect(try lines([#"{"title":"A"}"#], "--first-key", "500")[0] == #"{"kind":"track","key":500,"title":"A"}"#)
  }

  @Test func `A migrated library, an app's and a damaged shard are refused`() throws {
    let library = try folder.library("L.sqlite")
    try successfully(library, "-q")
    let migrated = try tracksMigrate("extract", library)
    #expect(migrated.status == 65, "\(migrated)")
    #expect(
      migrated.stderr.contains("L.sqlite' is a v2 library already. Export it, and extract the feed."), "\(migrated)")
    let packed = try folder.write([0x1F, 0x8B, 8, 0, 1, 2, 3], to: "cut.gz")
    let result = try tracksMigrate("extract", packed, "--output", folder.file("cut.out"))
    #expect(result.status == 65 && result.stderr.contains("gzip"))
    #expect(!Files.exists(folder.file("cut.out")))
  }

  @Test(arguments: [0, -3]) func `A shard with a key below 1 is refused, for no library can be assembled of it`(
    key: Int
  ) throws {
    let library = try folder.library("L.sqlite")
    try Database.run("UPDATE ZTRACK SET Z_PK = \(key) WHERE Z_PK = 1", in: library)
    let result = try tracksMigrate("extract", library)
    #expect(result.status == 65, "\(result)")
    #expect(result.stderr.contains("L.sqlite', Track row \(key): its key is below 1, and no library"), "\(result)")
    #expect(result.stderr.contains("Migrate the library on one machine instead, with: tracks-migrate '"), "\(result)")
    #expect(!result.stdout.contains(#""kind":"summary""#))
  }

  @Test func `A shard whose tables lead past rows is refused, and what it wrote lacks the summary`() throws {
    let path = folder.file("L.sqlite")
    try LibraryBuilder(tracks: .many(2000)).write(to: path)
    try LostWrite.make(in: path, ofRootOf: "ZTRACK", during: "INSERT INTO ZTRACK (ZTITLE) SELECT ZJSON FROM ZTRACK")
    let result = try tracksMigrate("extract", path)
    #expect(result.status == 65)
    #expect(result.stderr.contains("rows may be missing"), "\(result.stderr)")
    #expect(!result.stdout.contains(#""kind":"summary""#))
  }
}
