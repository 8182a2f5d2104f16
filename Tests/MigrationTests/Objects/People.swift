import DataModel
import Migration
import PersistentStore
import TestSupport
import Testing

/// People and their pets, with relationships of every kind.
enum People {
  static let model = TrackModels.model([
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
  static func run(_ body: @escaping (ManagedObjectContext) throws -> Void) throws -> ObjectFixture {
    var fixture = try ObjectFixture(model)
    fixture.use(ClosurePolicy(endCreation: { try body($1.destinationContext) }), for: "Person")
    try fixture.migrate()
    #expect(try Database.integrity(fixture.destination) == ["ok"])
    return fixture
  }

  static func insert(_ count: Int, _ context: ManagedObjectContext) throws -> [ManagedObject] {
    try (0..<count).map { _ in try context.insertNewObject(forEntityName: "Person") }
  }

  static func keys(_ object: ManagedObject, _ key: String) -> [Int64] {
    object.instances(forKey: key).map(\.objectID.primaryKey)
  }
}
