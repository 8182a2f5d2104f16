internal import DataModel
package import JSONPresets
package import Migration
internal import MigrationDiagnostics
internal import PersistentStore

/// Migrates tracks, and links each with the artists that its JSON names.
///
/// The engine copies the attributes that both versions have. This policy streams each track's JSON through a parser,
/// looks every artist up, creates it when it is met for the first time, and links it with the track. A track whose JSON
/// names no usable artist is linked with its `artistName` instead; the reason is counted, and JSON that could not be
/// read is kept, word for word, in the rejects file.
package final class TrackToTrackMigrationPolicy: EntityMigrationPolicy, BatchMigrationPolicy {
  /// The name that mapping models use.
  package static let className = "TrackToTrackMigrationPolicy"

  private let options: TrackMigrationOptions
  private lazy var trie = PresetTrie.of(options.json)
  private var registry: ArtistRegistry?
  private var links: LinkBuffer?
  /// Whether tracks have titles, to tell people which is meant.
  private var hasTitle = false
  /// Tracks whose JSON has an unknown shape, and those of them that match no preset.
  private var unmatched = SpreadSample()
  private var unknown = SpreadSample()
  /// Tracks whose JSON could be read, and those of them without artists, if places were chosen.
  private var readable = SpreadSample()
  private var missed = SpreadSample()

  /// Creates the policy.
  package init(options: TrackMigrationOptions = TrackMigrationOptions()) {
    self.options = options
  }

  /// The JSON, and the name that counts without it.
  package var preparedAttributes: [String] { TrackPreparer.attributes }

  /// Tracks are only linked, by their keys.
  package var readsCopiedRows: Bool { false }

  override public func begin(_ mapping: EntityMapping, with manager: MigrationManager) throws {
    // Subentities of Track have their own mappings, and share their artists with it.
    registry = try ArtistRegistry.shared(by: manager, identity: options.identity)
    links = try manager.destinationStore.links(forRelationship: "artists", ofEntityNamed: "Track")
    let source = mapping.sourceEntityName.flatMap { manager.sourceModel.entity(named: $0) }
    let title = source?.attribute(named: "title")
    hasTitle = title?.type == .string && title?.isTransient == false
  }

  /// Makes a reader of tracks.
  package func makePreparer(for mapping: EntityMapping, manager: MigrationManager) -> TrackPreparer {
    TrackPreparer(trie, options: options)
  }

  /// Makes the artists of a run of tracks, and links them.
  package func apply(_ batch: TrackBatch, in mapping: EntityMapping, manager: MigrationManager) throws {
    guard let registry, let links else { return }
    registry.prepare(forHashes: batch.hashes)
    var artists = ArtistSet()
    var mentionsStart = 0
    for track in batch.tracks {
      artists.removeAll()
      for place in mentionsStart..<track.mentionsEnd {
        let artist = try registry.artist(
          for: batch.mentions[place], hash: batch.hashes[place], in: batch, manager)
        // The same artist twice in one track is one link.
        if artists.insert(artist) { links.append(from: track.primaryKey, to: artist) }
      }
      if options.json.isChosen {
        let before = registry.tally
        registry.tally.add(batch.mentions[mentionsStart..<track.mentionsEnd], fallback: track.fallback)
        if registry.tally.missedCount > before.missedCount {
          missed.add(track.primaryKey)
        } else if registry.tally.readCount > before.readCount {
          readable.add(track.primaryKey)
        }
      }
      mentionsStart = track.mentionsEnd
      try count(track, hasArtists: !artists.isEmpty, manager)
    }
    registry.documentCounts.read += batch.tracks.count { $0.fallback.hasReadDocument }
    batch.count(in: &manager.statistics, trie, options)
    registry.decisions.formUnion(batch.usedDecisions)
  }

  override public func endInstanceCreation(forMapping mapping: EntityMapping, manager: MigrationManager) throws {
    manager.statistics.addInstances(registry?.takeCreatedCount() ?? 0, ofEntityNamed: "Artist")
  }

  override public func end(_ mapping: EntityMapping, manager: MigrationManager) throws {
    // The registry's statements must be released before the store is closed.
    ArtistRegistry.release(by: manager)
    registry = nil
  }

  /// Fails if the result is not what the options require.
  ///
  /// `isStrict` requires that all artists could be read from JSON, `requiresArtists` that the JSON has a known shape, and
  /// each decision that a track mentions its artist.
  override public func performCustomValidation(forMapping mapping: EntityMapping, manager: MigrationManager) throws {
    try surveyPaths(manager)
    if options.isStrict { try requireNoFindings(manager) }
    if let decisions = options.decisions, let registry {
      try decisions.requireAll(in: registry, path: manager.sourcePath, manager)
    }
    if options.requiresArtists, let losses = Facts.pathFindings(manager.statistics) {
      throw MigrationError(.unmatchedJSON, path: manager.sourcePath, detail: losses)
    }
    if options.requiresArtists, !isMostlyUnmatched, let counts = registry?.documentCounts {
      // Their ids and images are lost like those of JSON that was not understood.
      let count = manager.statistics[FallbackReason.otherRoles.counter]
      if count > 0, (count + counts.otherShape) * 2 > counts.read {
        let detail = "\(count) of \(counts.read) JSON documents have no artist with a wanted role"
        throw MigrationError(.unmatchedJSON, path: manager.sourcePath, detail: detail)
      }
    }
    // One of several kinds of tracks reports for all.
    guard let counts = registry?.documentCounts, counts.otherShape > 0,
      manager.statistics[TrackCounter.unmatchedJSON] == 0
    else { return }
    UnmatchedDocuments.suggest(try survey(unknown, manager), in: &manager.statistics)
    guard isMostlyUnmatched else { return }
    let finding = UnmatchedDocuments.count(counts, try survey(unmatched, manager), in: &manager.statistics)
    let detail = ([finding] + manager.statistics.examples(of: .unfoundPaths)).joined(separator: "; ")
    if options.requiresArtists { throw MigrationError(.unmatchedJSON, path: manager.sourcePath, detail: detail) }
  }

  /// Whether more than half of the readable JSON has another shape than the one in which artists are looked for.
  private var isMostlyUnmatched: Bool {
    registry.map { UnmatchedDocuments.areMost($0.documentCounts) } ?? false
  }

  /// Looks for what paths that a person has chosen do not find.
  private func surveyPaths(_ manager: MigrationManager) throws {
    guard var survey = PathSurvey(options.json), let tally = registry?.tally,
      manager.statistics[.unfoundPaths] + manager.statistics[.missedArtists] == 0
    else { return }
    for (sample, isMissed) in [(readable, false), (missed, true)] {
      for key in sample.keys {
        var document: [UInt8] = []
        try manager.forEachSourcePiece(of: "json", row: key) { piece in
          if document.count <= PathSurvey.sizeLimit { document += piece }
        }
        if document.count <= PathSurvey.sizeLimit { survey.read(document, isMissed: isMissed) }
      }
    }
    var findings = survey.findings(tally)
    // That most documents have another shape is said in another way, by what they look like.
    if isMostlyUnmatched { findings.missedDocuments = nil }
    findings.count(in: &manager.statistics)
  }

  /// Surveys some of the documents with an unknown shape.
  private func survey(_ sample: SpreadSample, _ manager: MigrationManager) throws -> ShapeSurvey {
    var survey = ShapeSurvey()
    for key in sample.keys {
      survey.begin()
      try manager.forEachSourcePiece(of: "json", row: key) { survey.read($0) }
      survey.finish("track \(key)\(try shortTitle(ofTrack: key, manager).map { " \($0)" } ?? "")")
    }
    return survey
  }

  private func requireNoFindings(_ manager: MigrationManager) throws {
    guard let findings = Facts.strictFindings(manager.statistics) else { return }
    throw MigrationError(.strictFindings, path: manager.sourcePath, detail: findings)
  }

  /// Counts irregularities, and keeps JSON that could not be read.
  private func count(_ track: TrackBatch.Track, hasArtists: Bool, _ manager: MigrationManager) throws {
    let counters = manager.statistics.count(track.oddities, after: track.fallback, hasArtists: hasArtists)
    guard !counters.isEmpty else { return }
    if track.fallback?.isOtherShape == true {
      registry?.documentCounts.otherShape += 1
      // The artists of an album are not those of the track, wherever they stand.
      if track.fallback != .otherAnswer { unmatched.add(track.primaryKey) }
      if track.fallback == .noArtists { unknown.add(track.primaryKey) }
    }
    let title = try exampleTitle(of: track, for: counters, manager)
    for counter in counters { manager.statistics.addExample("track \(track.primaryKey) \(title ?? "")", to: counter) }
    if let reason = track.rejectReason {
      try manager.reject(
        RejectsFile.Facts(
          primaryKey: track.primaryKey, title: try sourceTitle(ofTrack: track.primaryKey, manager),
          reason: reason, byteOffset: track.byteOffset),
        attribute: "json")
    }
  }

  /// The title, in quotes, as long as examples are needed: reading it for each of a million fallbacks would be slow.
  private func exampleTitle(
    of track: TrackBatch.Track, for counters: [String], _ manager: MigrationManager
  ) throws -> String? {
    let isWanted = counters.contains {
      manager.statistics.examples[$0, default: []].count < MigrationStatistics.exampleLimit
    }
    return isWanted ? try shortTitle(ofTrack: track.primaryKey, manager) : nil
  }

  private func shortTitle(ofTrack key: Int64, _ manager: MigrationManager) throws -> String? {
    try sourceTitle(ofTrack: key, manager).map { "'\($0.prefix(80))'" }
  }

  private func sourceTitle(ofTrack key: Int64, _ manager: MigrationManager) throws -> String? {
    hasTitle ? try manager.sourceText(of: "title", row: key) : nil
  }
}

/// The names of what the track policy counts besides ``Fact``, in `MigrationStatistics`.
package enum TrackCounter {
  /// Documents that could be read but have another shape than the one in which artists are looked for, if that is more
  /// than half of all that could be read; the one example says what they look like.
  package static let unmatchedJSON = "unmatched_json"
  /// Places where artists may stand in such documents: the examples are presets.
  package static let suggestedPresets = "suggested_presets"
}

/// Options for the migration of tracks.
public struct TrackMigrationOptions: Sendable, Hashable {
  /// The detail by which two mentions are the same artist.
  public var identity: ArtistIdentity
  /// Whether the migration fails if any track's artists cannot be read from its JSON.
  public var isStrict: Bool
  /// Whether the migration fails if more than half of the readable JSON has a different shape from the one in which
  /// artists are expected, such as that of another service.
  ///
  /// This is for users who do not keep the old library, and therefore not the JSON either. If at least half of the JSON
  /// names artists, or says with `null` or an empty array that there are none, its shape is evidently the right one.
  public var requiresArtists: Bool
  /// The places of artists in the JSON.
  package var json = JSONShape.auto
  /// The roles of the artists that are wanted, where an artist without a role counts as `main`; `nil` for all.
  package var roles: Set<ArtistRole>?
  /// The decisions of a person about artists.
  package var decisions: ArtistDecisions?

  /// Creates options.
  public init(identity: ArtistIdentity = .name, isStrict: Bool = false, requiresArtists: Bool = false) {
    self.identity = identity
    self.isStrict = isStrict
    self.requiresArtists = requiresArtists
  }
}
