import DataModel
import Foundation
import PersistentStore
import TestSupport
import Testing

/// Which of two relationships of one entity names their table.
struct JoinTableRuleTests {
  /// An entity that is linked with itself by two relationships, and leads to `Other` by more.
  private func entity(
    _ name: String, _ pair: (String, String), attributes: [String] = [], toOne: [String] = [], toMany: [String] = [],
    transient: Set<String> = [], parent: String? = nil
  ) -> EntityDescription {
    let others = toOne.map { ($0, 1) } + toMany.filter { $0 != pair.0 && $0 != pair.1 }.map { ($0, 0) }
    return EntityDescription(
      name, superentityName: parent,
      attributes: attributes.map { AttributeDescription($0, .string, isTransient: transient.contains($0)) },
      relationships: [
        RelationshipDescription(pair.0, to: name, inverse: pair.1),
        RelationshipDescription(pair.1, to: name, inverse: pair.0),
      ]
        + others.map {
          RelationshipDescription($0, to: "Other", maxCount: Int32($1), isTransient: transient.contains($0))
        })
  }

  /// The relationship that names the table, with a question mark where that is a guess.
  private func naming(
    _ entities: [EntityDescription], _ relationship: String, _ naming: JoinTableNaming = JoinTableNaming()
  ) throws -> String {
    let model = TrackModels.model(entities + [EntityDescription("Other")])
    let schema = StoreSchema(model, joinTables: naming)
    let table = try #require(schema.joinTable(forRelationship: relationship, ofEntityNamed: entities[0].name))
    return table.naming.relationshipName + (schema.doubtfulJoinTables.contains(table) ? "?" : "")
  }

  /// One table of a store that Core Data wrote, with the properties of its entity.
  private struct Case: Decodable {
    let entity: String
    let smaller: String
    let larger: String
    let apple: String
    let transient: [String]
    let toOne: [String]
    let toMany: [String]
    let attributes: [String]
  }

  private static let cases = Checkout.shared.appending(path: "join-names.json")

  @Test(.enabled(if: FileManager.default.fileExists(atPath: cases.path), "needs ../shared/join-names.json"))
  func `Join tables of all known stores have the names that Core Data gave them`() throws {
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    let cases = try decoder.decode([Case].self, from: try Data(contentsOf: Self.cases))
    #expect(cases.count >= 26)
    for one in cases {
      let entity = entity(
        one.entity, (one.smaller, one.larger), attributes: one.attributes, toOne: one.toOne, toMany: one.toMany,
        transient: Set(one.transient))
      let name = try naming([entity], one.smaller)
      #expect(name.hasPrefix(one.apple) && name.count <= one.apple.count + 1, "\(one)")
    }
  }

  @Test func `The rule names the table and reports what is not settled`() throws {
    #expect(try naming([entity("P", ("next", "previous"))], "next") == "previous")
    #expect(try naming([entity("P", ("friends", "friendsOf"))], "friends") == "friends")
    #expect(try naming([entity("P", ("follows", "followedBy"))], "follows") == "followedBy")
    #expect(try naming([entity("P", ("follows", "followedBy"), attributes: ["title"])], "follows") == "follows?")
    let three = ["name", "age", "city"]
    #expect(try naming([entity("P", ("trusts", "trustedBy"))], "trusts") == "trusts?")
    #expect(try naming([entity("P", ("trusts", "trustedBy"), attributes: three)], "trusts") == "trustedBy?")
    #expect(try naming([entity("P", ("children", "parents"), toOne: ["best"])], "children") == "parents")
    #expect(
      try naming([entity("P", ("children", "parents"), attributes: three, toOne: ["best"])], "children") == "children")
  }

  @Test func `The name is a guess where no case is known`() throws {
    let pair = ("next", "previous")
    #expect(try naming([entity("P", pair, parent: "Other")], "next").hasSuffix("?"), "a parent")
    let child = EntityDescription("Child", superentityName: "P")
    #expect(try naming([entity("P", pair), child], "next").hasSuffix("?"), "a child")
    #expect(try naming([entity("P", pair, attributes: [String(repeating: "ü", count: 97)])], "next").hasSuffix("?"))
    func many(_ count: Int) -> [String] { (0..<count).map { "a\($0)" } }
    #expect(try naming([entity("P", pair, attributes: many(46))], "next").hasSuffix("?"), "48 names")
    #expect(try naming([entity("P", pair, attributes: many(900))], "next").hasSuffix("?"), "more than any table has")
    let fetched = FetchedPropertyDescription(
      "f", fetchRequest: FetchRequestDescription("f", entityName: "Other", predicate: "TRUEPREDICATE"))
    let pairs = entity("P", pair).relationships
    #expect(
      try naming([EntityDescription("P", relationships: pairs, fetchedProperties: [fetched])], "next").hasSuffix("?"))
  }

  @Test func `The name is a guess where an entity and its ancestor share the smallest name`() throws {
    let relationships = ["fans": "Parent", "favourites": "Child"]
    func entity(_ name: String, _ relationship: String, _ inverse: String, _ parent: String? = nil)
      -> EntityDescription
    {
      EntityDescription(
        name, superentityName: parent,
        relationships: [
          RelationshipDescription(relationship, to: relationships[relationship] ?? "", inverse: inverse)
        ])
    }
    let entities = [entity("Parent", "favourites", "fans"), entity("Child", "fans", "favourites", "Parent")]
    #expect(try naming(entities, "favourites") == "fans?")
    #expect(try naming(entities, "favourites", JoinTableNaming(chosen: ["Parent.favourites"])) == "favourites")
  }

  /// A store whose table has the name that the rule does not give it.
  private func store(_ entity: EntityDescription) throws -> StoreSchema {
    let fixture = try StoreFixture(
      TrackModels.model([entity, EntityDescription("Other")]), "ALTER TABLE Z_2PREVIOUS RENAME TO Z_2NEXT")
    let schema = try fixture.schema()
    #expect(schema.joinTables.map(\.naming.relationshipName) == ["next"])
    return schema
  }

  @Test func `A store's name is kept as long as the properties are the same`() throws {
    let pair = ("next", "previous")
    let found = JoinTableNaming(foundIn: try store(entity("P", pair, attributes: ["a"])))
    #expect(try naming([entity("P", pair, attributes: ["a"])], "next", found) == "next")
    #expect(try naming([entity("P", pair, attributes: ["a", "b"])], "next", found) == "previous")
    #expect(try naming([entity("P", pair, toOne: ["a"])], "next", found) == "previous")
    #expect(try naming([entity("P", pair, attributes: ["a"], transient: ["a"])], "next", found) == "previous")
    var renamed = entity("Q", pair, attributes: ["a"])
    #expect(try naming([renamed], "next", found) == "previous")
    renamed.renamingIdentifier = "P"
    #expect(try naming([renamed], "next", found) == "next")
  }

  @Test func `A user's decision takes precedence`() throws {
    let pair = ("next", "previous")
    var naming = JoinTableNaming(foundIn: try store(entity("P", pair)))
    #expect(try self.naming([entity("P", pair)], "next", naming) == "next")
    naming.chosen = ["P.previous"]
    #expect(try self.naming([entity("P", pair)], "next", naming) == "previous")
    // The doubt is over, too.
    naming.chosen = ["Q.follows"]
    #expect(
      try self.naming([entity("Q", ("follows", "followedBy"), attributes: ["title"])], "follows", naming) == "follows")
    // By an entity that inherits it.
    naming.chosen = ["Child.follows"]
    let entities = [entity("P", ("follows", "followedBy")), EntityDescription("Child", superentityName: "P")]
    #expect(try self.naming(entities, "follows", naming) == "follows")
    // Naming both sides decides nothing.
    naming.chosen = ["P.next", "P.previous"]
    #expect(try self.naming([entity("P", pair)], "next", JoinTableNaming(chosen: naming.chosen)) == "previous")
  }
}
