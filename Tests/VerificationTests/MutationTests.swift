import DataModel
import PersistentStore
import PropertyListFormat
import TestSupport
import Testing
import TrackLibrary

@Suite("The verification of altered results") struct MutationTests {
  @Test(arguments: ["UTF-8", "UTF-16le", "UTF-16be"])
  func `A correct result has no differences`(encoding: String) throws {
    #expect(try VerifiedPair(encoding: encoding).differences() == [])
  }

  @Test(arguments: Mutation.all)
  func `A mutation is found`(mutation: Mutation) throws {
    let pair = try VerifiedPair(encoding: "UTF-8")
    try Database.run(mutation.sql, in: pair.new)
    #expect(try pair.differences() == mutation.differences)
  }

  @Test func `Differences in relationships of a library's own model are found`() throws {
    let pair = try VerifiedPair()
    try OwnModelLibrary.related.write(to: pair.old)
    try pair.migrate()
    try Database.run(
      """
      UPDATE ZTRACK SET ZALBUM = 4 WHERE Z_PK = 1; UPDATE ZTRACK SET ZLYRICS = NULL WHERE Z_PK = 2;
      UPDATE ZTRACK SET Z6ITEMS = NULL WHERE Z_PK = 3; UPDATE ZALBUM SET ZNAME = 'x' WHERE Z_PK = 4;
      DELETE FROM Z_3TRACKS WHERE Z_3GENRES = 2; INSERT INTO Z_3TRACKS VALUES (2, 3);
      UPDATE Z_5TRACKS SET Z_FOK_7TRACKS2 = 5 WHERE Z_7TRACKS2 = 1
      """, in: pair.new)
    let differences = try pair.differences()
    #expect(
      differences == [
        "value Album 4 name", "missing-link Track 1 album", "extra-link Track 1 album", "missing-link Genre 2 tracks",
        "extra-link Genre 2 tracks", "missing-link Lyrics 3 track", "value Playlist 1 tracks",
        "missing-link Queue 1 items",
      ])
  }

  @Test func `Differences in a hierarchy of a library's own model are found`() throws {
    let pair = try VerifiedPair()
    try OwnModelLibrary.inherited.write(to: pair.old)
    try pair.migrate()
    let number = { (name: String) in
      try Database.value("SELECT Z_ENT FROM Z_PRIMARYKEY WHERE Z_NAME = '\(name)'", in: pair.new) ?? ""
    }
    try Database.run(
      """
      UPDATE ZMEDIA SET Z_ENT = \(try number("Track")) WHERE Z_PK = 4; UPDATE ZMEDIA SET ZVENUE = 'x' WHERE Z_PK = 3;
      UPDATE ZMEDIA SET Z_ENT = \(try number("Media")) WHERE Z_PK = 1
      """, in: pair.new)
    #expect(
      Set(try pair.differences()) == [
        "missing-row Rare 4", "extra-row Track 4", "extra-link Track 4 artists", "value Acoustic 3 venue",
        "missing-row Podcast 1", "extra-row ZMEDIA 1 Z_ENT", "value Collection 2 cover",
      ])
  }

  @Test func `Differences in UTF-16 are found`() throws {
    let pair = try VerifiedPair(encoding: "UTF-16le")
    // Half of a surrogate pair, which converted to UTF-8 would look like any other.
    try Database.run(
      """
      UPDATE ZTRACK SET ZTITLE = CAST(x'460000D8' AS TEXT) WHERE Z_PK = 1;
      UPDATE ZARTIST SET ZNAME = 'Cafe' || char(769) WHERE Z_PK = 3
      """, in: pair.new)
    #expect(
      try pair.differences() == [
        "value Track 1 title", "missing-artist Artist", "missing-link Track 2 artists", "extra-link Track 2 artists",
        "extra-artist Artist 3",
      ])
  }

  @Test func `A wrong version hash, a wrong digest and missing entries of the app are found`() throws {
    let pair = try VerifiedPair(encoding: "UTF-8")
    try pair.changeMetadata { properties in
      var hashes = properties[StoreMetadata.Key.versionHashes]?.dictionary ?? [:]
      hashes["Artist"] = .data([UInt8](repeating: 7, count: 32))
      hashes["Extra"] = .data([1])
      properties[StoreMetadata.Key.versionHashes] = .dictionary(hashes)
      properties[StoreMetadata.Key.versionHashesDigest] = .string("x")
      properties["AppKey"] = nil
    }
    let found = try pair.found()
    #expect(
      found.map(\.place) == [
        "metadata Artist NSStoreModelVersionHashes", "metadata Extra NSStoreModelVersionHashes",
        "metadata NSStoreModelVersionHashesDigest", "metadata AppKey",
      ])
    #expect(!found.contains { $0.description.contains("secret") })
  }

  @Test func `Missing, additional and changed entries of Core Data are found`() throws {
    let pair = try VerifiedPair(encoding: "UTF-8")
    try pair.changeMetadata { properties in
      properties[StoreMetadata.Key.frameworkVersion] = .integer(1)
      properties[StoreMetadata.Key.versionIdentifiers] = .array([.string("x")])
      properties[StoreMetadata.Key.versionChecksum] = nil
      properties[StoreMetadata.Key.autoVacuumLevel] = nil
      properties["Planted"] = .string("secret")
    }
    let found = try pair.found()
    #expect(
      found.map(\.place) == [
        "metadata NSStoreModelVersionChecksumKey", "metadata NSStoreModelVersionIdentifiers",
        "metadata NSPersistenceFrameworkVersion", "metadata _NSAutoVacuumLevel", "metadata Planted",
      ])
    #expect(!found.contains { $0.description.contains("secret") })
  }

  @Test func `An additional version identifier of any type is found`() throws {
    for identifier in [PropertyList.string("x"), .integer(1)] {
      let pair = try VerifiedPair(encoding: "UTF-8")
      try pair.changeMetadata { properties in
        let identifiers = properties[StoreMetadata.Key.versionIdentifiers]?.array ?? []
        properties[StoreMetadata.Key.versionIdentifiers] = .array(identifiers + [identifier])
      }
      #expect(try pair.differences() == ["metadata NSStoreModelVersionIdentifiers"])
    }
  }

  @Test func `Two rows for one entity in the old library are no difference`() throws {
    let pair = try VerifiedPair()
    try TrackLibraryBuilder(VerifiedPair.rows).write(to: pair.old)
    try Database.run("INSERT INTO Z_PRIMARYKEY VALUES (2, 'Track', 0, 999)", in: pair.old)
    try pair.migrate { $0.isVerified = true }
    #expect(try Database.value("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME = 'Track'", in: pair.new) == "999")
    #expect(try pair.differences() == [])
  }

  @Test func `A cached model is compared by its version hashes, and the entities that differ are named`() throws {
    let pair = try VerifiedPair(encoding: "UTF-8")
    func plant(_ change: (inout EntityDescription) -> Void) throws {
      let entities = TrackModels.v2.entities.map { entity in
        var entity = entity
        change(&entity)
        return entity
      }
      let cache = try ManagedObjectModel(entities: entities).modelCache()
      let hex = cache.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
      try Database.run("UPDATE Z_MODELCACHE SET Z_CONTENT = x'\(hex)'", in: pair.new)
    }
    // Neither user info nor the names of classes make another version.
    try plant { ($0.userInfo["note"], $0.managedObjectClassName) = ("planted", "Another") }
    #expect(try pair.found() == [])
    try plant { if $0.name == "Artist" { $0.versionHashModifier = "x" } }
    #expect(
      try pair.found().map(\.description) == [
        "metadata: Z_MODELCACHE: expected the model, found a model with other version hashes of 'Artist'"
      ])
  }

  @Test func `Artist details that are not from their first mention are found`() throws {
    let pair = try VerifiedPair()
    try TrackLibraryBuilder([
      TrackRow(1, title: "1", json: #"{"artists":["A",{"name":"B","id":"","imageURL":""}]}"#),
      TrackRow(2, title: "2", json: #"{"artists":[{"name":"A","imageURL":"u"},{"name":"B"}]}"#),
      TrackRow(3, title: "3", json: #"{"artists":[{"name":"A","id":"a","imageURL":"v"}]}"#),
      TrackRow(4, title: "4", json: #"{"artists":[{"name":"A","id":"b"}]}"#),
    ]).write(to: pair.old)
    try pair.migrate { $0.isVerified = true }
    #expect(
      try Database.rows("SELECT ZNAME, ZID, ZIMAGEURL FROM ZARTIST", in: pair.new) == ["A|a|u", "B||"])
    #expect(try pair.differences() == [])
    for (change, place) in [
      ("ZID = NULL WHERE Z_PK = 1", "Artist 1 id"), ("ZID = 'b' WHERE Z_PK = 1", "Artist 1 id"),
      ("ZIMAGEURL = 'v' WHERE Z_PK = 1", "Artist 1 imageURL"), ("ZIMAGEURL = NULL WHERE Z_PK = 1", "Artist 1 imageURL"),
      ("ZID = NULL WHERE Z_PK = 2", "Artist 2 id"), ("ZIMAGEURL = 'x' WHERE Z_PK = 2", "Artist 2 imageURL"),
    ] {
      let whole = try Files.bytes(pair.new)
      try Database.run("UPDATE ZARTIST SET \(change)", in: pair.new)
      #expect(try pair.differences() == ["value \(place)"], "\(change)")
      try Files.write(whole, to: pair.new)
    }
  }

  @Test func `Documents with overlong values that are missing in the rejects are found`() throws {
    let pair = try VerifiedPair()
    let long = String(repeating: "x", count: 1 << 20 + 1)
    try TrackLibraryBuilder([
      TrackRow(1, title: "1", json: .text(#"{"artists":[{"name":"A","imageURL":"\#(long)"}]}"#)),
      TrackRow(2, title: "2", json: "{"),
    ]).write(to: pair.old)
    try pair.migrate { $0.isVerified = true }
    #expect(try pair.differences() == [])
    let rejects = pair.new + ".rejects.ndjson"
    let lines = try Files.text(rejects).split(separator: "\n")
    try #require(lines.count == 2)
    try Files.write(lines[1] + "\n", to: rejects)
    let report = try Files.text(pair.new + ".migration.json")
    try Files.write(
      report.replacing("\"long_values_count\" : 1", with: "\"long_values_count\" : 0"), to: pair.new + ".migration.json"
    )
    #expect(try pair.differences() == ["rejects Track 1", "statistics long_values_count"])
  }

  @Test func `A wrong entity in rows too large to be read at once is found`() throws {
    let pair = try VerifiedPair()
    let long = String(repeating: "x", count: 1 << 20 + 1)
    try TrackLibraryBuilder([TrackRow(1, title: .text(long), json: "{}"), TrackRow(2, title: .text(long), json: "{}")])
      .write(to: pair.old)
    try pair.migrate()
    try Database.run(
      "UPDATE ZTRACK SET Z_ENT = 1 WHERE Z_PK = 1; UPDATE ZTRACK SET Z_ENT = NULL, Z_OPT = 2 WHERE Z_PK = 2",
      in: pair.new)
    #expect(try pair.differences() == ["value Track 1 Z_ENT", "value Track 2 Z_ENT", "value Track 2 Z_OPT"])
  }

  @Test func `Missing and additional rejects and contradicting statistics are found`() throws {
    let pair = try VerifiedPair(encoding: "UTF-8")
    let rejects = pair.new + ".rejects.ndjson"
    // Track 4 is broken, and an element of track 5 has no name.
    let lines = try Files.text(rejects).split(separator: "\n")
    try #require(lines.count == 2)
    try Files.write(lines[1] + "\n{\"primaryKey\":8,\"json\":\"\"}\n", to: rejects)
    let report = pair.new + ".migration.json"
    let text = try Files.text(report)
    try Files.write(text.replacing("\"links_count\" : 9", with: "\"links_count\" : 8"), to: report)
    #expect(try pair.differences() == ["rejects Track 8", "rejects Track 4", "statistics links_count"])
  }

  @Test func `Rejects in another order are found`() throws {
    let pair = try VerifiedPair(encoding: "UTF-8")
    let rejects = pair.new + ".rejects.ndjson"
    let lines = try Files.text(rejects).split(separator: "\n")
    try #require(lines.count == 2)
    try Files.write(lines[1] + "\n" + lines[0] + "\n", to: rejects)
    #expect(try pair.differences() == ["rejects Track 4"])
  }

  @Test(arguments: [
    ("Nobody", "Nobodx", ["rejects Track 4 json"]),
    (#"\"Nobody\"}","#, #"\"Nobody\"} ","#, ["rejects Track 4 json"]),
    (#"\"Nobody\"}","#, #"\"Nobody\"","#, ["rejects Track 4 json"]),
    (#"\"Nobody\"}","#, #"\"Nobody\"}","more":1,"#, ["rejects Track 4"]),
    (#""libraryUUID":""#, #""libraryUUID":"other "#, ["rejects Track 4"]),
    (#""options":[]"#, #""options":{}"#, ["rejects Track 4"]),
    (#""options":[]}"#, #""options":[]"#, ["rejects Track 4"]),
    (#""title":"Four""#, #""title":"Fore""#, ["rejects Track 4 title"]),
    (#""title":"Four""#, #""title":null"#, ["rejects Track 4 title"]),
    (#""reason":"json_truncated""#, #""reason":"nonsense""#, ["rejects Track 4 reason"]),
    (#""reason":"nameless_artists""#, #""reason":"long_values""#, ["rejects Track 5 reason"]),
    (#""reason":"nameless_artists""#, #""reason":"json_syntax""#, ["rejects Track 5 reason"]),
    (
      #""reason":"json_truncated""#, #""reason":"json_syntax""#,
      [
        "statistics fallback_tracks_count_by_reason.json_syntax",
        "statistics fallback_tracks_count_by_reason.json_truncated",
      ]
    ),
    (#""reason":"json_truncated""#, #""cause":"json_truncated""#, ["rejects Track 4"]),
    (#"{"primaryKey":4,"#, #"{"key":4,"#, ["rejects", "rejects Track 4"]),
    (#"{"primaryKey":5,"#, #"{"primaryKey":4,"#, ["rejects Track 4", "rejects Track 5"]),
  ])
  func `A change in the rejects file is found`(text: String, other: String, places: [String]) throws {
    let pair = try VerifiedPair(encoding: "UTF-8")
    let rejects = pair.new + ".rejects.ndjson"
    let lines = try Files.text(rejects)
    let changed = lines.replacing(text, with: other, maxReplacements: 1)
    try #require(changed != lines, "\(lines)")
    try Files.write(changed, to: rejects)
    #expect(try pair.differences() == places)
  }

  @Test(arguments: Rounds.some(1, of: ["UTF-16le", "UTF-8"]))
  func `Changes in rejects of every form are found, and none in unchanged ones`(encoding: String) throws {
    let pair = try VerifiedPair()
    let long = String(repeating: #"x\n\\y"#, count: 1 << 18)
    var builder = TrackLibraryBuilder([
      TrackRow(1, title: nil, json: .blob([0x7B, 0xFF, 0x00])), TrackRow(2, title: "2", json: .blob([0xFF])),
      TrackRow(3, title: "\"3\\\n\u{1}", json: .text("{\"\\\r\n\t\u{1}\u{1F}/é")),
      TrackRow(4, title: .text(long), json: .text(#"{"x":"\#(long)"#)), TrackRow(5, title: "5", json: .integer(7)),
      TrackRow(6, title: "6", json: .blob([0xFF, 0xFE, 0xFD, 0xFC])),
      TrackRow(7, title: "7", json: #"{"artists":[{"id":1}]}"#),
    ])
    builder.encoding = encoding
    try builder.write(to: pair.old)
    try pair.migrate { $0.isVerified = true }
    #expect(try pair.differences() == [])
    let rejects = pair.new + ".rejects.ndjson"
    let lines = try Files.text(rejects)
    for (text, other, place) in [
      (#""jsonBase64":"e/8A""#, #""jsonBase64":"e/8B""#, "Track 1 json"),
      (#""jsonBase64":"/w==""#, #""jsonBase64":"/wA=""#, "Track 2 json"),
      (#"\u001f"#, #"\u001e"#, "Track 3 json"), (#"//79/A=="#, #"//79"#, "Track 6 json"),
      (#""reason":"no_usable_artist""#, #""reason":"nameless_artists""#, "Track 7 reason"),
    ] {
      let changed = lines.replacing(text, with: other, maxReplacements: 1)
      if changed == lines { Issue.record("\(text) is not in the file") }
      try Files.write(changed, to: rejects)
      #expect(try pair.differences() == ["rejects \(place)"], "\(text)")
    }
  }

  @Test func `A missing rejects file that the statistics mention is found`() throws {
    let pair = try VerifiedPair(encoding: "UTF-8")
    Files.remove(pair.new + ".rejects.ndjson")
    #expect(try pair.found().map(\.description) == ["rejects: expected a file with 2 lines"])
    // Without the statistics, the verification does not know that there should be rejects.
    Files.remove(pair.new + ".migration.json")
    #expect(try pair.differences() == [])
  }

  @Test(arguments: [("\"settings\" : 2", "\"settings\" : 3"), ("\"settings\" : 2", "\"ghost\" : 2")])
  func `A wrong row count of an app's own table in the statistics is found`(text: String, other: String) throws {
    let pair = try VerifiedPair(encoding: "UTF-8")
    let path = pair.new + ".migration.json"
    let report = try Files.text(path)
    try #require(report.contains(text))
    try Files.write(report.replacing(text, with: other), to: path)
    let places = ["statistics ghost kept_count_by_name", "statistics settings kept_count_by_name"]
    #expect(try pair.differences() == (other.contains("ghost") ? places : [places[1]]))
  }

  @Test func `A damaged file is found`() throws {
    let pair = try VerifiedPair(encoding: "UTF-8")
    var bytes = try Files.bytes(pair.new)
    let page = try #require(
      try Database.value("SELECT rootpage FROM sqlite_schema WHERE name = 'ZTRACK'", in: pair.new))
    let start = ((Int(page) ?? 0) - 1) * 4096
    // The number of cells on the page.
    bytes[start + 4] ^= 0x01
    try Files.write(bytes, to: pair.new)
    let found = try pair.found()
    #expect(!found.isEmpty)
    #expect(found.allSatisfy { $0.kind == .damage })
  }

  @Test func `A difference shows both values and where they begin to differ`() throws {
    let pair = try VerifiedPair(encoding: "UTF-8")
    try Database.run("UPDATE ZTRACK SET ZTITLE = 'Fu' || char(776) || 'nf' WHERE Z_PK = 5", in: pair.new)
    let difference = try #require(try pair.found().first)
    #expect(difference.expected.map { Array($0.utf8) } == Array("'F\u{FC}nf'".utf8))
    #expect(difference.found.map { Array($0.utf8) } == Array("'Fu\u{308}nf'".utf8))
    #expect(difference.detail == "from byte 1 on: c3bc6e66 / 75cc886e66")
  }

  @Test func `All differences are counted but only the limited number is reported`() throws {
    let pair = try VerifiedPair(encoding: "UTF-8")
    try Database.run("DELETE FROM Z_1TRACKS", in: pair.new)
    var verification = LibraryVerification(path: pair.new)
    verification.sourcePath = pair.old
    verification.limit = 2
    var told = 0
    let result = try verification.run { _ in told += 1 }
    #expect(told == 2)
    #expect(result.differenceCount == 14)
    #expect(result.differenceCountByKind == [.missingLink: 9, .artistWithoutTrack: 5])
  }
}
