internal import CoreDataExpressions
internal import DataModel
package import MappingModels

/// An entity, or one of its properties.
package struct PropertyName: Sendable, Hashable {
  /// The entity.
  package let entity: String
  /// The property; `nil` for the entity itself.
  package let property: String?

  /// Names an entity or a property.
  package init(entity: String, property: String?) { (self.entity, self.property) = (entity, property) }
}

/// The fates of a version's entities and properties along a way of hops.
struct PropertyLineage {
  private struct Holder {
    /// The entity of the first version; `nil` behind a mapping model, of which that is not known.
    let origin: String?
    /// The properties that hold something, with their names in the first version.
    var properties: [String: String]
  }

  private let tree: EntityTree
  private var holders: [String: Holder]

  /// Begins at a version.
  init(_ model: ManagedObjectModel) { self.init(model, origin: \.name) }

  private init(_ model: ManagedObjectModel, origin: (EntityDescription) -> String?) {
    tree = EntityTree(model)
    holders = Dictionary(
      model.entities.map { entity in
        let names = entity.attributes.map(\.name) + entity.relationships.map(\.name)
        return (
          entity.name,
          Holder(
            origin: origin(entity),
            properties: Dictionary(names.map { ($0, $0) }, uniquingKeysWith: { first, _ in first })
          )
        )
      }, uniquingKeysWith: { first, _ in first })
  }

  /// The lineage behind one more hop.
  ///
  /// What a mapping model makes of its source is not known, so it may be in all that is there.
  func following(_ step: MigrationStep) -> PropertyLineage {
    var next = PropertyLineage(step.destination.model) { _ in nil }
    guard case .inferred(let inferred) = step.method else { return next }
    next.holders = [:]
    for mapping in inferred.mappingModel.entityMappings {
      guard let source = mapping.sourceEntityName, let destination = mapping.destinationEntityName,
        let holder = holders[source]
      else { continue }
      var properties: [String: String] = [:]
      for property in mapping.attributeMappings + mapping.relationshipMappings {
        guard let expression = property.valueExpression else { continue }
        let key = (DestinationInstancesCall(expression)?.sourceInstances ?? expression).usedSourceKey
        properties[property.name] = key.flatMap { holder.properties[$0] }
      }
      next.holders[destination] = Holder(origin: holder.origin, properties: properties)
    }
    return next
  }

  /// The names in the first version, as far as they are known, of what exists now.
  var origins: [PropertyName: PropertyName] {
    var origins: [PropertyName: PropertyName] = [:]
    for (entity, holder) in holders {
      guard let origin = holder.origin else { continue }
      origins[PropertyName(entity: entity, property: nil)] = PropertyName(entity: origin, property: nil)
      for (name, old) in holder.properties {
        origins[PropertyName(entity: entity, property: name)] = PropertyName(entity: origin, property: old)
      }
    }
    return origins
  }

  /// The parts of the first version that still exist, with their present names; `nil` behind a mapping model.
  var survivors: [PropertyName: PropertyName]? {
    var survivors: [PropertyName: PropertyName] = [:]
    for (entity, holder) in holders {
      guard let origin = holder.origin else { return nil }
      survivors[PropertyName(entity: origin, property: nil)] = PropertyName(entity: entity, property: nil)
      for (name, old) in holder.properties {
        survivors[PropertyName(entity: origin, property: old)] = PropertyName(entity: entity, property: name)
      }
    }
    return survivors
  }

  /// The name that an entity or a property had in the first version, if it comes from there and that is known.
  func origin(of name: PropertyName) -> PropertyName? {
    guard let holder = holders[name.entity], let origin = holder.origin else { return nil }
    guard let property = name.property else { return PropertyName(entity: origin, property: nil) }
    return holder.properties[property].map { PropertyName(entity: origin, property: $0) }
  }

  /// Whether an entity or a property may hold something of the first version.
  func holds(_ name: PropertyName) -> Bool {
    guard let holder = holders[name.entity] else { return false }
    return name.property.map { holder.properties[$0] != nil } ?? true
  }

  /// Whether a finding, which may be about an entity's descendants too, is about something that is there.
  func includes(_ finding: InferenceFinding) -> Bool {
    tree.concreteFamily(of: finding.entity).contains { entity in
      guard let holder = holders[entity.name] else { return false }
      return finding.property.map { holder.properties[$0] != nil } ?? true
    }
  }
}

extension Expression {
  /// The key of the source that the value comes from, also where something else takes the place of a missing value.
  fileprivate var usedSourceKey: String? {
    if let key = copiedSourceKey { return key }
    guard case .ternary(_, let first, let second) = self else { return nil }
    return second.copiedSourceKey ?? first.copiedSourceKey
  }
}

/// The single hop of Core Data itself for a store for which a plan makes several hops.
///
/// A persistent container opens a store of any earlier version in one hop: by a mapping model for exactly these two
/// versions, or else by inference.
package struct DirectHop: Sendable {
  /// The hop; `nil` if it cannot be inferred, so that Core Data does not open the store.
  package let step: MigrationStep?
  /// The reasons why it cannot be inferred.
  package let obstacles: [InferenceError.Reason]
  /// The contents that the hop takes elsewhere than the plan, or loses.
  package let losses: [Diversion]
  /// Whether the plan has mapping models, so that the app needs code of its own that makes the hops.
  package let passesMappingModels: Bool
  /// The name of the store's version.
  let sourceVersion: String
  /// The name of the version that is wanted.
  let destinationVersion: String
}

extension DirectHop {
  /// Whether stores get what the plan makes of them only if the app makes the planned hops itself.
  package var needsHops: Bool { step == nil || passesMappingModels }

  /// The problem, where the app has to make the hops itself.
  package var problem: String {
    guard let step else {
      return
        "Core Data itself cannot open stores of '\(sourceVersion)' with '\(destinationVersion)': no mapping model leads "
        + "from the one to the other, and no single hop can be inferred"
    }
    let names = step.removedEntityNames + DroppedProperty.all(in: step).map { "\($0.name)" }
    let shown = names.prefix(3).map { "'\($0)'" }.joined(separator: ", ")
    let rest = names.count > 3 ? " and \(names.count - 3) more" : ""
    return
      "Core Data itself migrates stores of '\(sourceVersion)' to '\(destinationVersion)' in one inferred hop, which "
      + "bypasses the mapping models on the way"
      + (names.isEmpty ? "" : " and drops what stores have of \(shown)\(rest)")
  }

  /// The advice.
  package var advice: String {
    "migrate step by step in the app (by this plan, or with a staged migration), or add a mapping model from "
      + "'\(sourceVersion)' to '\(destinationVersion)'"
  }
}

extension MigrationPlan {
  /// The hop of Core Data itself in place of the plan; `nil` if it does the same.
  package var directHop: DirectHop? {
    guard steps.count > 1, !isStaged else { return nil }
    let passesMappingModels = steps.contains { step in
      if case .mapping = step.method { true } else { false }
    }
    let inferred: InferredMappingModel
    do throws(InferenceError) {
      inferred = try InferredMappingModel(from: source.model, to: destination.model)
    } catch {
      return DirectHop(
        step: nil, obstacles: error.reasons, losses: [], passesMappingModels: passesMappingModels,
        sourceVersion: source.name, destinationVersion: destination.name)
    }
    return DirectHop(
      step: MigrationStep(source: source, destination: destination, method: .inferred(inferred)), obstacles: [],
      losses: diversions, passesMappingModels: passesMappingModels, sourceVersion: source.name,
      destinationVersion: destination.name)
  }
}

extension PropertyName {
  /// The same property of the entity that declares it.
  func declared(in model: ManagedObjectModel) -> PropertyName {
    guard let property else { return self }
    return PropertyName(
      entity: model.entity(declaring: property, from: entity)?.name ?? entity, property: property)
  }
}

extension PropertyName: CustomStringConvertible {
  /// The entity and the property, as errors name them.
  package var description: String { property.map { "\(entity).\($0)" } ?? entity }
}

/// The renamed parts of an earlier version, behind one inferred hop.
package struct RenamedNames: Sendable {
  private let tree: EntityTree
  private let names: Set<PropertyName>

  /// Compares two versions; nothing is renamed where no hop can be inferred.
  package init(from source: LoadedModelVersion, to destination: LoadedModelVersion) {
    tree = EntityTree(destination.model)
    let inferred = try? InferredMappingModel(from: source.model, to: destination.model)
    let step = inferred.map { MigrationStep(source: source, destination: destination, method: .inferred($0)) }
    let survivors = step.flatMap { PropertyLineage(source.model).following($0).survivors } ?? [:]
    names = Set(
      survivors.filter { old, new in old.property.map { $0 != new.property } ?? (old.entity != new.entity) }.values)
  }

  /// Whether what a finding is about, in an entity or its descendants, is something that was renamed.
  package func includes(_ finding: InferenceFinding) -> Bool {
    tree.concreteFamily(of: finding.entity).contains { entity in
      (finding.property != nil || entity.name == finding.entity)
        && names.contains(PropertyName(entity: entity.name, property: finding.property))
    }
  }
}
