import CoreDataExpressions
import DataModel
import MigrationDiagnostics
import PersistentStore
import TestSupport
import Testing

@testable import Migration

/// Instances in the hands of a policy: their values and links.
struct InstanceTests {
  @Test func `New instances have default values, also for transient attributes`() throws {
    let fixture = try People.run { context in
      let person = try context.insertNewObject(forEntityName: "Person")
      #expect(person.value(forKey: "age") == .integer(7))
      #expect(person.value(forKey: "note") == .string("new"))
      #expect(person.value(forKey: "name") == nil)
      #expect(person.entity.name == "Person")
      #expect(person.managedObjectContext === context)
    }
    #expect(try fixture.rows("SELECT ZAGE, ZNAME FROM ZPERSON") == ["7|NULL"])
  }

  @Test func `Numbers are converted to the attribute's type`() throws {
    let fixture = try People.run { context in
      let person = try context.insertNewObject(forEntityName: "Person")
      person.setValue(.double(41.9), forKey: "age")
      person.setValue(.integer(2), forKey: "isKind")
      person.setValue(.double(0.1), forKey: "weight")
      #expect(person.value(forKey: "age") == .integer(41))
      #expect(person.value(forKey: "isKind") == .boolean(true))
      #expect(person.value(forKey: "weight") == .double(Double(Float(0.1))))
      person.setValue(nil, forKey: "weight")
    }
    #expect(try fixture.rows("SELECT ZAGE, ZISKIND, ZWEIGHT FROM ZPERSON") == ["41|1|NULL"])
  }

  @Test func `A one-to-one relationship has one partner on each side`() throws {
    let fixture = try People.run { context in
      let people = try People.insert(4, context)
      people[0].setInstances([people[1]], forKey: "spouse")
      people[2].setInstances([people[3]], forKey: "spouse")
      people[1].setInstances([people[2]], forKey: "spouse")
      #expect(people.map { People.keys($0, "spouse") } == [[], [3], [2], []])
    }
    #expect(try fixture.rows("SELECT ZSPOUSE FROM ZPERSON ORDER BY Z_PK") == ["NULL", "3", "2", "NULL"])
  }

  @Test func `A one-to-many relationship is updated from both sides`() throws {
    let fixture = try People.run { context in
      let people = try People.insert(4, context)
      people[0].setInstances([people[1], people[2], people[1]], forKey: "staff")
      people[3].setInstances([people[0]], forKey: "boss")
      people[1].setInstances([people[3]], forKey: "boss")
      #expect(people.map { People.keys($0, "staff") } == [[3, 4], [], [], [2]])
      people[0].setInstances([people[0]], forKey: "staff")
      #expect(people.map { People.keys($0, "boss") } == [[1], [4], [], []])
    }
    #expect(try fixture.rows("SELECT ZBOSS FROM ZPERSON ORDER BY Z_PK") == ["1", "4", "NULL", "NULL"])
  }

  @Test func `A relationship that is its own inverse is mutual, also for links to itself`() throws {
    let fixture = try People.run { context in
      let people = try People.insert(3, context)
      people[0].setInstances([people[0], people[1], people[2]], forKey: "friends")
      people[1].setInstances([], forKey: "friends")
      #expect(people.map { People.keys($0, "friends") } == [[1, 3], [], [1]])
    }
    #expect(try fixture.rows("SELECT * FROM Z_1FRIENDS ORDER BY 1, 2") == ["1|1", "1|3", "3|1"])
  }

  @Test func `Relationships without an inverse lead one way`() throws {
    let fixture = try People.run { context in
      let people = try People.insert(3, context)
      people[0].setInstances([people[2]], forKey: "idol")
      people[1].setInstances([people[2]], forKey: "idol")
      people[0].setInstances([people[1], people[2]], forKey: "fans")
      // The key is in the fan's row, which has room for one.
      people[1].setInstances([people[2]], forKey: "fans")
      #expect(people.map { People.keys($0, "idol") } == [[3], [3], []])
      #expect(people.map { People.keys($0, "fans") } == [[2], [3], []])
    }
    #expect(try fixture.rows("SELECT ZIDOL, Z1FANS FROM ZPERSON ORDER BY Z_PK") == ["3|NULL", "3|1", "NULL|2"])
  }

  @Test(arguments: [
    ("fans.@count == 2", [1]), ("fans.@count == 0", [3]), ("fans.@count > 0", [1, 2]), ("ANY fans.age == 7", [1, 2]),
    ("ANY fans.name == 'p3'", [2]), ("NONE fans.name == 'p3'", [1, 3]), ("ANY fans == idol", [2]),
    ("SUBQUERY(fans, $f, $f.age > 6).@count == 1", [2]), ("fans.@max.age == 7", [1, 2]),
  ])
  func `SQL and the evaluator agree about a to-many relationship without an inverse`(
    format: String, expected: [Int64]
  ) throws {
    let fixture = try People.run { context in
      let people = try People.insert(3, context)
      for (number, person) in people.enumerated() { person.setValue(.string("p\(number + 1)"), forKey: "name") }
      people[0].setInstances([people[0], people[1]], forKey: "fans")
      people[1].setInstances([people[2]], forKey: "fans")
      people[1].setInstances([people[2]], forKey: "idol")
    }
    let context = try ManagedObjectContext(reading: StoreReader(path: fixture.destination), People.model)
    let predicate = try Predicate(format: format)
    let schema = StoreSchema(People.model)
    let table = try #require(StoreSQLSchema(schema).table(forEntityNamed: "Person"))
    _ = try predicate.sql(on: table, alias: "t0", naming: StoreSQLSchema(schema))
    let fetched = try context.fetch(FetchRequest(entityName: "Person", predicate: predicate))
    let evaluated = try context.fetch(FetchRequest(entityName: "Person")).filter {
      try predicate.evaluate(in: EvaluationContext(object: .object(ManagedObjectValues($0))))
    }
    #expect(fetched.map(\.objectID.primaryKey) == expected)
    #expect(evaluated.map(\.objectID.primaryKey) == expected)
  }

  @Test func `An ordered relationship keeps the most recent order`() throws {
    let fixture = try People.run { context in
      let people = try People.insert(2, context)
      let pets = try (0..<3).map { _ in try context.insertNewObject(forEntityName: "Pet") }
      people[0].setInstances([pets[0], pets[1]], forKey: "pets")
      people[0].setInstances([pets[2], pets[1], pets[0]], forKey: "pets")
      pets[1].setInstances([people[1], people[0]], forKey: "owners")
      #expect(people.map { People.keys($0, "pets") } == [[3, 2, 1], [2]])
    }
    #expect(
      try fixture.rows("SELECT Z_1OWNERS, Z_2PETS, Z_FOK_2PETS FROM Z_1PETS ORDER BY 1, 3")
        == ["1|3|2048", "1|2|3072", "1|1|4096", "2|2|2048"])
  }
}
