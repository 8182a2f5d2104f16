import CoreDataExpressions
import DataModel
import Migration
import MigrationDiagnostics
import PersistentStore
import TestSupport
import Testing

/// One object for each instance while it is in use, and none when it is not.
struct IdentityTests {
  @Test func `An unused instance leaves memory and is read back unchanged`() throws {
    let fixture = try People.run { context in
      var first: ManagedObject? = try context.insertNewObject(forEntityName: "Person")
      first?.setValue(.string("a\0é"), forKey: "name")
      let kept = try context.insertNewObject(forEntityName: "Person")
      let id = try #require(first?.objectID)
      weak let gone = first
      first = nil
      // A fetch writes what was changed, and lets go of it.
      _ = try context.count(for: FetchRequest(entityName: "Pet"))
      #expect(gone == nil)
      let again = try #require(context.object(with: id))
      #expect(again === context.object(with: id))
      #expect(again.value(forKey: "name") == .string("a\0é"))
      #expect(again.value(forKey: "age") == .integer(7))
      again.setValue(.integer(8), forKey: "age")
      kept.setValue(.string("kept"), forKey: "name")
    }
    #expect(try fixture.rows("SELECT ZAGE, hex(ZNAME) FROM ZPERSON") == ["8|6100C3A9", "7|6B657074"])
  }

  @Test func `Large values are written before too many accumulate`() throws {
    var fixture = try ObjectFixture(
      People.model, sql: (1...9).map { "INSERT INTO ZPET VALUES (\($0), 2, 1, printf('%.*c', 3000000, 'x'))" })
    weak var first: ManagedObject?
    fixture.use(
      ClosurePolicy(create: { instance, mapping, manager in
        let made = try manager.destinationContext.insertNewObject(forEntityName: "Pet")
        made.setValue(instance.value(forKey: "name"), forKey: "name")
        if instance.objectID.primaryKey == 1 { first = made }
        if instance.objectID.primaryKey == 9 { #expect(first == nil) }
        manager.associate(sourceInstance: instance, withDestinationInstance: made, for: mapping)
      }), for: "Pet")
    try fixture.migrate()
    #expect(try fixture.rows("SELECT sum(length(ZNAME)) FROM ZPET") == ["27000000"])
  }

  @Test func `An instance kept while thousands of others are read can still be changed`() throws {
    let rows = 20_000
    var fixture = try ObjectFixture(
      People.model,
      sql: [
        """
        INSERT INTO ZPET (Z_PK, Z_ENT, Z_OPT, ZNAME) WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n \
        WHERE i < \(rows)) SELECT i, 2, 1, 'n' || i FROM n
        """
      ])
    var kept: ManagedObject?
    fixture.use(
      ClosurePolicy(create: { instance, mapping, manager in
        let made = try manager.destinationContext.insertNewObject(forEntityName: "Pet")
        made.setValue(instance.value(forKey: "name"), forKey: "name")
        manager.associate(sourceInstance: instance, withDestinationInstance: made, for: mapping)
        if kept == nil { kept = made }
        if instance.objectID.primaryKey == Int64(rows) {
          kept?.setValue(.string("last"), forKey: "name")
          #expect(manager.destinationInstances(forEntityMappingName: mapping.name).first === kept)
        }
      }), for: "Pet")
    try fixture.migrate()
    #expect(try fixture.rows("SELECT ZNAME FROM ZPET WHERE Z_PK IN (1, 2, 20000)") == ["last", "n2", "n20000"])
    #expect(try fixture.rows("SELECT count(*) FROM ZPET") == ["\(rows)"])
  }
}
