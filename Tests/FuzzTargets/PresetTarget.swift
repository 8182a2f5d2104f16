internal import JSONPresets
internal import JSONStream
internal import Policies

/// Presets, paths and conditions: what is read can be printed and read again, and used on any document.
enum PresetTarget {
  static func read(_ bytes: [UInt8]) throws {
    let text = String(decoding: bytes, as: UTF8.self)
    switch Result(catching: { () throws(JSONPathError) in try JSONPath(text) }) {
    case .success(let path):
      try promise((try? JSONPath(path.description)) == path, "\(path) reads as another")
      try promise((try? JSONPath(path.fromRoot)) == path, "\(path.fromRoot) reads as another")
    case .failure(let error):
      try promise((0...text.utf8.count).contains(error.offset), "an error beyond the end")
      try promise(!error.description.isEmpty, "an error without words")
    }
    if let condition = try? JSONCondition(text) {
      try promise((try? JSONCondition(condition.description)) == condition, "\(condition) reads as another")
    }
    // A document that every preset is tried on.
    _ = try? extraction.read(bytes)
    guard let preset = try? Preset(json: bytes) else { return }
    try promise((try? Preset(json: Array(preset.json.utf8))) == preset, "\(preset.json) reads as another")
    let own = ArtistExtraction(.preset(preset))
    for document in SeedTexts.documents + [text] { _ = try? own.read(Array(document.utf8)) }
  }

  private static var extraction: ArtistExtraction { ArtistExtraction() }

  static let seeds: [[UInt8]] =
    ["$.ar[*]", "$.included[?@.type == 'artists']", "!$.a || $['b c'][0].d == \"e\"", "image[-1]['#text']"]
    .map { Array($0.utf8) } + Preset.builtIn.prefix(24).map { Array($0.json.utf8) }
}
