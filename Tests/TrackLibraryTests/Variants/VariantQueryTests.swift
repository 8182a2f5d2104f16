import MigrationDiagnostics
import PersistentStore
import TestSupport
import Testing
import TrackLibrary

@Suite("Queries of a library with a model of its own") final class VariantQueryTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func people() throws -> TrackLibraryReader {
    try OwnModelLibrary.people.write(to: folder.file("L"))
    return try TrackLibraryReader(migratedLibraryAt: folder.file("L"))
  }

  private func artists(_ library: TrackLibraryReader, _ change: (inout ArtistQuery) throws -> Void) throws -> [String] {
    var query = ArtistQuery()
    try change(&query)
    var names: [String] = []
    try query.forEach(in: library) { names.append("\($0.name ?? "") \($0.trackCount)") }
    return names
  }

  private func tracks(_ library: TrackLibraryReader, _ change: (inout TrackQuery) throws -> Void) throws -> [String] {
    var query = TrackQuery()
    try change(&query)
    var titles: [String] = []
    try query.forEach(in: library) { titles.append($0.title ?? "") }
    return titles
  }

  @Test func `Artists are found among other entities in their table`() throws {
    let library = try people()
    #expect(try artists(library) { _ in } == ["Björk 2", "Eivør 1", "Unheard 0"])
    #expect(try artists(library) { $0.name = "BJORK" } == ["Björk 2"])
    #expect(try artists(library) { $0.name = "Listener" } == [])
    #expect(try artists(library) { $0.trackTitle = "duet" } == ["Björk 2", "Eivør 1"])
    #expect(
      try artists(library) { ($0.minimumTrackCount, $0.order) = (1, [QuerySort(.tracks)]) } == ["Björk 2", "Eivør 1"])
    #expect(try tracks(library) { _ in } == ["Duet", "Jóga", "Silence"])
    #expect(try tracks(library) { $0.artistName = "eivør" } == ["Duet"])
  }

  @Test func `Attributes missing from the model count as NULL`() throws {
    let library = try people()
    #expect(try artists(library) { $0.id = "x" } == [])
    #expect(try tracks(library) { $0.order = [QuerySort(.lastPlayedAt)] } == ["Jóga", "Duet", "Silence"])
    let details = try ArtistDetails(of: "björk", in: library)
    #expect(details.artist.id == nil && details.artist.imageURL == nil)
    #expect(details.tracks.map(\.title) == ["Duet", "Jóga"])
    #expect(details.companions.map(\.name) == ["Eivør"] && details.companions.map(\.sharedTrackCount) == [1])
    #expect(throws: MigrationError.self) { try ArtistDetails(of: "Listener", in: library) }
  }

  @Test func `Results are sorted by any field, and those without a value are last`() throws {
    let library = try people()
    for field in ArtistQuery.Field.allCases {
      for isAscending in [true, false] {
        #expect(try artists(library) { $0.order = [QuerySort(field, isAscending: isAscending)] }.count == 3)
      }
    }
    func titles(_ order: QuerySort<TrackQuery.Field>...) throws -> [String] {
      try tracks(library) { $0.order = order }
    }
    #expect(try artists(library) { $0.order = [QuerySort(.id), QuerySort(.key, isAscending: false)] }.count == 3)
    #expect(try titles(QuerySort(.artists)) == ["Jóga", "Duet", "Silence"])
    #expect(try titles(QuerySort(.artists, isAscending: false)) == ["Duet", "Jóga", "Silence"])
    #expect(try titles(QuerySort(.artistIDs), QuerySort(.title)) == ["Duet", "Jóga", "Silence"])
  }

  @Test func `Filters can use the library's own attributes`() throws {
    let library = try people()
    #expect(try artists(library) { $0.filter = try LibraryFilter("born > 1970") } == ["Eivør 1"])
    #expect(try artists(library) { $0.filter = try LibraryFilter("ANY tracks.stars == 5") } == ["Björk 2"])
    #expect(try tracks(library) { $0.filter = try LibraryFilter("ANY artists.born < 1970 AND stars < 4") } == ["Duet"])
    let error = #expect(throws: MigrationError.self) {
      try self.artists(library) { $0.filter = try LibraryFilter("imageURL == 'x'") }
    }
    #expect(error?.detail == "the entity 'Artist' has no attribute 'imageURL'")
    #expect(error?.advice == "Its attributes and relationships are born, name, tracks.")
  }

  @Test func `Only artists and tracks are counted`() throws {
    let statistics = try LibraryStatistics(of: people())
    let figures = Dictionary(uniqueKeysWithValues: statistics.library.map { ($0.name, $0.value) })
    #expect(figures["tracks_count"] == .integer(3) && figures["artists_count"] == .integer(3))
    #expect(figures["links_count"] == .integer(3) && figures["tracks_without_artist_count"] == .integer(1))
    #expect(figures["artists_without_track_count"] == .integer(1))
  }

  @Test func `Tracks are counted among other entities in their table before the migration`() throws {
    try OwnModelLibrary.inherited.write(to: folder.file("L"))
    let statistics = try LibraryStatistics(of: TrackLibraryReader(path: folder.file("L")))
    #expect(statistics.library.first { $0.name == "tracks_count" }?.value == .integer(6))
  }

  @Test(arguments: [
    ("album.name MATCHES 'F.*'", ["One", "Two"]), ("album.name MATCHES 'L.*'", ["Three"]),
    ("lyrics.words MATCHES 'l.'", ["Two"]), ("lyrics == nil AND title MATCHES '.*e.*'", ["One", "Three"]),
    ("ANY genres.name MATCHES 'R.*'", ["One"]), ("ANY playlists.name MATCHES 'P.*'", ["One", "Three", "Two"]),
    ("ANY album.tracks.title MATCHES 'Two'", ["One", "Two"]), ("lyrics.track == SELF AND title MATCHES '.*'", ["Two"]),
    ("ANY artists.name MATCHES 'A'", ["One"]), ("album.name MATCHES 'x'", []),
  ])
  func `follow relationships of every kind, row by row`(condition: String, titles: [String]) throws {
    try OwnModelLibrary.related.write(to: folder.file("L"))
    _ = try migrated(LibraryMigration(path: folder.file("L")))
    let library = try TrackLibraryReader(migratedLibraryAt: folder.file("L"))
    #expect(try tracks(library) { $0.filter = try LibraryFilter(condition) } == titles)
  }

  @Test func `A store with another layout is readable`() throws {
    // An old framework named the table of links from the other side, and entities have other numbers.
    try OwnModelLibrary(
      "ours", TrackModels.v2.entities,
      [
        "INSERT INTO ZARTIST (Z_PK, Z_ENT, Z_OPT, ZNAME) VALUES (1, 1, 1, 'A')",
        "INSERT INTO ZTRACK (Z_PK, Z_ENT, Z_OPT, ZTITLE) VALUES (7, 2, 1, 'T')",
      ]
    ).write(to: folder.file("L"))
    try Database.run(
      """
      DROP TABLE Z_1TRACKS; CREATE TABLE Z_5ARTISTS (Z_5TRACKS INTEGER, Z_3ARTISTS INTEGER);
      INSERT INTO Z_5ARTISTS VALUES (7, 1);
      UPDATE Z_PRIMARYKEY SET Z_ENT = 5 WHERE Z_NAME = 'Track';
      UPDATE Z_PRIMARYKEY SET Z_ENT = 3 WHERE Z_NAME = 'Artist';
      UPDATE ZARTIST SET Z_ENT = 3; UPDATE ZTRACK SET Z_ENT = 5;
      """, in: folder.file("L"))
    let library = try TrackLibraryReader(migratedLibraryAt: folder.file("L"))
    #expect(!library.hasCustomModel)
    #expect(try artists(library) { $0.trackTitle = "t" } == ["A 1"])
    #expect(try ArtistDetails(of: "A", in: library).tracks.map(\.artistNames) == [["A"]])
    #expect(try tracks(library) { $0.filter = try LibraryFilter("artists.@count == 1") } == ["T"])
  }
}
