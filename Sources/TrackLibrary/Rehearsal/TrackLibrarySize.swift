internal import Diagnostics
internal import PersistentStore
internal import SQLite

/// Estimates how large a track library becomes.
enum TrackLibrarySize {
  /// About how many bytes the result takes: what the library takes without its JSON, so never more than that takes.
  ///
  /// What share of it the JSON is, some rows all over the table tell. The artists in the JSON are not counted, so that a
  /// migration that has room is never refused.
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
    let name = table.name.quotedIdentifier
    guard let first = try connection.integer("SELECT min(Z_PK) FROM \(name)"),
      let last = try connection.integer("SELECT max(Z_PK) FROM \(name)")
    else { return 0 }
    let next = try connection.prepare("SELECT Z_PK FROM \(name) WHERE Z_PK >= ? ORDER BY Z_PK LIMIT 1")
    var (part, whole) = (0.0, 0.0)
    for number in 0..<sampleCount {
      // Keys may be any 64-bit numbers.
      let key = Double(first) + (Double(last) - Double(first)) * Double(number) / Double(sampleCount)
      next.reset()
      try next.bind(Int64(exactly: key.rounded()) ?? first, at: 1)
      guard try next.step() else { continue }
      let row = next.integer(0)
      for other in table.columns {
        // Only the length is asked for. What is neither text nor a blob is small.
        let length = (try? Blob(connection, table: table.name, column: other.name, row: row)).map { $0.count } ?? 8
        whole += Double(length)
        if other.name == column { part += Double(length) }
      }
      whole += 16
    }
    return whole > 0 ? part / whole : 0
  }
}
