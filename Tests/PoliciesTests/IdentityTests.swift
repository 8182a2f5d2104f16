import Migration
import MigrationDiagnostics
import Policies
import TestSupport
import Testing

struct IdentityTests {
  private func fixture(_ identity: ArtistIdentity, _ artists: String...) throws -> TrackFixture {
    var fixture = try TrackFixture(json: artists.map { $0.isEmpty ? nil : .text("{\"artists\":[\($0)]}") })
    fixture.options.identity = identity
    return fixture
  }

  private static func artist(_ name: String, _ id: String? = nil, _ image: String? = nil) -> String {
    let id = id.map { ",\"id\":\"\($0)\"" } ?? ""
    return "{\"name\":\"\(name)\"\(id)\(image.map { ",\"imageURL\":\"\($0)\"" } ?? "")}"
  }

  @Test func `By name, the first mention gives id and image`() throws {
    let fixture = try fixture(
      .name, Self.artist("A", "1", "u"), Self.artist("A", "1", "v"), Self.artist("B"), Self.artist("B", "9"))
    let statistics = try fixture.migrate()
    #expect(try fixture.artists() == ["A|1|u", "B|9|NULL"])
    #expect(try fixture.links() == ["1: A", "2: A", "3: B", "4: B"])
    #expect(statistics[.nameConflicts] == 0)
  }

  @Test func `Values missing in the first mention are completed and counted once for each artist`() throws {
    let fixture = try fixture(
      .name, Self.artist("A"), Self.artist("A", "1", "u"), Self.artist("A", "1", "u"), Self.artist("B", "2"),
      Self.artist("B", "2", "v"), Self.artist("C", "3", "w"), Self.artist("C"), Self.artist("D", "", ""),
      Self.artist("D", nil, "x"), Self.artist("D", "4", "y"), Self.artist("D", "5", "z"), Self.artist("E"),
      Self.artist("E", ""))
    let statistics = try fixture.migrate()
    #expect(try fixture.artists() == ["A|1|u", "B|2|v", "C|3|w", "D|4|x", "E|NULL|NULL"])
    #expect(statistics[.lateDetails] == 3)
    #expect(statistics.examples(of: .lateDetails) == ["A: 1 u", "B: 2 v", "D:  x"])
    #expect(statistics.examples(of: .nameConflicts) == ["D: 4, 5"])
    #expect(statistics.examples(of: .imageConflicts) == ["D: y"])
  }

  @Test func `A later mention in the same document completes an earlier one`() throws {
    let fixture = try fixture(
      .name, [Self.artist("A"), "\"B\"", Self.artist("B", "2", "v"), Self.artist("A", "1")].joined(separator: ","))
    try fixture.migrate()
    #expect(try fixture.artists() == ["A|1|NULL", "B|2|v"])
  }

  @Test func `By id, an image comes from the first mention that has one`() throws {
    let fixture = try fixture(
      .id, Self.artist("A", "1"), Self.artist("A", "1", "u"), Self.artist("A", "1", "v"), Self.artist("A"),
      Self.artist("A", nil, "w"))
    let statistics = try fixture.migrate()
    #expect(try fixture.artists() == ["A|1|u", "A|NULL|w"])
    #expect(statistics[.imageConflicts] == 1)
    #expect(statistics[.lateDetails] == 2)
  }

  @Test func `A fallback name does not complete an artist`() throws {
    var rows = [TrackRow(1, title: "1", artistName: "A", json: #"{"artists":["A"]}"#)]
    rows += [TrackRow(2, title: "2", artistName: "A", json: "{}")]
    let fixture = try TrackFixture(rows)
    let statistics = try fixture.migrate()
    #expect(try fixture.artists() == ["A|NULL|NULL"])
    #expect(statistics[.lateDetails] == 0)
  }

  @Test func `By name, several ids of one name are reported once`() throws {
    let fixture = try fixture(
      .name, Self.artist("A", "1"), Self.artist("A", "2"), Self.artist("A", "3"), Self.artist("A", "1"),
      Self.artist("B", "1"))
    let statistics = try fixture.migrate()
    #expect(try fixture.artists() == ["A|1|NULL", "B|1|NULL"])
    #expect(statistics[.nameConflicts] == 1)
    #expect(statistics.examples(of: .nameConflicts) == ["A: 1, 2"])
    #expect(statistics.examples(of: .idConflicts) == ["1: A, B"])
  }

  @Test func `By name, an id shared by several names is reported once, whichever mention has it`() throws {
    let fixture = try fixture(
      .name, Self.artist("A", "1"), Self.artist("B", "2"), Self.artist("C", "3"), Self.artist("B", "1"),
      Self.artist("C", "1"), Self.artist("C", "2"), Self.artist("A", "9"), Self.artist("C"), Self.artist("D"),
      Self.artist("D", "9"))
    let statistics = try fixture.migrate()
    #expect(try fixture.artists() == ["A|1|NULL", "B|2|NULL", "C|3|NULL", "D|9|NULL"])
    #expect(statistics[.idConflicts] == 3)
    #expect(statistics.examples(of: .idConflicts) == ["1: A, B", "2: B, C", "9: A, D"])
    #expect(statistics.examples(of: .nameConflicts) == ["B: 2, 1", "C: 3, 1", "A: 1, 9"])
  }

  @Test func `By id, a name with a second known id is reported`() throws {
    let fixture = try fixture(.id, Self.artist("A", "1"), Self.artist("B", "2"), Self.artist("B", "1"))
    let statistics = try fixture.migrate()
    #expect(statistics.examples(of: .idConflicts) == ["1: A, B"])
    #expect(statistics.examples(of: .nameConflicts) == ["B"])
  }

  @Test func `By name, conflicting ids are reported even after a mention without an id`() throws {
    let fixture = try fixture(.name, Self.artist("A"), Self.artist("A", "1"), Self.artist("A"), Self.artist("A", "2"))
    let statistics = try fixture.migrate()
    #expect(try fixture.artists() == ["A|1|NULL"])
    #expect(statistics[.nameConflicts] == 1)
    #expect(statistics.examples(of: .nameConflicts) == ["A: 1, 2"])
  }

  @Test func `The first readable mention completes an artist first named by a broken track`() throws {
    var rows = [TrackRow(1, title: "1", artistName: "A", json: "{")]
    let documents = [Self.artist("A", "1", "u"), Self.artist("A", "2", "v")]
    rows += zip(Int64(2)..., documents).map {
      TrackRow($0, title: "", artistName: "A", json: .text("{\"artists\":[\($1)]}"))
    }
    let fixture = try TrackFixture(rows)
    let statistics = try fixture.migrate()
    #expect(try fixture.artists() == ["A|1|u"])
    #expect(try fixture.links() == ["1: A", "2: A", "3: A"])
    #expect(statistics.examples(of: .nameConflicts) == ["A: 1, 2"])
  }

  @Test func `By id, one id is one artist, whatever its names`() throws {
    let fixture = try fixture(
      .id, Self.artist("A", "1"), Self.artist("Renamed", "1"), Self.artist("A", "2"), Self.artist("A"), Self.artist("A")
    )
    let statistics = try fixture.migrate()
    #expect(try fixture.artists() == ["A|1|NULL", "A|2|NULL", "A|NULL|NULL"])
    #expect(try fixture.rows("SELECT * FROM Z_1TRACKS ORDER BY 2") == ["1|1", "1|2", "2|3", "3|4", "3|5"])
    #expect(statistics[.idConflicts] == 1)
    #expect(statistics.examples(of: .idConflicts) == ["1: A, Renamed"])
    #expect(statistics[.nameConflicts] == 1)
  }

  @Test func `By id, an id is never mistaken for a name`() throws {
    let fixture = try fixture(.id, Self.artist("X", "A"), Self.artist("A"), Self.artist("Y", ""), Self.artist("Y"))
    try fixture.migrate()
    #expect(try fixture.artists() == ["X|A|NULL", "A|NULL|NULL", "Y||NULL"])
  }

  @Test(arguments: ArtistIdentity.allCases)
  func `A track that names an artist twice has one link`(identity: ArtistIdentity) throws {
    let fixture = try fixture(
      identity, [Self.artist("A", "1"), Self.artist("B", "2"), Self.artist("A", "1")].joined(separator: ","))
    let statistics = try fixture.migrate()
    #expect(try fixture.rows("SELECT * FROM Z_1TRACKS") == ["1|1", "2|1"])
    #expect(statistics.linkCounts == ["Z_1TRACKS": 2])
  }

  @Test func `The fallback name is the same artist as a mention of that name`() throws {
    let fixture = try fixture(.name, "", Self.artist("Fallback", "1"))
    try fixture.migrate()
    #expect(try fixture.artists() == ["Fallback|1|NULL"])
    #expect(try fixture.links() == ["1: Fallback", "2: Fallback"])
  }

  @Test(
    arguments: [
      ("{", "1 × broken JSON"), ("{}", "1 × no artists found in the JSON"),
      (#"{"artists":[null,"A"]}"#, "1 × artist without a name"),
    ] as [(String, String)])
  func `A strict migration stops at anything irregular`(json: String, detail: String) throws {
    var fixture = try TrackFixture(json: [#"{"artists":["A"]}"#, .text(json)])
    fixture.options.isStrict = true
    let before = try Files.bytes(fixture.source)
    let error = try #require(throws: MigrationError.self) { try fixture.migrate() }
    #expect(error.code == .strictFindings)
    #expect(error.detail == (json == "{" ? "1 × JSON ends too early" : detail) + "; for example track 2 'T2'")
    #expect(error.exitStatus == 65)
    #expect(try Files.bytes(fixture.source) == before)
  }

  @Test func `A strict migration accepts a regular library`() throws {
    var fixture = try TrackFixture(json: [#"{"artists":["A"]}"#])
    fixture.options.isStrict = true
    #expect(try fixture.migrate().linkCounts == ["Z_1TRACKS": 1])
  }

  /// Makes artists of its own, before and besides the track policy.
  private final class OtherPolicy: EntityMigrationPolicy, BatchMigrationPolicy {
    struct Preparer: RowPreparer {
      let byteCount = 0

      mutating func prepare(_ row: SourceRow) {}
      mutating func takeBatch() -> Int { 0 }
    }

    let preparedAttributes: [String] = []

    func makePreparer(for mapping: EntityMapping, manager: MigrationManager) -> Preparer { Preparer() }
    func apply(_ batch: Int, in mapping: EntityMapping, manager: MigrationManager) {}

    override func begin(_ mapping: EntityMapping, with manager: MigrationManager) throws {
      for name in ["Mine", "A"] {
        let artist = try manager.destinationContext.insertNewObject(forEntityName: "Artist")
        artist.setValue(.string(name), forKey: "name")
        _ = Array(name.utf8).withUnsafeBytes { bytes in
          manager.lookup(withKey: "artists").value(forKey: bytes) { artist.objectID.primaryKey }
        }
      }
    }
  }

  @Test func `Artists of another policy are found and their keys are not reused`() throws {
    let fixture = try fixture(
      .name, Self.artist("A", "1"), Self.artist("B", "2"), Self.artist("A", "3"), Self.artist("B", "4"))
    var model = try TrackFixture.mappingModel()
    model.entityMappings[1].entityMigrationPolicyClassName = "Other"
    model.entityMappings.swapAt(0, 1)
    let statistics = try fixture.migrate(mappingModel: model) { $0.register("Other") { OtherPolicy() } }
    #expect(try fixture.rows("SELECT Z_PK, ZNAME FROM ZARTIST ORDER BY 1") == ["1|Mine", "2|A", "3|B"])
    #expect(try fixture.links() == ["1: A", "2: B", "3: A", "4: B"])
    #expect(statistics.destinationInstanceCounts["Artist"] == 3)
    #expect(statistics[.nameConflicts] == 2)
  }
}
