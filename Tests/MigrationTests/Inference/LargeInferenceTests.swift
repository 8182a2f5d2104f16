import DataModel
import Migration
import TestSupport
import Testing

struct LargeInferenceTests {
  /// Sixty entities with ten attributes each, in a ring of relationships.
  private func entities(_ prefix: String, id: String? = nil) -> [EntityDescription] {
    (0..<60).map { index in
      EntityDescription(
        "\(prefix)\(index)", renamingIdentifier: id.map { "\($0)\(index)" },
        attributes: (0..<10).map { AttributeDescription("a\($0)", .string) },
        relationships: [
          RelationshipDescription("next", to: "\(prefix)\((index + 1) % 60)", inverse: "previous"),
          RelationshipDescription("previous", to: "\(prefix)\((index + 59) % 60)", inverse: "next"),
        ])
    }
  }

  @Test func `Sixty entities can be renamed at once`() throws {
    let inferred = try Inference.infer(entities("Old"), entities("New", id: "Old"))
    #expect(inferred.mappingModel.entityMappings.count == 60)
    #expect(
      inferred.mappingModel.entityMappings.allSatisfy {
        $0.mappingType == .transform && $0.sourceEntityName?.dropFirst(3) == $0.destinationEntityName?.dropFirst(3)
      })
    #expect(inferred.findings.isEmpty)
  }

  @Test func `Sixty entities can be copied`() throws {
    #expect(try Inference.names(entities("E"), entities("E")).count { $0.hasPrefix("IEM_Copy_") } == 60)
  }
}
