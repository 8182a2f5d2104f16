/// What a migration of tracks comes to, in a form that is easy to compare.
struct TrackOutcome {
  /// Key, name, id and image, in the order of the keys.
  var artists: [String] = []
  /// Artist and track.
  var links: [String] = []
  /// Key, version, title, image and time of each track, with their storage classes.
  var tracks: [String] = []
  /// Entity, its number and its greatest key.
  var primaryKeys: [String] = []
  /// Counters by the names that stand in reports, without those that are 0.
  var counters: [String: Int] = [:]
  /// The examples by the names of their counters.
  var examples: [String: [String]] = [:]
  /// Key, title, reason, offset and text of each reject.
  var rejects: [String] = []

  /// The first difference, in words.
  func difference(from expected: TrackOutcome) -> String? {
    artists.difference(from: expected.artists, "artists")
      ?? links.difference(from: expected.links, "links")
      ?? tracks.difference(from: expected.tracks, "tracks")
      ?? primaryKeys.difference(from: expected.primaryKeys, "primary keys")
      ?? Self.lines(counters).difference(from: Self.lines(expected.counters), "counters")
      ?? Self.lines(examples).difference(from: Self.lines(expected.examples), "examples")
      ?? rejects.difference(from: expected.rejects, "rejects")
  }

  private static func lines(_ values: [String: some Any]) -> [String] { values.map { "\($0): \($1)" }.sorted() }
}
