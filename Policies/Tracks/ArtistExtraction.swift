package import JSONPresets
package import JSONStream

/// Finds the artists in single documents, as the migration does.
package final class ArtistExtraction {
  /// The artists of a document, and the facts found on the way.
  package struct Finding: Sendable, Hashable {
    package var artists: [Artist] = []
    /// The reason for the lack of artists, if there are none.
    package var reason: FallbackReason?
    /// The preset that the document matches.
    package var preset: Preset?
    package var namelessArtistCount = 0
    package var duplicateKeyCount = 0
    /// The number of joined names that were split.
    package var splitNameCount = 0
  }

  /// An artist of a document.
  package struct Artist: Sendable, Hashable {
    package var name: String
    package var id: String?
    package var imageURL: String?
    package var credited: String?
    package var role: ArtistRole?
  }

  private let trie: PresetTrie
  private let visitor: ArtistMentionVisitor
  private let parser: JSONStreamParser
  private let envelopes: EnvelopeSearch

  /// Prepares to read documents.
  package init(_ json: JSONShape = .auto, roles: Set<ArtistRole>? = nil) {
    var options = TrackMigrationOptions()
    (options.json, options.roles) = (json, roles)
    trie = PresetTrie.of(json)
    visitor = ArtistMentionVisitor(trie, options: options)
    parser = JSONStreamParser(visitor: visitor)
    envelopes = EnvelopeSearch(trie)
  }

  private func parse(_ document: UnsafeRawBufferPointer) throws(JSONStreamError) {
    visitor.begin()
    try parser.parse(document)
    visitor.finish()
    guard visitor.mayBeEnvelope, let inside = envelopes.track(in: document, visitor.batch.bytes) else { return }
    visitor.take(inside)
  }

  /// Reads a document, and returns only the number of its artists.
  package func count(_ document: UnsafeRawBufferPointer) throws(JSONStreamError) -> Int {
    visitor.batch.removeAll(fromMention: 0, byte: 0)
    try parse(document)
    return visitor.batch.mentions.count
  }

  /// Reads a document.
  package func read(_ document: [UInt8]) throws(JSONStreamError) -> Finding {
    visitor.batch = TrackBatch()
    let result = document.withUnsafeBytes { bytes in Result { () throws(JSONStreamError) in try parse(bytes) } }
    try result.get()
    let batch = visitor.batch
    func string(_ text: TrackBatch.Text) -> String? {
      text.isPresent ? String(decoding: batch.text(text), as: UTF8.self) : nil
    }
    return Finding(
      artists: batch.mentions.map { mention in
        Artist(
          name: string(mention.name) ?? "", id: string(mention.id), imageURL: string(mention.imageURL),
          credited: string(mention.credited), role: mention.role)
      },
      reason: batch.mentions.isEmpty ? visitor.outcome.problem : nil,
      preset: visitor.preset.map { trie.entries[$0].preset },
      namelessArtistCount: visitor.outcome.namelessArtistCount,
      duplicateKeyCount: visitor.outcome.duplicateKeyCount, splitNameCount: batch.splitNameCount)
  }
}

/// The shapes of a few documents of a library.
package struct DocumentSurvey {
  /// The number of documents that were read.
  package private(set) var documentCount = 0
  /// The number of these by the name of their preset.
  package private(set) var countByPreset: [String: Int] = [:]
  /// The number of these without artists, by reason.
  package private(set) var countByReason: [FallbackReason: Int] = [:]
  private let extraction = ArtistExtraction()
  private var shapes = ShapeSurvey()

  package init() {}

  /// Reads a document.
  package mutating func read(_ document: [UInt8]) {
    documentCount += 1
    do throws(JSONStreamError) {
      let finding = try extraction.read(document)
      if let preset = finding.preset { countByPreset[preset.name, default: 0] += 1 }
      guard let reason = finding.reason else { return }
      countByReason[reason, default: 0] += 1
      guard reason == .noArtists else { return }
      shapes.begin()
      document.withUnsafeBytes { shapes.read($0) }
      shapes.finish("")
    } catch {
      countByReason[FallbackReason(error.code), default: 0] += 1
    }
  }

  /// The likely places of artists in documents that match no preset, the likeliest first.
  package var suggestions: [Preset] { shapes.suggestions }
}
