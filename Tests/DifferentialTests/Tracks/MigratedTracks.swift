import Foundation
import JSONPresets
import Testing
import TrackLibrary

/// The result of a migration of tracks, read with plain SQL.
enum MigratedTracks {
  /// Reads a version 2 library, its counts and its rejects.
  static func read(_ path: String, _ report: MigrationReport, rejectsPath: String?) throws -> TrackOutcome {
    var outcome = TrackOutcome()
    outcome.artists = try Cell.rows(
      "SELECT Z_PK, ZNAME, ZID, ZIMAGEURL FROM ZARTIST WHERE Z_ENT = 1 AND Z_OPT = 1 ORDER BY 1", in: path
    ).map { "\($0[0]): \($0[1]), \($0[2]), \($0[3])" }
    outcome.links = try Cell.rows("SELECT Z_1ARTISTS, Z_2TRACKS FROM Z_1TRACKS ORDER BY 1, 2", in: path)
      .map { "\($0[0])-\($0[1])" }
    outcome.tracks = try Cell.rows(
      "SELECT Z_PK, Z_OPT, ZTITLE, ZIMAGEURL, ZLASTPLAYEDAT FROM ZTRACK WHERE Z_ENT = 2 ORDER BY 1", in: path
    ).map { "\($0[0]): \($0.dropFirst().map(\.description).joined(separator: ", "))" }
    outcome.primaryKeys = try Cell.rows("SELECT Z_ENT, Z_NAME, Z_MAX FROM Z_PRIMARYKEY ORDER BY 1", in: path)
      .map { "\($0[0]): \("\($0[1])".filter { $0 != "'" }), \($0[2])" }
    outcome.counters = counters(report)
    outcome.rejects = try rejectsPath.map { try rejects($0) } ?? []
    #expect(report.facts[.tracks] == outcome.tracks.count && report.facts[.artists] == outcome.artists.count)
    #expect(report.facts[.links] == outcome.links.count && report.facts[.rejects] == outcome.rejects.count)
    return outcome
  }

  private static func counters(_ report: MigrationReport) -> [String: Int] {
    var counters = Dictionary(
      uniqueKeysWithValues: report.facts[.fallbacks].map { ("fallback.\($0.key)", $0.value) })
    for fact in Fact.all(of: .document, .detail, .conflict) { counters[fact.name] = report.facts[fact] }
    return counters.filter { $0.value != 0 }
  }

  private static func rejects(_ path: String) throws -> [String] {
    try Array(Data(contentsOf: URL(filePath: path))).split(separator: 0x0A).map { line in
      let reject = try PlainJSONReader.read(Array(line))
      func text(_ key: String) -> String { reject[key]?.bytes.map { String(decoding: $0, as: UTF8.self) } ?? "null" }
      let base64 = reject["jsonBase64"]?.bytes.flatMap { Data(base64Encoded: Data($0)) }.map { Array($0) }
      let json = reject["json"]?.bytes ?? base64
      let isKept = reject["json"] == nil ? json.map { String(validating: $0, as: UTF8.self) == nil } : true
      return
        "\(text("primaryKey")), \(text("title")), \(text("reason")), \(text("byteOffset")), "
        + (isKept == true ? json.map { Cell.text($0).description } ?? "NULL" : "base64 of what is text")
    }
  }
}
