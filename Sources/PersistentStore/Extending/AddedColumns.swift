internal import DataModel

/// The columns that a store lacks for a newer layout which has all that the store has.
package struct AddedColumns: Sendable {
  /// One column that the store lacks.
  package struct Addition: Sendable, Hashable {
    /// The name of the table.
    package let table: String
    /// The column.
    package let column: EntityTable.Column
  }

  /// The columns, table by table.
  package let additions: [Addition]
  /// The layout of a fresh store of the old version.
  package let source: StoreSchema
  /// The layout of a fresh store of the new version.
  package let destination: StoreSchema

  /// Compares the layouts of fresh stores of two versions.
  ///
  /// Whatever else a migration does makes it more than that: values that are converted or computed, tables or numbers
  /// that change, links that are added from the other side.
  ///
  /// - Returns: `nil` where there is more to do than to add optional attributes without values.
  package init?(from source: StoreSchema, to destination: StoreSchema) {
    guard source.entityNames == destination.entityNames, source.joinTables == destination.joinTables,
      !source.joinTables.contains(where: \.isReflexive), source.tables.count == destination.tables.count,
      Set(source.indexStatements).isSubset(of: destination.indexStatements)
    else { return nil }
    for name in source.entityNames {
      guard let old = source.model.entity(named: name), let new = destination.model.entity(named: name),
        old.superentityName == new.superentityName, old.isAbstract == new.isAbstract,
        old.uniquenessConstraints == new.uniquenessConstraints, Self.keepsAttributes(old, new),
        Self.keepsLinks(old, new, source.model)
      else { return nil }
    }
    var additions: [Addition] = []
    for (old, new) in zip(source.tables, destination.tables) {
      let known = Set(old.columns)
      guard old.name == new.name, old.entityNames == new.entityNames, known.isSubset(of: new.columns) else {
        return nil
      }
      additions += new.columns.filter { !known.contains($0) }.map { Addition(table: new.name, column: $0) }
    }
    (self.additions, self.source, self.destination) = (additions, source, destination)
  }

  private static func keepsAttributes(_ old: EntityDescription, _ new: EntityDescription) -> Bool {
    guard !(old.attributes + new.attributes).contains(where: \.isDerived) else { return false }
    let known = old.attributesByName
    let kept = new.attributes.filter { known[$0.name] != nil }
    return kept.count == known.count
      && new.attributes.allSatisfy { attribute in
        guard let old = known[attribute.name] else { return attribute.isOptional && attribute.defaultValue == nil }
        return old.type == attribute.type && old.isOptional == attribute.isOptional
          && old.isTransient == attribute.isTransient && old.validation == attribute.validation
          && old.allowsExternalBinaryDataStorage == attribute.allowsExternalBinaryDataStorage
      }
  }

  /// Whether the relationships are the same, and both sides of each agree on what the other is.
  private static func keepsLinks(
    _ old: EntityDescription, _ new: EntityDescription, _ model: ManagedObjectModel
  ) -> Bool {
    let known = old.relationshipsByName
    guard known.count == new.relationships.count else { return false }
    return new.relationships.allSatisfy { relationship in
      guard let old = known[relationship.name], !old.isTransient, !relationship.isTransient,
        old.destinationEntityName == relationship.destinationEntityName, old.inverseName == relationship.inverseName,
        old.minCount == relationship.minCount, old.maxCount == relationship.maxCount,
        old.isOrdered == relationship.isOrdered, old.isOptional == relationship.isOptional
      else { return false }
      guard let name = old.inverseName else { return true }
      let inverse = model.entity(named: old.destinationEntityName)?.relationship(named: name)
      return inverse?.inverseName == old.name
    }
  }
}
