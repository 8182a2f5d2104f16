extension ModelArchiveReader {
  func relationship(_ object: ArchivedObject, _ name: String) throws(ModelFileProblem) -> RelationshipDescription {
    // Both ends are archived twice: as objects, and by their names.
    let destinationName = try object.optional("_NSDestinationEntityName")
    guard let destination = try object.name("NSEntityName", of: "NSDestinationEntity") ?? destinationName else {
      throw object.unexpected("NSDestinationEntity", "an entity")
    }
    let inverse = try object.object("NSInverseRelationship")
    let declaredInverse = try object.optional("_NSInverseRelationshipName")
    let inverseName = try inverse?.optional("NSPropertyName") ?? declaredInverse
    var relationship = RelationshipDescription(
      name, to: destination,
      inverse: inverseName,
      minCount: try object.integer("NSMinCount"),
      maxCount: try object.integer("NSMaxCount"),
      isOrdered: try object.boolean("NSIsOrdered"),
      deleteRule: try deleteRule(object),
      isOptional: try object.boolean("NSIsOptional"),
      isTransient: try object.boolean("NSIsTransient"),
      renamingIdentifier: try object.optional("NSRenamingIdentifier"),
      versionHashModifier: try object.optional("NSVersionHashModifier"),
      userInfo: try userInfo(object))
    // The inverse usually belongs to the destination, be it inherited; only elsewhere its entity must be named.
    if let inverseName, !lineages.has(inverseName, destination) {
      relationship.inverseEntityName = try inverse?.name("NSEntityName", of: "NSEntity")
    }
    return relationship
  }

  private func deleteRule(_ object: ArchivedObject) throws(ModelFileProblem) -> DeleteRule {
    guard let rule = DeleteRule(rawValue: try object.integer("NSDeleteRule")) else {
      throw object.unexpected("NSDeleteRule", "a number from 0 to 3")
    }
    return rule
  }
}
