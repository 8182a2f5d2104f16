extension ModelError: CustomStringConvertible {
  /// What is wrong and what to do about it, in two sentences.
  public var description: String { "\(problem) \(advice)" }

  /// What is wrong, in one sentence.
  public var problem: String {
    switch self {
    case .duplicateEntity(let name): "The model has two entities named '\(name)'."
    case .namelessEntity: "The model has an entity without a name."
    case .namelessProperty(let entity): "Entity '\(entity)' has a property without a name."
    case .duplicateProperty(let entity, let property): "Entity '\(entity)' has two properties named '\(property)'."
    case .unknownSuperentity(let entity, let superentity):
      "Entity '\(entity)' names the parent '\(superentity)', which the model does not have."
    case .inheritanceCycle(let entity): "Entity '\(entity)' is its own ancestor."
    case .tooManyInheritedProperties(let limit): "The entities inherit more than \(limit) properties in total."
    case .typeMissing(let entity, let attribute): "Attribute '\(entity).\(attribute)' is stored but has no type."
    case .unknownDestination(let entity, let relationship, let destination):
      "Relationship '\(entity).\(relationship)' leads to '\(destination)', which the model does not have."
    case .unknownInverse(let entity, let relationship, let inverse):
      "Relationship '\(entity).\(relationship)' names the inverse '\(inverse)', which its destination does not have."
    case .unknownConstraintProperty(let entity, let property):
      "A uniqueness constraint of entity '\(entity)' names the property '\(property)', which the entity does not have."
    case .unknownIndexProperty(let entity, let index, let property):
      "Index '\(index)' of entity '\(entity)' names the property '\(property)', which the entity does not have."
    }
  }

  /// What to do about it, in one sentence.
  public var advice: String {
    switch self {
    case .duplicateEntity, .duplicateProperty: "Rename one of them."
    case .namelessEntity, .namelessProperty: "Give it a name."
    case .unknownSuperentity: "Choose a parent that exists, or none."
    case .inheritanceCycle: "Choose another parent for it."
    case .tooManyInheritedProperties: "Make the inheritance less deep."
    case .typeMissing: "Choose a type for it, or make it transient."
    case .unknownDestination: "Choose a destination that exists, or add the entity."
    case .unknownInverse: "Choose an inverse that exists, or none."
    case .unknownConstraintProperty: "Correct the constraint or add the property."
    case .unknownIndexProperty: "Correct the index or add the property."
    }
  }
}
