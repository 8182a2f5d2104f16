internal import JSONPresets
internal import Migration

extension TrackBatch {
  /// The oddities of a document that names artists, whether it belongs to a row or to a line of a feed.
  struct Oddities: Sendable {
    /// The number of elements of `artists` without a name.
    var namelessArtistCount = 0
    /// The number of keys that occur twice where only one can be used, which is the first.
    var duplicateKeyCount = 0
    /// The number of ids and images that are too long to keep.
    var longValueCount = 0
  }
}

extension TrackBatch.Oddities {
  /// Takes what came of a document.
  ///
  /// - Parameter hasArtists: Whether its artists are used; otherwise their details are not missed.
  init(_ outcome: PresetMatcher.Outcome, hasArtists: Bool) {
    namelessArtistCount = outcome.namelessArtistCount
    duplicateKeyCount = outcome.duplicateKeyCount
    longValueCount = hasArtists ? outcome.longValueCount : 0
  }

  /// Adds those of another document of the same track.
  mutating func add(_ other: Self) {
    namelessArtistCount += other.namelessArtistCount
    duplicateKeyCount += other.duplicateKeyCount
    longValueCount += other.longValueCount
  }

  /// The same by the facts that they are.
  private var counts: [(fact: Fact, count: Int)] {
    [(.namelessArtists, namelessArtistCount), (.duplicateKeys, duplicateKeyCount), (.longValues, longValueCount)]
  }

  /// Returns the reason for keeping a document in the rejects file: the new library does not fully represent it.
  func rejectReason(after fallback: FallbackReason?) -> String? {
    if let fallback, fallback.isUnreadable { return fallback.rawValue }
    let loss = counts.first { $0.count > 0 && $0.fact.traits.loss != nil }
    return loss.map { fallback?.rawValue ?? $0.fact.name }
  }

  /// Adds to the counters.
  ///
  /// - Returns: The counters that want an example.
  func count(in statistics: inout MigrationStatistics) -> [String] {
    counts.compactMap { fact, count in
      guard count > 0 else { return nil }
      statistics.count(fact, by: count)
      return fact.traits.loss.map { _ in fact.name }
    }
  }
}

extension TrackBatch {
  /// Adds what is counted of all its documents, whether they belong to rows or to lines of a feed.
  func count(in statistics: inout MigrationStatistics, _ trie: PresetTrie, _ options: TrackMigrationOptions) {
    for (preset, count) in presetCounts.enumerated() where count > 0 {
      statistics.count(Facts.Group.presets.counter(trie.entries[preset].preset.name), by: count)
    }
    for (role, count) in roleCounts { statistics.count(Facts.Group.roles.counter(role.rawValue), by: count) }
    if options.json.splitsByIDs { statistics.count(.splitNames, by: splitNameCount) }
    for (place, count) in decisionCounts.enumerated() where count > 0 {
      guard let kind = options.decisions?.all[place].kind else { continue }
      statistics.count(Facts.Group.decisions.counter(kind.rawValue), by: count)
    }
  }

  /// The decisions that were carried out.
  var usedDecisions: [Int] { decisionCounts.indices.filter { decisionCounts[$0] > 0 } }
}
