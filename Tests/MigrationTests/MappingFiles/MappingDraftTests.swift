import DataModel
import MappingModels
import TestSupport
import Testing

struct MappingDraftTests {
  @Test(arguments: 1...100 as ClosedRange<UInt64>)
  func `A draft between any two models is written, and reads back as it was`(seed: UInt64) throws {
    let random = RandomMapping(seed: seed)
    let draft = MappingDraft(from: random.source, to: random.destination)
    let writer = MappingModelWriter(
      source: random.source, destination: random.destination, sourceModelPath: "a", destinationModelPath: "b")
    let file = try MappingModelFile(xml: Array(writer.xml(of: draft.mappingModel).utf8))
    #expect(file.findings.isEmpty)
    let read = try file.mappingModel(source: random.source, destination: random.destination)
    #expect(read.withoutEmptyProperties == draft.mappingModel.withoutEmptyProperties)
    let marked = Set(draft.mappingModel.entityMappings.filter { !$0.userInfo.isEmpty }.map(\.name))
    #expect(marked.isEmpty == draft.decisions.isEmpty)
  }
}

extension MappingModel {
  /// The same without properties that have no expression, which the file may leave out.
  fileprivate var withoutEmptyProperties: MappingModel {
    MappingModel(
      entityMappings: entityMappings.map { mapping in
        var mapping = mapping
        mapping.attributeMappings.removeAll { $0.valueExpression == nil }
        mapping.relationshipMappings.removeAll { $0.valueExpression == nil }
        return mapping
      })
  }
}
