internal import MigrationDiagnostics
internal import PersistentStore
internal import Pictures
internal import SQLiteDatabase
internal import TerminalOutput

/// The figures of a migrated library on its page, as SQLite counts them.
struct LibraryFigures {
  /// An artist.
  struct Artist {
    let key: Int64
    let name: String?
    let id: String?
    let imageURL: String?
    let trackCount: Int
    /// The titles of its first tracks; empty beyond ``titleBudget``.
    var titles: [String] = []
    /// When a track of the artist was played last, in seconds since 2001.
    let lastPlayedAt: Double?
  }

  /// The artists with the most tracks, first.
  private(set) var artists: [Artist] = []
  private(set) var (trackCount, artistCount, linkCount, imageCount, idCount) = (0, 0, 0, 0, 0)
  /// The links that lead to missing rows, which are not counted.
  let danglingLinks: DanglingLinks
  /// The number of artists by their number of tracks, in ranges that double.
  private(set) var tracksPerArtist: [ChartValue] = []
  private(set) var artistsPerTrack: [ChartValue] = []
  /// When tracks were played last.
  private(set) var played: [ChartValue] = []
  private(set) var neverPlayedCount = 0
  private(set) var oddTimeCount = 0
  /// The artists that share most tracks, and how many each two of them share.
  private(set) var network: (nodes: [NetworkChart.Node], edges: [NetworkChart.Edge]) = ([], [])

  /// Two artists, and in how many tracks they appear together.
  typealias Pair = (one: Int64, other: Int64, count: Int)

  /// The artists that are listed with all details: a longer list takes longer to load than a person reads.
  static let listLimit = 20_000
  /// The artists that are listed with their names at least, so that a search finds them.
  static let nameLimit = 200_000
  /// The titles that are listed, of one artist and of all.
  private static let (titleLimit, titleBudget) = (200, 60_000)
  private static let networkLimit = 50

  private let names: TrackLibraryNames
  private let connection: Connection

  init(_ library: TrackLibraryReader) throws(MigrationError) {
    names = try library.names()
    danglingLinks = names.linkTable.dangling
    connection = library.store.connection
    try library.store.requireBoundedTables()
    let path = library.store.file.path
    do {
      try connection.reading { try count() }
    } catch let error as SQLiteError {
      throw MigrationError(error, path: path)
    } catch {
      throw MigrationError(.inputOutput, path: path, detail: "\(error)")
    }
  }

  private mutating func count() throws {
    let (pairs, latest) = try readTracks()
    artistCount = try integer("SELECT count(*) FROM \(names.artists.rows)")
    linkCount = try integer("SELECT count(*) FROM \(names.links)")
    let counts = try counts("SELECT \(names.linkedArtist), count(*) FROM \(names.links) GROUP BY 1")
    try readArtists(
      counts.sorted { ($1.count, $0.number) < ($0.count, $1.number) }.prefix(Self.nameLimit), latest)
    try readTitles()
    tracksPerArtist = Self.ranges(counts.map(\.count))
    let alone = artistCount - counts.count
    if alone > 0 { tracksPerArtist.insert(ChartValue("0", alone), at: 0) }
    try readNetwork(pairs)
  }

  private mutating func readArtists(
    _ counts: ArraySlice<(number: Int, count: Int)>, _ latest: [Int64: Double]
  ) throws {
    let (name, id, image) = (
      names.artists.text("name", "a"), names.artists.text("id", "a"), names.artists.text("imageURL", "a")
    )
    imageCount = try integer("SELECT count(*) FROM \(names.artists.table) a WHERE length(\(image)) > 0")
    idCount = try integer("SELECT count(*) FROM \(names.artists.table) a WHERE length(\(id)) > 0")
    let row = try connection.prepare(
      """
      SELECT \(name), \(id), CASE WHEN length(\(image)) < 1000 THEN \(image) END
      FROM \(names.artists.table) a WHERE a.Z_PK = ?
      """)
    for (key, count) in counts {
      try row.bind(Int64(key), at: 1)
      defer { row.reset() }
      guard try row.step() else { continue }
      artists.append(
        Artist(
          key: Int64(key), name: Self.cut(row.text(0)), id: Self.cut(row.text(1)), imageURL: row.text(2),
          trackCount: count, lastPlayedAt: latest[Int64(key)]))
    }
    let alone = try connection.prepare(
      """
      SELECT a.Z_PK, \(name), \(id) FROM \(names.artists.table) a
      WHERE \(names.artists.condition("a") ?? "1") AND a.Z_PK NOT IN (SELECT \(names.linkedArtist) FROM \(names.links))
      LIMIT \(Self.nameLimit - artists.count)
      """)
    while try alone.step() {
      artists.append(
        Artist(
          key: alone.integer(0), name: Self.cut(alone.text(1)), id: Self.cut(alone.text(2)), imageURL: nil,
          trackCount: 0, lastPlayedAt: nil))
    }
  }

  /// Reads the titles of the artists with the most tracks.
  private mutating func readTitles() throws {
    let row = try connection.prepare(
      """
      SELECT \(names.tracks.text("title", "t"))
      FROM \(names.links) l JOIN \(names.tracks.table) t ON t.Z_PK = l.\(names.linkedTrack)
      WHERE l.\(names.linkedArtist) = ? ORDER BY l.\(names.linkedTrack) LIMIT \(Self.titleLimit)
      """)
    var budget = Self.titleBudget
    for place in artists.indices.prefix(Self.listLimit) where budget > 0 && artists[place].trackCount > 0 {
      try row.bind(artists[place].key, at: 1)
      defer { row.reset() }
      while try row.step() { artists[place].titles.append(Self.cut(row.text(0)) ?? "") }
      budget -= artists[place].titles.count
    }
  }

  /// Walks all tracks and their links at once, both in the order of the tracks' keys: looking up the tracks of each artist
  /// would read the table many times over.
  ///
  /// - Returns: The pairs of artists of which most is seen, first; and when a track of each artist was played last.
  private mutating func readTracks() throws -> (pairs: [Pair], latest: [Int64: Double]) {
    var times = try TrackTimes(names.tracks, connection)
    var groups = ArtistGroups()
    var latest: [Int64: Double] = [:]
    var (track, played): (Int64?, Double?) = (nil, nil)
    let rows = try connection.prepare(
      "SELECT \(names.linkedTrack), \(names.linkedArtist) FROM \(names.links) ORDER BY 1, 2")
    while try rows.step() {
      let artist = rows.integer(1)
      if rows.integer(0) != track {
        groups.finish()
        track = rows.integer(0)
        played = rows.isNull(0) ? nil : try times.time(ofTrack: rows.integer(0))
      }
      groups.artists.append(artist)
      if let played, !rows.isNull(1) { latest[artist] = max(latest[artist] ?? played, played) }
    }
    groups.finish()
    try times.finish()
    (trackCount, neverPlayedCount, self.played) = (times.trackCount, times.neverPlayedCount, times.timeline)
    oddTimeCount = times.oddTimeCount
    artistsPerTrack = groups.sizes(ofAll: trackCount)
    return (groups.strongest, latest)
  }

  /// Months with those between them that have nothing; years, if there are too many.
  static func timeline(_ months: [(month: String, count: Int)]) -> [ChartValue] {
    func number(_ month: String) -> Int? {
      let parts = month.split(separator: "-").map { Int($0) }
      guard parts.count == 2, let year = parts[0], let month = parts[1] else { return nil }
      return year * 12 + month - 1
    }
    let numbered = months.compactMap { pair in number(pair.month).map { ($0, pair.count) } }
    guard let first = numbered.first?.0, let last = numbered.last?.0 else { return [] }
    let unit = last - first < 60 ? 1 : last - first < 60 * 12 ? 12 : 120
    var counts: [Int: Int] = [:]
    for (month, count) in numbered { counts[month / unit, default: 0] += count }
    return (first / unit...last / unit).prefix(1200).map { place in
      let (year, month) = (place * unit / 12, place * unit % 12 + 1)
      let label = unit == 1 ? "\(year)-\(month < 10 ? "0" : "")\(month)" : unit == 12 ? "\(year)" : "\(year)s"
      return ChartValue(label, counts[place] ?? 0)
    }
  }

  private mutating func readNetwork(_ pairs: [Pair]) throws {
    var (places, keys): ([Int64: Int], [Int64]) = ([:], [])
    var edges: [NetworkChart.Edge] = []
    var degrees: [Int64: Int] = [:]
    for (one, other, count) in pairs {
      let pair = [one, other]
      let new = pair.filter { places[$0] == nil }
      guard keys.count + new.count <= Self.networkLimit else { continue }
      // Each keeps its strongest lines; all of them at once could not be read.
      guard pair.contains(where: { degrees[$0, default: 0] < 3 }) else { continue }
      for key in pair { degrees[key, default: 0] += 1 }
      for key in new {
        places[key] = keys.count
        keys.append(key)
      }
      edges.append(NetworkChart.Edge(places[pair[0]] ?? 0, places[pair[1]] ?? 0, weight: count))
    }
    let row = try connection.prepare(
      """
      SELECT \(names.artists.text("name", "a")), (SELECT count(*) FROM \(names.links) l WHERE l.\(names.linkedArtist) = a.Z_PK)
      FROM \(names.artists.table) a WHERE Z_PK = ?
      """)
    let nodes = try keys.map { key in
      try row.bind(key, at: 1)
      defer { row.reset() }
      _ = try row.step()
      return NetworkChart.Node(Self.cut(row.text(0)) ?? "", weight: Int(row.integer(1)))
    }
    network = (nodes, edges)
  }

  /// A text that fills no page; SQLite's own functions would end it at U+0000.
  private static func cut(_ text: String?) -> String? {
    text.map { $0.utf8.count <= 300 ? $0 : String($0.unicodeScalars.prefix(300)) }
  }

  // MARK: - Queries

  private func integer(_ sql: String) throws -> Int { Int(try connection.integer(sql) ?? 0) }

  private func counts(_ sql: String) throws -> [(number: Int, count: Int)] {
    let rows = try connection.prepare(sql)
    var counts: [(number: Int, count: Int)] = []
    while try rows.step() { counts.append((Int(rows.integer(0)), Int(rows.integer(1)))) }
    return counts
  }

  /// One value for each range of numbers that doubles: 1, 2 to 3, 4 to 7, and so on.
  static func ranges(_ numbers: [Int]) -> [ChartValue] {
    var counts: [Int: Int] = [:]
    for number in numbers where number > 0 { counts[Int.bitWidth - 1 - number.leadingZeroBitCount, default: 0] += 1 }
    guard let last = counts.keys.max() else { return [] }
    return (0...last).map { power in
      let (low, high) = (1 << power, (2 << power) - 1)
      return ChartValue(low == high ? "\(low)" : "\(low)–\(high)", counts[power] ?? 0)
    }
  }
}
