internal import CoreDataExpressions
internal import DataModel
internal import MappingModels

/// A required property without a default for which stores of an earlier version may have no value.
///
/// Core Data refuses to migrate a store in which one is missing, and so does the engine.
package struct MissingValue: Sendable, Hashable {
  /// The stable name of the finding.
  package static let id = "newly-required"
  /// The advice.
  package static let advice = "give it a default value, make it optional, or write a mapping model that gives one"

  /// The property, as the version after the hop names it.
  package let name: PropertyName
  /// Whether no instance has a value, so that no store with instances can be migrated.
  package let isCertain: Bool
  /// The version in which it is required.
  package let version: String

  /// The problem.
  package var problem: String {
    isCertain
      ? "'\(name)' is required in '\(version)' and has no default, and no instance has a value for it: their stores cannot "
        + "be migrated"
      : "'\(name)' becomes required in '\(version)' and has no default: stores with an instance without a value cannot be "
        + "migrated"
  }

  /// Returns the values that may be missing after each hop of a plan.
  ///
  /// The values that mapping models give are not known, except for attributes that they give nothing at all.
  package static func all(along plan: MigrationPlan) -> [MissingValue] {
    var lineage = PropertyLineage(plan.source.model)
    // What no instance has a value for.
    var empty: Set<PropertyName> = []
    var found: [MissingValue] = []
    for step in plan.steps {
      let hop = Hop(step)
      empty = hop.empty(after: empty, of: lineage)
      lineage = lineage.following(step)
      found += hop.missing(empty).filter { lineage.holds(PropertyName(entity: $0.name.entity, property: nil)) }
    }
    return found
  }
}

/// One hop, and the properties that it leaves without a value.
private struct Hop {
  let step: MigrationStep
  private let tree: EntityTree

  init(_ step: MigrationStep) {
    self.step = step
    tree = EntityTree(step.destination.model)
  }

  /// The mappings that make instances as their expressions say.
  private var mappings: [(mapping: EntityMapping, source: String, destination: EntityDescription)] {
    step.mappingModels.flatMap(\.entityMappings).compactMap { mapping in
      guard mapping.isOneToOne, let source = mapping.sourceEntityName,
        let destination = mapping.destinationEntityName.flatMap({ tree.entity($0) })
      else { return nil }
      return (mapping, source, destination)
    }
  }

  /// The attributes that all instances have no value for, from those before the hop.
  func empty(after before: Set<PropertyName>, of lineage: PropertyLineage) -> Set<PropertyName> {
    var (empty, filled): (Set<PropertyName>, Set<PropertyName>) = ([], [])
    // Of an entity that is new on the way, stores have no instances.
    for (mapping, source, destination) in mappings
    where lineage.holds(PropertyName(entity: source, property: nil)) {
      let expressions = Dictionary(
        mapping.attributeMappings.map { ($0.name, $0.valueExpression) }, uniquingKeysWith: { first, _ in first })
      for attribute in destination.attributes where attribute.isStoredValue && attribute.defaultValue == nil {
        let name = PropertyName(entity: destination.name, property: attribute.name)
        let key = (expressions[attribute.name] ?? nil).map(\.copiedSourceKey)
        // A filter may leave out the instances without a value.
        let isEmpty =
          !mapping.isFiltered
          && (key.map { $0.map { before.contains(PropertyName(entity: source, property: $0)) } ?? false } ?? true)
        if isEmpty { empty.insert(name) } else { filled.insert(name) }
      }
    }
    return empty.subtracting(filled)
  }

  /// Returns the required properties that may have no value.
  func missing(_ empty: Set<PropertyName>) -> [MissingValue] {
    let version = step.destination.name
    let attributes = empty.filter { name in
      name.property.flatMap { tree.entity(name.entity)?.attribute(named: $0) }.map { !$0.isOptional } ?? false
    }
    let composites = Set(empty.map(\.entity)).flatMap { entity in
      (tree.entity(entity)?.requiredComposites ?? []).filter { _, elements in
        elements.allSatisfy { empty.contains(PropertyName(entity: entity, property: $0.name)) }
      }.map { PropertyName(entity: entity, property: $0.composite.name) }
    }
    let certain = attributes.union(composites)
    guard case .inferred(let inferred) = step.method else { return Self.sorted(certain, version) }
    let doubtful = inferred.findings.compactMap { finding -> MissingValue? in
      guard case .valueMayBeMissing = finding.kind else { return nil }
      let family = tree.concreteFamily(of: finding.entity).map {
        PropertyName(entity: $0.name, property: finding.property)
      }
      guard let holder = family.first(where: { !certain.contains($0) }) else { return nil }
      return MissingValue(name: holder, isCertain: false, version: version)
    }
    return Self.sorted(certain, version) + doubtful
  }

  private static func sorted(_ names: Set<PropertyName>, _ version: String) -> [MissingValue] {
    names.sorted { ($0.entity, $0.property ?? "") < ($1.entity, $1.property ?? "") }
      .map { MissingValue(name: $0, isCertain: true, version: version) }
  }
}

extension AttributeDescription {
  /// Whether instances have a value of their own.
  fileprivate var isStoredValue: Bool { !isTransient && !isDerived && type != .composite }
}
