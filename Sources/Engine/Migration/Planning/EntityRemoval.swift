internal import CoreDataExpressions
internal import DataModel

/// An entity that has rows, and that a hop takes no further.
package struct EntityRemoval: Sendable, Hashable {
  /// The entity.
  package let entity: String
  /// The number of its rows, which are gone after the hop.
  package let count: Int
  /// The version before.
  package let sourceVersion: String
  /// The version after.
  package let destinationVersion: String
}

extension MigrationStep {
  /// The entities of the source whose instances are not passed on: they are removed, or no mapping model speaks of
  /// them.
  ///
  /// What a custom policy is handed is its own business.
  package var removedEntityNames: [String] {
    Self.removedEntityNames(from: source.model, by: mappingModels.flatMap(\.entityMappings))
  }

  static func removedEntityNames(from model: ManagedObjectModel, by mappings: [EntityMapping]) -> [String] {
    let kept = Set(mappings.filter(\.takesInstances).compactMap(\.sourceEntityName))
    return model.entities.filter { !$0.isAbstract && !kept.contains($0.name) }.map(\.name)
  }
}

extension EntityMapping {
  /// Whether instances of the source entity are handed to something that makes others of them.
  var takesInstances: Bool {
    mappingType != .add && mappingType != .remove && sourceEntityName != nil
      && (destinationEntityName != nil || entityMigrationPolicyClassName != nil)
  }

  /// Whether one instance is made of each that is handed over.
  var isOneToOne: Bool { takesInstances && entityMigrationPolicyClassName == nil }

  /// Whether some instances may not be handed over.
  var isFiltered: Bool { filterPredicate.map { $0 != .everything } ?? false }
}

extension MigrationPlan {
  /// Returns the removals by the hops, as far as they are known before: what policies and filters leave of an entity is
  /// known only after they have run.
  func removals(of counts: [String: Int]) -> [EntityRemoval] {
    var counts = counts
    return steps.flatMap { step -> [EntityRemoval] in
      let removals = step.removals(of: counts)
      var next: [String: Int] = [:]
      for mapping in step.mappingModels.flatMap(\.entityMappings) where mapping.isOneToOne && !mapping.isFiltered {
        guard let source = mapping.sourceEntityName, let destination = mapping.destinationEntityName else { continue }
        next[destination, default: 0] += counts[source] ?? 0
      }
      counts = next
      return removals
    }
  }
}

extension MigrationStep {
  /// Returns the removals by the hop from a store with these numbers of rows.
  func removals(of counts: [String: Int]) -> [EntityRemoval] {
    removedEntityNames.compactMap { name in
      guard let count = counts[name], count > 0 else { return nil }
      return EntityRemoval(
        entity: name, count: count, sourceVersion: source.name, destinationVersion: destination.name)
    }
  }
}
