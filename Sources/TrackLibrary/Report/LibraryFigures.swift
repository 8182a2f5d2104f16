internal import MigrationDiagnostics
internal import PersistentStore
internal import Pictures
internal import SQLiteDatabase
internal import TerminalOutput

/// What a page shows of a migrated library, as SQLite counts it.
struct LibraryFigures {
  /// An artist.
  struct Artist {
    let key: Int64
    let name: String?
    let id: String?
    let imageURL: String?
    let trackCount: Int
    /// When a track of the artist was played last, in seconds since 2001.
    let lastPlayedAt: Double?
  }

  /// The artists with the most tracks, first.
  private(set) var artists: [Artist] = []
  private(set) var (trackCount, artistCount, linkCount, imageCount, idCount) = (0, 0, 0, 0, 0)
  /// How many artists have so many tracks, by the lower end of a range that doubles.
  private(set) var tracksPerArtist: [ChartValue] = []
  private(set) var artistsPerTrack: [ChartValue] = []
  /// When tracks were played last.
  private(set) var played: [ChartValue] = []
  private(set) var neverPlayedCount = 0
  /// The artists that share most tracks, and how many each two of them share.
  private(set) var network: (nodes: [NetworkChart.Node], edges: [NetworkChart.Edge]) = ([], [])

  /// A longer list takes longer to load than a person reads.
  static let listLimit = 20_000
  private static let networkLimit = 50
  /// Tracks with more artists are counted as one.
  private static let manyArtists = 12

  private let names: TrackLibraryNames
  private let connection: Connection

  init(_ library: TrackLibraryReader) throws(MigrationError) {
    names = try TrackLibraryNames(library)
    connection = library.store.connection
    try library.store.requireBoundedTables()
    let path = library.store.file.path
    do {
      // Artists' tracks lie all over the table.
      try connection.keepManyPages()
      try connection.reading { try count() }
    } catch let error as SQLiteError {
      throw MigrationError(error, path: path)
    } catch {
      throw MigrationError(.inputOutput, path: path, detail: "\(error)")
    }
  }

  private mutating func count() throws {
    try readTimes()
    artistCount = try integer("SELECT count(*) FROM \(names.artists.rows)")
    linkCount = try integer("SELECT count(*) FROM \(names.links)")
    let counts = try pairs("SELECT \(names.linkedArtist), count(*) FROM \(names.links) GROUP BY 1")
    try readArtists(counts.sorted { ($1.count, $0.number) < ($0.count, $1.number) }.prefix(Self.listLimit))
    tracksPerArtist = Self.ranges(counts.map(\.count))
    let alone = artistCount - counts.count
    if alone > 0 { tracksPerArtist.insert(ChartValue("0", alone), at: 0) }
    let pairs = try readLinks()
    try readNetwork(pairs)
  }

  private mutating func readArtists(_ counts: ArraySlice<(number: Int, count: Int)>) throws {
    let (name, id, image) = (
      names.artists.text("name", "a"), names.artists.text("id", "a"), names.artists.text("imageURL", "a")
    )
    imageCount = try integer("SELECT count(*) FROM \(names.artists.table) a WHERE length(\(image)) > 0")
    idCount = try integer("SELECT count(*) FROM \(names.artists.table) a WHERE length(\(id)) > 0")
    let played = names.tracks.date("lastPlayedAt", "t")
    let row = try connection.prepare(
      """
      SELECT \(name), \(id), CASE WHEN length(\(image)) < 1000 THEN \(image) END,
        (SELECT max(\(played)) FROM \(names.links) l JOIN \(names.tracks.table) t ON t.Z_PK = l.\(names.linkedTrack)
          WHERE l.\(names.linkedArtist) = a.Z_PK)
      FROM \(names.artists.table) a WHERE a.Z_PK = ?
      """)
    for (key, count) in counts {
      try row.bind(Int64(key), at: 1)
      defer { row.reset() }
      // A link to an artist who is not there has been said elsewhere.
      guard try row.step() else { continue }
      artists.append(
        Artist(
          key: Int64(key), name: Self.cut(row.text(0)), id: Self.cut(row.text(1)), imageURL: row.text(2),
          trackCount: count,
          lastPlayedAt: row.isNull(3) ? nil : row.real(3)))
    }
  }

  /// Counts the artists of each track, and in how many tracks each two artists appear together.
  ///
  /// - Returns: The pairs of which most is seen, first.
  private mutating func readLinks() throws -> [(one: Int64, other: Int64, count: Int)] {
    struct Pair: Hashable {
      let one, other: Int64
    }
    var (sizes, pairs): ([Int: Int], [Pair: Int]) = ([:], [:])
    var (track, artists): (Int64?, [Int64]) = (nil, [])
    func finish() {
      guard !artists.isEmpty else { return }
      sizes[min(artists.count, Self.manyArtists), default: 0] += 1
      // Compilations name hundreds of artists, each of them with each other.
      guard (2...20).contains(artists.count) else { return }
      for (place, one) in artists.enumerated() {
        for other in artists[(place + 1)...] { pairs[Pair(one: one, other: other), default: 0] += 1 }
      }
    }
    let rows = try connection.prepare(
      "SELECT \(names.linkedTrack), \(names.linkedArtist) FROM \(names.links) ORDER BY 1, 2")
    while try rows.step() {
      if rows.integer(0) != track {
        finish()
        (track, artists) = (rows.integer(0), [])
      }
      artists.append(rows.integer(1))
    }
    finish()
    let lonely = trackCount - sizes.values.reduce(0, +)
    artistsPerTrack =
      (lonely > 0 ? [ChartValue("0", lonely)] : [])
      + (0..<(sizes.keys.max() ?? 0)).map { $0 + 1 }.map { size in
        ChartValue(size == Self.manyArtists ? "\(size) or more" : "\(size)", sizes[size] ?? 0)
      }
    let strongest = pairs.map { (one: $0.key.one, other: $0.key.other, count: $0.value) }
      .sorted { left, right in (right.count, left.one, left.other) < (left.count, right.one, right.other) }
    return Array(strongest.prefix(2000))
  }

  private mutating func readTimes() throws {
    let date = names.tracks.date("lastPlayedAt", "t")
    let condition = names.tracks.condition("t").map { " WHERE \($0)" } ?? ""
    let rows = try connection.prepare("SELECT \(date) FROM \(names.tracks.table) t\(condition)")
    var days: [Int: Int] = [:]
    while try rows.step() {
      trackCount += 1
      guard !rows.isNull(0) else {
        neverPlayedCount += 1
        continue
      }
      let day = (rows.real(0) / 86_400).rounded(.down)
      // What is further away than 10,000 years is no date.
      if abs(day) < 3_652_500 { days[Int(day), default: 0] += 1 }
    }
    var months: [String: Int] = [:]
    for (day, count) in days {
      months[String(ReferenceDate.iso8601(Double(day) * 86_400).prefix(7)), default: 0] += count
    }
    played = Self.timeline(months.map { ($0.key, $0.value) }.sorted { $0.0 < $1.0 })
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

  private mutating func readNetwork(_ pairs: [(one: Int64, other: Int64, count: Int)]) throws {
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
    text.map { $0.utf8.count <= 300 ? $0 : String($0.prefix(300)) }
  }

  // MARK: - Queries

  private func integer(_ sql: String) throws -> Int { Int(try connection.integer(sql) ?? 0) }

  private func pairs(_ sql: String) throws -> [(number: Int, count: Int)] {
    let rows = try connection.prepare(sql)
    var pairs: [(number: Int, count: Int)] = []
    while try rows.step() { pairs.append((Int(rows.integer(0)), Int(rows.integer(1)))) }
    return pairs
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
