internal import Migration
internal import MigrationDiagnostics
internal import PersistentStore
internal import SQLiteDatabase

/// The tables of the new library, as an import reads and writes them.
final class ImportTables {
  /// The state of a key in the library.
  enum Known { case same, different, addedNow }
  /// An end of the links between tracks and artists.
  enum LinkSide {
    case track, artist

    var noun: String {
      switch self {
      case .track: "track"
      case .artist: "artist"
      }
    }
  }

  private let connection: Connection
  private let links: LinkBuffer
  /// Writes links at once, where the app has given their table a rule: what breaks it must be known by its line.
  private let linking: LinkWriter?
  private let rows: ImportedRows
  /// The join table of the old library, and its column for each end.
  private let oldJoin: (table: String, columns: [LinkSide: String])
  /// The query for the keys and titles of the old library's tracks.
  private let oldTitles: String
  /// The greatest keys that links of the old library name.
  private var greatestLinked: [LinkSide: Int64] = [:]
  private let artistRows, known, isOld, linked, insertion, update, unlinking, artist, artistUpdate: Statement

  init(_ manager: MigrationManager) throws {
    let store = manager.destinationStore
    let (schema, connection) = (store.schema, store.writer.connection)
    links = try store.links(forRelationship: "artists", ofEntityNamed: "Track")
    linking = try store.linkWriter(forRelationship: "artists", ofEntityNamed: "Track")
    rows = try ImportedRows(store)
    guard let join = schema.layouts.links(ofRelationship: "artists", ofEntityNamed: "Track"),
      let oldJoin = manager.sourceSchema.layouts.links(ofRelationship: "artists", ofEntityNamed: "Track"),
      let tracks = schema.table(forEntityNamed: "Track")?.name.quotedIdentifier,
      let artists = schema.table(forEntityNamed: "Artist")?.name.quotedIdentifier
    else { throw MigrationError(.migrationFailed, path: manager.sourcePath, detail: "it has no artists") }
    func columns(_ names: [String], _ entity: String) throws -> [String] {
      try names.map { name in
        guard let column = schema.column(forProperty: name, ofEntityNamed: entity) else {
          throw MigrationError(.migrationFailed, path: manager.sourcePath, detail: "'\(entity)' has no '\(name)'")
        }
        return column.name.quotedIdentifier
      }
    }
    let values = try columns(["title", "imageURL", "lastPlayedAt"], "Track")
    let details = try columns(["id", "imageURL", "name"], "Artist")
    func list(_ columns: [String], _ format: (String, Int) -> String, _ separator: String) -> String {
      zip(columns, 2...).map(format).joined(separator: separator)
    }
    let isEqual: (String, Int) -> String = { "\($0) IS ?\($1)" }
    let assignment: (String, Int) -> String = { "\($0) = ?\($1)" }
    artistRows = try connection.prepare(
      "SELECT Z_PK, \(details.joined(separator: ", ")) FROM main.\(artists) ORDER BY Z_PK")
    known = try connection.prepare("SELECT \(list(values, isEqual, " AND ")) FROM main.\(tracks) WHERE Z_PK = ?1")
    let old = StoreWriter.sourceDatabaseName
    oldTitles = "SELECT Z_PK, \(values[0]) FROM \(old).\(tracks) NOT INDEXED"
    isOld = try connection.prepare("SELECT 1 FROM \(old).\(tracks) WHERE Z_PK = ?1")
    // The new library gets its indexes at the end.
    linked = try connection.prepare(
      """
      SELECT \(oldJoin.destinationColumn.quotedIdentifier) FROM \(old).\(oldJoin.table.name.quotedIdentifier) \
      WHERE \(oldJoin.sourceColumn.quotedIdentifier) = ?1
      """)
    insertion = try connection.prepare(
      """
      INSERT OR ABORT INTO main.\(tracks) (Z_PK, Z_ENT, Z_OPT, \(values.joined(separator: ", "))) \
      VALUES (?1, \(schema.entityNumber("Track")), 1, ?2, ?3, ?4)
      """)
    update = try connection.prepare(
      "UPDATE OR ABORT main.\(tracks) SET \(list(values, assignment, ", ")) WHERE Z_PK = ?1")
    unlinking = try connection.prepare(
      """
      DELETE FROM main.\(join.table.name.quotedIdentifier) \
      WHERE \(join.sourceColumn.quotedIdentifier) = ?1 AND \(join.destinationColumn.quotedIdentifier) = ?2
      """)
    artist = try connection.prepare(
      "SELECT \(list(details, isEqual, " AND ")) FROM main.\(artists) WHERE Z_PK = ?1")
    artistUpdate = try connection.prepare(
      "UPDATE OR ABORT main.\(artists) SET \(list(details, assignment, ", ")) WHERE Z_PK = ?1")
    self.oldJoin = (
      oldJoin.table.name.quotedIdentifier,
      [.track: oldJoin.sourceColumn.quotedIdentifier, .artist: oldJoin.destinationColumn.quotedIdentifier]
    )
    // A link to a row that is gone must not lead to a new one.
    for (side, entity) in [(LinkSide.track, "Track"), (.artist, "Artist")] {
      guard let column = self.oldJoin.columns[side],
        let greatest = try connection.integer("SELECT max(\(column)) FROM \(old).\(self.oldJoin.table)")
      else { continue }
      store.primaryKeys(forEntityNamed: entity).reserve(upTo: greatest)
      greatestLinked[side] = greatest
    }
    self.connection = connection
  }

  /// The statement that deletes the links of the old library to a row that it does not have; `nil` if there are none.
  func deletionOfLinks(to side: LinkSide, _ key: Int64) throws -> String? {
    guard key <= greatestLinked[side] ?? 0, let column = oldJoin.columns[side] else { return nil }
    let links = "\(oldJoin.table) WHERE \(column) = \(key)"
    let hasLinks = try connection.integer("SELECT 1 FROM \(StoreWriter.sourceDatabaseName).\(links) LIMIT 1") != nil
    return hasLinks ? "DELETE FROM \(links)" : nil
  }

  /// Calls a closure with every artist of the library, in the order of their keys.
  func forEachArtist(
    _ identity: ArtistIdentity, _ body: (Int64, TrackBatch.Mention, UInt64, TrackBatch) throws -> Void
  ) throws {
    var batch = TrackBatch()
    while try artistRows.step() {
      func text(_ column: Int) -> TrackBatch.Text {
        artistRows.withText(column) { bytes in
          bytes.map { TrackBatch.Text(start: batch.bytes.appendMarked($0), count: $0.count) } ?? .none
        }
      }
      batch.bytes.removeAll(from: 0)
      batch.removeAll()
      var mention = TrackBatch.Mention(name: text(3))
      (mention.id, mention.imageURL) = (text(1), text(2))
      batch.append(mention, identity)
      try body(artistRows.integer(0), batch.mentions[0], batch.hashes[0], batch)
    }
    artistRows.reset()
  }

  /// Returns the state of a track's key in the library; `nil` if the library does not have it.
  func known(_ track: FeedLineReader.Track, _ key: Int64, _ texts: TrackBatch) throws -> Known? {
    if rows.canAppend(key) { return nil }
    try rows.finish()
    try bind(track, key, texts, to: known)
    defer { known.reset() }
    guard try known.step() else { return nil }
    let isSame = known.integer(0) == 1
    try isOld.bind(key, at: 1)
    defer { isOld.reset() }
    return try !isOld.step() ? .addedNow : isSame ? .same : .different
  }

  /// The artists that a track of the old library has.
  func artists(ofTrack key: Int64) throws -> Set<Int64> {
    try linked.bind(key, at: 1)
    var artists: Set<Int64> = []
    while try linked.step() { artists.insert(linked.integer(0)) }
    linked.reset()
    return artists
  }

  /// The tracks of the old library by title and artists.
  ///
  /// - Parameter meant: The artists that are meant in place of others.
  func matches(meant: [Int64: Int64], _ cancellation: MigrationCancellation) throws -> TrackMatches {
    var matches = TrackMatches(meant: meant)
    let rows = try connection.prepare(oldTitles)
    while try rows.step() {
      if cancellation.isCancelled { throw MigrationError(.interrupted) }
      let artists = try artists(ofTrack: rows.integer(0))
      rows.withText(1) { matches.insert($0, Array(artists)) }
    }
    return matches
  }

  func insert(_ track: FeedLineReader.Track, _ key: Int64, _ texts: TrackBatch) throws {
    if try rows.append(track, key, texts) { return }
    try bind(track, key, texts, to: insertion)
    try insertion.run()
  }

  /// Links a track with an artist.
  func link(_ track: Int64, _ artist: Int64) throws {
    if let linking { try linking.append(from: track, to: artist) } else { links.append(from: track, to: artist) }
  }

  /// Writes the rows that have not been written.
  func finish() throws { try rows.finish() }

  func replace(_ track: FeedLineReader.Track, _ key: Int64, _ texts: TrackBatch) throws {
    try bind(track, key, texts, to: update)
    try update.run()
    for artist in try artists(ofTrack: key) {
      try unlinking.bind(key, at: 1)
      try unlinking.bind(artist, at: 2)
      try unlinking.run()
    }
  }

  private func bind(
    _ track: FeedLineReader.Track, _ key: Int64, _ texts: TrackBatch, to statement: Statement
  ) throws {
    try statement.bind(key, at: 1)
    _ = try statement.bindBorrowed(texts: [texts.text(track.title), texts.text(track.imageURL)], from: 2)
    try statement.bind(track.lastPlayedAt, at: 4)
  }

  /// Whether the artist of a key is the one of a mention; `nil` if there is none.
  func isSame(_ mention: TrackBatch.Mention, _ key: Int64, _ batch: TrackBatch) throws -> Bool? {
    try bind(mention, key, batch, to: artist)
    defer { artist.reset() }
    return try artist.step() ? artist.integer(0) == 1 : nil
  }

  func replaceArtist(_ mention: TrackBatch.Mention, _ key: Int64, _ batch: TrackBatch) throws {
    try bind(mention, key, batch, to: artistUpdate)
    try artistUpdate.run()
  }

  private func bind(_ mention: TrackBatch.Mention, _ key: Int64, _ batch: TrackBatch, to statement: Statement) throws {
    try statement.bind(key, at: 1)
    _ = try statement.bindBorrowed(
      texts: [batch.text(mention.id), batch.text(mention.imageURL), batch.text(mention.name)], from: 2)
  }
}
