// Core Data's version hashes. Integers are little-endian; strings are UTF-8 without length or terminator. What is left
// out on purpose: default values, class names, user info, delete rules, validation, indexes, transformers and renaming
// identifiers. A change in any of those needs no migration.

extension EntityDescription {
  /// Computes the version hash of this entity from those of its properties, inherited ones included.
  func computeVersionHash(_ properties: PropertyHashes, superentityHash: VersionHash?) -> VersionHash {
    var message = HashMessage()
    message.append(name)
    message.append(byte: isAbstract ? 1 : 0)
    if let superentityHash { message.append(superentityHash.bytes) }
    for hash in properties.sorted { message.append(hash) }
    if let versionHashModifier { message.append(versionHashModifier) }
    let constraints = uniquenessConstraints.map { $0.joined(separator: ".") }
    for constraint in constraints.sorted(by: { $0.precedesByBytes($1) }) { message.append(constraint) }
    return VersionHash(bytes: message.sha256)
  }
}

extension PropertyDescription {
  /// Hashes what attributes and relationships have in common.
  fileprivate var baseHash: [UInt8] {
    var message = HashMessage()
    message.append(name)
    message.append(Int16(isOptional ? 1 : 0) | Int16(isTransient ? 2 : 0))
    if let versionHashModifier { message.append(versionHashModifier) }
    return message.sha256
  }
}

extension AttributeDescription {
  var hash: [UInt8] {
    var message = HashMessage()
    if let derivationExpression {
      // Neither name nor flags nor type of a derived attribute enter, only what it is computed by.
      message.append(derivationExpression)
      if let derivationFilterPredicate { message.append(derivationFilterPredicate) }
      return message.sha256
    }
    message.append(baseHash)
    message.append(type.rawValue)
    if allowsExternalBinaryDataStorage { message.append(byte: 1) }
    if preservesValueInHistoryOnDeletion { message.append(byte: 1) }
    return message.sha256
  }
}

extension RelationshipDescription {
  func hash(declaredBy entityName: String) -> [UInt8] {
    var message = HashMessage()
    message.append(baseHash)
    message.append(destinationEntityName)
    // Core Data leaves the inverse out where the relationship is its own inverse.
    let isOwnInverse = inverseName == name && destinationEntityName == entityName
    if let inverseName, !isOwnInverse { message.append(inverseName) }
    message.append(maxCount)
    message.append(minCount)
    if isOrdered { message.append(Int16(1)) }
    return message.sha256
  }
}
