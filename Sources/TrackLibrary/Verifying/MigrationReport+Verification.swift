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
  }
}
