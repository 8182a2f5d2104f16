internal import MigrationDiagnostics
internal import SQLiteDatabase

/// The artists and links that changes remove, which may have had more than the library's model says.
struct RemovedArtists {
  private static let (artists, links) = ("temp.removed_artists", "temp.removed_links")

  /// The other columns of links, quoted.
  let moreOfLinks: [String]
  private let connection: Connection
  private let kept: KeptStatements
  private let names: TrackLibraryNames
  private let (artistTable, linkTable): (Table, Table)
  /// The statements that remove an artist, with its key for `?1`.
  private let removals: [String]

  /// A table whose rows are removed.
  private struct Table {
    let name: String
    let columns: [String]
    /// The app's own columns.
    let more: [String]
    /// The columns, quoted.
    let list: String

    init(_ name: String, besides known: Set<String>, in connection: Connection) throws(SQLiteError) {
      self.name = name
      // Without computed columns, which are no values of their own.
      let statement = try connection.prepare("SELECT name FROM pragma_table_info(?1)")
      try statement.bind(name, at: 1)
      var columns: [String] = []
      while try statement.step() { columns.append(statement.text(0) ?? "") }
      self.columns = columns
      list = columns.map(\.quotedIdentifier).joined(separator: ", ")
      more = columns.filter { !known.contains($0.lowercased()) }
    }
  }

  /// Prepares to remove rows.
  init(_ connection: Connection, _ names: TrackLibraryNames, _ table: ArtistTable) throws(SQLiteError) {
    (self.connection, self.names, kept) = (connection, names, KeptStatements(connection))
    artistTable = try Table(table.artists, besides: table.knownColumns, in: connection)
    linkTable = try Table(table.links, besides: [], in: connection)
    moreOfLinks = linkTable.columns.map(\.quotedIdentifier).filter {
      $0 != names.linkedArtist && $0 != names.linkedTrack
    }
    let links = "FROM \(names.linkTable.table) WHERE \(names.linkedArtist) = ?1"
    let artist = "FROM \(names.artists.table) WHERE Z_PK = ?1"
    removals = [
      "INSERT INTO \(Self.links) SELECT \(linkTable.list) \(links)", "DELETE \(links)",
      "INSERT INTO \(Self.artists) SELECT \(artistTable.list) \(artist)", "DELETE \(artist)",
    ]
    try connection.execute(
      """
      CREATE TEMP TABLE removed_artists AS SELECT \(artistTable.list) FROM \(names.artists.table) WHERE 0;
      CREATE TEMP TABLE removed_links AS SELECT \(linkTable.list) FROM \(names.linkTable.table) WHERE 0
      """)
  }

  /// Removes an artist and the links that it still has.
  func remove(_ key: Int64) throws(SQLiteError) {
    for statement in removals { try kept.prepare(statement, key).run() }
  }

  /// What was lost with them, as clauses.
  func losses() throws(SQLiteError) -> [String] {
    // Core Data numbers the links of an ordered relationship.
    let ofLinks = moreOfLinks.filter { !$0.hasPrefix("\"Z_FOK_") }
    return try values(artistTable.more.map(\.quotedIdentifier), of: artistTable, in: Self.artists, "artist")
      + values(ofLinks, of: linkTable, in: Self.links, "link") + references()
  }

  private func values(
    _ columns: [String], of table: Table, in removed: String, _ noun: String
  ) throws(SQLiteError) -> [String] {
    var losses: [String] = []
    for column in columns {
      let count = Int(try connection.integer("SELECT count(\(column)) FROM \(removed)") ?? 0)
      guard count > 0 else { continue }
      let name = "\(table.name).\(column.dropFirst().dropLast())"
      let owners = count == 1 ? "is gone with its \(noun)" : "are gone with their \(noun)s"
      losses.append("\(count.counting("value")) in '\(name)' \(owners)")
    }
    return losses
  }

  /// The rows whose foreign keys lead to removed artists.
  private func references() throws(SQLiteError) -> [String] {
    let statement = try connection.prepare(
      """
      SELECT m.name, f.id, f."from", coalesce(f."to", 'Z_PK')
      FROM main.sqlite_schema m, pragma_foreign_key_list(m.name) f
      WHERE m.type = 'table' AND lower(f."table") = lower(?1) ORDER BY m.name, f.id, f.seq
      """)
    try statement.bind(artistTable.name, at: 1)
    var keys: [(table: String, id: Int64, from: [String], to: [String])] = []
    while try statement.step() {
      let (table, id) = (statement.text(0) ?? "", statement.integer(1))
      if keys.last.map({ $0.table != table || $0.id != id }) ?? true { keys.append((table, id, [], [])) }
      keys[keys.count - 1].from.append((statement.text(2) ?? "").quotedIdentifier)
      keys[keys.count - 1].to.append(statement.text(3) ?? "")
    }
    let known = Set(artistTable.columns.map { $0.lowercased() })
    var losses: [String] = []
    // A key may name a column that is not there.
    for key in keys where key.to.allSatisfy({ known.contains($0.lowercased()) }) {
      let targets = key.to.map(\.quotedIdentifier).joined(separator: ", ")
      let count = try connection.integer(
        """
        SELECT count(*) FROM main.\(key.table.quotedIdentifier)
        WHERE (\(key.from.joined(separator: ", "))) IN (SELECT \(targets) FROM \(Self.artists))
        """)
      guard let count, count > 0 else { continue }
      let rows = "\(Int(count).counting("row")) of '\(key.table)'"
      losses.append("\(rows) \(count == 1 ? "refers" : "refer") to artists that are gone")
    }
    return losses
  }
}
