import Foundation
import TestSupport
import Testing

/// Documents of services and exports.
///
/// `Tests/Answers` has one in a line: of a track with what is known of it, and of other things.
@Suite("A table of answers")
struct AnswerTableTests {
  private struct Answer {
    let about, document: String
    /// The artists in the order of their names, the title, the time and the picture; `nil` of what is not a track.
    let track: String?

    init(line: Substring) throws {
      let object = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
      about = try #require(object["about"] as? String)
      // Word for word, in the order in which the service writes it.
      document = String(line[try #require(line.firstRange(of: #""document": "#)).upperBound...].dropLast())
      track = (object["artists"] as? [String]).map { artists in
        let details = ["title", "played", "image"].map { object[$0] as? String ?? "NULL" }
        return ([artists.joined(separator: ";")] + details).joined(separator: "|")
      }
    }

    static func all(in file: String) throws -> [Answer] {
      let path = Checkout.root.appending(path: "Tests/Answers").appending(path: file)
      return try String(contentsOf: path, encoding: .utf8).split(separator: "\n").map(Answer.init)
    }
  }

  private let folder: TemporaryFolder
  private let tracks, others: [Answer]

  init() throws {
    folder = try TemporaryFolder()
    (tracks, others) = (try Answer.all(in: "tracks.ndjson"), try Answer.all(in: "others.ndjson"))
  }

  private static let artists = """
    (SELECT group_concat(ZNAME, ';') FROM (SELECT a.ZNAME FROM Z_1TRACKS l JOIN ZARTIST a ON a.Z_PK = l.Z_1ARTISTS
      WHERE l.Z_2TRACKS = t.Z_PK ORDER BY a.ZNAME))
    """

  @Test func `Tracks arrive in an import with artists, title, time and picture, and other things give no artists`()
    throws
  {
    let feed = (tracks + others).map(\.document).joined(separator: "\n")
    let library = folder.file("New.sqlite")
    try successfully("import", try folder.write(Array(feed.utf8), to: "feed.ndjson"), library, "--verify")
    let found = try Database.rows(
      """
      SELECT \(Self.artists), ZTITLE, strftime('%Y-%m-%dT%H:%M:%S', ZLASTPLAYEDAT + 978307200, 'unixepoch'), ZIMAGEURL
      FROM ZTRACK t WHERE Z_PK IN (SELECT Z_2TRACKS FROM Z_1TRACKS)
      """, in: library)
    let missing = tracks.filter { !found.contains($0.track ?? "") }.map { "\($0.about): \($0.track ?? "")" }
    #expect(missing.isEmpty)
    let wrong = Set(found).subtracting(tracks.compactMap(\.track))
    #expect(wrong.isEmpty, "what is said of them: \(about(wrong))")
  }

  @Test func `Tracks get their artists in a migration, and other things none`() throws {
    let rows = (tracks + others).map {
      TrackRow(title: .text("T"), artistName: .text("fallback"), json: .rawText(Array($0.document.utf8)))
    }
    let library = try folder.library("L.sqlite", rows)
    try successfully("migrate", library, "--verify")
    let found = try Database.rows("SELECT \(Self.artists) FROM ZTRACK t ORDER BY Z_PK", in: library)
    let expected = tracks.map { String($0.track?.prefix { $0 != "|" } ?? "") } + others.map { _ in "fallback" }
    let wrong = zip(found, zip(expected, tracks + others)).filter { $0 != $1.0 }.map { "\($1.1.about): \($0)" }
    #expect(wrong.isEmpty)
  }

  /// The documents with the names in some rows.
  private func about(_ rows: Set<String>) -> [String] {
    rows.map { row in
      let name = String(row.prefix { $0 != ";" && $0 != "|" })
      return "\(row) (\((tracks + others).first { $0.document.contains("\"\(name)\"") }?.about ?? "?"))"
    }
  }
}
