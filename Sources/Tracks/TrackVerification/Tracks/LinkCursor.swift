internal import DataModel
internal import PersistentStore
internal import SQLiteDatabase
internal import Verification

/// Walks the links of the new library in the order of their tracks.
final class LinkCursor {
  private let names: LinkNames
  private let side: StoreSide
  private let statement: Statement
  private var current: (track: Int64, artist: Int64)?

  init(_ names: LinkNames, _ side: StoreSide) throws(SQLiteError) {
    self.names = names
    self.side = side
    let (track, artist) = (names.track.quotedIdentifier, names.artist.quotedIdentifier)
    statement = try side.connection.prepare(
      "SELECT \(track), \(artist) FROM \(names.table.quotedIdentifier) ORDER BY \(track), \(artist)")
  }

  /// Starts again with the first link.
  func restart() throws(SQLiteError) {
    statement.reset()
    try advance()
  }

  /// Appends the artists of a track; tracks must be requested in the order of their keys.
  func collect(ofTrack key: Int64, _ artists: inout [Int64]) throws(SQLiteError) {
    while let link = current, link.track < key { try advance() }
    while let link = current, link.track == key {
      artists.append(link.artist)
      try advance()
    }
  }

  /// The number of all links.
  func count() throws(SQLiteError) -> Int64 {
    try side.count(names.table)
  }

  /// Reports the links whose track does not exist.
  func reportDangling(to log: DifferenceLog) throws {
    let tracks = side.schema.model.entities.map(\.name).filter { side.schema.model.lineage(of: $0).contains("Track") }
    let numbers = tracks.map { "\(side.schema.entityNumber($0))" }.joined(separator: ", ")
    let isAlone = side.schema.table(forEntityNamed: "Track")?.entityNames.count == tracks.count
    let dangling = try side.connection.prepare(
      """
      SELECT \(names.track.quotedIdentifier), \(names.artist.quotedIdentifier) FROM \(names.table.quotedIdentifier) link
      WHERE NOT EXISTS (
        SELECT 1 FROM \(names.tracks.quotedIdentifier) track WHERE track.Z_PK = link.\(names.track.quotedIdentifier)
        \(isAlone ? "" : "AND track.Z_ENT IN (\(numbers))"))
      ORDER BY 1, 2
      """)
    while try dangling.step() {
      try log.add(.danglingLink) {
        ($0.entity, $0.row, $0.property) = ("Track", dangling.isNull(0) ? nil : dangling.integer(0), "artists")
        $0.found = dangling.isNull(1) ? "no artist" : "artist \(dangling.integer(1))"
      }
    }
  }

  private func advance() throws(SQLiteError) {
    current = try statement.step() ? (statement.integer(0), statement.integer(1)) : nil
  }
}
