import DataModel
import Migration
import TestSupport
import Testing

struct RandomInferenceTests {
  @Test(arguments: 0..<20 as Range<UInt64>)
  func `Inference gives one complete answer for any two models`(seed: UInt64) {
    var models = RandomModel(generator: SeededGenerator(seed: seed))
    for _ in 0..<25 {
      let (old, new) = (models.next(), models.next())
      let answer = Self.answer(old, new)
      #expect(answer == Self.answer(old, new))
      switch answer {
      case .success(let inferred): check(inferred, old, new)
      case .failure(let error): check(error, new)
      }
    }
  }

  @Test func `Some random models are inferred and some are refused`() {
    var models = RandomModel(generator: SeededGenerator(seed: 1))
    let answers = (0..<200).map { _ in Self.answer(models.next(), models.next()) }
    let count = answers.count { if case .success = $0 { true } else { false } }
    #expect((20...180).contains(count), "\(count) of 200")
  }

  @Test(arguments: 0..<20 as Range<UInt64>)
  func `Inference from a model to itself copies everything and reports nothing`(seed: UInt64) throws {
    var models = RandomModel(generator: SeededGenerator(seed: seed))
    for _ in 0..<10 {
      let model = models.next()
      let inferred = try InferredMappingModel(from: model, to: model)
      #expect(inferred.mappingModel.entityMappings.map(\.mappingType).allSatisfy { $0 == .copy })
      #expect(inferred.mappingModel.entityMappings.count == model.entities.count { !$0.isAbstract })
      #expect(inferred.findings.isEmpty)
    }
  }

  private static func answer(
    _ old: ManagedObjectModel, _ new: ManagedObjectModel
  ) -> Result<InferredMappingModel, InferenceError> {
    Result { () throws(InferenceError) in try InferredMappingModel(from: old, to: new) }
  }

  private func check(_ inferred: InferredMappingModel, _ old: ManagedObjectModel, _ new: ManagedObjectModel) {
    let mappings = inferred.mappingModel.entityMappings
    #expect(inferred.mappingModel.isCompatible(withSource: old, destination: new))
    #expect(Set(mappings.map(\.name)).count == mappings.count)
    let destinations = mappings.compactMap(\.destinationEntityName)
    #expect(destinations == new.entities.filter { !$0.isAbstract }.map(\.name))
    // Every entity that has instances hands them on once or is removed.
    let sources = mappings.compactMap(\.sourceEntityName)
    #expect(sources.sorted() == old.entities.filter { !$0.isAbstract }.map(\.name))
    for mapping in mappings {
      let entity = mapping.destinationEntityName.flatMap { new.entity(named: $0) }
      let attributes = entity?.attributes.filter { !$0.isTransient } ?? []
      let listed = mapping.attributeMappings.map(\.name)
      #expect(
        listed.filter { entity?.attribute(named: $0)?.isDerived == false }
          == attributes.filter { !$0.isDerived }.map(\.name))
      #expect(Set(listed).count == listed.count)
      let relationships = entity?.relationships.filter { !$0.isTransient } ?? []
      #expect(mapping.relationshipMappings.map(\.name) == relationships.map(\.name))
      #expect((mapping.sourceEntityVersionHash == nil) == (mapping.sourceEntityName == nil))
      #expect((mapping.destinationEntityVersionHash == nil) == (mapping.destinationEntityName == nil))
    }
  }

  private func check(_ error: InferenceError, _ new: ManagedObjectModel) {
    #expect(!error.reasons.isEmpty)
    #expect(Set(error.reasons).count == error.reasons.count)
    #expect(error.description.split(separator: "\n").count == error.reasons.count)
    for reason in error.reasons {
      let entity = new.entity(named: reason.entity)
      #expect(entity != nil)
      guard let property = reason.property else { continue }
      #expect(entity?.attribute(named: property) != nil || entity?.relationship(named: property) != nil)
    }
  }
}
