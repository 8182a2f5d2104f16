internal import CoreDataExpressions
package import DataModel

/// A mapping model for an author to finish: what inference knows is filled in, and what a person must decide is marked.
///
/// The entity mappings have the names and expressions that Xcode gives them.
package struct MappingDraft: Sendable {
  /// Something that a person must decide: a reason against inference, a loss, or the origin of a new entity.
  package struct Decision: Sendable, Hashable {
    /// The entity.
    package let entity: String
    /// The property; `nil` if it is about the entity itself.
    package let property: String?
    /// The problem.
    package let problem: String
  }

  /// The mapping model, with the decisions in the user info of its entity mappings.
  package private(set) var mappingModel: MappingModel
  /// The decisions, reasons first.
  package let decisions: [Decision]

  /// Drafts the mapping model between two models.
  package init(from source: ManagedObjectModel, to destination: ManagedObjectModel) {
    var inference = MappingInference(from: source, to: destination)
    mappingModel = MappingModel(entityMappings: inference.entityMappings())
    decisions =
      inference.sortedReasons.map { Decision($0) }
      + inference.sortedFindings.map { Decision(entity: $0.entity, property: $0.property, problem: "\($0.kind)") }
      + mappingModel.entityMappings.filter { $0.mappingType == .add }.compactMap(\.destinationEntityName).map {
        Decision(
          entity: $0, property: nil,
          problem: "the entity is new, and has no instances unless its mapping gets a source entity or a policy")
      }
    nameAsXcodeDoes()
    let generator = ExpressionGenerator(
      mappingModel.entityMappings.map { ($0.name, $0.sourceEntityName, $0.destinationEntityName) },
      destination: destination.entitiesByName)
    for place in mappingModel.entityMappings.indices {
      let entity = mappingModel.entityMappings[place].destinationEntityName.flatMap { destination.entity(named: $0) }
      mappingModel.entityMappings[place].generateRelationships(of: entity, generator)
      mark(place)
    }
  }

  private mutating func nameAsXcodeDoes() {
    var names = UniqueNames([])
    for place in mappingModel.entityMappings.indices {
      let mapping = mappingModel.entityMappings[place]
      let (source, destination) = (mapping.sourceEntityName, mapping.destinationEntityName)
      mappingModel.entityMappings[place].name = names.unique(
        EntityMappingEntry.defaultName(source: source, destination: destination))
      mappingModel.entityMappings[place].mappingType = EntityMappingEntry.impliedMappingType(
        policy: nil, source: source, destination: destination)
    }
  }

  /// Xcode shows the user info of an entity mapping in its inspector.
  private mutating func mark(_ place: Int) {
    for decision in decisions {
      let mapping = mappingModel.entityMappings[place]
      guard [mapping.sourceEntityName, mapping.destinationEntityName].contains(decision.entity) else { continue }
      let key = decision.property.map { "decide: \($0)" } ?? "decide"
      let others = mapping.userInfo[key].map { "\($0); " } ?? ""
      mappingModel.entityMappings[place].userInfo[key] = others + decision.problem
    }
  }
}

extension MappingDraft.Decision: CustomStringConvertible {
  /// The entity, the property and the problem, in one line.
  package var description: String { "\(property.map { "'\(entity).\($0)'" } ?? "'\(entity)'"): \(problem)" }

  /// A reason; its advice, to write a mapping model, has been followed.
  fileprivate init(_ reason: InferenceError.Reason) {
    let old = reason.likelyOldName.map { "; it may be '\($0)' under a new name" } ?? ""
    self.init(entity: reason.entity, property: reason.property, problem: reason.kind.problem + old)
  }
}

extension EntityMapping {
  /// Replaces the calls that inference makes by those of Xcode, which name the entity mapping if only one can be meant.
  fileprivate mutating func generateRelationships(of entity: EntityDescription?, _ generator: ExpressionGenerator) {
    for place in relationshipMappings.indices {
      guard let relationship = entity?.relationship(named: relationshipMappings[place].name),
        case .sourceRelationship(let name, let instances)? = relationshipMappings[place].valueExpression.flatMap({
          DestinationInstancesCall($0)
        })
      else { continue }
      relationshipMappings[place].valueExpression =
        generator.expression(for: relationship, source: name, sources: instances)
    }
  }
}
