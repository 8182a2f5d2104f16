internal import CoreDataExpressions
package import DataModel

extension MappingInference {
  /// Returns the mappings of all stored attributes of a destination entity.
  mutating func attributeMappings(of pair: EntityPair) -> [PropertyMapping] {
    let removed = pair.source.attributes.filter {
      !$0.isTransient && !$0.isDerived && pair.attributes.isRemoved($0.name)
    }
    let added = pair.destination.attributes.filter {
      !$0.isTransient && !$0.isDerived && pair.attributes.isNew($0.name)
    }
    let newNames = renames.newNames(of: removed, among: added) {
      $0.type.isImplicitlyConvertible(to: $1.type) && RenamedPart(from: $0.name, to: $1.name) != nil
    }
    for attribute in removed {
      let newName = newNames[attribute.name].flatMap { RenamedPart(from: attribute.name, to: $0)?.name }
      let isTransient = pair.destination.attributes.contains { $0.isTransient && $0.isNamed(attribute.name) }
      find(
        isTransient ? .becomesTransient : .attributeRemoved(likelyNewName: newName), pair.source.name,
        attribute.name)
    }
    for attribute in pair.destination.attributes where attribute.isDerived && !attribute.isTransient {
      guard let old = pair.source(of: attribute), !old.isDerived else { continue }
      find(.becomesDerived, pair.source.name, old.name)
    }
    checkComposites(of: pair)
    let oldNames = Dictionary(newNames.map { ($0.value, $0.key) }, uniquingKeysWith: { first, _ in first })
    return pair.destination.attributes.filter { !$0.isTransient }.compactMap { attribute in
      if attribute.isDerived { return carriedDerivation(attribute, pair) }
      return PropertyMapping(
        name: attribute.name, valueExpression: expression(for: attribute, pair, likelyOldName: oldNames[attribute.name])
      )
    }
  }

  /// A required composite must have a value in one of its elements, even if each of them may be missing.
  private mutating func checkComposites(of pair: EntityPair) {
    for (composite, elements) in pair.destination.requiredComposites {
      guard elements.allSatisfy({ $0.defaultValue == nil }) else { continue }
      let old = elements.compactMap { pair.source(of: $0) }
      if old.isEmpty {
        refuse(.attributeNeedsDefault, pair.destination.name, composite.name)
      } else if !pair.source.requiredComposites.contains(where: { old.map(\.declaredName).contains($0.composite.name) })
      {
        find(.valueMayBeMissing, pair.destination.name, composite.name)
      }
    }
  }

  /// A derived attribute keeps its values if its derivation is unchanged; otherwise the store computes them again.
  private func carriedDerivation(_ attribute: AttributeDescription, _ pair: EntityPair) -> PropertyMapping? {
    guard let old = pair.source(of: attribute), old.type == attribute.type,
      old.derivationExpression == attribute.derivationExpression,
      old.derivationFilterPredicate == attribute.derivationFilterPredicate
    else { return nil }
    return PropertyMapping(name: attribute.name, valueExpression: .source(old.name))
  }

  private mutating func expression(
    for attribute: AttributeDescription, _ pair: EntityPair, likelyOldName: String?
  ) -> Expression? {
    func refused(_ kind: InferenceError.Kind, likelyOldName: String? = nil) -> Expression? {
      refuse(kind, pair.destination.name, attribute.name, likelyOldName: likelyOldName)
      return nil
    }
    func find(_ kind: InferenceFinding.Kind) { self.find(kind, pair.destination.name, attribute.name) }
    guard let old = pair.source(of: attribute) else {
      let isMissing = pair.attributes.isNew(attribute.name) && !attribute.isOptional && attribute.defaultValue == nil
      if isMissing { return refused(.attributeNeedsDefault, likelyOldName: likelyOldName) }
      if let text = attribute.unreadableDefault {
        find(.unreadableDefault(text))
      }
      return nil
    }
    guard old.type.isImplicitlyConvertible(to: attribute.type) else {
      return refused(.incompatibleTypes(source: old.type, destination: attribute.type))
    }
    if old.type == .integer64, attribute.type == .double {
      find(.precisionMayBeLost)
    }
    guard old.isOptional, !attribute.isOptional else { return .source(old.name) }
    guard attribute.defaultValue != nil else {
      find(.valueMayBeMissing)
      return .source(old.name)
    }
    guard let defaultExpression = attribute.defaultExpression(besideValuesOf: old.type) else {
      return refused(.defaultNotExpressible)
    }
    return .ternary(.compare(.source(old.name), .equal, .null), defaultExpression, .source(old.name))
  }

  // MARK: - Relationships

  /// Returns the mappings of all stored relationships of a destination entity.
  mutating func relationshipMappings(of pair: EntityPair) -> [PropertyMapping] {
    let removed = pair.source.relationships.filter { !$0.isTransient && pair.relationships.isRemoved($0.name) }
    let added = pair.destination.relationships.filter { !$0.isTransient && pair.relationships.isNew($0.name) }
    let sourceNames = entities.sourceNames
    let newNames = renames.newNames(of: removed, among: added) {
      sourceNames[$1.destinationEntityName] == $0.destinationEntityName
    }
    for relationship in removed {
      let isTransient = pair.destination.relationships.contains { $0.isTransient && $0.isNamed(relationship.name) }
      find(
        isTransient ? .becomesTransient : .relationshipRemoved(likelyNewName: newNames[relationship.name]),
        pair.source.name, relationship.name)
    }
    let oldNames = Dictionary(newNames.map { ($0.value, $0.key) }, uniquingKeysWith: { first, _ in first })
    return pair.destination.relationships.filter { !$0.isTransient }.map { relationship in
      let name = relationship.name
      guard let old = pair.source(of: relationship) else {
        if pair.relationships.isNew(name) { checkAddition(of: relationship, pair, likelyOldName: oldNames[name]) }
        return PropertyMapping(name: name, valueExpression: nil)
      }
      let isLeftToInverse = checkCounts(old, relationship, pair)
      checkDestination(old, relationship, pair)
      if old.isOrdered, !relationship.isOrdered { find(.orderRemoved, pair.destination.name, name) }
      if old.isOptional, relationship.needsDestination { find(.valueMayBeMissing, pair.destination.name, name) }
      return PropertyMapping(
        name: name,
        valueExpression: isLeftToInverse
          ? nil : .destinationInstances(sourceRelationshipNamed: old.name, sourceInstances: .source(old.name)))
    }
  }

  /// A new required relationship must get its links from its inverse.
  private mutating func checkAddition(
    of relationship: RelationshipDescription, _ pair: EntityPair, likelyOldName: String?
  ) {
    guard relationship.needsDestination, !isFedByInverse(relationship) else { return }
    refuse(.relationshipNeedsDestination, pair.destination.name, relationship.name, likelyOldName: likelyOldName)
  }

  func isFedByInverse(_ relationship: RelationshipDescription) -> Bool {
    guard let inverse = relationship.inverseName else { return false }
    return destination.concreteFamily(of: relationship.destinationEntityName)
      .contains { pairs[$0.name]?.relationships.sourceNames[inverse] != nil }
  }

  /// Checks the counts of both ends.
  ///
  /// An end may hold fewer links than before only if its inverse still provides them: then the last of several links
  /// stays, which is reported.
  ///
  /// - Returns: Whether the links are left to the inverse.
  private mutating func checkCounts(
    _ old: RelationshipDescription, _ relationship: RelationshipDescription, _ pair: EntityPair
  ) -> Bool {
    let entity = pair.destination.name
    let isLeftToInverse = old.isToMany && !relationship.isToMany
    if isLeftToInverse, !isKeptByInverse(old, relationship) { refuse(.toManyBecomesToOne, entity, relationship.name) }
    if relationship.isToMany, relationship.inverseName == nil, isShared(old) {
      find(.linksMayBeDropped, entity, relationship.name)
    }
    guard let inverse = destination.inverse(of: relationship), !inverse.isToMany, !inverse.isTransient else {
      return isLeftToInverse
    }
    guard let oldInverse = source.inverse(of: old), !oldInverse.isTransient else {
      // A to-many relationship without inverse keeps its links in its destinations, each of which holds one.
      guard !old.isToMany else { return isLeftToInverse }
      find(.linksMayConflict(inverse: inverse.name), entity, relationship.name)
      return isLeftToInverse
    }
    if oldInverse.isToMany { find(.inverseBecomesToOne(inverse: inverse.name), entity, relationship.name) }
    return isLeftToInverse
  }

  /// Whether the inverse is the same as before, and provides all links of this end.
  private func isKeptByInverse(_ old: RelationshipDescription, _ relationship: RelationshipDescription) -> Bool {
    guard let inverse = destination.inverse(of: relationship), !inverse.isTransient,
      let oldInverse = source.inverse(of: old), !oldInverse.isTransient,
      // Two ends that both become to-one leave the links to each other.
      inverse.isToMany || !oldInverse.isToMany
    else { return false }
    return isMatched(oldInverse, inverse, of: relationship)
  }

  /// Whether several instances may refer to the same one.
  private func isShared(_ old: RelationshipDescription) -> Bool {
    // Without an inverse, a to-many relationship keeps its links in its destinations, each of which holds one.
    source.inverse(of: old).map { $0.isToMany || $0.isTransient } ?? !old.isToMany
  }

  /// Whether the inverse is the old one.
  private func isMatched(
    _ oldInverse: RelationshipDescription, _ inverse: RelationshipDescription, of relationship: RelationshipDescription
  ) -> Bool {
    let holder = relationship.inverseEntityName ?? relationship.destinationEntityName
    return destination.concreteFamily(of: holder)
      .contains { pairs[$0.name]?.relationships.sourceNames[inverse.name] == oldInverse.name }
  }

  /// Checks that the old destinations become instances that the relationship accepts.
  private mutating func checkDestination(
    _ old: RelationshipDescription, _ relationship: RelationshipDescription, _ pair: EntityPair
  ) {
    let key = DestinationChange.Key(old: old.destinationEntityName, new: relationship.destinationEntityName)
    let change = destinationChanges[key] ?? destinationChange(key)
    destinationChanges[key] = change
    for entity in change.outside {
      refuse(.destinationOutside(entity: entity, destination: key.new), pair.destination.name, relationship.name)
    }
    if change.isRemoved { find(.destinationRemoved(entity: key.old), pair.destination.name, relationship.name) }
  }

  private func destinationChange(_ key: DestinationChange.Key) -> DestinationChange {
    let family = Array(source.concreteFamily(of: key.old))
    let kept = family.compactMap { entities.destinationNames[$0.name] }
    let outside = kept.filter { !destination.descends($0, from: key.new) }
    let areAllRemoved = !family.isEmpty && family.allSatisfy { entities.isRemoved($0.name) }
    return DestinationChange(outside: outside, isRemoved: areAllRemoved)
  }
}

extension Renamable {
  /// Whether the name or the renaming identifier is this.
  fileprivate func isNamed(_ oldName: String) -> Bool { name == oldName || renamingIdentifier == oldName }
}

extension RelationshipDescription {
  /// Whether an instance needs a destination; for a to-many relationship, only the minimum count matters.
  fileprivate var needsDestination: Bool { !isOptional && (!isToMany || minCount > 0) }
}

extension AttributeDescription {
  /// The default value as an expression, or `nil` if there is no valid one.
  ///
  /// - Parameter type: The type of the values that the expression is an alternative to. Numbers are written as integers
  ///   or reals to match them, so that SQL knows the kind of both.
  func defaultExpression(besideValuesOf type: AttributeType) -> Expression? {
    switch defaultValue {
    case nil: return nil
    case .integer(let value)?: return .constant(type.isReal ? .real(Double(value)) : .integer(value))
    case .double(let value)?: return Self.number(value, besideReal: type.isReal)
    case .string(let text)?: return .constant(.string(text))
    case .boolean(let value)?: return .constant(.boolean(value))
    case .date(let seconds)?: return seconds.isFinite ? FormatArgument.date(seconds).expression : nil
    case .data(let bytes)?: return FormatArgument.data(bytes).expression
    case .uuid(let bytes)?: return UUIDValue(bytes: bytes).map { FormatArgument.uuid($0).expression }
    case .uri(let text)?: return FormatArgument.url(text).expression
    }
  }

  private static func number(_ value: Double, besideReal isReal: Bool) -> Expression? {
    guard value.isFinite else { return nil }
    if !isReal, let whole = Int64(exactly: value) { return .constant(.integer(whole)) }
    return .constant(.real(value))
  }
}

extension AttributeType {
  fileprivate var isReal: Bool {
    storedForm == .number && limit == .number
  }

  // MARK: - Widening

  /// Returns whether values can be copied unchanged into an attribute of another type.
  ///
  /// Core Data calls other types incompatible. That it accepts wider numbers, and Booleans as whole numbers, is not
  /// documented, but apps rely on it.
  /// SQLite keeps the numbers or converts them by the type of the column.
  package func isImplicitlyConvertible(to other: AttributeType) -> Bool {
    switch (self, other) {
    case (.integer16, .integer32), (.integer16, .integer64), (.integer32, .integer64): true
    case (.boolean, .integer16), (.boolean, .integer32), (.boolean, .integer64): true
    case (.integer16, .double), (.integer32, .double), (.integer64, .double), (.float, .double): true
    default: self == other
    }
  }
}

/// The effect of a new destination on the links to an entity and its descendants.
struct DestinationChange {
  /// The destination of a relationship in both versions.
  struct Key: Hashable {
    let old: String
    let new: String
  }

  /// The entities that the links would refer to, but must not.
  let outside: [String]
  /// Whether all destinations are removed.
  let isRemoved: Bool
}
