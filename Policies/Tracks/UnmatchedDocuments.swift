internal import Foundation
package import JSONPresets
package import Migration

/// The documents of an unknown shape among those that could be read, and the shapes of some of them.
struct UnmatchedDocuments {
  private var counts = (read: 0, otherShape: 0)
  private var choice = SpreadChoice()
  /// The objects without artists in a known place, and all of another shape but those that are not about one track.
  private var unknown = ShapeSurvey()
  private var unmatched = ShapeSurvey()

  /// Counts a document, some of which are surveyed.
  ///
  /// - Parameters:
  ///   - name: The name of the document in an example.
  ///   - document: Reads it.
  mutating func add(_ fallback: FallbackReason?, _ name: @autoclosure () -> String, _ document: () throws -> [UInt8])
    rethrows
  {
    guard fallback.hasReadDocument else { return }
    counts.read += 1
    guard let fallback, fallback.isOtherShape else { return }
    counts.otherShape += 1
    // The artists of an album are not those of the track, wherever they stand.
    guard fallback != .otherAnswer, choice.takesNext() else { return }
    let bytes = try document()
    guard bytes.count <= PathSurvey.sizeLimit else { return }
    unmatched.read(bytes, name())
    if fallback == .noArtists { unknown.read(bytes, name()) }
  }

  /// The document in a line of a feed: the line itself, or what its `json` holds.
  static func document(ofLine line: [UInt8]) -> [UInt8] {
    guard let object = try? JSONSerialization.jsonObject(with: Data(line)) as? [String: Any], let json = object["json"]
    else { return line }
    if let text = json as? String { return Array(text.utf8) }
    return (try? JSONSerialization.data(withJSONObject: json, options: .fragmentsAllowed)).map(Array.init) ?? line
  }

  /// What the documents look like; `nil` if there are none.
  var finding: String? { counts.otherShape == 0 ? nil : unmatched.lines.joined(separator: "; ") }

  /// Gives the statistics the likely places of artists, and the looks of the documents if most have another shape.
  func count(in statistics: inout MigrationStatistics) {
    Self.suggest(unknown, in: &statistics)
    guard Self.areMost(counts) else { return }
    _ = Self.count(counts, unmatched, in: &statistics)
  }

  /// Returns whether more than half of the documents that could be read have another shape.
  static func areMost(_ counts: (read: Int, otherShape: Int)) -> Bool { counts.otherShape * 2 > counts.read }

  /// Gives the statistics the likely places of artists.
  static func suggest(_ survey: ShapeSurvey, in statistics: inout MigrationStatistics) {
    for suggestion in survey.suggestions {
      statistics.addExample(suggestion.json, to: TrackCounter.suggestedPresets)
    }
  }

  /// Gives the statistics the looks of most documents.
  ///
  /// - Returns: The sentence about them.
  static func count(
    _ counts: (read: Int, otherShape: Int), _ survey: ShapeSurvey, in statistics: inout MigrationStatistics
  ) -> String {
    let number = "\(counts.otherShape) of \(counts.read) JSON documents have no artists in a known place"
    let finding = ([number] + survey.lines).joined(separator: "; ")
    statistics.count(TrackCounter.unmatchedJSON, by: counts.otherShape)
    statistics.addExample(finding, to: TrackCounter.unmatchedJSON)
    return finding
  }
}

extension MigrationStatistics {
  /// In a sentence, the looks of the documents if most have an unknown shape.
  package var unmatchedJSON: String? { examples[TrackCounter.unmatchedJSON]?.first }

  /// The likely places of artists in documents of an unknown shape; `nil` if there are no such documents.
  package var suggestedPresets: [Preset]? {
    examples[TrackCounter.suggestedPresets].map { $0.compactMap { try? Preset(json: Array($0.utf8)) } }
  }
}

extension ShapeSurvey {
  /// Reads a whole document.
  fileprivate mutating func read(_ document: [UInt8], _ name: String) {
    begin()
    document.withUnsafeBytes { read($0) }
    finish(name)
  }
}
