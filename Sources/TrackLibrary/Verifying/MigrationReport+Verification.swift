internal import Policies
internal import Verification

extension MigrationReport {
  /// Compares what the report says with what there has to be.
  func compare(with counts: Verification.Counts, _ log: DifferenceLog) throws {
    let figures =
      [
        ("tracks_count", tracksCount, counts.tracks), ("artists_count", artistsCount, counts.artists),
        ("links_count", linksCount, counts.links), ("fallback_tracks_count", fallbackTracksCount, counts.fallbacks),
        ("tracks_without_artist_count", tracksWithoutArtistCount, counts.tracksWithoutArtist),
        ("nameless_artists_count", namelessArtistsCount, counts.namelessArtists),
        ("rejects_count", rejectsCount, counts.rejects),
      ] + (longValuesCount.map { [("long_values_count", $0, counts.longValues)] } ?? [])
    for (name, found, expected) in figures where found != expected {
      try log.add(.statistics) {
        $0.property = name
        ($0.expected, $0.found) = ("\(expected)", "\(found)")
      }
    }
    try compareTables(with: counts.keptTables, log)
    if let reasons = counts.rejectsByReason { try compareReasons(with: reasons, log) }
  }

  private func compareTables(with expected: [String: Int64], _ log: DifferenceLog) throws {
    let found = keptCountByName ?? [:]
    for name in Set(expected.keys).union(found.keys).sorted() where expected[name] != found[name] {
      try log.add(.statistics) {
        ($0.entity, $0.property) = (name, "kept_count_by_name")
        ($0.expected, $0.found) = (expected[name].map { "\($0)" }, found[name].map { "\($0)" })
      }
    }
  }

  /// Compares the reasons that the rejects file gives with those that were counted, of which all have a line.
  private func compareReasons(with reasons: [String: Int], _ log: DifferenceLog) throws {
    for reason in FallbackReason.allCases where reason.isUnreadable {
      let (expected, found) = (reasons[reason.rawValue] ?? 0, fallbackTracksCountByReason[reason.rawValue] ?? 0)
      guard expected != found else { continue }
      try log.add(.statistics) {
        $0.property = "fallback_tracks_count_by_reason.\(reason.rawValue)"
        ($0.expected, $0.found, $0.detail) = ("\(expected)", "\(found)", "by the reasons in the rejects file")
      }
    }
  }
}
