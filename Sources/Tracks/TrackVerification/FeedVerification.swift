package import DataModel
package import FeedFiles
internal import Foundation
package import JSONPresets
internal import MigrationDiagnostics
package import PersistentStore
internal import SQLiteDatabase
package import Verification

/// Proves that a library is what importing a feed had to make of it.
///
/// The feed is read again by readers of this module, and the import is carried out once more in thought: which keys its
/// tracks and artists get, and which artists are the same. The library before the import is compared too.
package struct FeedVerification {
  private let feed: FeedSource
  private let model: ManagedObjectModel
  private let old: StoreReader?
  private let new: StoreReader
  /// The places of artists: a shape for feeds.
  package var json = JSONShape.auto.ofFeed(titlePath: nil, playedPath: nil)
  package var roles: Set<ArtistRole>?
  package var decisions: ArtistDecisions?
  package var identifiesByID = false
  /// Whether the feed's keys were ignored.
  package var ignoresKeys = false
  /// The details by which lines without a known key are tracks that the library already had.
  package var matching: TrackMatching?
  /// The path of the rejects; `nil` if there are none.
  package var rejectsPath: String?
  /// Whether the import has just made that file.
  package var isRejectsFileNew = false
  /// The tables, columns, indexes, views and triggers that the import has reported as left behind.
  package var explained: Set<String> = []
  /// Whether it has reported that links to missing rows were left out.
  package var dropsDanglingLinks = false
  package var isCancelled: () -> Bool = { false }

  /// - Parameter old: The library before the import; `nil` if there was none.
  package init(_ feed: FeedSource, _ model: ManagedObjectModel, old: StoreReader?, new: StoreReader) {
    (self.feed, self.model, self.old, self.new) = (feed, model, old, new)
  }

  /// Compares the library with the feed.
  ///
  /// - Returns: What the library had to have; `nil` if its rows cannot be compared, which is a difference.
  package func run(_ log: DifferenceLog) throws -> RequiredCounts? {
    try (old ?? new).compared(with: new, isCancelled) {
      let comparison = try FeedComparison(self, model, old: old, new: new, log: log)
      // What others commit meanwhile is not seen, and no row has to lock the store for itself.
      return try new.connection.reading { try (old ?? new).connection.reading { try comparison.run() } }
    } damaged: { message in
      try log.add(.damage) { $0.found = message }
    }
  }

  fileprivate func forEachLine(_ body: (_ number: Int, [UInt8]) throws -> Void) throws {
    let lines = try LineReader(
      feed, advice: "Name the feed that was imported.",
      isCancelled: isCancelled)
    while let line = try lines.next() {
      if lines.number.isMultiple(of: 1024), isCancelled() { throw MigrationError(.interrupted, path: feed.path) }
      try body(lines.number, line)
    }
  }
}

/// An artist that there has to be.
private struct Artist {
  var details: RequiredArtist
  /// The decision that means it; `nil` if that means another artist.
  var identity: [UInt8]?
  /// Whether only an `artistName` has mentioned it.
  var isNameOnly = false
  /// Whether the feed has it without a key.
  var isNumbered = false

  /// Whether another mention may say what this artist lacks.
  var isIncomplete: Bool { isNameOnly || details.id?.isEmpty != false || details.imageURL?.isEmpty != false }

  /// Takes what another mention says and this artist lacks.
  mutating func complete(with other: RequiredArtist) {
    if isNameOnly {
      (details.id, details.imageURL, isNameOnly) = (other.id, other.imageURL, false)
      return
    }
    if details.id?.isEmpty != false, other.id?.isEmpty == false { details.id = other.id }
    if details.imageURL?.isEmpty != false, other.imageURL?.isEmpty == false { details.imageURL = other.imageURL }
  }
}

/// One comparison of a library with a feed.
private final class FeedComparison {
  private let verification: FeedVerification
  private let log: DifferenceLog
  private let old: StoreSide?
  private let new: StoreSide
  private let names: LinkNames
  private let columns: [String]
  /// The tracks and the links of the new library.
  private let (tracks, newLinks): (RowsByKey, RowsByKey)
  /// The artists of a track in the library before the import.
  private let oldLinks: Statement?
  private var artists: [Int64: Artist] = [:]
  /// The keys of the artists before the import.
  private var oldArtistKeys: Set<Int64> = []
  /// The artists that identities mean.
  private var places: [[UInt8]: Int64] = [:]
  private var nextArtist: Int64 = 1
  private var nextTrack: Int64 = 1
  /// The tracks that the feed has added or replaced.
  private var written = KeySet()
  /// The artists of the old library's tracks, by title.
  private var oldTracks: [[UInt8]: Set<Set<Int64>>] = [:]
  /// The artists of the old library that are meant in place of others, whose identity they share.
  private var meant: [Int64: Int64] = [:]
  private var rejects: [(number: Int, line: [UInt8])] = []
  private var counts = RequiredCounts()

  init(
    _ verification: FeedVerification, _ model: ManagedObjectModel, old: StoreReader?, new: StoreReader,
    log: DifferenceLog
  ) throws {
    let schema = try StoreSchema(model, introspecting: new)
    guard let names = LinkNames(schema) else { throw MigrationError(.migrationRequired, path: new.file.path) }
    (self.verification, self.log, self.names) = (verification, log, names)
    self.new = StoreSide(reader: new, schema: schema)
    self.old = try old.map { StoreSide(reader: $0, schema: try StoreSchema(model, introspecting: $0)) }
    columns = RequiredTrack.properties.compactMap {
      schema.column(forProperty: $0, ofEntityNamed: "Track")?.name.quotedIdentifier
    }
    oldLinks = try old.map { try $0.connection.prepare(names.artistsOfTrack) }
    let (track, artist) = (names.track.quotedIdentifier, names.artist.quotedIdentifier)
    newLinks = RowsByKey(
      try new.connection.prepare(
        "SELECT \(track), \(artist) FROM \(names.table.quotedIdentifier) WHERE \(track) >= ? ORDER BY \(track), \(artist)"
      ))
    tracks = RowsByKey(
      try new.connection.prepare(
        """
        SELECT Z_PK, \(columns.joined(separator: ", ")) FROM \(names.tracks.quotedIdentifier) WHERE Z_PK >= ? ORDER BY Z_PK
        """))
  }

  func run() throws -> RequiredCounts? {
    let side = old ?? new
    let store = StoreCheck(old: side, new: new, log: log)
    // A new library has nothing of an app's; any other keeps all that it had.
    var hasTables = true
    if let old {
      hasTables = try ContentCheck(old: old, new: new, explained: verification.explained, log: log).run()
    } else {
      hasTables = try store.checkSchema(besides: [])
    }
    guard try store.checkIntegrity(), hasTables else { return nil }
    try store.checkPrimaryKeys(keepsRows: old != nil)
    try readOld()
    var feed = FeedEvaluation(verification.json, roles: verification.roles, verification.decisions)
    try verification.forEachLine { number, line in
      guard var track = feed.read(line) else { return rejects.append((number, line)) }
      if verification.ignoresKeys { track.key = nil }
      if let key = track.key, written.contains(key) { return rejects.append((number, line)) }
      if hasTakenKey(track) { return rejects.append((number, line)) }
      if track.isRejected { rejects.append((number, line)) }
      try check(track)
    }
    try checkOldRows()
    try checkArtists()
    for (entity, table) in [("Track", names.tracks), ("Artist", names.artists)] {
      let rows = try new.connection.prepare(
        "SELECT Z_PK, Z_ENT FROM \(table.quotedIdentifier) WHERE Z_ENT IS NOT \(new.schema.entityNumber(entity))")
      while try rows.step() {
        // The library's own rows are as they were.
        if let row = try old?.row(rows.integer(0), of: table, ["Z_ENT"]), StoredValue.areEqual(row, 0, rows, 1) {
          continue
        }
        try log.add(.value) { ($0.entity, $0.row, $0.property) = (entity, rows.integer(0), "Z_ENT") }
      }
    }
    for (table, expected) in [(names.tracks, counts.tracks), (names.table, counts.links)] {
      let found = try new.count(table)
      if found != expected {
        try log.add(table == names.table ? .extraLink : .extraRow) {
          ($0.entity, $0.expected, $0.found) = (table, "\(expected.counting("row"))", "\(found)")
        }
      }
    }
    try checkRejects()
    return counts
  }

  // MARK: - Before the import

  private func readOld() throws {
    guard let old else { return }
    for (entity, name, column) in [("Track", names.tracks, names.track), ("Artist", names.artists, names.artist)] {
      let key = try old.connection.integer("SELECT max(Z_PK) FROM \(name.quotedIdentifier)") ?? 0
      let greatest = old.reader.primaryKeys.first { $0.entityName == entity }?.greatestKey ?? 0
      // A link to a row that is gone must not lead to a new one.
      let linked =
        try old.connection.integer("SELECT max(\(column.quotedIdentifier)) FROM \(names.table.quotedIdentifier)") ?? 0
      let next = Self.key(after: max(key, greatest, linked))
      if entity == "Track" { nextTrack = next } else { nextArtist = next }
    }
    // An index of the app's own may need what only the app has.
    func count(_ rows: String) throws(SQLiteError) -> Int {
      Int(try old.connection.integer("SELECT count(*) FROM \(rows)") ?? 0)
    }
    counts.tracks = try count("\(names.tracks.quotedIdentifier) NOT INDEXED")
    counts.links = try count(
      verification.dropsDanglingLinks ? names.liveLinks : "\(names.table.quotedIdentifier) NOT INDEXED")
    try names.forEachArtist(in: old.connection) { key, row in
      let artist = Self.artist(in: row)
      artists[key] = Artist(details: artist)
      oldArtistKeys.insert(key)
      meant[key] = places[identity(artist.name, artist.id, 0)]
      remember(identity(artist.name, artist.id, 0), key)
    }
    guard verification.matching != nil, let title = columns.first else { return }
    let rows = try old.connection.prepare("SELECT Z_PK, \(title) FROM \(names.tracks.quotedIdentifier) NOT INDEXED")
    while try rows.step() {
      guard let title = rows.bytes(1) else { continue }
      oldTracks[title, default: []].insert(meantArtists(try oldLinks?.artists(ofTrack: rows.integer(0)) ?? []))
    }
  }

  private func meantArtists(_ keys: some Sequence<Int64>) -> Set<Int64> { Set(keys.map { meant[$0] ?? $0 }) }

  /// The artists of a track before the import, as far as their links come along.
  private func oldArtists(ofTrack key: Int64) throws -> [Int64] {
    let artists = try oldLinks?.artists(ofTrack: key) ?? []
    return verification.dropsDanglingLinks ? artists.filter { oldArtistKeys.contains($0) } : artists
  }

  /// The key of the next row; after the last one an import finds none, and fails.
  private static func key(after key: Int64) -> Int64 { key < .max ? key + 1 : key }

  private static func artist(in row: Statement) -> RequiredArtist {
    RequiredArtist(name: row.bytes(1), id: row.bytes(2), imageURL: row.bytes(3))
  }

  private func remember(_ identity: [UInt8], _ key: Int64) {
    guard identity.count > 1, places[identity] == nil else { return }
    places[identity] = key
    artists[key]?.identity = identity
  }

  private func identity(
    _ name: (some Collection<UInt8>)?, _ id: (some Collection<UInt8>)?, _ namespace: Int
  ) -> [UInt8] {
    guard verification.identifiesByID, let id, !id.isEmpty else { return [0] + (name.map { Array($0) } ?? []) }
    return [UInt8(truncatingIfNeeded: namespace + 1)] + id
  }

  // MARK: - Tracks

  private func check(_ wanted: FeedEvaluation.Track) throws {
    var known: RequiredTrack?
    if let key = wanted.key, let row = try old?.row(key, of: names.tracks, unquotedColumns) {
      known = Self.track(in: row, from: 0)
    }
    let isSame = known == wanted.values
    if isSame, let key = wanted.key, let linked = try expectedArtists(of: wanted, creates: false),
      linked == Set(try oldArtists(ofTrack: key))
    {
      return
    }
    if known == nil, !wanted.isOnlyArtist, let alike = wanted.values.title.flatMap({ oldTracks[$0] }),
      let linked = try expectedArtists(of: wanted, creates: false), alike.contains(meantArtists(linked))
    {
      return
    }
    let linked = try expectedArtists(of: wanted, creates: true) ?? Set()
    if wanted.isOnlyArtist { return }
    let key = wanted.key ?? nextTrack
    nextTrack = max(nextTrack, Self.key(after: key))
    if known != nil {
      counts.links -= try oldArtists(ofTrack: key).count
    } else {
      counts.tracks += 1
    }
    counts.links += linked.count
    written.insert(key)
    try compare(key, wanted.values, linked)
  }

  private static func track(in row: Statement, from column: Int) -> RequiredTrack {
    RequiredTrack(
      title: row.bytes(column), imageURL: row.bytes(column + 1),
      lastPlayedAt: row.isNull(column + 2) ? nil : row.real(column + 2))
  }

  private var unquotedColumns: [String] { columns.map { String($0.dropFirst().dropLast()) } }

  private func compare(_ key: Int64, _ wanted: RequiredTrack, _ linked: Set<Int64>) throws {
    var isThere = false
    try tracks.forEach(key) { row in
      isThere = true
      try log.compare(row, with: wanted)
    }
    guard isThere else { return try log.add(.missingRow) { ($0.entity, $0.row) = ("Track", key) } }
    var links: [Int64] = []
    try newLinks.forEach(key) { link in
      if links.last != link.integer(1) { links.append(link.integer(1)) }
    }
    guard links.count != linked.count || !links.allSatisfy(linked.contains) else { return }
    let found = Set(links)
    for artist in linked.subtracting(found).sorted() { try log.addMissingLink(ofTrack: key, toArtist: artist) }
    for artist in found.subtracting(linked).sorted() { try log.addExtraLink(ofTrack: key, toArtist: artist) }
  }

  private func artist(_ mention: ArtistMentions.Mention, of track: FeedEvaluation.Track) -> RequiredArtist {
    func text(_ range: Range<Int>?) -> [UInt8]? { range.map { Array(track.mentions.bytes[$0]) } }
    return RequiredArtist(name: text(mention.name), id: text(mention.id), imageURL: text(mention.imageURL))
  }

  /// The key of an artist in the feed; `nil` if it has none, or if keys are ignored.
  private func givenKey(_ mention: ArtistMentions.Mention, of track: FeedEvaluation.Track) -> Int64? {
    guard !verification.ignoresKeys, let range = mention.key else { return nil }
    return Int64(String(decoding: track.mentions.bytes[range], as: UTF8.self))
  }

  /// Whether a line has the key that an artist without one was given, for another artist.
  private func hasTakenKey(_ track: FeedEvaluation.Track) -> Bool {
    track.mentions.named.contains { mention in
      guard let key = givenKey(mention, of: track), let known = artists[key], known.isNumbered else { return false }
      return known.details != artist(mention, of: track)
    }
  }

  /// The keys of the artists that a line names.
  ///
  /// - Returns: `nil` if one of them is new, and must not become one.
  private func expectedArtists(of track: FeedEvaluation.Track, creates: Bool) throws -> Set<Int64>? {
    var keys: Set<Int64> = []
    for mention in track.mentions.named {
      let bytes = track.mentions.bytes
      let identity = identity(mention.name.map { bytes[$0] }, mention.id.map { bytes[$0] }, mention.namespace)
      if let given = givenKey(mention, of: track), verification.decisions == nil || places[identity] == nil {
        let artist = artist(mention, of: track)
        if artists[given]?.details != artist {
          guard creates else { return nil }
          let known = artists[given]?.identity
          artists[given] = Artist(details: artist, isNameOnly: track.isFallback)
          if let known { places[known] = nil }
          remember(identity, given)
          nextArtist = max(nextArtist, Self.key(after: given))
        }
        keys.insert(given)
      } else if let key = places[identity] {
        if creates, !track.isFallback, artists[key]?.isIncomplete == true {
          artists[key]?.complete(with: artist(mention, of: track))
        }
        keys.insert(key)
      } else if creates {
        let artist = artist(mention, of: track)
        let meant = identity.count > 1 ? identity : nil
        artists[nextArtist] = Artist(
          details: artist, identity: meant, isNameOnly: track.isFallback, isNumbered: true)
        if let meant { places[meant] = nextArtist }
        keys.insert(nextArtist)
        nextArtist = Self.key(after: nextArtist)
      } else {
        return nil
      }
    }
    return keys
  }

  // MARK: - Afterwards

  private func checkArtists() throws {
    counts.artists = artists.count
    var found = KeySet()
    try names.forEachArtist(in: new.connection) { key, row in
      guard let wanted = artists[key] else {
        return try log.add(.extraArtist) {
          ($0.entity, $0.row, $0.found) = ("Artist", key, StoredValue.text(row, 1))
        }
      }
      found.insert(key)
      try log.compare(row, with: wanted.details)
    }
    guard found.count < artists.count else { return }
    let missing = artists.filter { !found.contains($0.key) }
    for (key, artist) in missing.sorted(by: { $0.key < $1.key }) { try log.addMissing(artist.details, key) }
  }

  /// Makes sure that the tracks of the old library that the feed does not mention are as they were.
  private func checkOldRows() throws {
    guard let old else { return }
    let rows = try old.connection.prepare(
      "SELECT Z_PK, \(columns.joined(separator: ", ")) FROM \(names.tracks.quotedIdentifier) ORDER BY Z_PK")
    while try rows.step() {
      let key = rows.integer(0)
      guard !written.contains(key) else { continue }
      try compare(key, Self.track(in: rows, from: 1), Set(try oldArtists(ofTrack: key)))
    }
  }

  private func checkRejects() throws {
    struct Line: Decodable {
      let line: Int
      let json: String?
      let jsonBase64: String?
    }
    // Without rejects, the file is one of an earlier import.
    guard !rejects.isEmpty || verification.isRejectsFileNew else { return }
    let lines = try verification.rejectsPath.map { path in
      try FileSystem.contents(of: path).split(separator: 0x0a).map {
        try? JSONDecoder().decode(Line.self, from: Data($0))
      }
    }
    for (place, reject) in rejects.enumerated() {
      let found = lines.flatMap { place < $0.count ? $0[place] : nil } ?? nil
      let text = found.flatMap {
        $0.json.map { Array($0.utf8) } ?? $0.jsonBase64.flatMap { Data(base64Encoded: $0).map(Array.init) }
      }
      guard found?.line != reject.number || text != reject.line else { continue }
      try log.add(.rejects) {
        ($0.expected, $0.found) = ("line \(reject.number) of the feed", found.map { "line \($0.line)" })
      }
    }
    if let lines, lines.count > rejects.count {
      try log.add(.rejects) { ($0.expected, $0.found) = (rejects.count.counting("line"), "\(lines.count)") }
    }
  }
}

extension LinkNames {
  /// The query for the artists of one track.
  fileprivate var artistsOfTrack: String {
    "SELECT \(artist.quotedIdentifier) FROM \(table.quotedIdentifier) WHERE \(track.quotedIdentifier) = ?"
  }

  /// The links whose track and artist exist, for a query.
  fileprivate var liveLinks: String {
    """
    \(table.quotedIdentifier) NOT INDEXED WHERE \(artist.quotedIdentifier) IN (SELECT Z_PK FROM \(artists.quotedIdentifier) NOT INDEXED)
    AND \(track.quotedIdentifier) IN (SELECT Z_PK FROM \(tracks.quotedIdentifier) NOT INDEXED)
    """
  }

  fileprivate func forEachArtist(in connection: Connection, _ body: (Int64, Statement) throws -> Void) throws {
    let columns = [name, id, imageURL].map(\.quotedIdentifier).joined(separator: ", ")
    let rows = try connection.prepare("SELECT Z_PK, \(columns) FROM \(artists.quotedIdentifier) ORDER BY Z_PK")
    while try rows.step() { try body(rows.integer(0), rows) }
  }
}

extension Statement {
  /// The keys of the artists of a track.
  fileprivate func artists(ofTrack key: Int64) throws(SQLiteError) -> [Int64] {
    reset()
    try bind(key, at: 1)
    var keys: [Int64] = []
    while try step() { keys.append(integer(0)) }
    reset()
    return keys
  }
}
