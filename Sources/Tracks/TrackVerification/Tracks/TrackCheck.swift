internal import DataModel
internal import MigrationDiagnostics
internal import PersistentStore
internal import SQLiteDatabase
internal import Verification

/// Compares tracks, their artists and links with what follows from their documents.
///
/// The values of the rows are compared, and the documents read, by ``TrackBatches``, possibly on other threads. Here is
/// what depends on the order of the tracks: which artist is new, and what is reported.
struct TrackCheck {
  private let old: StoreSide
  private let new: StoreSide
  private let log: DifferenceLog
  private let links: LinkCursor
  private var artists: ArtistCheck
  private let reading: TrackReading
  /// The expected and the actual links of the current track.
  private var expected: [ArtistPlace] = []
  /// The artists of the current batch's mentions, as far as these have been compared before.
  private var known: [ArtistPlace?] = []
  private var found: [Int64] = []
  /// The expected numbers; those of artists are known after `finish`.
  private(set) var counts = LibraryComparison.Counts()
  /// The tracks whose document belongs in the rejects file.
  private(set) var rejects: [RejectsCheck.Reject] = []
  /// The number of links of tracks in the new library.
  private var visitedLinkCount: Int64 = 0

  init(
    _ names: LinkNames, old: StoreSide, new: StoreSide, _ reading: TrackReading, identifiesByID: Bool,
    _ artistHash: @escaping (ArraySlice<UInt8>) -> UInt32, log: DifferenceLog
  ) throws {
    (self.old, self.new, self.log, self.reading) = (old, new, log, reading)
    links = try LinkCursor(names, new)
    artists = try ArtistCheck(names, new, identifiesByID: identifiesByID, artistHash, log: log)
  }

  /// Checks the tracks of one entity.
  mutating func check(_ route: RowRoute, _ onRow: () throws -> Void) throws {
    guard let batches = try TrackBatches(route, old: old, new: new, reading) else { return }
    try links.restart()
    while let batch = try batches.next() {
      counts.add(batch.counts)
      rejects += batch.rejects
      artists.findKnown(batch.fingerprints, &known)
      guard batch.hasDifferences else {
        for place in batch.rows.indices { try check(place, of: batch, route.source, onRow) }
        continue
      }
      // Once more, to report what differs together with what is wrong with the artists of each track.
      var place = 0
      try RouteComparison(route, old: old, new: new, keepsVersions: true, log: log)?.run(.keys, in: batch.keys) {
        guard place < batch.rows.count, batch.rows[place].old == $0, batch.rows[place].new == $1 else {
          throw MigrationError(.changedMeanwhile, path: old.reader.file.path)
        }
        try check(place, of: batch, route.source, onRow)
        place += 1
        return true
      }
    }
  }

  /// Checks artists, and links that belong to no track.
  mutating func finish() throws {
    if try links.count() != visitedLinkCount { try links.reportDangling(to: log) }
    try artists.finish()
    counts.facts.add(artists.contradictions)
    counts.facts[.artists] = artists.mentionedCount
  }

  /// Checks the artists and links of one track.
  private mutating func check(
    _ place: Int, of batch: TrackBatch, _ entity: String, _ onRow: () throws -> Void
  ) throws {
    let row = batch.rows[place]
    if row.old != nil { try findArtists(place, of: batch) }
    // Links of a missing track are dangling, and all reported at the end.
    if let key = row.new { try compareLinks(of: entity, key, isInOld: row.old != nil) }
    try onRow()
  }

  /// Determines the expected artists of a track.
  private mutating func findArtists(_ place: Int, of batch: TrackBatch) throws {
    expected.removeAll(keepingCapacity: true)
    let start = place == 0 ? 0 : batch.rows[place - 1].mentionsEnd
    for number in start..<batch.rows[place].mentionsEnd {
      if let artist = known[number] {
        expected.append(artist)
      } else if batch.rows[place].isFallback, let name = batch.mentions[number].name {
        expected.append(try artists.place(ofName: batch.bytes[name]))
      } else {
        expected.append(try artists.place(of: batch.mentions[number], batch.fingerprints[number], in: batch.bytes))
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
    if expected.isEmpty { counts.facts.count(.tracksWithoutArtist) }
    counts.facts.count(.links, by: expected.count)
  }

  /// Compares the links of a track with the expected ones.
  private mutating func compareLinks(of entity: String, _ track: Int64, isInOld: Bool) throws {
    found.removeAll(keepingCapacity: true)
    try links.collect(ofTrack: track, &found)
    visitedLinkCount += Int64(found.count)
    // Both are in the order of keys.
    var next = 0
    for place in isInOld ? expected : [] {
      if let key = place.key {
        while next < found.count, found[next] < key {
          try addExtraLink(of: entity, track, artist: found[next])
          next += 1
        }
        if next < found.count, found[next] == key {
          next += 1
          artists.noteLink(to: place)
          continue
        }
      }
      try log.add(.missingLink) {
        ($0.entity, $0.row, $0.property) = (entity, track, "artists")
        $0.expected = try artists.describe(place: place.place)
      }
    }
    for key in found[next...] { try addExtraLink(of: entity, track, artist: key) }
  }

  private func addExtraLink(of entity: String, _ track: Int64, artist: Int64) throws {
    try log.add(.extraLink) {
      ($0.entity, $0.row, $0.property) = (entity, track, "artists")
      $0.found = try artists.describe(row: artist)
    }
  }
}
