import CoreDataExpressions
import DataModel
import Migration
import MigrationDiagnostics
import PersistentStore
import TestSupport
import Testing

/// Instances that policies delete again.
struct DeletionTests {
  @Test func `A deleted instance leaves no row and no link whether or not it was stored`() throws {
    let fixture = try People.run { context in
      let people = try People.insert(4, context)
      let pet = try context.insertNewObject(forEntityName: "Pet")
      people[0].setInstances([people[1], people[2]], forKey: "friends")
      people[2].setInstances([people[1]], forKey: "idol")
      people[1].setInstances([people[2], people[3]], forKey: "fans")
      people[1].setInstances([people[0]], forKey: "boss")
      people[1].setInstances([pet], forKey: "pets")
      // Fetching writes what is there so far.
      #expect(try context.count(for: FetchRequest(entityName: "Person")) == 4)
      context.delete(people[1])
      context.delete(people[1])
      #expect(people[1].isDeleted)
      #expect(context.object(with: people[1].objectID) == nil)
      #expect(People.keys(people[0], "friends") == [3])
      #expect(people[2].instances(forKey: "idol").isEmpty)
      #expect(people[0].instances(forKey: "staff").isEmpty)
      #expect(pet.instances(forKey: "owners").isEmpty)
      // A deleted instance takes no part in relationships.
      people[1].setValue(.string("late"), forKey: "name")
      people[1].setInstances([people[3]], forKey: "friends")
      people[3].setInstances([people[1], people[0]], forKey: "friends")
      #expect(People.keys(people[3], "friends") == [1])
      let short = try context.insertNewObject(forEntityName: "Person")
      context.delete(short)
      #expect(try context.fetch(FetchRequest(entityName: "Person")).map(\.objectID.primaryKey) == [1, 3, 4])
    }
    #expect(
      try fixture.rows("SELECT Z_PK, ZIDOL, ZBOSS, Z1FANS FROM ZPERSON ORDER BY 1")
        == ["1|NULL|NULL|NULL", "3|NULL|NULL|NULL", "4|NULL|NULL|NULL"])
    #expect(try fixture.rows("SELECT * FROM Z_1FRIENDS ORDER BY 1, 2") == ["1|3", "1|4", "3|1", "4|1"])
    #expect(try fixture.rows("SELECT count(*) FROM Z_1PETS") == ["0"])
  }

  @Test func `A deleted instance cannot be found again by its ID`() throws {
    _ = try People.run { context in
      func deleted() throws -> [ManagedObjectID] {
        let people = try People.insert(2, context)
        // Fetching writes what is there so far.
        #expect(try context.count(for: FetchRequest(entityName: "Person")) == 2)
        people.forEach(context.delete)
        return people.map(\.objectID)
      }
      let ids = try deleted()
      #expect(try context.count(for: FetchRequest(entityName: "Person")) == 0)
      // Nobody holds the instances any more.
      for id in ids { #expect(context.object(with: id) == nil) }
    }
  }

  @Test func `Deleted instances are not counted, and deletion cascades`() throws {
    var fixture = try ObjectFixture(People.model)
    let policy = ClosurePolicy(endCreation: { mapping, manager in
      let context = manager.destinationContext
      let people = try People.insert(3, context)
      let pets = try (0..<2).map { _ in try context.insertNewObject(forEntityName: "Pet") }
      people[0].setInstances([pets[0]], forKey: "diary")
      people[1].setInstances([pets[1]], forKey: "diary")
      context.delete(people[0])
      #expect(pets.map(\.isDeleted) == [true, false])
    })
    fixture.use(policy, for: "Person")
    let statistics = try fixture.migrate()
    #expect(statistics.destinationInstanceCounts == ["Person": 2, "Pet": 1])
    #expect(statistics[MigrationManager.unassociatedCounter] == 3)
    #expect(try fixture.rows("SELECT Z_PK, ZDIARY FROM ZPERSON ORDER BY 1") == ["2|2", "3|NULL"])
    #expect(try fixture.rows("SELECT Z_PK FROM ZPET") == ["2"])
  }
}
