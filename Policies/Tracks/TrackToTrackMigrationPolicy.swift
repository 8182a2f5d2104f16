internal import Diagnostics
public import Migration

/// Migrates tracks: gives each the artists that its JSON names.
///
/// The engine copies the attributes that both versions have. This policy streams each track's JSON through a parser,
/// looks every artist up, creates it when it is met for the first time, and links it with the track. A track whose JSON
/// names no usable artist is linked with its `artistName` instead; the reason is counted, and JSON that could not be
/// read is kept, word for word, in the rejects file.
public final class TrackToTrackMigrationPolicy: EntityMigrationPolicy, BatchMigrationPolicy {
  /// The name that mapping models use.
  public static let className = "TrackToTrackMigrationPolicy"

  private let options: TrackMigrationOptions
  private var registry: ArtistRegistry?
  private var links: LinkBuffer?
  private var artistsOfTrack: Set<Int64> = []

  /// Creates the policy.
  public init(options: TrackMigrationOptions = TrackMigrationOptions()) {
    self.options = options
  }

  /// The JSON, and the name that counts without it.
  public var preparedAttributes: [String] { TrackPreparer.attributes }

  override public func begin(_ mapping: EntityMapping, with manager: MigrationManager) throws {
    registry = try ArtistRegistry(manager, identity: options.identity)
    links = try manager.destinationStore.links(forRelationship: "artists", ofEntityNamed: "Track")
  }

  /// Makes a reader of tracks.
  public func makePreparer(for mapping: EntityMapping, manager: MigrationManager) -> TrackPreparer {
    TrackPreparer()
  }

  /// Makes the artists of a run of tracks, and links them.
  public func apply(_ batch: TrackBatch, in mapping: EntityMapping, manager: MigrationManager) throws {
    guard let registry, let links else { return }
    var mentionsStart = 0
    for track in batch.tracks {
      artistsOfTrack.removeAll(keepingCapacity: true)
      for mention in batch.mentions[mentionsStart..<track.mentionsEnd] {
        let artist = try registry.artist(for: mention, in: batch, statistics: &manager.statistics)
        // The same artist twice in one track is one link.
        guard artistsOfTrack.insert(artist).inserted else { continue }
        links.append(namingInstance: artist, inverseInstance: track.primaryKey)
      }
      mentionsStart = track.mentionsEnd
      try count(track, manager)
    }
  }

  override public func endInstanceCreation(forMapping mapping: EntityMapping, manager: MigrationManager) throws {
    manager.statistics.addInstances(registry?.createdCount ?? 0, ofEntityNamed: "Artist")
  }

  /// With `isStrict`, fails when any track's artists could not be taken from its JSON.
  override public func performCustomValidation(forMapping mapping: EntityMapping, manager: MigrationManager) throws {
    guard options.isStrict else { return }
    let reasons =
      FallbackReason.allCases.map { (TrackCounter.fallback($0), $0.summary) }
      + [(TrackCounter.namelessArtists, "artist without a name")]
    let found = reasons.filter { manager.statistics[$0.0] > 0 }
    guard !found.isEmpty else { return }
    let counts = found.map { "\(manager.statistics[$0.0]) × \($0.1)" }.joined(separator: ", ")
    let first = found.first.flatMap { manager.statistics.examples[$0.0]?.first }.map { "; for example \($0)" } ?? ""
    throw MigrationError(
      .strictFindings, path: manager.sourcePath, detail: counts + first)
  }

  /// Counts what is not as it should be, and keeps what could not be read.
  private func count(_ track: TrackBatch.Track, _ manager: MigrationManager) throws {
    if track.duplicateKeyCount > 0 {
      manager.statistics.count(TrackCounter.duplicateKeys, by: track.duplicateKeyCount)
    }
    guard track.fallback != nil || track.namelessArtistCount > 0 else { return }
    var counters = track.fallback.map { [TrackCounter.fallback($0)] } ?? []
    if artistsOfTrack.isEmpty { counters.append(TrackCounter.tracksWithoutArtist) }
    for counter in counters { manager.statistics.count(counter) }
    if track.namelessArtistCount > 0 {
      manager.statistics.count(TrackCounter.namelessArtists, by: track.namelessArtistCount)
      counters.append(TrackCounter.namelessArtists)
    }
    let title = try exampleTitle(of: track, for: counters, manager)
    for counter in counters { manager.statistics.addExample("track \(track.primaryKey) \(title ?? "")", to: counter) }
    if track.fallback?.isUnreadable == true || track.namelessArtistCount > 0 {
      let reason = track.fallback.map(\.rawValue) ?? TrackCounter.namelessArtists
      try manager.reject(
        RejectsFile.Facts(
          primaryKey: track.primaryKey, title: try manager.sourceText(of: "title", row: track.primaryKey),
          reason: reason, byteOffset: track.byteOffset),
        attribute: "json")
    }
  }

  /// The title, in quotes, while examples are still wanted: reading it for each of a million fallbacks would be slow.
  private func exampleTitle(
    of track: TrackBatch.Track, for counters: [String], _ manager: MigrationManager
  ) throws -> String? {
    let isWanted = counters.contains {
      manager.statistics.examples[$0, default: []].count < MigrationStatistics.exampleLimit
    }
    guard isWanted, let title = try manager.sourceText(of: "title", row: track.primaryKey) else { return nil }
    return "'\(title.prefix(80))'"
  }
}
