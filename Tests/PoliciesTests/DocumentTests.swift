import Foundation
import Migration
import Policies
import TestSupport
import Testing

struct DocumentTests {
  @Test(arguments: DocumentCase.all)
  func `A document gives its artists or the reason for having none`(document: DocumentCase) throws {
    let fixture = try TrackFixture(json: [.text(document.json)])
    let statistics = try fixture.migrate()
    #expect(try fixture.artists().map { Array($0.utf8) } == document.artists.map { Array($0.utf8) })
    #expect(
      try fixture.rows("SELECT Z_1ARTISTS, Z_2TRACKS FROM Z_1TRACKS")
        == (1...document.artists.count).map { "\($0)|1" })
    for reason in FallbackReason.allCases {
      #expect(statistics[reason.counter] == (reason == document.reason ? 1 : 0), "\(reason)")
    }
    #expect(statistics[.tracksWithoutArtist] == 0)
    #expect(statistics.destinationInstanceCounts == ["Artist": document.artists.count, "Track": 1])
  }

  @Test(arguments: ["UTF-16le", "UTF-16be"])
  func `All documents give the same result in a UTF-16 library`(encoding: String) throws {
    // SQLite itself replaces U+FFFF when it stores text as UTF-16.
    let documents = DocumentCase.all.filter { !$0.json.contains("\\uFFFF") }
    let rows = zip(Int64(1)..., documents).map { TrackRow($0, artistName: "Fallback", json: .text($1.json)) }
    let plain = try TrackFixture(rows)
    let wide = try TrackFixture(rows, encoding: encoding)
    #expect(try plain.migrate() == wide.migrate())
    #expect(try plain.artists() == wide.artists())
    #expect(try plain.links() == wide.links())
    #expect(try wide.rows("PRAGMA encoding") == [encoding])
    #expect(try Database.integrity(wide.destination) == ["ok"])
  }

  @Test func `A document does not affect the next one`() throws {
    let good = #"{"artists":[{"id":1,"name":"Good","imageURL":"u"}]}"#
    var documents: [CellValue] = []
    for document in DocumentCase.all { documents += [.text(document.json), .text(good)] }
    let fixture = try TrackFixture(json: documents)
    try fixture.migrate()
    let wanted = (1...documents.count / 2).map { "\($0 * 2): Good" }
    #expect(try fixture.links().filter { Int($0.prefix { $0 != ":" })?.isMultiple(of: 2) == true } == wanted)
  }

  @Test(
    arguments: [
      (CellValue.rawText([0x7B, 0xFF, 0x7D]), FallbackReason.syntax, 1),
      (.rawText(Array("{\"artists\":[\"".utf8) + [0xFF] + Array("\"]}".utf8)), .invalidUTF8, 13),
      (.rawText(Array("{\"artists\":[\"".utf8) + [0xED, 0xA0, 0x80] + Array("\"]}".utf8)), .invalidUTF8, 13),
      (.rawText(Array("{\"artists\":[\"".utf8) + [0xC3]), .truncated, 14),
      ("{\"artists\":[\"X\"", .truncated, 15), ("{} x", .trailingBytes, 3), ("{\"a\":}", .syntax, 5),
      ("{\"artists\":[\"\\uD800\"]}", .loneSurrogate, 13),
    ] as [(CellValue, FallbackReason, Int)])
  func `An unreadable document is reported with its place and kept`(
    json: CellValue, reason: FallbackReason, offset: Int
  ) throws {
    let fixture = try TrackFixture(json: [json])
    let statistics = try fixture.migrate()
    let reasons = FallbackReason.allCases.filter { statistics[$0.counter] == 1 }
    let line = try #require(
      try JSONSerialization.jsonObject(with: Data(try Files.bytes(fixture.rejectsPath))) as? [String: Any])
    #expect(reasons.count == 1)
    #expect(line["reason"] as? String == reasons.first?.rawValue)
    #expect(line["primaryKey"] as? Int == 1)
    #expect(line["title"] as? String == "T1")
    // Bytes that are neither JSON nor text may be reported as either.
    if reason != .syntax || !json.isRaw { #expect(reasons == [reason]) }
    #expect(line["byteOffset"] as? Int == offset)
    #expect((line["jsonBase64"] != nil) == json.isRaw)
    #expect(statistics.examples[try #require(reasons.first).counter] == ["track 1 'T1'"])
  }

  @Test func `Readable documents are not kept as rejects`() throws {
    let fixture = try TrackFixture(json: ["{}", nil, "", #"{"artists":["A"]}"#, "7"])
    try fixture.migrate()
    #expect(!Files.exists(fixture.rejectsPath))
  }

  @Test(arguments: [nil, "", .blob([])] as [CellValue])
  func `A track without any name gets no artist`(artistName: CellValue) throws {
    let fixture = try TrackFixture(json: [nil, "{}", #"{"artists":["A"]}"#, "{"], artistName: artistName)
    let statistics = try fixture.migrate()
    #expect(try fixture.links() == ["3: A"])
    #expect(statistics[.tracksWithoutArtist] == 3)
    #expect(statistics[FallbackReason.noJSON.counter] == 1)
    #expect(statistics.examples(of: .tracksWithoutArtist).first == "track 1 'T1'")
    #expect(try fixture.rows("SELECT count(*) FROM ZTRACK") == ["4"])
  }

  @Test(arguments: [
    (CellValue.blob(Array(#"{"artists":["A"]}"#.utf8)), "A|NULL|NULL"), (.integer(7), "Fallback|NULL|NULL"),
    (.real(1.5), "Fallback|NULL|NULL"),
  ])
  func `JSON in a column of another type is read as text`(json: CellValue, artist: String) throws {
    let fixture = try TrackFixture(json: [json])
    try fixture.migrate()
    #expect(try fixture.artists() == [artist])
  }

  @Test func `A name that is not valid text keeps its bytes`() throws {
    let fixture = try TrackFixture(json: [nil, nil], artistName: .rawText([0x61, 0xFF, 0x00, 0x62]))
    try fixture.migrate()
    #expect(try fixture.rows("SELECT hex(CAST(ZNAME AS BLOB)) FROM ZARTIST") == ["61FF0062"])
  }

  @Test func `Attributes keep their values and the old columns are gone`() throws {
    var row = TrackRow(42, title: .rawText([0xFF, 0x00, 0x61]), json: #"{"artists":["A"]}"#)
    row.imageURL = "u"
    row.lastPlayedAt = .real(694_224_000.5)
    row.version = .integer(9)
    let fixture = try TrackFixture([row])
    try fixture.migrate()
    #expect(
      try fixture.rows("SELECT Z_PK, Z_ENT, Z_OPT, ZLASTPLAYEDAT, ZIMAGEURL, hex(CAST(ZTITLE AS BLOB)) FROM ZTRACK")
        == ["42|2|9|694224000.5|u|FF0061"])
    #expect(
      try fixture.rows("SELECT count(*) FROM pragma_table_info('ZTRACK') WHERE name IN ('ZJSON', 'ZARTISTNAME')") == [
        "0"
      ])
  }

  @Test func `A library without tracks becomes one without artists`() throws {
    let fixture = try TrackFixture([])
    let statistics = try fixture.migrate()
    #expect(try fixture.rows("SELECT * FROM Z_PRIMARYKEY") == ["1|Artist|0|0", "2|Track|0|0"])
    #expect(statistics.destinationInstanceCounts == ["Artist": 0, "Track": 0])
  }

  @Test func `Duplicate keys are counted only in readable documents`() throws {
    let fixture = try TrackFixture(json: [
      #"{"artists":["A"],"artists":[],"x":1,"x":2}"#, #"{"artists":[{"name":"A","name":"B","id":1,"id":2}]}"#,
      #"{"artists":["A"],"artists":["#,
    ])
    #expect(try fixture.migrate()[.duplicateKeys] == 3)
  }

  @Test func `Elements without a name are counted, reported and kept`() throws {
    let json = #"{"artists":[{"id":"1"},null,{"name":"A"}]}"#
    let fixture = try TrackFixture(json: [.text(json)])
    let statistics = try fixture.migrate()
    #expect(statistics[.namelessArtists] == 2)
    #expect(statistics.examples(of: .namelessArtists) == ["track 1 'T1'"])
    let line = try #require(
      try JSONSerialization.jsonObject(with: Data(try Files.bytes(fixture.rejectsPath))) as? [String: Any])
    #expect(line["reason"] as? String == "nameless_artists")
    #expect(line["json"] as? String == json)
  }
}

extension CellValue {
  fileprivate var isRaw: Bool {
    if case .rawText = self { true } else { false }
  }
}
