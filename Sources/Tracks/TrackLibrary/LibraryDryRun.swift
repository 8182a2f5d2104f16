internal import JSONPresets
internal import Migration
internal import MigrationDiagnostics
internal import PersistentStore
internal import SQLiteDatabase

/// Artists of a migrated library that a person may mistake for one another, because their names look alike.
///
/// SQLite sorts the names, in its own temporary files if there are many; only one group is in memory at a time.
struct NameFindings {
  /// The number of groups of names that look alike.
  private(set) var count = 0
  /// The number of names that look like those of several artists.
  private(set) var joinedCount = 0
  /// The names of the first groups.
  private(set) var examples: [String] = []

  /// Examines the artists of a store.
  init(inStoreAt path: String, _ schema: StoreSchema) throws(MigrationError) {
    guard let artists = EntityNames("Artist", in: schema) else { return }
    let store = try StoreReader(path: path)
    let groups = try reporting(path: path) {
      try LookAlike.install(in: store.connection)
      return try Self.groups(artists, store.connection)
    }
    (count, examples, joinedCount) = groups
    try store.close()
  }

  private static func groups(
    _ artists: EntityNames, _ connection: Connection
  ) throws(SQLiteError) -> (count: Int, examples: [String], joinedCount: Int) {
    let name = artists.text("name", artists.table)
    let statement = try connection.prepare(
      """
      SELECT key, name FROM (
        SELECT similarity_key(\(name)) AS key, \(name) AS name FROM \(artists.table)
        WHERE length(\(name)) <= \(longestName))
      WHERE key NOT NULL ORDER BY key, name
      """)
    var count = 0
    var joinedCount = 0
    var examples: [String] = []
    var group = Group(key: "")
    func finish() {
      guard group.count > 1 else { return }
      count += 1
      if examples.count < MigrationStatistics.exampleLimit { examples.append(group.text) }
    }
    while try statement.step() {
      guard let key = statement.text(0), let name = statement.text(1) else { continue }
      if !key.utf8.elementsEqual(group.key.utf8) {
        finish()
        group = Group(key: key)
      }
      if group.add(name), JoinedName.isOne(name) { joinedCount += 1 }
    }
    finish()
    return (count, examples, joinedCount)
  }

  /// Longer names are not mistaken for one another, and are not folded.
  private static let longestName = 1000

  /// Names with the same key, of which the first few are kept.
  private struct Group {
    let key: String
    private(set) var count = 0
    private var last: String?
    private var names: [String] = []

    init(key: String) { self.key = key }

    /// Adds a name; returns false if it is the same as the last.
    mutating func add(_ name: String) -> Bool {
      // Compared byte by byte, as artists are.
      if let last, last.utf8.elementsEqual(name.utf8) { return false }
      last = name
      count += 1
      if names.count < 4 { names.append(name) }
      return true
    }

    var text: String {
      var shown: [String] = []
      for (index, name) in names.enumerated() {
        // On a screen, these look the same.
        let isAlike = names[..<index].contains(name)
        shown.append(name.shortened + (isAlike ? " (in other code points)" : ""))
      }
      return shown.joined(separator: ", ") + (count > names.count ? " and \(count - names.count) more" : "")
    }
  }
}

extension MigrationReport {
  /// Adds the findings about names.
  mutating func add(_ findings: NameFindings) {
    isDryRun = true
    facts[.joinedNames] = findings.joinedCount
    facts.set(.similarNames, findings.count, findings.examples)
  }
}

extension String {
  /// The text, shortened to fit on a line.
  fileprivate var shortened: String { unicodeScalars.count <= 80 ? self : String(unicodeScalars.prefix(79)) + "…" }
}

/// Estimates the size of a migrated track library.
enum TrackLibrarySize {
  /// The approximate size of the result in bytes: the size of the library without its JSON, and therefore never more
  /// than the library.
  ///
  /// The JSON's share is estimated from rows sampled across the table. The artists in the JSON are not counted, so that
  /// a migration that has enough space is never refused.
  static func ofResult(_ source: StoreReader, _ schema: StoreSchema) -> Int64 {
    let size = source.usedSize
    guard let table = schema.table(forEntityNamed: "Track"),
      let json = schema.column(forProperty: "json", ofEntityNamed: "Track")?.name,
      let share = try? source.connection.reading({ try share(of: json, in: table, source.connection) })
    else { return size }
    return Int64(Double(size) * (1 - share))
  }

  private static let sampleCount: Int64 = 200

  private static func share(of column: String, in table: EntityTable, _ connection: Connection) throws -> Double {
    guard let keys = try connection.keyRange(ofTable: table.name) else { return 0 }
    let (first, last) = (keys.lowerBound, keys.upperBound)
    let next = try connection.prepare(
      "SELECT Z_PK FROM \(table.name.quotedIdentifier) WHERE Z_PK >= ? ORDER BY Z_PK LIMIT 1")
    var (part, whole) = (0.0, 0.0)
    for number in 0..<sampleCount {
      // Keys may be any 64-bit numbers.
      let key = Double(first) + (Double(last) - Double(first)) * Double(number) / Double(sampleCount)
      next.reset()
      try next.bind(Int64(exactly: key.rounded()) ?? first, at: 1)
      guard try next.step() else { continue }
      let row = next.integer(0)
      for other in table.columns {
        // Only the length is read. Values that are neither text nor blobs are small.
        let length = (try? Blob(connection, table: table.name, column: other.name, row: row)).map { $0.count } ?? 8
        whole += Double(length)
        if other.name == column { part += Double(length) }
      }
      whole += 16
    }
    return whole > 0 ? part / whole : 0
  }
}
