internal import JSONPresets
package import Migration

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

  /// Returns the reason for keeping a document in the rejects file: the new library does not fully represent it.
  func rejectReason(after fallback: FallbackReason?) -> String? {
    if let fallback, fallback.isUnreadable { return fallback.rawValue }
    if namelessArtistCount > 0 { return fallback?.rawValue ?? TrackCounter.namelessArtists }
    return longValueCount > 0 ? fallback?.rawValue ?? TrackCounter.longValues : nil
  }

  /// Adds to the counters.
  ///
  /// - Returns: The counters that want an example.
  func count(in statistics: inout MigrationStatistics) -> [String] {
    if duplicateKeyCount > 0 { statistics.count(TrackCounter.duplicateKeys, by: duplicateKeyCount) }
    var counters: [String] = []
    if namelessArtistCount > 0 {
      statistics.count(TrackCounter.namelessArtists, by: namelessArtistCount)
      counters.append(TrackCounter.namelessArtists)
    }
    if longValueCount > 0 {
      statistics.count(TrackCounter.longValues, by: longValueCount)
      counters.append(TrackCounter.longValues)
    }
    return counters
  }
}

extension TrackBatch {
  /// Adds what is counted of all its documents, whether they belong to rows or to lines of a feed.
  func count(in statistics: inout MigrationStatistics, _ trie: PresetTrie, _ options: TrackMigrationOptions) {
    for (preset, count) in presetCounts.enumerated() where count > 0 {
      statistics.count(TrackCounter.preset(trie.entries[preset].preset.name), by: count)
    }
    for (role, count) in roleCounts { statistics.count(TrackCounter.role(role), by: count) }
    if options.json.splitsByIDs { statistics.count(TrackCounter.splitNames, by: splitNameCount) }
    for (place, count) in decisionCounts.enumerated() where count > 0 {
      guard let kind = options.decisions?.all[place].kind else { continue }
      statistics.count(TrackCounter.decision(kind), by: count)
    }
  }

  /// The decisions that were carried out.
  var usedDecisions: [Int] { decisionCounts.indices.filter { decisionCounts[$0] > 0 } }
}

extension MigrationStatistics {
  /// Counts what is odd about a track, whether it is a row or a line of a feed.
  ///
  /// - Returns: The counters that want an example.
  mutating func count(
    _ oddities: TrackBatch.Oddities, after fallback: FallbackReason?, hasArtists: Bool
  ) -> [String] {
    let odd = oddities.count(in: &self)
    guard fallback != nil || !hasArtists else { return odd }
    var counters = fallback.map { [TrackCounter.fallback($0)] } ?? []
    if !hasArtists { counters.append(TrackCounter.tracksWithoutArtist) }
    for counter in counters { count(counter) }
    return counters + odd
  }

  /// The counters with a prefix, without it.
  package func counts(withPrefix prefix: String) -> [String: Int] {
    let found = counters.filter { $0.key.hasPrefix(prefix) }.map { (String($0.key.dropFirst(prefix.count)), $0.value) }
    return Dictionary(found) { first, _ in first }
  }
}

extension TrackCounter {
  /// Returns the findings that `--strict` refuses, in words with the counts and an example; `nil` if there are none.
  package static func strictFindings(_ statistics: MigrationStatistics) -> String? {
    let reasons =
      FallbackReason.allCases.map { (fallback($0), $0.summary) }
      + [(namelessArtists, "artist without a name"), (longValues, "id or image over 1 MiB")]
    let found = reasons.filter { statistics[$0.0] > 0 }
    // Artists without ids are artists, which no other counter counts.
    guard !found.isEmpty else { return pathFindings(statistics) }
    let counts = found.map { "\(statistics[$0.0]) × \($0.1)" }.joined(separator: ", ")
    let first = found.first.flatMap { statistics.examples[$0.0]?.first }.map { "; for example \($0)" } ?? ""
    return counts + first
  }

  /// Returns the details that artists lose because of paths that a person has chosen, and the values in their places;
  /// `nil` if they lose nothing.
  package static func pathFindings(_ statistics: MigrationStatistics) -> String? {
    guard let losses = statistics.examples[missedArtists] else { return nil }
    return (losses + (statistics.examples[unfoundPaths] ?? [])).joined(separator: "; ")
  }
}
