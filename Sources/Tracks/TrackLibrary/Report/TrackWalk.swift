internal import PersistentStore
internal import Pictures
internal import SQLiteDatabase

/// When tracks were played last, in the order of their keys.
struct TrackTimes {
  private(set) var trackCount = 0
  private(set) var neverPlayedCount = 0
  /// The number of tracks whose time another program has stored as text or bytes.
  private(set) var oddTimeCount = 0
  private var days: [Int: Int] = [:]
  private let rows: Statement
  /// The current row; `nil` at the end.
  private var current: (key: Int64, time: Double?)?

  init(_ tracks: EntityNames, _ connection: Connection) throws(SQLiteError) {
    let date = tracks.date("lastPlayedAt", "t")
    rows = try connection.prepare(
      "SELECT t.Z_PK, \(date), \(tracks.condition("t") ?? "1") FROM \(tracks.table) t ORDER BY t.Z_PK")
    try advance()
  }

  /// When a track was played last; tracks must be asked for in the order of their keys.
  mutating func time(ofTrack key: Int64) throws(SQLiteError) -> Double? {
    while let current, current.key < key { try advance() }
    return current?.key == key ? current?.time : nil
  }

  /// Reads the rest.
  mutating func finish() throws(SQLiteError) {
    while current != nil { try advance() }
  }

  private mutating func advance() throws(SQLiteError) {
    guard try rows.step() else { return current = nil }
    let time = ColumnValue(rows, 1)
    current = (rows.integer(0), time.number)
    // The table may hold rows of other entities.
    if rows.integer(2) != 0 { count(time) }
  }

  private mutating func count(_ value: ColumnValue) {
    trackCount += 1
    if value == .null { return neverPlayedCount += 1 }
    guard let time = value.number else { return oddTimeCount += 1 }
    let day = (time / 86_400).rounded(.down)
    // A time further away than 10,000 years is not a date.
    if abs(day) < 3_652_500 { days[Int(day), default: 0] += 1 }
  }

  /// The number of tracks by when they were played last.
  var timeline: [ChartValue] {
    var months: [String: Int] = [:]
    for (day, count) in days {
      months[String(ReferenceDate.iso8601(Double(day) * 86_400).prefix(7)), default: 0] += count
    }
    return LibraryFigures.timeline(months.map { ($0.key, $0.value) }.sorted { $0.0 < $1.0 })
  }
}

/// Counts the artists of each track, and in how many tracks each two artists appear together.
struct ArtistGroups {
  /// Tracks with more artists are counted as one.
  private static let manyArtists = 12

  private struct Pair: Hashable {
    let one, other: Int64
  }

  /// The artists of the current track.
  var artists: [Int64] = []
  private var sizes: [Int: Int] = [:]
  private var pairs: [Pair: Int] = [:]

  /// Ends a track.
  mutating func finish() {
    guard !artists.isEmpty else { return }
    defer { artists.removeAll(keepingCapacity: true) }
    sizes[min(artists.count, Self.manyArtists), default: 0] += 1
    // Compilations name hundreds of artists, each of them with each other.
    guard (2...20).contains(artists.count) else { return }
    for (place, one) in artists.enumerated() {
      for other in artists[(place + 1)...] { pairs[Pair(one: one, other: other), default: 0] += 1 }
    }
  }

  /// Returns the number of tracks by their number of artists.
  func sizes(ofAll trackCount: Int) -> [ChartValue] {
    let lonely = trackCount - sizes.values.reduce(0, +)
    return (lonely > 0 ? [ChartValue("0", lonely)] : [])
      + (0..<(sizes.keys.max() ?? 0)).map { $0 + 1 }.map { size in
        ChartValue(size == Self.manyArtists ? "\(size) or more" : "\(size)", sizes[size] ?? 0)
      }
  }

  /// The pairs of which most is seen, first.
  var strongest: [LibraryFigures.Pair] {
    let limit = 2000
    // Most pairs are seen once; those that cannot be among the first need not be sorted.
    var numbers: [Int: Int] = [:]
    for count in pairs.values { numbers[count, default: 0] += 1 }
    var (least, found) = (1, 0)
    for (count, number) in numbers.sorted(by: { $0.key > $1.key }) where found < limit {
      (least, found) = (count, found + number)
    }
    let all = pairs.lazy.filter { $0.value >= least }.map { (one: $0.key.one, other: $0.key.other, count: $0.value) }
      .sorted { left, right in (right.count, left.one, left.other) < (left.count, right.one, right.other) }
    return Array(all.prefix(limit))
  }
}
