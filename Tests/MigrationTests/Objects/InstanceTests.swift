import DataModel
import Diagnostics
import Expressions
import Migration
import PersistentStore
import TestSupport
import Testing

/// Instances in the hands of a policy: values, links, deletion and identity.
struct InstanceTests {
  private static let model = TrackModels.model([
    EntityDescription(
      "Person",
      attributes: [
        AttributeDescription("age", .integer16, defaultValue: .integer(7)), AttributeDescription("name", .string),
        AttributeDescription("isKind", .boolean), AttributeDescription("weight", .float),
        AttributeDescription("note", .string, isTransient: true, defaultValue: .string("new")),
      ],
      relationships: [
        one("spouse", "Person", "spouse"), one("boss", "Person", "staff"), many("staff", "Person", "boss"),
        many("friends", "Person", "friends"), one("idol", "Person"), many("fans", "Person"),
        many("pets", "Pet", "owners", isOrdered: true),
        RelationshipDescription("diary", to: "Pet", maxCount: 1, deleteRule: .cascade),
      ]),
    EntityDescription(
      "Pet", attributes: [AttributeDescription("name", .string)], relationships: [many("owners", "Person", "pets")]),
    EntityDescription("Thing", isAbstract: true),
  ])

  private static func one(_ name: String, _ destination: String, _ inverse: String? = nil) -> RelationshipDescription {
    RelationshipDescription(name, to: destination, inverse: inverse, maxCount: 1)
  }

  private static func many(
    _ name: String, _ destination: String, _ inverse: String? = nil, isOrdered: Bool = false
  ) -> RelationshipDescription {
    RelationshipDescription(name, to: destination, inverse: inverse, isOrdered: isOrdered)
  }

  /// Runs a policy's work on an empty destination, and gives the finished store.
  @discardableResult
  private func run(_ body: @escaping (ManagedObjectContext) throws -> Void) throws -> ObjectFixture {
    var fixture = try ObjectFixture(Self.model)
    fixture.use(ClosurePolicy(endCreation: { try body($1.destinationContext) }), for: "Person")
    try fixture.migrate()
    #expect(try Database.integrity(fixture.destination) == ["ok"])
    return fixture
  }

  private static func people(_ count: Int, _ context: ManagedObjectContext) throws -> [ManagedObject] {
    try (0..<count).map { _ in try context.insertNewObject(forEntityName: "Person") }
  }

  private static func keys(_ object: ManagedObject, _ key: String) -> [Int64] {
    object.instances(forKey: key).map(\.objectID.primaryKey)
  }

  @Test func `new instances have the default values, transient ones too`() throws {
    let fixture = try run { context in
      let person = try context.insertNewObject(forEntityName: "Person")
      #expect(person.value(forKey: "age") == .integer(7))
      #expect(person.value(forKey: "note") == .string("new"))
      #expect(person.value(forKey: "name") == nil)
      #expect(person.entity.name == "Person")
      #expect(person.managedObjectContext === context)
    }
    #expect(try fixture.rows("SELECT ZAGE, ZNAME FROM ZPERSON") == ["7|NULL"])
  }

  @Test func `numbers become what the attribute holds`() throws {
    let fixture = try run { context in
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

  @Test func `a one-to-one relationship has one partner on each side`() throws {
    let fixture = try run { context in
      let people = try Self.people(4, context)
      people[0].setInstances([people[1]], forKey: "spouse")
      people[2].setInstances([people[3]], forKey: "spouse")
      people[1].setInstances([people[2]], forKey: "spouse")
      #expect(people.map { Self.keys($0, "spouse") } == [[], [3], [2], []])
    }
    #expect(try fixture.rows("SELECT ZSPOUSE FROM ZPERSON ORDER BY Z_PK") == ["NULL", "3", "2", "NULL"])
  }

  @Test func `a one-to-many relationship follows from both sides`() throws {
    let fixture = try run { context in
      let people = try Self.people(4, context)
      people[0].setInstances([people[1], people[2], people[1]], forKey: "staff")
      people[3].setInstances([people[0]], forKey: "boss")
      people[1].setInstances([people[3]], forKey: "boss")
      #expect(people.map { Self.keys($0, "staff") } == [[3, 4], [], [], [2]])
      people[0].setInstances([people[0]], forKey: "staff")
      #expect(people.map { Self.keys($0, "boss") } == [[1], [4], [], []])
    }
    #expect(try fixture.rows("SELECT ZBOSS FROM ZPERSON ORDER BY Z_PK") == ["1", "4", "NULL", "NULL"])
  }

  @Test func `a relationship that is its own inverse goes both ways, also to the instance itself`() throws {
    let fixture = try run { context in
      let people = try Self.people(3, context)
      people[0].setInstances([people[0], people[1], people[2]], forKey: "friends")
      people[1].setInstances([], forKey: "friends")
      #expect(people.map { Self.keys($0, "friends") } == [[1, 3], [], [1]])
    }
    #expect(try fixture.rows("SELECT * FROM Z_1FRIENDS ORDER BY 1, 2") == ["1|1", "1|3", "3|1"])
  }

  @Test func `relationships without inverse lead one way`() throws {
    let fixture = try run { context in
      let people = try Self.people(3, context)
      people[0].setInstances([people[2]], forKey: "idol")
      people[1].setInstances([people[2]], forKey: "idol")
      people[0].setInstances([people[1], people[2]], forKey: "fans")
      // The key lies with the fan, who has place for one.
      people[1].setInstances([people[2]], forKey: "fans")
      #expect(people.map { Self.keys($0, "idol") } == [[3], [3], []])
      #expect(people.map { Self.keys($0, "fans") } == [[2], [3], []])
    }
    #expect(try fixture.rows("SELECT ZIDOL, Z1FANS FROM ZPERSON ORDER BY Z_PK") == ["3|NULL", "3|1", "NULL|2"])
  }

  @Test func `an ordered relationship keeps the order that was set last`() throws {
    let fixture = try run { context in
      let people = try Self.people(2, context)
      let pets = try (0..<3).map { _ in try context.insertNewObject(forEntityName: "Pet") }
      people[0].setInstances([pets[0], pets[1]], forKey: "pets")
      people[0].setInstances([pets[2], pets[1], pets[0]], forKey: "pets")
      pets[1].setInstances([people[1], people[0]], forKey: "owners")
      #expect(people.map { Self.keys($0, "pets") } == [[3, 2, 1], [2]])
    }
    #expect(
      try fixture.rows("SELECT Z_1OWNERS, Z_2PETS, Z_FOK_2PETS FROM Z_1PETS ORDER BY 1, 3")
        == ["1|3|2048", "1|2|3072", "1|1|4096", "2|2|2048"])
  }

  @Test func `a deleted instance leaves no row and no link, stored or not`() throws {
    let fixture = try run { context in
      let people = try Self.people(4, context)
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
      #expect(Self.keys(people[0], "friends") == [3])
      #expect(people[2].instances(forKey: "idol").isEmpty)
      #expect(people[0].instances(forKey: "staff").isEmpty)
      #expect(pet.instances(forKey: "owners").isEmpty)
      // What is deleted takes part in nothing.
      people[1].setValue(.string("late"), forKey: "name")
      people[1].setInstances([people[3]], forKey: "friends")
      people[3].setInstances([people[1], people[0]], forKey: "friends")
      #expect(Self.keys(people[3], "friends") == [1])
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

  @Test func `deleted instances are not counted, and what cascades goes with them`() throws {
    var fixture = try ObjectFixture(Self.model)
    let policy = ClosurePolicy(endCreation: { mapping, manager in
      let context = manager.destinationContext
      let people = try Self.people(3, context)
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

  @Test func `an instance that nobody uses goes out of memory and comes back as it was`() throws {
    let fixture = try run { context in
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

  @Test func `large values are written before they are many`() throws {
    var fixture = try ObjectFixture(
      Self.model, sql: (1...9).map { "INSERT INTO ZPET VALUES (\($0), 2, 1, printf('%.*c', 3000000, 'x'))" })
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

  @Test func `an instance that is kept across many others can be changed afterwards`() throws {
    let rows = 20_000
    var fixture = try ObjectFixture(
      Self.model,
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
        person.setInstances(try Self.people(2, manager.destinationContext), forKey: "spouse")
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
  func `a mistake in a call that cannot throw ends the migration with the instance named`(index: Int) throws {
    let (property, body) = Self.mistakes[index]
    var fixture = try ObjectFixture(Self.model, sql: ["INSERT INTO ZPERSON (Z_PK, Z_ENT) VALUES (5, 1)"])
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

  @Test func `the source cannot be changed, and has no place for instances of the destination`() throws {
    let attempts: [(MigrationManager, ManagedObject) throws -> Void] = [
      { manager, person in manager.sourceContext.delete(person) },
      { manager, person in manager.destinationContext.delete(person) },
      { manager, _ in _ = try manager.sourceContext.insertNewObject(forEntityName: "Person") },
      { manager, person in
        person.setInstances(try Self.people(1, manager.destinationContext), forKey: "friends")
      },
      { manager, person in
        manager.associate(
          sourceInstance: person, withDestinationInstance: person,
          for: try #require(manager.mappingModel.entityMappings.first))
      },
    ]
    for attempt in attempts {
      var fixture = try ObjectFixture(Self.model, sql: ["INSERT INTO ZPERSON (Z_PK, Z_ENT) VALUES (5, 1)"])
      fixture.use(ClosurePolicy(create: { instance, _, manager in try attempt(manager, instance) }), for: "Person")
      #expect(try #require(throws: MigrationError.self) { try fixture.migrate() }.code == .policyFailed)
      #expect(try Database.rows("SELECT Z_PK FROM ZPERSON", in: fixture.source) == ["5"])
    }
  }

  @Test func `an abstract entity has no instances`() throws {
    let error = try #require(throws: MigrationError.self) {
      try run { _ = try $0.insertNewObject(forEntityName: "Thing") }
    }
    #expect(error.subject.entity == "Thing")
  }

  @Test func `a migration that fails lets go of its instances and files`() throws {
    weak var context: ManagedObjectContext?
    #expect(throws: MigrationError.self) {
      try run {
        context = $0
        try Self.people(1, $0)[0].setInstances(try Self.people(1, $0), forKey: "nothing")
      }
    }
    #expect(context == nil)
  }
}
