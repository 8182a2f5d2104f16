internal import DataModel

extension InferenceError: CustomStringConvertible {
  /// One line for each reason: what is the matter and what to do.
  public var description: String { reasons.map(\.description).joined(separator: "\n") }
}

extension InferenceError.Reason: CustomStringConvertible {
  /// What is the matter and what to do, in one line.
  public var description: String {
    let name = property.map { "'\(entity).\($0)'" } ?? "'\(entity)'"
    return "\(name): \(kind.problem); \(rename)\(kind.advice)"
  }

  private var rename: String {
    guard let likelyOldName else { return "" }
    return "if it is '\(likelyOldName)' under a new name, set its renaming identifier to '\(likelyOldName)'; otherwise "
  }
}

extension InferenceError.Kind {
  /// What is the matter.
  public var problem: String {
    switch self {
    case .attributeNeedsDefault: "the new attribute is required, but existing instances have no value for it"
    case .relationshipNeedsDestination: "the new relationship is required, but existing instances have none"
    case .incompatibleTypes(let source, let destination):
      "source and destination attribute types are incompatible (\(source.xmlName) and \(destination.xmlName))"
    case .unsupportedType(let type): "nothing is known of how values of type \(type.xmlName) are stored"
    case .defaultNotExpressible: "the default value, which instances without a value need, is not a valid value"
    case .toManyBecomesToOne: "the to-many relationship becomes to-one, and nothing says which destination stays"
    case .destinationOutside(let entity, let destination):
      "it leads to instances of '\(entity)', which do not belong to its new destination '\(destination)'"
    case .mergedHierarchies(let roots):
      "its hierarchy joins entities that have no common parent in the source (\(Self.list(roots)))"
    case .becomesAbstract: "the entity becomes abstract, so that its instances have nowhere to go"
    case .ambiguousRenaming(let sources, let destinations):
      "names and renaming identifiers do not say which of \(Self.list(sources)) becomes which of "
        + Self.list(destinations)
    }
  }

  /// What to do.
  public var advice: String {
    switch self {
    case .attributeNeedsDefault: "give it a default value, make it optional, or write a mapping model"
    case .relationshipNeedsDestination: "make it optional, or write a mapping model"
    case .incompatibleTypes, .unsupportedType: "keep the old type, or write a mapping model"
    case .defaultNotExpressible: "correct the default value"
    case .toManyBecomesToOne: "keep it to-many, or write a mapping model"
    case .destinationOutside: "choose a destination that includes them, or write a mapping model"
    case .mergedHierarchies: "keep the hierarchies apart, or write a mapping model"
    case .becomesAbstract:
      "keep it concrete, set its name as the renaming identifier of a subentity that takes them, "
        + "or write a mapping model"
    case .ambiguousRenaming: "give each another renaming identifier"
    }
  }

  private static func list(_ names: [String]) -> String { names.map { "'\($0)'" }.joined(separator: ", ") }
}
