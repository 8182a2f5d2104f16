import DataModel
import PropertyListFormat
import TestSupport
import Testing

/// The classes, keys and flags that Apple's archives have, written down once more.
@Suite struct ArchiveFormTests {
  /// Every class in an archive, with its ancestors and all keys of its objects.
  private func form(_ bytes: [UInt8]) throws -> [String: Set<String>] {
    let objects = try KeyedArchive(contentsOf: bytes).objects
    var form: [String: Set<String>] = [:]
    for object in objects {
      guard let number = object["$class"]?.uid, let names = objects[Int(number)]["$classes"]?.array else { continue }
      let lineage = names.compactMap(\.string).joined(separator: " ")
      form[lineage, default: []].formUnion(object.dictionary?.keys.filter { $0 != "$class" } ?? [])
    }
    return form
  }

  private let property: Set = [
    "NSPropertyName", "NSEntity", "NSRenamingIdentifier", "NSIsOptional", "NSUserInfo", "_P", "NSVersionHashModifier",
    "NSIsTransient",
  ]

  @Test func `Objects have the classes and keys of Apple's archives`() throws {
    let form = try form(PackedModel.unpacked(ArchivableModel.model().modelCache()))
    let attribute = property.union([
      "NSAttributeType", "NSAttributeValueClassName", "NSDefaultValue", "NSValueTransformerName", "NSFlagsKey",
    ])
    #expect(
      form["NSAttributeDescription NSPropertyDescription NSObject"]
        == attribute.union(["NSIndexedBySpotlight", "NSAllowsCloudEncryption"]))
    #expect(
      form["NSDerivedAttributeDescription NSAttributeDescription NSPropertyDescription NSObject"]
        == attribute.subtracting(["NSUserInfo", "NSVersionHashModifier", "NSIsTransient"])
        .union(["NSDerivationExpression", "NSFilteringPredicate", "NSIsReadOnly"]))
    #expect(
      form["NSRelationshipDescription NSPropertyDescription NSObject"]
        == property.union([
          "NSDestinationEntity", "_NSDestinationEntityName", "NSInverseRelationship", "_NSInverseRelationshipName",
          "NSMinCount", "NSMaxCount", "NSDeleteRule", "NSIsOrdered", "NSIsIndexed",
        ]))
    #expect(
      form["NSEntityDescription NSObject"] == [
        "NSEntityName", "NSClassNameForEntity", "NSManagedObjectModel", "NSSuperentity", "NSSubentities",
        "NSProperties", "NSUserInfo", "NSRenamingIdentifier", "NSVersionHashModifier", "NSIsAbstract", "NSUniqueTuples",
        "NSFetchIndexDescriptions", "NSCompoundIndexes",
      ])
    #expect(
      form["NSKnownKeysDictionary1 NSKnownKeysDictionary NSMutableDictionary NSDictionary NSObject"]
        == ["searchMapping", "values", "emptyToken", "version"])
    #expect(
      form["NSFunctionExpression NSExpression NSObject"] == [
        "NSExpressionType", "NSOperand", "NSSelectorName", "NSArguments",
      ])
    #expect(form.count == 31)
  }

  @Test func `A compiled model lists declared properties in plain dictionaries`() throws {
    let model = try ArchivableModel.model()
    let (compiled, cached) = (try model.archive(), try PackedModel.unpacked(model.modelCache()))
    #expect(try form(compiled).count == 29)
    #expect(try form(compiled).keys.filter { $0.contains("KnownKeys") } == [])
    // Each of the two subentities lists copies of what Base declares, and the second one what Child declares.
    let base = try #require(model.entity(named: "Base"))
    let declared = base.ownAttributes.count + base.ownRelationships.count + base.ownFetchedProperties.count
    #expect(try properties(cached) - properties(compiled) == 2 * declared + 1)
  }

  private func properties(_ bytes: [UInt8]) throws -> Int {
    try KeyedArchive(contentsOf: bytes).objects.count { $0["NSPropertyName"] != nil && $0["NSEntity"] != nil }
  }

  /// Each of these words stands in an archive of Apple's.
  @Test func `Properties have the packed flags of Apple's archives`() throws {
    let model = try ManagedObjectModel(
      entities: [
        EntityDescription(
          "E",
          attributes: [
            required("241", .string), optional("243", .string),
            AttributeDescription("249", .string, isOptional: false, isTransient: true),
            AttributeDescription("251", .string, isTransient: true),
            AttributeDescription("113", .string, isOptional: false, versionHashModifier: "3"),
            AttributeDescription("115", .string, versionHashModifier: "3"),
            AttributeDescription("247", .integer64, derivationExpression: "count:(a)"),
          ],
          relationships: [
            RelationshipDescription("1267", to: "E", isOrdered: true)
          ],
          fetchedProperties: [
            FetchedPropertyDescription("255", fetchRequest: FetchRequestDescription("r", entityName: "E")),
            FetchedPropertyDescription(
              "191", fetchRequest: FetchRequestDescription("r", entityName: "E"), userInfo: ["a": "b"]),
          ])
      ])
    let archive = try KeyedArchive(contentsOf: model.archive())
    let properties = archive.objects.filter { $0["_P"] != nil }
    #expect(properties.count == 10)
    for property in properties {
      #expect(archive.object(property["NSPropertyName"])?.string == property["_P"]?.integer.map { "\($0)" })
    }
  }

  @Test func `A single-property index marks its property, and other indexes are also listed in old form`() throws {
    let model = try ManagedObjectModel(
      entities: [
        EntityDescription(
          "E", attributes: [optional("a", .string), optional("b", .string), optional("c", .string)],
          fetchIndexes: [
            FetchIndexDescription("byA", properties: ["a"]), FetchIndexDescription("byBC", properties: ["b", "c"]),
            FetchIndexDescription("none", properties: []),
            FetchIndexDescription(
              "area", elements: [FetchIndexElementDescription(property: "b", collationType: .rTree)]),
          ])
      ])
    let archive = try KeyedArchive(contentsOf: model.archive())
    let indexed = archive.objects.filter { $0["NSIsIndexed"] == .boolean(true) }
    #expect(indexed.map { archive.object($0["NSPropertyName"])?.string } == ["a"])
    let entity = try #require(archive.objects.first { $0["NSEntityName"] != nil })
    let lists = archive.object(entity["NSCompoundIndexes"])?["NS.objects"]?.array ?? []
    let names = lists.map { archive.object($0)?["NS.objects"]?.array?.map { archive.object($0)?.string } }
    #expect(names == [["b", "c"]])
    #expect(archive.object(entity["NSFetchIndexDescriptions"])?["NS.objects"]?.array?.count == 4)
  }

  @Test func `Expressions have the type numbers of their kinds`() throws {
    let archive = try KeyedArchive(contentsOf: ArchivableModel.model().archive())
    var numbers: [String: Set<Int64>] = [:]
    for object in archive.objects {
      guard let number = object["NSExpressionType"]?.integer,
        let name = archive.object(object["$class"])?["$classname"]?.string
      else { continue }
      numbers[name, default: []].insert(Int64(number))
    }
    // As in NSExpression.ExpressionType; a path of several keys is the function `valueForKeyPath:`.
    #expect(
      numbers == [
        "NSConstantValueExpression": [0], "NSSelfExpression": [1], "NSVariableExpression": [2],
        "NSKeyPathExpression": [3, 4], "NSFunctionExpression": [4], "NSKeyPathSpecifierExpression": [10],
      ])
  }
}
