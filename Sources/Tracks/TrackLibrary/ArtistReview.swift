package import JSONPresets
package import Migration
package import MigrationDiagnostics
internal import PersistentStore
package import Policies
internal import SQLiteDatabase

/// Looks for artists that a person should decide about: names that may mean the same artist, or several artists.
package struct ArtistReview {
  /// A line of a file of decisions that are still to be made.
  package struct Suggestion: Sendable, Hashable {
    /// The name in question.
    package let artist: String
    /// The id in question; `nil` if it is about all mentions of the name.
    package let id: String?
    /// The artists that are likely meant.
    package let into: [ArtistDecisions.Target]
    /// The number of the artist's tracks.
    package let tracksCount: Int64
    /// The reason for the suggestion.
    package let evidence: String

    /// The line.
    package var text: String {
      let ids = into.contains { $0.id != nil } ? into.map { $0.id ?? "" } : []
      return [
        ArtistDecisions.undecided, ArtistDecisions.field(artist), ArtistDecisions.field(id ?? ""),
        ArtistDecisions.field(into.map(\.name)), ArtistDecisions.field(ids), "\(tracksCount)",
        ArtistDecisions.field(evidence),
      ].joined(separator: "\t")
    }
  }

  /// The suggestions, those with most tracks first.
  package let suggestions: [Suggestion]
  /// The links to missing rows of a library that has the current version.
  package private(set) var danglingLinks: DanglingLinks?

  /// Reviews a library of any version; one of an older version is migrated to a temporary file.
  ///
  /// - Parameter decisions: What has been decided already, which is not suggested again.
  package init(
    path: String, options: TrackMigrationOptions, decisions: ArtistDecisions?, cancellation: MigrationCancellation
  ) throws(MigrationError) {
    var found: [Suggestion] = []
    let library = try TrackLibraryReader(path: path)
    let danglingLinks = try library.danglingLinks()
    if library.version == .current {
      found = try Self.suggestions(in: library)
    } else {
      try library.store.close()
      // Names with several ids are one artist if names identify them, and ids with several names if ids do.
      for identity in ArtistIdentity.allCases {
        var migration = LibraryMigration(path: path)
        migration.trackOptions = options
        migration.trackOptions.identity = identity
        migration.cancellation = cancellation
        migration.onRehearsed = { path, _ throws(MigrationError) in
          let result = try Self.suggestions(in: try TrackLibraryReader(migratedLibraryAt: path))
          found += identity == .name ? result : result.filter { $0.id != nil }
        }
        _ = try migration.run(isDryRun: true)
      }
    }
    self.init(found, decisions)
    self.danglingLinks = danglingLinks
  }

  /// Reviews a migrated library whose pages are checked meanwhile (`TrackLibraryReader.reading`).
  init(checkedLibraryAt path: String) throws(MigrationError) {
    self.init(try Self.suggestions(in: try TrackLibraryReader(migratedLibraryAt: path), isChecked: true), nil)
  }

  private init(_ found: [Suggestion], _ decisions: ArtistDecisions?) {
    // The first line about a name and an id is the one with the best evidence.
    var known = Set((decisions?.all ?? []).map { Self.key($0.artist, $0.id) })
    suggestions = found.filter { known.insert(Self.key($0.artist, $0.id)).inserted }.sorted { first, second in
      guard first.tracksCount == second.tracksCount else { return first.tracksCount > second.tracksCount }
      return Self.key(first.artist, first.id).lexicographicallyPrecedes(Self.key(second.artist, second.id))
    }
  }

  private static func key(_ name: String, _ id: String?) -> [UInt8] {
    Array(name.utf8) + [0xFF] + Array((id ?? "").utf8)
  }

  // MARK: - Artists

  /// An artist of the library.
  private struct Row {
    let name: String
    let id: String?
    let tracksCount: Int64
    /// The name without what people overlook.
    let key: String

    var target: ArtistDecisions.Target { ArtistDecisions.Target(name: name, id: id) }
    var summary: String { "'\(name)' (\(tracksCount == 1 ? "1 track" : "\(tracksCount) tracks"))" }
    var isSpoiled: Bool { LookAlike.isSpoiled(name) }
    func hasName(of other: Row) -> Bool { name.utf8.elementsEqual(other.name.utf8) }
  }

  /// The suggestions for a migrated library, which is closed.
  private static func suggestions(
    in library: TrackLibraryReader, isChecked: Bool = false
  ) throws(MigrationError) -> [Suggestion] {
    let names = try library.names()
    let rows = try reporting(path: library.store.file.path) {
      isChecked ? try artists(of: library, names) : try library.reading { try artists(of: library, names) }
    }
    try library.store.close()
    return alike(rows) + withOneID(rows) + joined(rows)
  }

  private static func artists(of library: TrackLibraryReader, _ names: TrackLibraryNames) throws -> [Row] {
    let artists = names.artists
    let name = artists.text("name", "a")
    try LookAlike.install(in: library.store.connection)
    let statement = try library.store.connection.prepare(
      """
      SELECT \(name), \(artists.text("id", "a")), coalesce(c.n, 0) AS n, similarity_key(\(name))
      FROM \(artists.table) a LEFT JOIN (
        SELECT \(names.linkedArtist) AS k, count(*) AS n FROM \(names.links) GROUP BY \(names.linkedArtist)
      ) c ON c.k = a.Z_PK
      WHERE \(artists.condition("a") ?? "1") AND \(name) <> '' AND length(\(name)) <= 1000 ORDER BY n DESC, a.Z_PK
      """)
    var rows: [Row] = []
    while try statement.step() {
      let id = statement.text(1).flatMap { $0.isEmpty ? nil : $0 }
      rows.append(
        Row(
          name: statement.text(0) ?? "", id: id, tracksCount: statement.integer(2), key: statement.text(3) ?? ""))
    }
    return rows
  }

  /// The same artists, with those first whose name a person would write: others are to become them.
  private static func cleanFirst(_ group: [Row]) -> [Row] {
    let spoiled = group.map(\.isSpoiled)
    return [false, true].flatMap { kind in zip(group, spoiled).filter { $0.1 == kind }.map(\.0) }
  }

  /// Names that look alike, and names with several ids.
  private static func alike(_ rows: [Row]) -> [Suggestion] {
    Dictionary(grouping: rows) { $0.key }.values.filter { $0.count > 1 }.map(cleanFirst).flatMap { group in
      group.indices.dropFirst().compactMap { place -> Suggestion? in
        let row = group[place]
        let isShared = group.indices.contains { $0 != place && group[$0].hasName(of: row) }
        // Which of several artists a name without an id means, only the ids of the others say.
        if isShared, row.id == nil { return nil }
        let reason =
          row.hasName(of: group[0])
          ? "same name; id '\(group[0].id ?? "")' is \(group[0].summary)"
          : "differs from \(group[0].summary) in \(LookAlike.evidence(group[0].name, row.name)) only"
        return Suggestion(
          artist: row.name, id: isShared ? row.id : nil, into: [group[0].target], tracksCount: row.tracksCount,
          evidence: reason + (row.id != nil && row.id.isSameText(as: group[0].id) ? "; same id" : ""))
      }
    }
  }

  /// Ids with several names.
  private static func withOneID(_ rows: [Row]) -> [Suggestion] {
    let groups = Dictionary(grouping: rows.filter { $0.id != nil }) { Array(($0.id ?? "").utf8) }.values
    return groups.filter { $0.count > 1 }.map(cleanFirst).flatMap { group in
      group.dropFirst().map { row in
        Suggestion(
          artist: row.name, id: nil, into: [group[0].target], tracksCount: row.tracksCount,
          evidence: "same id '\(row.id ?? "")' as \(group[0].summary)")
      }
    }
  }

  /// Names that consist of names of other artists.
  private static func joined(_ rows: [Row]) -> [Suggestion] {
    let byKey = Dictionary(rows.map { ($0.key, $0) }) { first, next in first.isSpoiled && !next.isSpoiled ? next : first
    }
    return rows.compactMap { row in
      guard JoinedName.isOne(row.name) else { return nil }
      let parts = JoinedName.parts(row.name)
      let artists = parts.compactMap { byKey[LookAlike.key($0)] }
      guard parts.count > 1, artists.count == parts.count else { return nil }
      return Suggestion(
        artist: row.name, id: nil, into: artists.map(\.target), tracksCount: row.tracksCount,
        evidence: "artists elsewhere: " + artists.map(\.summary).joined(separator: ", "))
    }
  }
}
