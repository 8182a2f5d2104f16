import CoreData
import DataModel
import Migration
import TestSupport

/// Runs a test's code in place of an app's policy: once for each source instance.
final class ProbePolicy: NSEntityMigrationPolicy {
  typealias Body = (NSManagedObject, NSManagedObject, NSMigrationManager) throws -> Void

  private var body: Body = { _, _, _ in }
  private var answer: (String, [Any?]) -> Any? = { _, _ in nil }

  convenience init(_ body: @escaping Body, answer: @escaping (String, [Any?]) -> Any? = { _, _ in nil }) {
    self.init()
    self.body = body
    self.answer = answer
  }

  override func createDestinationInstances(
    forSource sInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
  ) throws {
    try super.createDestinationInstances(forSource: sInstance, in: mapping, manager: manager)
    let made = manager.destinationInstances(forEntityMappingName: mapping.name, sourceInstances: [sInstance])
    guard let first = made.first else { return }
    try body(sInstance, first, manager)
  }

  override func perform(_ selector: String, with arguments: [Any?], manager: NSMigrationManager) throws -> Any? {
    answer(selector, arguments)
  }
}

/// A store of things with an attribute of every type, and of the objects they refer to.
enum Things {
  static let model = TrackModels.model([
    EntityDescription(
      "Thing",
      attributes: [
        AttributeDescription("small", .integer16), AttributeDescription("large", .integer64),
        AttributeDescription("real", .double), AttributeDescription("single", .float),
        AttributeDescription("price", .decimal), AttributeDescription("flag", .boolean),
        AttributeDescription("text", .string), AttributeDescription("day", .date),
        AttributeDescription("bytes", .binaryData), AttributeDescription("id", .uuid),
        AttributeDescription("link", .uri), AttributeDescription("object", .transformable),
      ],
      relationships: [
        RelationshipDescription("owner", to: "Owner", inverse: "things", maxCount: 1),
        RelationshipDescription("tags", to: "Tag", inverse: "things"),
        RelationshipDescription("steps", to: "Tag", inverse: "steppers", isOrdered: true),
      ]),
    EntityDescription(
      "Owner", attributes: [AttributeDescription("name", .string)],
      relationships: [RelationshipDescription("things", to: "Thing", inverse: "owner")]),
    EntityDescription(
      "Tag", attributes: [AttributeDescription("name", .string), AttributeDescription("rank", .integer32)],
      relationships: [
        RelationshipDescription("things", to: "Thing", inverse: "tags"),
        RelationshipDescription("steppers", to: "Thing", inverse: "steps"),
      ]),
  ])

  static let rows = """
    INSERT INTO ZOWNER (Z_PK, Z_ENT, Z_OPT, ZNAME) VALUES (1, 1, 1, 'Ada');
    INSERT INTO ZTHING (Z_PK, Z_ENT, Z_OPT, ZSMALL, ZLARGE, ZREAL, ZSINGLE, ZPRICE, ZFLAG, ZTEXT, ZDAY, ZBYTES, ZID,
      ZLINK, ZOBJECT, ZOWNER)
    VALUES (1, 3, 1, 7, 9007199254740993, 2.5, 0.25, 12.1, 1, 'näme', 86400, x'01FF',
      x'000102030405060708090A0B0C0D0E0F', 'https://example.org/a%20b', x'AB', 1);
    """

  /// Migrates the only thing to itself and calls the body with its old and new instance.
  @discardableResult
  static func probe(
    _ sql: String = rows, attributes: [PropertyMapping]? = nil, _ body: @escaping ProbePolicy.Body
  ) throws -> PolicyFixture {
    var fixture = try PolicyFixture(model, sql)
    fixture.registry.register("Probe") { ProbePolicy(body) }
    var mapping = fixture.mapping("Thing", in: model, policy: "Probe")
    if let attributes { mapping.attributeMappings = attributes }
    try fixture.migrate(to: model, mapping)
    return fixture
  }

  /// Inserts a tag into the destination.
  static func tag(_ name: String, _ rank: Int, _ manager: NSMigrationManager) -> NSManagedObject {
    let tag = NSEntityDescription.insertNewObject(forEntityName: "Tag", into: manager.destinationContext)
    tag.setValuesForKeys(["name": name, "rank": rank])
    return tag
  }
}
