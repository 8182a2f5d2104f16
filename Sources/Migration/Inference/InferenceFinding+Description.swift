extension InferenceFinding: CustomStringConvertible {
  /// What is found and what to do, in one line.
  public var description: String {
    "\(property.map { "'\(entity).\($0)'" } ?? "'\(entity)'"): \(kind)"
  }
}

extension InferenceFinding.Kind: CustomStringConvertible {
  /// What is found and what to do, without the name of what it is about.
  public var description: String {
    switch self {
    case .entityRemoved(let name): "the entity is removed with all its instances\(Self.rename(name))"
    case .attributeRemoved(let name): "the attribute is removed with all its values\(Self.rename(name))"
    case .relationshipRemoved(let name): "the relationship is removed with all its links\(Self.rename(name))"
    case .orderRemoved: "the relationship is no longer ordered, and the order of its links is lost"
    case .unknownIdentifier(let identifier):
      "the renaming identifier '\(identifier)' matches nothing in the source; the name decided instead"
    case .precisionMayBeLost: "whole numbers beyond 9007199254740992 lose their last digits as Double"
    case .unreadableDefault(let text): "the default '\(text)' is not a value of its type; instances get no value"
    case .valueMayBeMissing: "it was optional and is required now; instances without a value cannot be migrated"
    case .uniquenessConstraintAdded(let names):
      "instances must now differ in \(names.map { "'\($0)'" }.joined(separator: ", ")); others cannot be migrated"
    case .destinationRemoved(let entity): "all its links are lost, since '\(entity)' is removed"
    case .linksMayConflict(let inverse):
      "the new inverse '\(inverse)' is to-one; if several instances lead to the same one, only one of them can keep it"
    case .inverseBecomesToOne(let inverse):
      "its inverse '\(inverse)' becomes to-one; if several instances lead to the same one, only the last of them keeps "
        + "its link"
    case .linksMayBeDropped:
      "it is to-many and has no inverse; if several instances lead to the same one, only the last of them keeps it"
    }
  }

  private static func rename(_ name: String?) -> String {
    guard let name else { return "" }
    return "; if it became '\(name)', set the renaming identifier of that, or they are lost"
  }
}
