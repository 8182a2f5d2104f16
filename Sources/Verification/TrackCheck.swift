internal import DataModel
internal import JSONPresets
internal import PersistentStore
internal import SQLiteDatabase

/// Compares tracks, and derives the expected artists and links from their documents.
struct TrackCheck {
  private let old: StoreSide
  private let new: StoreSide
  private let log: DifferenceLog
  private let links: LinkCursor
  private let artists: ArtistCheck
  private let presets: PresetEvaluation
  private var decisions: DecisionReplay
  private var document: DocumentReader
  /// What the current document says.
  private var finding = PresetEvaluation.Finding()
  /// The expected and the actual links of the current track.
  private var expected: [Place] = []
  private var found: [Int64] = []
  /// The expected numbers; those of artists are known after `finish`.
  private(set) var counts = Verification.Counts()
  /// The tracks whose document belongs in the rejects file.
  private(set) var rejects: [RejectsCheck.Reject] = []
  /// The number of links of tracks in the new library.
  private var visitedLinkCount: Int64 = 0

  /// An expected artist of a track.
  private struct Place {
    let key: Int64?
    let place: Int
  }

  init(
    _ names: LinkNames, old: StoreSide, new: StoreSide, _ presets: PresetEvaluation,
    _ decisions: ArtistDecisions?, identifiesByID: Bool, log: DifferenceLog
  ) throws {
    self.presets = presets
    self.decisions = DecisionReplay(decisions)
    document = DocumentReader(keys: presets.keys)
    self.old = old
    self.new = new
    self.log = log
    links = try LinkCursor(names, new)
    artists = try ArtistCheck(names, new, identifiesByID: identifiesByID, log: log)
  }

  /// Checks the tracks of one entity.
  mutating func check(_ route: RowRoute, _ onRow: () throws -> Void) throws {
    let entity = route.source
    guard let table = old.schema.table(forEntityNamed: entity),
      let json = old.schema.column(forProperty: "json", ofEntityNamed: entity),
      let artistName = old.schema.column(forProperty: "artistName", ofEntityNamed: entity),
      let comparison = try RouteComparison(
        route, old: old, new: new, extraColumns: [json.name, artistName.name], keepsVersions: true, log: log)
    else { return }
    try links.restart()
    try comparison.run(.keys) { oldKey, newKey in
      if let oldKey {
        counts.tracks += 1
        let texts = TrackTexts(
          comparison.oldRow, old, table: table.name, json: (json.name, comparison.extraStart),
          artistName: (artistName.name, comparison.extraStart + 1))
        try readArtists(of: texts, entity, oldKey)
      }
      // Links of a missing track are dangling, and all reported at the end.
      if let newKey { try compareLinks(of: entity, newKey, isInOld: oldKey != nil) }
      try onRow()
    }
  }

  /// Checks artists, and links that belong to no track.
  mutating func finish() throws {
    if try links.count() != visitedLinkCount { try links.reportDangling(to: log) }
    try artists.finish()
    counts.decisionsByKind = decisions.counts
    (counts.artists, counts.contradictions) = (artists.mentionedCount, artists.contradictions)
  }

  /// Determines the expected artists of a track.
  private mutating func readArtists(of texts: TrackTexts, _ entity: String, _ key: Int64) throws {
    expected.removeAll(keepingCapacity: true)
    let reason = try readDocument(texts, entity, key)
    let mentions = finding.mentions
    counts.namelessArtists += mentions.namelessCount
    counts.longValues += mentions.longCount
    counts.splitNames += mentions.splitNameCount
    if reason == nil {
      for mention in mentions.named { add(try artists.place(of: mention, in: mentions)) }
    } else {
      counts.fallbacks += 1
      if let reason, reason != Self.unreadable { counts.fallbacksByReason[reason, default: 0] += 1 }
      let name = try texts.artistName()
      if !name.isEmpty {
        for name in decisions.names(insteadOf: name) { add(try artists.place(ofName: name)) }
      }
    }
    // An artist that a track mentions twice has one link.
    if expected.count > 1 {
      expected.sort { ($0.key ?? .min, $0.place) < ($1.key ?? .min, $1.place) }
      var last: Int?
      expected.removeAll { place in
        defer { last = place.place }
        return place.place == last
      }
    }
    if expected.isEmpty { counts.tracksWithoutArtist += 1 }
    counts.links += expected.count
  }

  private mutating func add(_ place: Int) {
    expected.append(Place(key: artists[place].primaryKey, place: place))
  }

  /// A reason that the rejects file gives in more detail.
  private static let unreadable = "unreadable"

  /// Reads a track's document.
  ///
  /// - Returns: Why it mentions no artists; `nil` if it does.
  private mutating func readDocument(_ texts: TrackTexts, _ entity: String, _ key: Int64) throws -> String? {
    document.begin()
    finding = PresetEvaluation.Finding()
    guard try texts.forEachPieceOfJSON({ document.read($0) }) else {
      // Without a document there is nothing to reject.
      _ = document.finish()
      return "no_json"
    }
    let outcome = document.finish()
    if outcome == .readable { finding = presets.evaluate(document.tree) }
    if !finding.mentions.named.isEmpty {
      finding.mentions.decide(&decisions)
      if finding.mentions.named.isEmpty { finding.shape = .ignoredArtists }
    }
    let cause = cause(outcome)
    if let cause { rejects.append(RejectsCheck.Reject(key: key, entity: entity, cause: cause)) }
    switch outcome {
    case .blank: return "empty_json"
    case .unreadable: return Self.unreadable
    case .readable:
      counts.readableDocuments += 1
      counts.duplicateKeys += finding.duplicateKeyCount
      if let preset = finding.preset { counts.documentsByPreset[presets.name(ofPreset: preset), default: 0] += 1 }
      return finding.mentions.named.isEmpty ? finding.shape.rawValue : nil
    }
  }

  /// Why the document belongs in the rejects file, if it does.
  private func cause(_ outcome: DocumentReader.Outcome) -> RejectsCheck.Cause? {
    let mentions = finding.mentions
    if outcome == .unreadable { return .unreadable }
    if mentions.namelessCount > 0 {
      return mentions.named.isEmpty ? .fallback(finding.shape.rawValue) : .namelessArtist
    }
    return mentions.longCount > 0 ? .longValue : nil
  }

  /// Compares the links of a track with the expected ones.
  private mutating func compareLinks(of entity: String, _ track: Int64, isInOld: Bool) throws {
    found.removeAll(keepingCapacity: true)
    try links.collect(ofTrack: track, &found)
    visitedLinkCount += Int64(found.count)
    // Both are in the order of keys.
    var rest = found[...]
    for place in isInOld ? expected : [] {
      if let key = place.key {
        while let first = rest.first, first < key {
          try addExtraLink(of: entity, track, artist: first)
          rest.removeFirst()
        }
        if rest.first == key {
          rest.removeFirst()
          continue
        }
      }
      try log.add(.missingLink) {
        ($0.entity, $0.row, $0.property) = (entity, track, "artists")
        $0.expected = try artists.describe(place: place.place)
      }
    }
    for key in rest { try addExtraLink(of: entity, track, artist: key) }
  }

  private func addExtraLink(of entity: String, _ track: Int64, artist: Int64) throws {
    try log.add(.extraLink) {
      ($0.entity, $0.row, $0.property) = (entity, track, "artists")
      $0.found = try artists.describe(row: artist)
    }
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

/// Walks the links of the new library in the order of their tracks.
private final class LinkCursor {
  private let names: LinkNames
  private let side: StoreSide
  private let statement: Statement
  private var current: (track: Int64, artist: Int64)?

  init(_ names: LinkNames, _ side: StoreSide) throws(SQLiteError) {
    self.names = names
    self.side = side
    let (track, artist) = (names.track.quotedIdentifier, names.artist.quotedIdentifier)
    statement = try side.connection.prepare(
      "SELECT \(track), \(artist) FROM \(names.table.quotedIdentifier) ORDER BY \(track), \(artist)")
  }

  /// Starts again with the first link.
  func restart() throws(SQLiteError) {
    statement.reset()
    try advance()
  }

  /// Appends the artists of a track; tracks must be requested in the order of their keys.
  func collect(ofTrack key: Int64, _ artists: inout [Int64]) throws(SQLiteError) {
    while let link = current, link.track < key { try advance() }
    while let link = current, link.track == key {
      artists.append(link.artist)
      try advance()
    }
  }

  /// The number of all links.
  func count() throws(SQLiteError) -> Int64 {
    try side.count(names.table)
  }

  /// Reports the links whose track does not exist.
  func reportDangling(to log: DifferenceLog) throws {
    let tracks = side.schema.model.entities.map(\.name).filter { side.schema.model.lineage(of: $0).contains("Track") }
    let numbers = tracks.map { "\(side.schema.entityNumber($0))" }.joined(separator: ", ")
    let isAlone = side.schema.table(forEntityNamed: "Track")?.entityNames.count == tracks.count
    let dangling = try side.connection.prepare(
      """
      SELECT \(names.track.quotedIdentifier), \(names.artist.quotedIdentifier) FROM \(names.table.quotedIdentifier) link
      WHERE NOT EXISTS (
        SELECT 1 FROM \(names.tracks.quotedIdentifier) track WHERE track.Z_PK = link.\(names.track.quotedIdentifier)
        \(isAlone ? "" : "AND track.Z_ENT IN (\(numbers))"))
      ORDER BY 1, 2
      """)
    while try dangling.step() {
      try log.add(.danglingLink) {
        ($0.entity, $0.row, $0.property) = ("Track", dangling.isNull(0) ? nil : dangling.integer(0), "artists")
        $0.found = dangling.isNull(1) ? "no artist" : "artist \(dangling.integer(1))"
      }
    }
  }

  private func advance() throws(SQLiteError) {
    current = try statement.step() ? (statement.integer(0), statement.integer(1)) : nil
  }
}
