import DataModel
import MigrationDiagnostics
import PersistentStore
import TestSupport
import Testing
import TrackLibrary

@Suite("The migration of a library with a model of its own") final class VariantMigrationTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Writes a library, migrates it in place and returns the report.
  private func migrate(_ library: OwnModelLibrary, encoding: String = "UTF-8") throws -> MigrationReport {
    try library.write(to: folder.file("L"), encoding: encoding)
    return try migrated(LibraryMigration(path: folder.file("L")))
  }

  private static let cases = OwnModelLibrary.firstVersions.flatMap { library in
    ["UTF-8", "UTF-16le", "UTF-16be"].map { (library, $0) }
  }

  @Test(arguments: cases)
  func `Additional data is kept`(library: OwnModelLibrary, encoding: String) throws {
    try library.write(to: folder.file("L"), encoding: encoding)
    let before = try StoreContents(folder.file("L"), library.model).lines
    let report = try migrated(LibraryMigration(path: folder.file("L")))
    let reader = try TrackLibraryReader(path: folder.file("L"))
    let after = try StoreContents(folder.file("L"), reader.model).lines
    let tracks = library.model.entities.filter { library.model.lineage(of: $0.name).contains("Track") }.map(\.name)
    let lost = Set(tracks.flatMap { ["\($0).json", "\($0).artistName"] })
    #expect(after.filter { before[$0.key] != nil } == before.filter { !lost.contains($0.key) })
    #expect(
      Set(after.keys).subtracting(before.keys)
        == Set(tracks.map { "\($0).artists" } + ["Artist.id", "Artist.imageURL", "Artist.name", "Artist.tracks"]))
    #expect(try Database.integrity(folder.file("L")) == ["ok"])
    #expect(report.hasOwnModel == true)
    #expect(report.modelRemarks == nil)
    #expect(report.leftBehindCountByName.isEmpty)
  }

  @Test(arguments: cases)
  func `Each track gets its artists, and each artist is made once`(library: OwnModelLibrary, encoding: String) throws {
    let report = try migrate(library, encoding: encoding)
    let reader = try TrackLibraryReader(migratedLibraryAt: folder.file("L"))
    #expect(reader.hasCustomModel)
    #expect(reader.version == .v2)
    var found: [String] = []
    try TrackQuery().forEach(in: reader) { track in
      found.append("\(track.title ?? "NULL")|\(track.artistNames.sorted().joined(separator: ", "))")
    }
    #expect(found == library.artists)
    let names = Set(library.artists.flatMap { $0.split(separator: "|")[1].split(separator: ", ") })
    var artists: [Artist] = []
    try ArtistQuery().forEach(in: reader) { artists.append($0) }
    #expect(artists.map(\.name) == names.sorted().map(String.init))
    let links = library.artists.reduce(0) { $0 + $1.split(separator: ",").count }
    #expect(artists.reduce(0) { $0 + $1.trackCount } == Int64(links))
    #expect(
      [report.facts[.tracks], report.facts[.artists], report.facts[.links]] == [
        library.artists.count, names.count, links,
      ])
  }

  @Test(arguments: OwnModelLibrary.firstVersions)
  func `A migrated library is recognized and left alone`(library: OwnModelLibrary) throws {
    _ = try migrate(library)
    Files.remove(folder.file("L.migration.json"))
    let before = try folder.snapshot()
    guard case .alreadyCurrent(.v2) = try LibraryMigration(path: folder.file("L")).run() else {
      Issue.record("it was migrated again")
      return
    }
    #expect(try folder.snapshot() == before)
  }

  @Test func `A track completes an artist that a subentity named before`() throws {
    _ = try migrate(.inherited)
    #expect(
      try Database.rows("SELECT ZID, ZIMAGEURL FROM ZARTIST WHERE ZNAME = 'D'", in: folder.file("L"))
        == ["id-D|https://i.example/D"])
    #expect(try Database.rows("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME = 'Artist'", in: folder.file("L")) == ["4"])
  }

  @Test(arguments: OwnModelLibrary.firstVersions)
  func `Two migrations give the same bytes`(library: OwnModelLibrary) throws {
    try library.write(to: folder.file("L"))
    for name in ["A", "B"] {
      var migration = LibraryMigration(path: folder.file("L"))
      migration.outputPath = folder.file(name)
      _ = try migrated(migration)
    }
    #expect(try Files.bytes(folder.file("A")) == Files.bytes(folder.file("B")))
  }

  @Test func `A row that violates the model's own rules is carried over`() throws {
    try OwnModelLibrary.required.write(to: folder.file("L"))
    try Database.run("UPDATE ZTRACK SET ZTITLE = NULL WHERE Z_PK = 1", in: folder.file("L"))
    _ = try migrated(LibraryMigration(path: folder.file("L")))
    #expect(try Database.rows("SELECT count(*) FROM ZTRACK WHERE ZTITLE IS NULL", in: folder.file("L")) == ["1"])
  }

  @Test func `Unreadable JSON is kept even without a title attribute`() throws {
    let report = try migrate(.bare)
    #expect(report.facts[.rejects] == 1)
    let rejects = try Files.text(folder.file("L.rejects.ndjson"))
    #expect(rejects.contains("\"title\":null") && rejects.contains("\"primaryKey\":1"), "\(rejects)")
  }
}

/// Runs a migration that must not find the library current.
func migrated(_ migration: LibraryMigration) throws -> MigrationReport {
  guard case .migrated(let result) = try migration.run() else { throw NothingDone() }
  return result.report
}

private struct NothingDone: Error {}
