import CoreDataExpressions
import DataModel
import Migration
import TestSupport

/// Infers and writes the result as text that reads well in a test.
enum Inference {
  static func infer(_ old: [EntityDescription], _ new: [EntityDescription]) throws -> InferredMappingModel {
    try InferredMappingModel(from: TrackModels.model(old), to: TrackModels.model(new))
  }

  /// The entity mappings and their property mappings:
  /// `IEM_Transform_Song: Track > Song`, `IEM_Transform_Song.name = $source.title`.
  static func mappings(_ old: [EntityDescription], _ new: [EntityDescription]) throws -> [String] {
    lines(try infer(old, new).mappingModel)
  }

  static func lines(_ model: MappingModel) -> [String] {
    model.entityMappings.flatMap { mapping in
      let entities = [mapping.sourceEntityName, mapping.destinationEntityName].map { $0 ?? "-" }
      return ["\(mapping.name): \(entities.joined(separator: " > "))"]
        + mapping.attributeMappings.map { "\(mapping.name).\($0.name) = \(text($0.valueExpression))" }
        + mapping.relationshipMappings.map { "\(mapping.name).\($0.name) -> \(text($0.valueExpression))" }
    }
  }

  /// The names of the entity mappings only.
  static func names(_ old: [EntityDescription], _ new: [EntityDescription]) throws -> [String] {
    try infer(old, new).mappingModel.entityMappings.map(\.name)
  }

  /// The findings as text.
  static func findings(_ old: [EntityDescription], _ new: [EntityDescription]) throws -> [String] {
    try infer(old, new).findings.map(\.description)
  }

  /// Why nothing can be inferred; nothing if it can.
  static func reasons(_ old: [EntityDescription], _ new: [EntityDescription]) -> [InferenceError.Reason] {
    do throws(InferenceError) {
      _ = try MappingModel.inferred(from: TrackModels.model(old), to: TrackModels.model(new))
      return []
    } catch {
      return error.reasons
    }
  }

  /// The reasons as `Entity.property: kind`.
  static func kinds(_ old: [EntityDescription], _ new: [EntityDescription]) -> [String] {
    reasons(old, new).map { "\($0.entity)\($0.property.map { ".\($0)" } ?? ""): \($0.kind)" }
  }

  /// The value of an attribute under the only entity mapping.
  static func value(_ old: AttributeDescription, _ new: AttributeDescription) throws -> String {
    let model = try infer(
      [EntityDescription("E", attributes: [old])], [EntityDescription("E", attributes: [new])])
    return text(model.mappingModel.entityMappings.first?.attributeMappings.first?.valueExpression)
  }

  /// A short form for the destinations of a source relationship: `{artists}`.
  private static func text(_ expression: CoreDataExpressions.Expression?) -> String {
    guard let expression else { return "-" }
    if case .function(.variable("manager")?, let selector, let arguments) = expression,
      selector == "destinationInstancesForSourceRelationshipNamed:sourceInstances:", arguments.count == 2,
      case .constant(.string(let name)) = arguments[0], arguments[1] == .source(name)
    {
      return "{\(name)}"
    }
    return "\(expression)"
  }
}
