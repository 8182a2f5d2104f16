import CoreData
import DataModel
import Migration
import TestSupport
import Testing

/// The track example's policy, unchanged.
struct TrackPolicyTests {
  private static func json(_ artists: String...) -> CellValue {
    .text(
      "{\"artists\":["
        + artists.map { "{\"id\":\"id-\($0)\",\"name\":\"\($0)\",\"imageURL\":\"http://\($0)\"}" }
        .joined(separator: ",") + "]}")
  }

  private func fixture(_ documents: CellValue...) throws -> PolicyFixture {
    var rows = zip(Int64(1)..., documents).map { TrackRow($0, title: .text("T\($0)"), json: $1) }
    rows[0].lastPlayedAt = .real(123.5)
    rows[0].imageURL = "cover"
    var fixture = try PolicyFixture(rows)
    fixture.registry.register(V2MigrationPolicy.self)
    return fixture
  }

  @Test(arguments: ["V2MigrationPolicy", "CoreDataTests.V2MigrationPolicy", "App.V2MigrationPolicy"])
  func `Tracks keep their values and share artists of the same name`(className: String) throws {
    let fixture = try fixture(Self.json("X", "Y"), Self.json("Y", "Y", "Zoë"), "not JSON", nil)
    let statistics = try fixture.migrate(
      to: TrackModels.v2, fixture.mapping("Track", in: TrackModels.v2, policy: className))
    #expect(
      try fixture.rows("SELECT Z_PK, ZTITLE, ZLASTPLAYEDAT, ZIMAGEURL FROM ZTRACK ORDER BY 1")
        == ["1|T1|123.5|cover", "2|T2|NULL|NULL", "3|T3|NULL|NULL", "4|T4|NULL|NULL"])
    #expect(
      try fixture.rows("SELECT Z_PK, ZNAME, ZID, ZIMAGEURL FROM ZARTIST ORDER BY 1")
        == ["1|X|id-X|http://X", "2|Y|id-Y|http://Y", "3|Zoë|id-Zoë|http://Zoë"])
    #expect(
      try fixture.rows("SELECT Z_1ARTISTS, Z_2TRACKS FROM Z_1TRACKS ORDER BY 2, 1") == ["1|1", "2|1", "2|2", "3|2"])
    #expect(statistics.destinationInstanceCounts == ["Artist": 3, "Track": 4])
    #expect(try Database.integrity(fixture.destination) == ["ok"])
  }

  @Test func `Names with format characters are only names`() throws {
    let names = ["%@", "' OR 1=1", "$name", "nil", "a\\\\b"]
    let fixture = try fixture(
      .text("{}"), Self.json(names[0], names[1], names[2]), Self.json(names[3], names[4], names[0]))
    try fixture.migrate(
      to: TrackModels.v2, fixture.mapping("Track", in: TrackModels.v2, policy: "V2MigrationPolicy"))
    #expect(try fixture.rows("SELECT ZNAME FROM ZARTIST ORDER BY Z_PK") == ["%@", "' OR 1=1", "$name", "nil", "a\\b"])
  }

  @Test func `Fetched artists are instances of their class`() throws {
    final class Policy: NSEntityMigrationPolicy {
      override func createDestinationInstances(
        forSource sInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
      ) throws {
        let made = NSEntityDescription.insertNewObject(forEntityName: "Artist", into: manager.destinationContext)
        made.setValue("X", forKey: "name")
        let found = try manager.destinationContext.fetch(Artist.fetchRequest())
        #expect(type(of: found) == [Artist].self)
        #expect(found == [made])
        #expect(found.first?.hash == made.hash)
        #expect(Set([made] + found).count == 1)
        let again = try manager.destinationContext.fetch(NSFetchRequest<NSManagedObject>(entityName: "Artist"))
        #expect(again.first === found.first)
        #expect(again is [Artist])
        let untyped = NSFetchRequest<any NSFetchRequestResult>(entityName: "Artist")
        #expect(try manager.destinationContext.fetch(untyped).first as? Artist == found.first)
        let inherited: NSFetchRequest<any NSFetchRequestResult> = Artist.fetchRequest()
        #expect(inherited.entityName == "Artist")
      }
    }
    var fixture = try fixture(nil)
    fixture.registry.register("Custom") { Policy() }
    try fixture.migrate(to: TrackModels.v2, fixture.mapping("Track", in: TrackModels.v2, policy: "Custom"))
    #expect(try fixture.rows("SELECT ZNAME FROM ZARTIST") == ["X"])
  }
}
