import DataModel
import PropertyListFormat
import Testing

@Suite struct ArchiveErrorTests {
  private static let wrong: [(archive: SmallArchive, error: String)] = [
    (
      SmallArchive(attribute: { _ in ["NSAttributeType": .integer(123)] }),
      "compiled model: Property 'E.a' has the unknown type '123'. Choose one of Xcode's types, for example String."
    ),
    (
      SmallArchive(attribute: { _ in ["NSAttributeType": .integer(2100)] }),
      "compiled model: Property 'E.a' has no usable value for 'NSCompositeElements': a list of attributes is expected there. Restore the file, or give the path of the model that it was compiled from."
    ),
    (
      SmallArchive(attribute: { _ in ["NSAttributeType": .integer(0)] }),
      "compiled model: Attribute 'E.a' is stored but has no type. Choose a type for it, or make it transient."
    ),
    (
      SmallArchive(attribute: { ["NSPropertyName": $0.add("b")] }),
      "compiled model: Entity 'E' has two properties named 'b'. Rename one of them."
    ),
    (
      SmallArchive(attribute: { _ in ["NSIsOptional": .string("YES")] }),
      "compiled model: Property 'E.a' has no usable value for 'NSIsOptional': YES or NO is expected there. Restore the file, or give the path of the model that it was compiled from."
    ),
    (
      SmallArchive(attributeClass: "NSRelationshipDescription"),
      "compiled model: Property 'E.a' has no usable value for 'NSDestinationEntity': an entity is expected there. Restore the file, or give the path of the model that it was compiled from."
    ),
    (
      SmallArchive(
        attributeClass: "NSRelationshipDescription", attribute: { ["_NSDestinationEntityName": $0.add("F")] }),
      "compiled model: Relationship 'E.a' leads to 'F', which the model does not have. Choose a destination that exists, or add the entity."
    ),
    (
      SmallArchive(
        attributeClass: "NSDerivedAttributeDescription",
        attribute: { ["NSDerivationExpression": $0.add("SomebodysExpression", [:])] }),
      "compiled model: Property 'E.a' is computed by an expression of class SomebodysExpression, which is not supported. Give the path of the model that it was compiled from."
    ),
    (
      SmallArchive(attributeClass: "SomebodysProperty"),
      "compiled model: Entity 'E' has no usable value for 'NSProperties': a dictionary of properties is expected there. Restore the file, or give the path of the model that it was compiled from."
    ),
    (
      SmallArchive(entity: { ["NSProperties": $0.add("text")] }),
      "compiled model: Entity 'E' has no usable value for 'NSProperties': a dictionary is expected there. Restore the file, or give the path of the model that it was compiled from."
    ),
  ]

  @Test(arguments: wrong.indices)
  func `Each mistake in an archive is named with advice`(index: Int) {
    let (archive, error) = Self.wrong[index]
    #expect {
      try archive.model()
    } throws: { "\($0)" == error }
  }

  @Test func `Archives of other classes are not read as models`() {
    var archiver = TestArchiver()
    let mapping = archiver.add("NSMappingModel", [:])
    #expect(problem(archiver.archive(root: mapping)) == .notAnArchivedModel(className: "NSMappingModel"))
    #expect(problem(archiver.archive(root: .uid(0))) == .notAnArchivedModel(className: "nil"))
    #expect(problem(archiver.archive(root: .uid(99))) == .notAnArchivedModel(className: "nil"))
    #expect(problem(archiver.archive(root: .string("x"))) == .notAnArchivedModel(className: "nil"))
    #expect(problem(.dictionary([:])) == .notAnArchive("The property list is not a keyed archive."))
  }

  private func problem(_ archive: PropertyList) -> ModelFileProblem? {
    do throws(ModelFileError) { _ = try ManagedObjectModel(archive: archive.binary()) } catch { return error.problem }
    return nil
  }

  /// The fields that decide what a store looks like: none of them may be misread in silence.
  private static let strict = [
    "NSEntities", "NSEntityName", "NSProperties", "NSIsAbstract", "NSSuperentity", "NSVersionHashModifier",
    "NSUniqueTuples", "NSFetchIndexDescriptions", "NSPropertyName", "NSAttributeType", "NSIsOptional", "NSIsTransient",
    "NSFlagsKey", "NSDerivationExpression", "NSFilteringPredicate", "NSDestinationEntity", "NSInverseRelationship",
    "NSMinCount", "NSMaxCount", "NSDeleteRule", "NSIsOrdered", "NSIndexName", "NSIndexElements", "NSIndexedProperty",
    "NSFetchIndexElementType", "NSAscending", "NSRenamingIdentifier", "NSUserInfo", "NSValueTransformerName", "NS.keys",
    "NS.objects", "searchMapping", "values", "NSConfigurations", "NSVersionIdentifiers", "NSFetchRequestTemplates",
  ]

  @Test(arguments: strict)
  func `A field of the wrong kind throws an error`(key: String) throws {
    let archive = TestModelArchiver.archive(
      try RichModel.model(attributes: [0, 1, 5]), key == "searchMapping" || key == "values" ? .copies : .compiled,
      expressions: RichModel.expressions, predicates: RichModel.predicates)
    let objects = try #require(archive["$objects"]?.array)
    let owners = objects.indices.filter { objects[$0][key] != nil }
    #expect(!owners.isEmpty)
    for wrong in [PropertyList.data([1]), .real(0.5), .date(0)] {
      let isNoticed = owners.contains { owner in
        var changed = objects
        var fields = changed[owner].dictionary ?? [:]
        fields[key] = wrong
        changed[owner] = .dictionary(fields)
        var copy = archive.dictionary ?? [:]
        copy["$objects"] = .array(changed)
        return problem(.dictionary(copy)) != nil
      }
      // Fields that repeat others, or that are not read, may go unnoticed.
      #expect(isNoticed, "\(wrong)")
    }
  }
}
