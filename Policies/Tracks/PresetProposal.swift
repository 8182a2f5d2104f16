package import JSONPresets

/// A preset for documents of an unknown shape, made of what some of them look like.
package struct PresetProposal {
  private var survey = ShapeSurvey()
  private let extraction = ArtistExtraction()
  /// The number of readable documents, and of those by the built-in preset that finds artists in them.
  package private(set) var (readCount, builtIn): (Int, [String: Int]) = (0, [:])

  package init() {}

  /// Looks at a document.
  ///
  /// - Returns: Whether it could be read.
  package mutating func add(_ document: [UInt8], _ name: String) -> Bool {
    guard let finding = try? extraction.read(document) else { return false }
    readCount += 1
    if let preset = finding.preset, !finding.artists.isEmpty { builtIn[preset.name, default: 0] += 1 }
    survey.begin()
    document.withUnsafeBytes { survey.read($0) }
    survey.finish(name)
    return true
  }

  /// The likely places of artists, the likeliest first: presets that are named `mine` and match wherever there is one.
  package var presets: [(preset: Preset, evidence: String)] {
    let details = survey.details
    let track = TrackPaths(title: [details.title].compactMap { $0 }, played: [details.time].compactMap { $0 })
    return survey.suggestions.map { suggestion in
      let preset = Preset(
        "mine", "Documents of mine", "", suggestion.conditions, track: track, artists: suggestion.artists)
      return (preset, suggestion.title)
    }
  }

  /// The looks of the documents, in sentences.
  package var looks: String { survey.lines.joined(separator: "; ") }
}
