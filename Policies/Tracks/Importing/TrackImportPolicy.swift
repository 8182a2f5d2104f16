internal import DataModel
package import JSONPresets
package import Migration
package import MigrationDiagnostics
internal import PersistentStore
internal import SQLiteDatabase

/// The lines of a feed.
package protocol TrackFeed: AnyObject {
  /// The number of the line that was read last, from 1.
  var lineNumber: Int { get }
  /// What messages call it.
  var name: String { get }
  /// Reads the next line, whose bytes are valid until the next call; `nil` at the end.
  func nextLine() throws(MigrationError) -> UnsafeRawBufferPointer?
}

/// Options for the import of tracks.
package struct TrackImportOptions: Sendable {
  /// Where artists are looked for, and what identifies them.
  package var tracks = TrackMigrationOptions()
  /// Where a line has its title, instead of where the presets say.
  package var titlePath: JSONPath?
  /// Where a line has the time at which its track was last played.
  package var playedPath: JSONPath?
  /// Whether a track of a known key is replaced if it has other values.
  package var replaces = false
  /// Whether keys are ignored, so that every line is a new track.
  package var ignoresKeys = false

  package init() {}
}

/// The names of what an import counts, in `MigrationStatistics`.
package enum ImportCounter {
  package static let added = "import.added"
  package static let replaced = "import.replaced"
  /// Tracks that the library has already.
  package static let skipped = "import.skipped"
  package static let rejected = "import.rejected"
  package static let addedArtists = "import.added_artists"
  package static let replacedArtists = "import.replaced_artists"
  /// What changes the library.
  package static let changes = [added, replaced, addedArtists, replacedArtists, rejected, TrackCounter.lateDetails]
}

/// Adds the tracks of a feed to the new library, once the old one's tracks and artists have been copied.
///
/// It belongs to a mapping without a source, so the engine never prepares rows for it.
package final class TrackImportPolicy: EntityMigrationPolicy, BatchMigrationPolicy {
  /// The name that the mapping model uses.
  package static let className = "TrackImportPolicy"

  private let feed: any TrackFeed
  private let options: TrackImportOptions
  private var tables: ImportTables?
  private var registry: ArtistRegistry?
  /// The keys of replaced tracks, whose links are not written yet.
  private var replaced: Set<Int64> = []

  /// Creates the policy.
  package init(_ feed: any TrackFeed, options: TrackImportOptions) {
    (self.feed, self.options) = (feed, options)
  }

  package var preparedAttributes: [String] { [] }
  package func makePreparer(for mapping: EntityMapping, manager: MigrationManager) -> TrackPreparer {
    TrackPreparer(PresetTrie(options.tracks.json), options: options.tracks)
  }
  package func apply(_ batch: TrackBatch, in mapping: EntityMapping, manager: MigrationManager) {}

  override public func begin(_ mapping: EntityMapping, with manager: MigrationManager) throws {
    registry = try ArtistRegistry.shared(by: manager, identity: options.tracks.identity)
    tables = try ImportTables(manager)
  }

  override public func endInstanceCreation(forMapping mapping: EntityMapping, manager: MigrationManager) throws {
    guard let registry, let tables else { return }
    try tables.forEachArtist(options.tracks.identity) { key, mention, hash, batch in
      registry.adopt(key, for: mention, hash: hash, in: batch, manager)
    }
    let reader = FeedLineReader(options.tracks, titlePath: options.titlePath, playedPath: options.playedPath)
    while let line = try feed.nextLine() {
      if feed.lineNumber.isMultiple(of: 256), manager.options.cancellation.isCancelled {
        throw MigrationError(.interrupted, path: manager.sourcePath)
      }
      do {
        let track = try reader.read(line)
        if let preset = reader.preset { manager.statistics.count(TrackCounter.preset(preset.name)) }
        for (place, count) in reader.batch.decisionCounts.enumerated() where count > 0 {
          registry.decisions.insert(place)
        }
        try add(track, reader.batch, to: tables, registry, manager)
        // A document that the library does not represent is kept.
        if let reason = track.fallback, reason.isUnreadable {
          try reject(line, reason.rawValue, track.byteOffset, manager)
        }
      } catch let rejection as FeedLineReader.Rejection {
        manager.statistics.count(ImportCounter.rejected)
        manager.statistics.addExample("line \(feed.lineNumber): \(rejection.reason)", to: ImportCounter.rejected)
        try reject(line, rejection.reason, rejection.byteOffset, manager)
      }
    }
    try requireTracks(manager)
    try options.tracks.decisions?.requireAll(in: registry.decisions, path: feed.name)
    let (trackCount, artistCount) = (manager.statistics[ImportCounter.added], registry.takeCreatedCount())
    manager.statistics.count(ImportCounter.addedArtists, by: artistCount)
    manager.statistics.addInstances(artistCount, ofEntityNamed: "Artist")
    manager.statistics.addInstances(trackCount, ofEntityNamed: "Track")
  }

  override public func end(_ mapping: EntityMapping, manager: MigrationManager) throws {
    // Their statements must be released before the store is closed.
    ArtistRegistry.release(by: manager)
    (registry, tables) = (nil, nil)
  }

  /// A feed of which no line is a track is not a feed, but for instance one array on many lines.
  private func requireTracks(_ manager: MigrationManager) throws(MigrationError) {
    let statistics = manager.statistics
    let known = [ImportCounter.added, ImportCounter.skipped, ImportCounter.replaced].reduce(0) { $0 + statistics[$1] }
    guard statistics[ImportCounter.rejected] > 0, known == 0 else { return }
    var error = MigrationError(
      .unusableFeed, path: feed.name,
      detail: "none of its lines is a track; \(statistics.examples[ImportCounter.rejected]?.first ?? "")")
    error.advice = "Nothing was changed. Write one JSON object per line, for instance with: jq -c '.[]'"
    throw error
  }

  private func reject(
    _ line: UnsafeRawBufferPointer, _ reason: String, _ byteOffset: Int?, _ manager: MigrationManager
  ) throws(MigrationError) {
    try manager.rejects?.add(line: feed.lineNumber, reason: reason, byteOffset: byteOffset, raw: line)
  }

  // MARK: - Tracks

  private func add(
    _ track: FeedLineReader.Track, _ batch: TrackBatch, to tables: ImportTables, _ registry: ArtistRegistry,
    _ manager: MigrationManager
  ) throws {
    var track = track
    if options.ignoresKeys { track.key = nil }
    var known: ImportTables.Known?
    if let key = track.key {
      known = try tables.known(track, key)
      if known == .addedNow || replaced.contains(key) { throw FeedLineReader.Rejection(.repeatedKey) }
      if known == .same, let artists = try artists(of: batch, tables, registry, manager, creates: false),
        try tables.artists(ofTrack: key) == Set(artists)
      {
        return manager.statistics.count(ImportCounter.skipped)
      }
      guard known == nil || options.replaces else { throw conflict("track \(key) exists with other values") }
    }
    let artists = try artists(of: batch, tables, registry, manager, creates: true) ?? []
    if track.isOnlyArtist { return }
    let key = try track.key ?? manager.destinationStore.nextPrimaryKey(forEntityNamed: "Track")
    if known == nil {
      try tables.insert(track, key)
      manager.destinationStore.reserveKeys(upTo: key, forEntityNamed: "Track")
    } else {
      try tables.replace(track, key)
      replaced.insert(key)
    }
    for artist in Set(artists) { tables.links.append(from: key, to: artist) }
    manager.statistics.count(known == nil ? ImportCounter.added : ImportCounter.replaced)
    if let reason = track.fallback, reason != .noJSON {
      manager.statistics.count(TrackCounter.fallback(reason))
      manager.statistics.addExample("line \(feed.lineNumber)", to: TrackCounter.fallback(reason))
    }
  }

  /// The artists that a line names.
  ///
  /// - Returns: `nil` if one of them is new, and is not to be created.
  private func artists(
    of batch: TrackBatch, _ tables: ImportTables, _ registry: ArtistRegistry, _ manager: MigrationManager, creates: Bool
  ) throws -> [Int64]? {
    var artists: [Int64] = []
    for (mention, hash) in zip(batch.mentions, batch.hashes) {
      if mention.primaryKey.isPresent, !options.ignoresKeys {
        guard let key = Int64(batch.string(mention.primaryKey)), key > 0 else {
          throw FeedLineReader.Rejection(.wrongType)
        }
        switch try tables.isSame(mention, key, batch) {
        case true?: break
        case false? where !creates: return nil
        case false?:
          guard options.replaces else { throw conflict("artist \(key) exists with another name, id or image") }
          try tables.replaceArtist(mention, key, batch)
          registry.readopt(key, for: mention, hash: hash, in: batch, manager)
          manager.statistics.count(ImportCounter.replacedArtists)
        case nil where !creates: return nil
        case nil:
          // A decision may have named this artist before its own line did.
          if options.tracks.decisions != nil,
            registry.place(ofKey: batch.text(mention.key), hash: hash) != nil
          {
            artists.append(try registry.artist(for: mention, hash: hash, in: batch, manager))
            continue
          }
          _ = try registry.create(mention, hash, in: batch, manager, as: key)
          manager.destinationStore.reserveKeys(upTo: key, forEntityNamed: "Artist")
        }
        artists.append(key)
      } else if creates {
        artists.append(try registry.artist(for: mention, hash: hash, in: batch, manager))
      } else if let place = registry.place(ofKey: batch.text(mention.key), hash: hash) {
        artists.append(registry.artists.value(at: place))
      } else {
        return nil
      }
    }
    return artists
  }

  private func conflict(_ detail: String) -> MigrationError {
    var error = MigrationError(.unusableFeed, path: feed.name, detail: "line \(feed.lineNumber): \(detail)")
    error.advice =
      "Nothing was changed. Take the feed's values with \(.replace), or import its tracks as new ones with \(.newKeys)."
    return error
  }
}

/// The tables of the new library, as an import reads and writes them.
private final class ImportTables {
  /// What the library has under a key.
  enum Known { case same, different, addedNow }

  let links: LinkBuffer
  private let path: String
  private let artistRows, known, isOld, linked, insertion, update, unlinking, artist, artistUpdate: Statement

  init(_ manager: MigrationManager) throws {
    let store = manager.destinationStore
    let (schema, connection) = (store.schema, store.writer.connection)
    links = try store.links(forRelationship: "artists", ofEntityNamed: "Track")
    path = store.writer.path
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
    isOld = try connection.prepare("SELECT 1 FROM \(old).\(tracks) WHERE Z_PK = ?1")
    // The new library gets its indexes at the end.
    linked = try connection.prepare(
      """
      SELECT \(oldJoin.destinationColumn.quotedIdentifier) FROM \(old).\(oldJoin.table.name.quotedIdentifier) \
      WHERE \(oldJoin.sourceColumn.quotedIdentifier) = ?1
      """)
    insertion = try connection.prepare(
      """
      INSERT INTO main.\(tracks) (Z_PK, Z_ENT, Z_OPT, \(values.joined(separator: ", "))) \
      VALUES (?1, \(schema.entityNumber("Track")), 1, ?2, ?3, ?4)
      """)
    update = try connection.prepare("UPDATE main.\(tracks) SET \(list(values, assignment, ", ")) WHERE Z_PK = ?1")
    unlinking = try connection.prepare(
      """
      DELETE FROM main.\(join.table.name.quotedIdentifier) \
      WHERE \(join.sourceColumn.quotedIdentifier) = ?1 AND \(join.destinationColumn.quotedIdentifier) = ?2
      """)
    artist = try connection.prepare(
      "SELECT \(list(details, isEqual, " AND ")) FROM main.\(artists) WHERE Z_PK = ?1")
    artistUpdate = try connection.prepare(
      "UPDATE main.\(artists) SET \(list(details, assignment, ", ")) WHERE Z_PK = ?1")
  }

  /// Calls a closure with every artist of the library, in the order of their keys.
  func forEachArtist(
    _ identity: ArtistIdentity, _ body: (Int64, TrackBatch.Mention, UInt64, TrackBatch) -> Void
  ) throws {
    var batch = TrackBatch()
    while try artistRows.step() {
      func text(_ column: Int) -> TrackBatch.Text {
        artistRows.withText(column) { bytes in
          bytes.map { TrackBatch.Text(start: batch.bytes.appendMarked($0), count: $0.count) } ?? .none
        }
      }
      batch.removeAll()
      var mention = TrackBatch.Mention(name: text(3))
      (mention.id, mention.imageURL) = (text(1), text(2))
      batch.append(mention, identity)
      body(artistRows.integer(0), batch.mentions[0], batch.hashes[0], batch)
    }
    artistRows.reset()
  }

  /// What the library has under a track's key; `nil` if nothing.
  func known(_ track: FeedLineReader.Track, _ key: Int64) throws -> Known? {
    try bind(track, key, to: known)
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

  func insert(_ track: FeedLineReader.Track, _ key: Int64) throws {
    try bind(track, key, to: insertion)
    try insertion.run()
  }

  func replace(_ track: FeedLineReader.Track, _ key: Int64) throws {
    try bind(track, key, to: update)
    try update.run()
    for artist in try artists(ofTrack: key) {
      try unlinking.bind(key, at: 1)
      try unlinking.bind(artist, at: 2)
      try unlinking.run()
    }
  }

  private func bind(_ track: FeedLineReader.Track, _ key: Int64, to statement: Statement) throws {
    try statement.bind(key, at: 1)
    try bind(track.title, to: statement, at: 2)
    try bind(track.imageURL, to: statement, at: 3)
    try statement.bind(track.lastPlayedAt, at: 4)
  }

  private func bind(_ text: [UInt8]?, to statement: Statement, at index: Int32) throws {
    if let text { try statement.bind(textBytes: text, at: index) } else { try statement.bindNull(at: index) }
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
