internal import DataModel
internal import JSONPresets
internal import PersistentStore
internal import SQLiteDatabase
internal import Verification

/// The options that decide which artists a track has.
struct TrackReading {
  let json: JSONShape
  let roles: Set<ArtistRole>?
  let decisions: ArtistDecisions?
}

/// The contents of some tracks in both libraries, in the order of their keys.
struct TrackBatch {
  /// A track of one of the libraries, or of both.
  struct Row {
    let old: Int64?
    let new: Int64?
    /// Whether the mentions are names in `artistName`.
    var isFallback = false
    /// The end of its mentions among all.
    var mentionsEnd = 0
  }

  fileprivate(set) var rows: [Row] = []
  fileprivate(set) var mentions: [ArtistMentions.Mention] = []
  /// The fingerprints of the mentions; 0 for a name in `artistName`.
  fileprivate(set) var fingerprints: [UInt64] = []
  /// The bytes of the mentions' text.
  fileprivate(set) var bytes: [UInt8] = []
  /// The numbers of these tracks, without those of artists and links.
  fileprivate(set) var counts = LibraryComparison.Counts()
  fileprivate(set) var rejects: [RejectsCheck.Reject] = []
  /// Whether values or keys differ; which, is to be found out in the order of the rows.
  fileprivate(set) var hasDifferences = false
  /// The keys that were read.
  fileprivate(set) var keys: ClosedRange<Int64>
  /// The keys that were not read, since there is too much or since a row is large.
  fileprivate(set) var rest: ClosedRange<Int64>?

  fileprivate init(_ keys: ClosedRange<Int64>) { self.keys = keys }

  fileprivate mutating func add(_ mention: ArtistMentions.Mention, _ text: [UInt8], fingerprint: UInt64 = 0) {
    var mention = mention
    fingerprints.append(fingerprint)
    mention.name = copy(mention.name, of: text)
    mention.id = copy(mention.id, of: text)
    mention.imageURL = copy(mention.imageURL, of: text)
    mentions.append(mention)
  }

  private mutating func copy(_ range: Range<Int>?, of text: [UInt8]) -> Range<Int>? {
    guard let range else { return nil }
    let start = bytes.count
    text.withUnsafeBytes { bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: $0[range])) }
    return start..<bytes.count
  }
}

/// Reads tracks of both libraries, compares their values, and derives the expected artists from their documents.
///
/// Each thread has its own, with connections and presets of its own.
final class TrackBatchReader {
  /// The greatest number of rows of a batch, and of bytes of text beyond which it ends.
  private static let (rowLimit, byteLimit) = (4096, 1 << 20)

  private let entity: String
  private let comparison: RouteComparison
  /// Counts the differences of a batch.
  private let log = DifferenceLog(limit: 0) { _ in }
  private let texts: TrackTexts
  private let presets: PresetEvaluation
  private var decisions: DecisionReplay
  private var document: DocumentReader
  private var presetCounts: [Int: Int] = [:]
  /// The findings in the current document.
  private var finding = PresetEvaluation.Finding()

  /// `nil` if one of the libraries has no such tracks.
  init?(_ route: RowRoute, old: StoreSide, new: StoreSide, _ reading: TrackReading) throws {
    entity = route.source
    guard let table = old.schema.table(forEntityNamed: entity),
      let json = old.schema.column(forProperty: "json", ofEntityNamed: entity),
      let artistName = old.schema.column(forProperty: "artistName", ofEntityNamed: entity),
      let comparison = try RouteComparison(
        route, old: old, new: new, extraColumns: [json.name, artistName.name], keepsVersions: true, log: log)
    else { return nil }
    self.comparison = comparison
    texts = TrackTexts(
      comparison.oldRow, old, table: table.name, json: (json.name, comparison.extraStart),
      artistName: (artistName.name, comparison.extraStart + 1))
    presets = PresetEvaluation.of(reading.json, roles: reading.roles)
    decisions = DecisionReplay(reading.decisions)
    document = DocumentReader(keys: presets.keys)
  }

  /// Reads the tracks in a range of keys, or the first of them.
  ///
  /// - Parameter readsLargeRows: Whether rows are read that do not fit into memory several times.
  func read(_ keys: ClosedRange<Int64>, readsLargeRows: Bool) throws -> TrackBatch {
    var batch = TrackBatch(keys)
    let differenceCount = log.count
    try comparison.run(.keys, in: keys) { old, new in
      guard let key = [old, new].compactMap(\.self).max() else { return true }
      let isLarge = old != nil && texts.areLarge
      if batch.rows.count >= Self.rowLimit || batch.bytes.count >= Self.byteLimit || isLarge && !readsLargeRows {
        batch.rest = key...keys.upperBound
        return false
      }
      try add(TrackBatch.Row(old: old, new: new), to: &batch)
      return true
    }
    if let rest = batch.rest, rest.lowerBound > keys.lowerBound { batch.keys = keys.lowerBound...rest.lowerBound - 1 }
    batch.hasDifferences = log.count != differenceCount && !batch.rows.isEmpty
    for (preset, count) in presetCounts { batch.counts.facts[.presets][presets.name(ofPreset: preset)] = count }
    presetCounts.removeAll(keepingCapacity: true)
    batch.counts.facts[.decisions] = decisions.takeCounts()
    return batch
  }

  /// Adds a row and its expected artists.
  private func add(_ row: TrackBatch.Row, to batch: inout TrackBatch) throws {
    var row = row
    if let key = row.old {
      batch.counts.facts.count(.tracks)
      let reason = try readDocument(key, &batch)
      let mentions = finding.mentions
      batch.counts.facts.count(.namelessArtists, by: mentions.namelessCount)
      batch.counts.facts.count(.longValues, by: mentions.longCount)
      batch.counts.facts.count(.splitNames, by: mentions.splitNameCount)
      if let reason {
        row.isFallback = true
        batch.counts.facts.count(.fallbackTracks)
        if reason != Self.unreadable { batch.counts.facts.groups[.fallbacks, default: [:]][reason, default: 0] += 1 }
        let name = try texts.artistName()
        for name in name.isEmpty ? [] : decisions.names(insteadOf: name) {
          batch.add(ArtistMentions.Mention(name: 0..<name.count), Array(name))
        }
      } else {
        for mention in mentions.named {
          batch.add(mention, mentions.bytes, fingerprint: mention.fingerprint(in: mentions.bytes))
        }
      }
    }
    row.mentionsEnd = batch.mentions.count
    batch.rows.append(row)
  }

  /// A reason that the rejects file gives in more detail.
  private static let unreadable = "unreadable"

  /// Reads a track's document.
  ///
  /// - Returns: Why it mentions no artists; `nil` if it does.
  private func readDocument(_ key: Int64, _ batch: inout TrackBatch) throws -> String? {
    // First, so that the document's bytes have no other owner when they are overwritten.
    finding = PresetEvaluation.Finding()
    document.begin()
    var size = 0
    let isThere = try texts.forEachPieceOfJSON {
      size += $0.count
      document.read($0)
    }
    guard isThere else {
      // Without a document there is nothing to reject.
      _ = document.finish()
      return "no_json"
    }
    let outcome = document.finish()
    if outcome == .readable { finding = presets.evaluate(document.tree) }
    if outcome == .readable, presets.mayHaveTrackInside(finding, size: size) {
      document.begin(keepsAll: true)
      _ = try texts.forEachPieceOfJSON { document.read($0) }
      _ = document.finish()
      finding = presets.evaluateInside(document.tree) ?? finding
    }
    if !finding.mentions.named.isEmpty {
      finding.mentions.decide(&decisions)
      if finding.mentions.named.isEmpty { finding.shape = .ignoredArtists }
    }
    let cause = cause(outcome)
    if let cause { batch.rejects.append(RejectsCheck.Reject(key: key, entity: entity, cause: cause)) }
    switch outcome {
    case .blank: return "empty_json"
    case .unreadable: return Self.unreadable
    case .readable:
      batch.counts.readableDocuments += 1
      batch.counts.facts.count(.duplicateKeys, by: finding.duplicateKeyCount)
      if let preset = finding.preset { presetCounts[preset, default: 0] += 1 }
      return finding.mentions.named.isEmpty ? finding.shape.rawValue : nil
    }
  }

  /// Returns the reason why the document belongs in the rejects file, if it does.
  private func cause(_ outcome: DocumentReader.Outcome) -> RejectsCheck.Cause? {
    let mentions = finding.mentions
    if outcome == .unreadable { return .unreadable }
    if mentions.namelessCount > 0 {
      return mentions.named.isEmpty ? .fallback(finding.shape.rawValue) : .loss(.namelessArtists)
    }
    return mentions.longCount > 0 ? .loss(.longValues) : nil
  }
}

/// The document and the artist name of a track in the old library.
private struct TrackTexts {
  private let row: RowMergeCursor
  private let side: StoreSide
  private let table: String
  private let json: (name: String, place: Int)
  private let artist: (name: String, place: Int)

  init(
    _ row: RowMergeCursor, _ side: StoreSide, table: String, json: (name: String, place: Int),
    artistName: (name: String, place: Int)
  ) {
    self.row = row
    self.side = side
    self.table = table
    self.json = json
    artist = artistName
  }

  /// Whether they are read in pieces.
  var areLarge: Bool { row.isLarge }

  /// Passes the document, in one piece unless it is large; returns false if there is none.
  func forEachPieceOfJSON(_ body: (UnsafeRawBufferPointer) -> Void) throws(SQLiteError) -> Bool {
    guard row.isLarge else {
      return row.statement.withText(json.place) { text in
        if let text { body(text) }
        return text != nil
      }
    }
    let pieces = try ValuePieces(side, table: table, column: json.name, row: row.key, isRaw: false)
    guard pieces.type != "null" else { return false }
    while true {
      let piece = try pieces.next()
      if piece.isEmpty { return true }
      piece.withUnsafeBytes(body)
    }
  }

  /// The artist name, which is used without a document; empty if there is none.
  func artistName() throws(SQLiteError) -> [UInt8] {
    guard row.isLarge else { return row.statement.withText(artist.place) { $0.map { Array($0) } ?? [] } }
    let pieces = try ValuePieces(side, table: table, column: artist.name, row: row.key, isRaw: false)
    var name: [UInt8] = []
    while true {
      let piece = try pieces.next()
      if piece.isEmpty { return name }
      name += piece
    }
  }
}
