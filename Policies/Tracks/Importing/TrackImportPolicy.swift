internal import DataModel
package import JSONPresets
package import Migration
internal import MigrationDiagnostics
internal import PersistentStore
internal import SQLiteDatabase

/// Options for the import of tracks.
package struct TrackImportOptions: Sendable {
  /// The options for finding and identifying artists.
  package var tracks = TrackMigrationOptions()
  /// The path of a line's title, instead of the presets' paths.
  package var titlePath: JSONPath?
  /// The path of the time at which a line's track was last played.
  package var playedPath: JSONPath?
  /// Whether a track of a known key is replaced if it has other values.
  package var replaces = false
  /// Whether keys are ignored, so that every line is a new track.
  package var ignoresKeys = false
  /// The details by which other lines are tracks that the library already has.
  package var matching: TrackMatching?

  package init() {}
}

/// The names of what an import counts, in `MigrationStatistics`.
package enum ImportCounter {
  package static let replacedArtists = "import.replaced_artists"
  /// The counters of changes to the library.
  package static let changes =
    [Fact.addedTracks, .replacedTracks, .addedArtists, .lateDetails].map(\.name) + [replacedArtists]
}

/// Adds the tracks of a feed to the new library, once the old one's tracks and artists have been copied.
///
/// It belongs to a mapping without a source, so the engine never prepares rows for it.
package final class TrackImportPolicy: EntityMigrationPolicy, BatchMigrationPolicy {
  /// The name that the mapping model uses.
  package static let className = "TrackImportPolicy"

  private let feed: any TrackFeed
  private let options: TrackImportOptions
  private lazy var trie = FeedLineReader.makeTrie(
    options.tracks, titlePath: options.titlePath, playedPath: options.playedPath)
  private var tables: ImportTables?
  private var registry: ArtistRegistry?
  /// Some of the lines, if places of artists were chosen.
  private lazy var survey = PathSurvey(
    options.tracks.json, titlePath: options.titlePath, playedPath: options.playedPath)
  /// The choices among lines with artists and without.
  private var choices = (found: SpreadChoice(), missed: SpreadChoice())
  private var unmatched = UnmatchedDocuments()
  private var untaken = UntakenDetails()
  /// Objects that have neither a title nor an artist.
  private var nameless = UnmatchedDocuments()
  /// Whether a line was rejected that may be a track.
  private var hasUnclear = false
  /// The keys that lines without one got.
  private var given = AscendingKeys()
  /// The keys of replaced tracks, whose links are not written yet.
  private var replaced: Set<Int64> = []
  /// The tracks that lines are compared with.
  private var matches: TrackMatches?

  /// Creates the policy.
  package init(_ feed: any TrackFeed, options: TrackImportOptions) {
    (self.feed, self.options) = (feed, options)
  }

  package var preparedAttributes: [String] { [] }
  package func makePreparer(for mapping: EntityMapping, manager: MigrationManager) -> TrackPreparer {
    TrackPreparer(PresetTrie.of(options.tracks.json), options: options.tracks)
  }
  package func apply(_ batch: TrackBatch, in mapping: EntityMapping, manager: MigrationManager) {}

  override public func begin(_ mapping: EntityMapping, with manager: MigrationManager) throws {
    registry = try ArtistRegistry.shared(by: manager, identity: options.tracks.identity)
    tables = try ImportTables(manager)
  }

  override public func endInstanceCreation(forMapping mapping: EntityMapping, manager: MigrationManager) throws {
    guard let registry, let tables else { return }
    let statistics = manager.statistics
    var meant: [Int64: Int64] = [:]
    try tables.forEachArtist(options.tracks.identity) { key, mention, hash, batch in
      if let place = registry.place(ofKey: batch.text(mention.key), hash: hash) {
        meant[key] = registry.artists.value(at: place)
      }
      try registry.adopt(key, for: mention, hash: hash, in: batch, manager)
    }
    if options.matching != nil { matches = try tables.matches(meant: meant, manager.options.cancellation) }
    // The library's own artists may contradict each other, which is not the feed's doing.
    manager.statistics = statistics
    let batches = FeedBatches(feed, threadCount: manager.processorCount) { [options, trie] in
      FeedLineReader(options.tracks, trie)
    }
    defer { batches.stop() }
    while let batch = try batches.next() {
      if manager.options.cancellation.isCancelled { throw MigrationError(.interrupted, path: manager.sourcePath) }
      try apply(batch, to: tables, registry, manager)
    }
    try tables.finish()
    try requireTracks(manager)
    survey?.findings(registry.tally).count(in: &manager.statistics)
    for text in untaken.findings(options.tracks.json) {
      manager.statistics.count(.unfoundPaths, example: text)
    }
    unmatched.count(in: &manager.statistics)
    try options.tracks.decisions?.requireAll(in: registry, path: feed.name, manager)
    let (trackCount, artistCount) = (manager.statistics[.addedTracks], registry.takeCreatedCount())
    manager.statistics.count(.addedArtists, by: artistCount)
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
    let known = [Fact.addedTracks, .knownTracks, .replacedTracks].reduce(0) { $0 + statistics[$1] }
    guard statistics[.rejectedLines] > 0, known == 0 else { return }
    var error = MigrationError(
      .unusableFeed, path: feed.name,
      detail: "none of its lines is a track; \(statistics.examples(of: .rejectedLines).first ?? "")")
    error.advice =
      "Nothing was changed. If it is a JSON list or a table, say so with \(.feedFormat); otherwise write one JSON object "
      + "per line."
    if hasUnclear {
      error.advice = "Nothing was changed. If its lines are tracks, read them with \(.json) \(Preset.anyTitle.name)."
    }
    if let shape = nameless.finding {
      let places = survey?.findings(PathSurvey.Tally()).remarks ?? []
      error.detail = (["none of its lines has a title or an artist in a known place"] + places + [shape])
        .joined(separator: "; ")
      error.advice = "Nothing was changed. Say where they are, with \(.titlePath) and \(.artistsPath)."
    }
    throw error
  }

  // MARK: - Lines

  /// The objects that adding a line requires.
  private struct Work {
    let tables: ImportTables
    let registry: ArtistRegistry
    let manager: MigrationManager
    /// The primary keys of tracks.
    let keys: PrimaryKeys
    let batch: FeedBatch
    /// Its number in the feed.
    var lineNumber = 0
    /// Its mentions in the batch.
    var mentions = 0..<0
  }

  private func apply(
    _ batch: FeedBatch, to tables: ImportTables, _ registry: ArtistRegistry, _ manager: MigrationManager
  ) throws {
    registry.prepare(forHashes: batch.content.hashes)
    registry.decisions.formUnion(batch.content.usedDecisions)
    batch.content.count(in: &manager.statistics, trie, options.tracks)
    let keys = manager.destinationStore.primaryKeys(forEntityNamed: "Track")
    var work = Work(tables: tables, registry: registry, manager: manager, keys: keys, batch: batch)
    var artists = ArtistSet()
    var addedCount = 0
    for line in batch.lines {
      work.lineNumber = batch.number(of: line)
      work.mentions = work.mentions.upperBound..<line.mentionsEnd
      do {
        switch line.outcome {
        case .track(let track):
          if try add(track, work, &artists) { addedCount += 1 }
          look(at: track, line, work)
          let counters = manager.statistics.count(
            track.oddities, after: track.fallback, hasArtists: !artists.isEmpty || track.isOnlyArtist)
          if track.hasUnreadTime { manager.statistics.count(.unreadTimes, example: "line \(work.lineNumber)") }
          for counter in counters { manager.statistics.addExample("line \(work.lineNumber)", to: counter) }
          // What the library does not fully represent is kept.
          if let reason = track.rejectReason { try reject(line, reason, track.byteOffset, work) }
        case .rejected(let rejection): throw rejection
        }
      } catch let rejection as FeedLineReader.Rejection {
        if rejection.reason == FeedLineReader.Problem.noTrack.rawValue {
          nameless.add(.noArtists, "line \(work.lineNumber)") {
            survey?.read(line: Array(work.batch.block[line.place]), isMissed: true)
            return document(of: line, work)
          }
        }
        if rejection.mayBeTrack { hasUnclear = true }
        manager.statistics.count(.rejectedLines, example: "line \(work.lineNumber): \(rejection.summary)")
        try reject(line, rejection.reason, rejection.byteOffset, work)
      } catch {
        throw inFeed(error, work)
      }
    }
    if addedCount > 0 { manager.statistics.count(.addedTracks, by: addedCount) }
  }

  /// Looks at the shape of a document, and compares what paths that a person has chosen find with what the built-in presets
  /// find.
  private func look(at track: FeedLineReader.Track, _ line: FeedBatch.Line, _ work: Work) {
    unmatched.add(track.fallback, "line \(work.lineNumber)") {
      document(of: line, work)
    }
    if !track.isOnlyArtist { untaken.add(track) { work.batch.block[line.place] } }
    guard survey != nil else { return }
    work.registry.tally.add(track)
    let missed = work.registry.tally.missedCount
    work.registry.tally.add(work.batch.content.mentions[work.mentions], fallback: track.fallback)
    let text = work.batch.block[line.place]
    let isMissed = work.registry.tally.missedCount > missed
    guard isMissed ? choices.missed.takesNext() : choices.found.takesNext(), text.count <= PathSurvey.sizeLimit else {
      return
    }
    survey?.read(line: Array(text), isMissed: isMissed)
  }

  private func document(of line: FeedBatch.Line, _ work: Work) -> [UInt8] {
    UnmatchedDocuments.document(ofLine: Array(work.batch.block[line.place]))
  }

  private func reject(
    _ line: FeedBatch.Line, _ reason: String, _ byteOffset: Int?, _ work: Work
  ) throws(MigrationError) {
    try work.manager.rejects?.add(
      line: work.lineNumber, reason: reason, byteOffset: byteOffset, raw: work.batch.block[line.place])
  }

  // MARK: - Tracks

  /// Does with the library what a line says.
  ///
  /// - Parameter artists: Set to the track's artists; the next line can use the memory.
  /// - Returns: Whether a track was added.
  private func add(_ track: FeedLineReader.Track, _ work: Work, _ artists: inout ArtistSet) throws -> Bool {
    let (tables, manager) = (work.tables, work.manager)
    try requireOwnArtistKeys(work)
    let ownKey = options.ignoresKeys ? nil : track.key
    var known: ImportTables.Known?
    if let key = ownKey {
      known = try tables.known(track, key, work.batch.content)
      if known == .addedNow || replaced.contains(key) {
        throw FeedLineReader.Rejection(given.contains(key) ? .takenKey : .repeatedKey)
      }
      if known == .same, try find(&artists, work, creates: false),
        try tables.artists(ofTrack: key) == Set(artists.members)
      {
        manager.statistics.count(.knownTracks)
        return false
      }
      guard known == nil || options.replaces else { throw conflict("track \(key) exists with other values", work) }
    }
    if known == nil, !track.isOnlyArtist, let matches, try find(&artists, work, creates: false),
      track.title.isPresent, matches.has(work.batch.content.text(track.title), artists.members)
    {
      manager.statistics.count(.knownTracks)
      return false
    }
    _ = try find(&artists, work, creates: true)
    if track.isOnlyArtist { return false }
    let key = try ownKey ?? given.note(work.keys.next())
    if known == nil {
      if ownKey != nil { try requireNoLinks(.track, key, work) }
      try tables.insert(track, key, work.batch.content)
      work.keys.reserve(upTo: key)
    } else {
      try tables.replace(track, key, work.batch.content)
      replaced.insert(key)
      manager.statistics.count(.replacedTracks)
    }
    for artist in artists.members { try tables.link(key, artist) }
    return known == nil
  }

  /// Makes sure that no artist of the feed is replaced by another one that has the key which the first one was given.
  private func requireOwnArtistKeys(_ work: Work) throws {
    guard !options.ignoresKeys, !work.registry.given.isEmpty else { return }
    for place in work.mentions {
      let mention = work.batch.content.mentions[place]
      guard mention.primaryKey.isPresent, let key = FeedLineReader.key(work.batch.content.string(mention.primaryKey)),
        work.registry.given.contains(key), try work.tables.isSame(mention, key, work.batch.content) == false
      else { continue }
      throw FeedLineReader.Rejection(.takenKey)
    }
  }

  /// Finds the artists that a line names.
  ///
  /// - Returns: `false` if one of them is new, and is not to be created.
  private func find(_ artists: inout ArtistSet, _ work: Work, creates: Bool) throws -> Bool {
    let registry = work.registry
    artists.removeAll()
    for place in work.mentions {
      let (mention, hash) = (work.batch.content.mentions[place], work.batch.content.hashes[place])
      if mention.primaryKey.isPresent, !options.ignoresKeys {
        guard let artist = try artist(withKeyOf: mention, hash, work, creates: creates) else { return false }
        artists.insert(artist)
      } else if creates {
        artists.insert(try registry.artist(for: mention, hash: hash, in: work.batch.content, work.manager))
      } else if let place = registry.place(ofKey: work.batch.content.text(mention.key), hash: hash) {
        artists.insert(registry.artists.value(at: place))
      } else {
        return false
      }
    }
    return true
  }

  /// The artist that a mention names by its key in a library.
  private func artist(
    withKeyOf mention: TrackBatch.Mention, _ hash: UInt64, _ work: Work, creates: Bool
  ) throws -> Int64? {
    let (tables, registry, manager, batch) = (work.tables, work.registry, work.manager, work.batch.content)
    guard let key = FeedLineReader.key(batch.string(mention.primaryKey)) else {
      throw FeedLineReader.Rejection(.wrongType)
    }
    switch try tables.isSame(mention, key, batch) {
    case true?: break
    case false? where !creates: return nil
    case false?:
      guard options.replaces, !registry.given.contains(key) else {
        throw conflict("artist \(key) exists with another name, id or image", work)
      }
      try tables.replaceArtist(mention, key, batch)
      try registry.readopt(key, for: mention, hash: hash, in: batch, manager)
      manager.statistics.count(ImportCounter.replacedArtists)
    case nil where !creates: return nil
    case nil:
      // A decision may have named this artist before its own line did.
      if options.tracks.decisions != nil, registry.place(ofKey: batch.text(mention.key), hash: hash) != nil {
        return try registry.artist(for: mention, hash: hash, in: batch, manager)
      }
      try requireNoLinks(.artist, key, work)
      _ = try registry.create(mention, hash, in: batch, manager, as: key)
      registry.keys.reserve(upTo: key)
    }
    return key
  }

  /// Makes sure that links to a row that the library has lost do not become links to another one.
  private func requireNoLinks(_ side: ImportTables.LinkSide, _ key: Int64, _ work: Work) throws {
    guard let deletion = try work.tables.deletionOfLinks(to: side, key) else { return }
    var error = MigrationError(
      .unusableFeed, path: feed.name,
      detail: "line \(work.lineNumber): the library has no \(side.noun) \(key), but links to it")
    error.advice =
      "Nothing was changed. Import the tracks as new ones with \(.newKeys), or delete these links: \(deletion)"
    throw error
  }

  /// Names the line whose row breaks a rule that the app has given a table.
  private func inFeed(_ error: any Error, _ work: Work) -> any Error {
    let broken = (error as? SQLiteError).map { MigrationError($0, path: work.manager.sourcePath) } ?? error
    guard let rule = (broken as? MigrationError)?.brokenRule else { return error }
    var error = MigrationError(
      .unusableFeed, path: feed.name,
      detail: "line \(work.lineNumber): '\(work.manager.sourcePath)' has a rule that does not allow it: \(rule)")
    error.advice =
      "Nothing was changed. Correct the line, or remove the rule from the library, or import the feed into a new one."
    return error
  }

  private func conflict(_ detail: String, _ work: Work) -> MigrationError {
    var error = MigrationError(.unusableFeed, path: feed.name, detail: "line \(work.lineNumber): \(detail)")
    error.advice =
      "Nothing was changed. Take the feed's values with \(.replace), or import its tracks as new ones with \(.newKeys)."
    return error
  }
}
