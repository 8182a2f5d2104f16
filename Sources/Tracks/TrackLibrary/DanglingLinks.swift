internal import Migration
package import MigrationDiagnostics
package import PersistentStore
internal import SQLiteDatabase

/// The links of a migrated library that lead to a missing artist or track.
///
/// Another program that deletes rows may leave them. Core Data ignores them, so nothing counts or shows them as links.
package struct DanglingLinks: Sendable, Hashable {
  /// The links to missing artists.
  package fileprivate(set) var toArtistsCount: Int64 = 0
  /// The links to missing tracks.
  package fileprivate(set) var toTracksCount: Int64 = 0
  /// All of them: a link may lead nowhere at both ends.
  package fileprivate(set) var count: Int64 = 0
  /// The SQL that removes them; empty if there are none.
  package fileprivate(set) var removal = ""

  fileprivate init() {}

  /// The links of a store that lead to missing rows; `nil` if it is not a library with links.
  package static func all(in store: StoreReader) throws(MigrationError) -> DanglingLinks? {
    guard let model = try? TrackLibraryModel(of: store), let library = try? TrackLibraryReader(store, model) else {
      return nil
    }
    return try library.danglingLinks()
  }

  /// The figure for statistics; `nil` if there are none.
  package var figure: Figure? {
    count == 0 ? nil : Figure("links_to_missing_rows_count", count, "Links to missing artists or tracks, not counted")
  }
}

/// The links of a library, as SQL.
struct LinkTable {
  /// The join table, quoted.
  let table: String
  /// The column with keys of artists, quoted.
  let artist: String
  /// The column with keys of tracks, quoted.
  let track: String
  /// The rows that lead to an artist and a track, for use after FROM: the table itself, if that is all of them.
  private(set) var rows: String
  /// The others.
  private(set) var dangling = DanglingLinks()

  /// Looks for links that lead nowhere.
  init(
    _ links: JoinTable.Links, artists: EntityNames, tracks: EntityNames, in library: TrackLibraryReader
  ) throws(MigrationError) {
    table = links.table.name.quotedIdentifier
    (artist, track) = (links.destinationColumn.quotedIdentifier, links.sourceColumn.quotedIdentifier)
    rows = table
    // Nearly always there are none, which this finds out without looking each up.
    let found = try StoreValidator(library.store, library.schema)
      .danglingLinks(ofRelationship: "artists", ofEntityNamed: "Track")
    guard !found.isEmpty else { return }
    // Rows that seem to be missing may be on damaged pages. Their links must not be removed.
    try reporting(path: library.store.file.path) { try library.store.checkingPages(for: .tablesAndIndexes) {} }
    try find(artists, tracks, library.store)
  }

  private mutating func find(
    _ artists: EntityNames, _ tracks: EntityNames, _ store: StoreReader
  ) throws(MigrationError) {
    func exists(_ column: String, _ entity: EntityNames) -> String {
      let conditions = ["x.Z_PK = k.\(column)", entity.condition("x")].compactMap { $0 }
      return "EXISTS (SELECT 1 FROM \(entity.table) x WHERE \(conditions.joined(separator: " AND ")))"
    }
    let ends = [exists(artist, artists), exists(track, tracks)]
    let counts = try reporting(path: store.file.path) {
      try (ends + ["(\(ends.joined(separator: " AND ")))"]).map {
        try store.connection.integer("SELECT count(*) FROM \(table) k WHERE NOT \($0)") ?? 0
      }
    }
    (dangling.toArtistsCount, dangling.toTracksCount, dangling.count) = (counts[0], counts[1], counts[2])
    let broken = zip(ends, counts).filter { $0.1 > 0 }.map(\.0)
    guard !broken.isEmpty else { return }
    rows = "(SELECT * FROM \(table) k WHERE \(broken.joined(separator: " AND ")))"
    dangling.removal = "DELETE FROM \(table) AS k WHERE NOT (\(broken.joined(separator: " AND ")));"
  }
}
