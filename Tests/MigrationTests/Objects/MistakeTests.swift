import CoreDataExpressions
import DataModel
import Migration
import MigrationDiagnostics
import PersistentStore
import TestSupport
import Testing

/// Mistakes in policies.
struct MistakeTests {
  private static let mistakes: [(String, @Sendable (MigrationManager, ManagedObject) throws -> Void)] = [
    ("nothing", { _, person in person.setValue(nil, forKey: "nothing") }),
    ("nothing", { _, person in _ = person.value(forKey: "nothing") }),
    ("name", { _, person in person.setInstances([], forKey: "name") }),
    ("name", { _, person in person.setValue(.integer(1), forKey: "name") }),
    ("age", { _, person in person.setValue(.integer(40_000), forKey: "age") }),
    ("age", { _, person in person.setValue(.double(.nan), forKey: "age") }),
    (
      "spouse",
      { manager, person in
        person.setInstances(try People.insert(2, manager.destinationContext), forKey: "spouse")
      }
    ),
    ("pets", { _, person in person.setInstances([person], forKey: "pets") }),
    (
      "friends",
      { manager, person in
        let sources = try manager.sourceContext.fetch(FetchRequest(entityName: "Person"))
        person.setInstances(sources, forKey: "friends")
      }
    ),
  ]

  @Test(arguments: mistakes.indices)
  func `A mistake in a call that cannot throw ends the migration and names the instance`(index: Int) throws {
    let (property, body) = Self.mistakes[index]
    var fixture = try ObjectFixture(People.model, sql: ["INSERT INTO ZPERSON (Z_PK, Z_ENT) VALUES (5, 1)"])
    fixture.use(
      ClosurePolicy(endCreation: { _, manager in
        _ = try manager.destinationContext.insertNewObject(forEntityName: "Person")
        let person = try manager.destinationContext.insertNewObject(forEntityName: "Person")
        try body(manager, person)
      }), for: "Person")
    let error = try #require(throws: MigrationError.self) { try fixture.migrate() }
    #expect(error.code == .policyFailed)
    #expect(error.subject.entity == "Person")
    #expect(error.subject.property == property)
    #expect(error.subject.row == 3)
  }

  @Test func `The source is read-only and does not accept instances of the destination`() throws {
    let attempts: [(MigrationManager, ManagedObject) throws -> Void] = [
      { manager, person in manager.sourceContext.delete(person) },
      { manager, person in manager.destinationContext.delete(person) },
      { manager, _ in _ = try manager.sourceContext.insertNewObject(forEntityName: "Person") },
      { manager, person in
        person.setInstances(try People.insert(1, manager.destinationContext), forKey: "friends")
      },
      { manager, person in
        manager.associate(
          sourceInstance: person, withDestinationInstance: person,
          for: try #require(manager.mappingModel.entityMappings.first))
      },
    ]
    for attempt in attempts {
      var fixture = try ObjectFixture(People.model, sql: ["INSERT INTO ZPERSON (Z_PK, Z_ENT) VALUES (5, 1)"])
      fixture.use(ClosurePolicy(create: { instance, _, manager in try attempt(manager, instance) }), for: "Person")
      #expect(try #require(throws: MigrationError.self) { try fixture.migrate() }.code == .policyFailed)
      #expect(try Database.rows("SELECT Z_PK FROM ZPERSON", in: fixture.source) == ["5"])
    }
  }

  @Test func `An abstract entity cannot have instances`() throws {
    let error = try #require(throws: MigrationError.self) {
      try People.run { _ = try $0.insertNewObject(forEntityName: "Thing") }
    }
    #expect(error.subject.entity == "Thing")
  }

  @Test func `A failed migration releases its instances and files`() throws {
    weak var context: ManagedObjectContext?
    #expect(throws: MigrationError.self) {
      try People.run {
        context = $0
        try People.insert(1, $0)[0].setInstances(try People.insert(1, $0), forKey: "nothing")
      }
    }
    #expect(context == nil)
  }
}
