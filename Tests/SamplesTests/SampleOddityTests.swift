import Migration
import Policies
import Samples
import TestSupport
import Testing
import TrackLibrary

/// The migration of every oddity.
@Suite final class SampleOddityTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func migrate(_ identity: ArtistIdentity = .name, giants: Bool = false) throws -> MigrationReport {
    var sample = SampleLibrary(trackCount: SampleLibrary.oddityCount)
    sample.includesOddities = true
    sample.includesGiants = giants
    #expect(try sample.write(to: folder.file("a")).oddityCount == 51)
    var migration = LibraryMigration(path: folder.file("a"))
    migration.outputPath = folder.file("b")
    migration.trackOptions.identity = identity
    guard case .migrated(let result) = try migration.run() else { throw NotMigrated() }
    #expect(try Database.integrity(folder.file("b")) == ["ok"])
    return result.report
  }

  private struct NotMigrated: Error {}

  @Test(arguments: ArtistIdentity.allCases, [false, true])
  func `Fallbacks are counted by reason`(identity: ArtistIdentity, giants: Bool) throws {
    let report = try migrate(identity, giants: giants)
    #expect(
      report.facts[.fallbacks] == [
        "no_json": 1,
        "empty_json": 2,  // empty, blank
        "not_an_object": 2,  // array, string
        "no_artists": 2,  // missing, not anywhere
        "null_artists": 1,
        "empty_artists": 1,
        "artists_not_an_array": 2,  // string, number
        "no_usable_artist": 1,
        "json_syntax": 2,  // broken, with and without artistName
        "json_truncated": 1,
        "json_trailing_bytes": 1,
        "json_invalid_utf8": 1,
        "json_lone_surrogate": 1,
      ])
    #expect(report.facts[.fallbackTracks] == 18)
    // "No artist anywhere" has an empty artistName, "Artist name is NULL and JSON broken" none.
    #expect(report.facts[.tracksWithoutArtist] == 2)
    // One in each of two tracks, and null, 1, true, [] and {} in "Artists of every kind".
    #expect(report.facts[.namelessArtists] == 7)
    // "name" and "artists", in one track.
    #expect(report.facts[.duplicateKeys] == 2)
    // Unreadable: 6; nameless: 3.
    #expect(report.facts[.rejects] == 9)
    #expect(report.facts[.tracks] == 51 && report.facts[.links] == 49)
    // 49 links; sixteen are to "Fallback Fay", and one pair of tracks shares an artist.
    #expect(report.facts[.artists] == 49 - 15 - 1)
    #expect(report.facts.examples(of: .nameConflicts)?.map { $0.prefix(9) } == ["Same Name"])
    #expect(report.facts.examples(of: .idConflicts) == ["odd-8: Before Renaming, After Renaming"])
  }

  @Test func `Every track has the artist that its JSON names`() throws {
    _ = try migrate()
    #expect(try artists(where: "TRUE") == Self.artists)
    #expect(try artists(where: "t.ZTITLE LIKE 'Image is %'", column: "ZIMAGEURL") == ["NULL", "NULL"])
    #expect(try artists(where: "t.Z_PK = 1", column: "ZIMAGEURL") == ["https://i.example.com/nina.jpg"])
  }

  @Test func `By id, a name alone does not identify an artist`() throws {
    _ = try migrate(.id)
    #expect(try artists(where: "t.ZTITLE LIKE 'Same name%'", column: "ZID") == ["odd-6", "odd-7"])
    #expect(
      try artists(where: "t.ZTITLE LIKE 'Same id%'", column: "ZNAME") == ["Before Renaming", "Before Renaming"])
  }

  // Swift considers both spellings equal, so only the bytes distinguish them.
  @Test func `Different spellings that look the same are different artists`() throws {
    _ = try migrate()
    let names = try artists(where: "t.ZTITLE LIKE 'Name in NF_'", column: "ZNAME")
    #expect(names.map { Array($0.utf8).count } == [10, 11])
  }

  @Test func `Dates keep their form`() throws {
    _ = try migrate()
    let sql = "SELECT typeof(ZLASTPLAYEDAT), ZLASTPLAYEDAT FROM ZTRACK WHERE Z_PK BETWEEN 47 AND 49"
    let dates = ["null|NULL", "integer|600000000", "real|600000000.25"]
    #expect(try Database.rows(sql, in: folder.file("a")) == dates)
    #expect(try Database.rows(sql, in: folder.file("b")) == dates)
  }

  @Test func `Giant documents have their stated size`() throws {
    _ = try migrate(giants: true)
    let sql = "SELECT length(ZJSON) FROM ZTRACK WHERE Z_PK > 49"
    let sizes = try Database.rows(sql, in: folder.file("a")).compactMap { Int($0) }
    #expect(sizes.count == 2 && sizes[0] > 400_000 && sizes[1] > 2 << 20)
    #expect(try artists(where: "t.Z_PK > 49", column: "ZNAME") == ["Deep Dee", "Long Lee"])
  }

  /// Returns artists by track: name and id, or one column.
  private func artists(where condition: String, column: String? = nil) throws -> [String] {
    let columns = column.map { "a.\($0)" } ?? "t.ZTITLE, a.ZNAME, a.ZID"
    return try Database.rows(
      """
      SELECT \(columns) FROM ZTRACK t LEFT JOIN Z_1TRACKS l ON l.Z_2TRACKS = t.Z_PK
      LEFT JOIN ZARTIST a ON a.Z_PK = l.Z_1ARTISTS WHERE \(condition) ORDER BY t.Z_PK, a.Z_PK
      """, in: folder.file("b"))
  }
}
