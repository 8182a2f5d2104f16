import CommandLineKit
import DataModel
import Migration

/// The version hashes that a compiled mapping model was made for, beside those of every version.
enum MappingHashes {
  static func write(_ explanation: MappingExplanation, to output: any TextOutput, terminal: Terminal) throws {
    let versions = explanation.versions.filter { $0.model != nil }
    let writer = OutputFormat.table.makeWriter(to: output, terminal: terminal)
    try writer.begin(columns: ["entity", "as", "mapping model"] + versions.map(\.versionName))
    for (side, word) in [(\MappingVersionFit.asSource, "source"), (\.asDestination, "destination")] {
      let fits = versions.map { $0[keyPath: side] }
      guard let entities = fits.lazy.compactMap({ $0 }).first?.entities else { continue }
      for (place, entity) in entities.enumerated() {
        try writer.write(
          [.string(entity.name), .string(word), FieldValue(entity.fileHash.map(short))]
            + fits.map { FieldValue($0.flatMap { text($0.entities, at: place) }) })
      }
    }
    try writer.end()
  }

  /// All versions have the entities in the same places.
  private static func text(_ entities: [MappingSideFit.Entity], at place: Int) -> String? {
    guard entities.indices.contains(place) else { return nil }
    guard let hash = entities[place].modelHash else { return "missing" }
    return entities[place].fits ? "same" : short(hash)
  }

  private static func short(_ hash: VersionHash) -> String { "\(hash.description.prefix(12))…" }
}
