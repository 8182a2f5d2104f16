internal import DataModel
internal import PersistentStore
internal import SQLite

/// Compares tracks, and judges by their documents which artists and links there have to be.
struct TrackCheck {
  private let old: StoreSide
  private let new: StoreSide
  private let log: DifferenceLog
  private let links: LinkWalk
  private let artists: ArtistCheck
  private var document = ArtistDocument()
  /// The links of the current track: those that have to be there, and those that are.
  private var expected: [Place] = []
  private var found: [Int64] = []
  private(set) var counts = Counts()
  /// The tracks whose document the rejects file has to keep.
  private(set) var rejects: [RejectsCheck.Reject] = []
  /// The links that belong to a track of either side.
  private var visitedLinkCount: Int64 = 0

  /// An artist that a track has to have.
  private struct Place {
    let key: Int64?
    let place: Int
  }

  /// What there has to be.
  struct Counts {
    var tracks = 0
    var links = 0
    var fallbacks = 0
    var tracksWithoutArtist = 0
    var namelessArtists = 0
    var longValues = 0
  }

  init(_ names: LinkNames, old: StoreSide, new: StoreSide, identifiesByID: Bool, log: DifferenceLog) throws {
    self.old = old
    self.new = new
    self.log = log
    links = try LinkWalk(names, new)
    artists = try ArtistCheck(names, new, identifiesByID: identifiesByID, log: log)
  }

  /// The number of artists that there have to be.
  var artistCount: Int { artists.mentionedCount }

  /// Checks one kind of tracks.
  mutating func check(_ entity: EntityDescription, _ onRow: () throws -> Void) throws {
    guard let table = old.schema.table(forEntityNamed: entity.name),
      let json = old.schema.column(forProperty: "json", ofEntityNamed: entity.name),
      let artistName = old.schema.column(forProperty: "artistName", ofEntityNamed: entity.name),
      let comparison = try EntityComparison(
        entity, old: old, new: new, extraColumns: [json.name, artistName.name], log: log)
    else { return }
    try links.restart()
    try comparison.run { row in
      if row.isInOld {
        counts.tracks += 1
        let texts = TrackTexts(
          comparison.oldRow, old, table: table.name, json: (json.name, comparison.extraStart),
          artistName: (artistName.name, comparison.extraStart + 1))
        try readArtists(of: texts, entity.name, row.key)
      }
      try compareLinks(of: entity.name, row)
      try onRow()
    }
  }

  /// Looks at what belongs to no track.
  mutating func finish() throws {
    if try links.count() != visitedLinkCount { try links.reportDangling(to: log) }
    try artists.finish()
  }

  /// Finds out which artists a track has to have.
  private mutating func readArtists(of texts: TrackTexts, _ entity: String, _ key: Int64) throws {
    expected.removeAll(keepingCapacity: true)
    let isReadable = try readDocument(texts, entity, key)
    counts.namelessArtists += document.mentions.namelessCount
    counts.longValues += document.mentions.longCount
    if isReadable, !document.mentions.named.isEmpty {
      for mention in document.mentions.named {
        add(try artists.place(of: mention, in: document.mentions))
      }
    } else {
      counts.fallbacks += 1
      let name = try texts.artistName()
      if !name.isEmpty { add(try artists.place(ofName: name)) }
    }
    // The same artist twice in one track is one link.
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

  private mutating func readDocument(_ texts: TrackTexts, _ entity: String, _ key: Int64) throws -> Bool {
    document.begin()
    guard try texts.forEachPieceOfJSON({ document.read($0) }) else {
      // Without a document there is nothing to keep.
      _ = document.finish()
      return false
    }
    let outcome = document.finish()
    let cause = cause(outcome)
    if let cause { rejects.append(RejectsCheck.Reject(key: key, entity: entity, cause: cause)) }
    return outcome == .readable
  }

  /// Why the rejects file has to keep the document, if it has to.
  private func cause(_ outcome: ArtistDocument.Outcome) -> RejectsCheck.Cause? {
    let mentions = document.mentions
    if outcome == .unreadable { return .unreadable }
    if mentions.namelessCount > 0 { return mentions.named.isEmpty ? .noUsableArtist : .namelessArtist }
    return mentions.longCount > 0 ? .longValue : nil
  }

  /// Compares the links of a track with those that it has to have.
  private mutating func compareLinks(of entity: String, _ row: EntityComparison.Row) throws {
    found.removeAll(keepingCapacity: true)
    try links.collect(ofTrack: row.key, &found)
    if row.isInNew { visitedLinkCount += Int64(found.count) }
    // The links of a track that is not there lead nowhere, which is told of all of them in the end.
    guard row.isInNew else { return }
    // Both are in the order of keys.
    var rest = found[...]
    for place in row.isInOld ? expected : [] {
      if let key = place.key {
        while let first = rest.first, first < key {
          try addExtraLink(of: entity, row.key, artist: first)
          rest.removeFirst()
        }
        if rest.first == key {
          rest.removeFirst()
          continue
        }
      }
      try log.add(.missingLink) {
        ($0.entity, $0.row, $0.property) = (entity, row.key, "artists")
        $0.expected = try artists.describe(place: place.place)
      }
    }
    for key in rest { try addExtraLink(of: entity, row.key, artist: key) }
  }

  private func addExtraLink(of entity: String, _ track: Int64, artist: Int64) throws {
    try log.add(.extraLink) {
      ($0.entity, $0.row, $0.property) = (entity, track, "artists")
      $0.found = try artists.describe(row: artist)
    }
  }
}
