/// The result of a migration of tracks in a form that is easy to compare.
struct TrackOutcome {
  /// The key, name, id and image of each artist in primary key order.
  var artists: [String] = []
  /// The artist and track of each link.
  var links: [String] = []
  /// The key, version, title, image and time of each track, with their storage classes.
  var tracks: [String] = []
  /// The name, number and greatest key of each entity.
  var primaryKeys: [String] = []
  /// The counters by their names in reports, without zeros.
  var counters: [String: Int] = [:]
  /// The examples by the names of their counters.
  var examples: [String: [String]] = [:]
  /// The key, title, reason, offset and text of each reject.
  var rejects: [String] = []

  /// Returns the first difference in words.
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
