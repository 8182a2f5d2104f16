package import MappingModels
package import Migration
internal import MigrationDiagnostics

/// The loss of stores of an earlier version on a device, although every version follows from the one before without a
/// loss.
///
/// Core Data opens a store of any earlier version in one inferred hop, in which a renaming identifier has to name what the
/// store has. One that names the version in between finds nothing there.
package struct OneHopLoss: Sendable, Hashable {
  /// The stable name of the finding.
  package static let id = "lost-in-one-hop"

  /// The version of the stores.
  package let sourceVersion: String
  /// The current version.
  package let destinationVersion: String
  /// The entity or property that the stores have.
  package let old: PropertyName
  /// The same, as the current version has it.
  package let new: PropertyName

  /// Returns the losses along a plan, if Core Data itself makes one hop instead.
  package static func all(in plan: MigrationPlan) -> [OneHopLoss] {
    guard let hop = plan.directHop else { return [] }
    return hop.losses.map {
      OneHopLoss(sourceVersion: plan.source.name, destinationVersion: plan.destination.name, old: $0.old, new: $0.new)
    }
  }

  /// Returns the losses from earlier versions.
  package static func all(
    from sources: [LoadedModelVersion], to destination: LoadedModelVersion, _ planner: MigrationPlanner
  ) -> [OneHopLoss] {
    var losses: [OneHopLoss] = []
    planner.forEachPlan(from: sources, to: destination) { _, plan in
      if let plan = try? plan.get() { losses += all(in: plan) }
    }
    return losses
  }

  /// The problem.
  package var problem: String {
    "Core Data migrates stores of '\(sourceVersion)' to '\(destinationVersion)' in one hop, and loses '\(old)': it became "
      + "'\(new)' by way of another name, which these stores do not have"
  }

  /// The advice.
  package var advice: String {
    let name = old.property ?? old.entity
    return
      "set the renaming identifier of '\(new)' to '\(name)' in every version since, or add a mapping model from '\(sourceVersion)' to '\(destinationVersion)'"
  }
}

/// The stable names of findings about renaming identifiers.
package enum IdentifierFinding {
  /// It matches nothing in the version before.
  package static let unmatched = "unmatched-renaming-identifier"
  /// It claims what another property has the name of.
  package static let claimed = "claimed-by-renaming"
}

extension DroppedProperty {
  /// The stable name of the finding that values or links are dropped.
  package static let id = "drops-values"

  /// Whether a renaming identifier claims it, which is a finding of its own.
  package var isClaimed: Bool { if case .claimed = reason { true } else { false } }

  /// Whether it is an attribute that is gone, and not one that is no longer stored.
  package var isRemovedAttribute: Bool { reason == .removed && content == .values }

  /// The advice for the author of a model.
  package var modelAdvice: String { "\(advice), unless that is meant" }
}

extension InferenceFinding {
  /// Whether an entity or a property is gone.
  var isRemoval: Bool {
    switch kind {
    case .entityRemoved, .attributeRemoved, .relationshipRemoved: true
    default: false
    }
  }
}

extension InferenceFinding.Kind {
  /// The problem, with the name of the version before.
  package func problem(since version: String) -> String { description.replacing("the source", with: "'\(version)'") }
}
