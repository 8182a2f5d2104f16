package import MappingModels
package import Migration
internal import MigrationDiagnostics

/// A difference between a plan and Core Data on a device, which opens a store of any earlier version in one hop.
package struct OneHopFinding: Sendable, Hashable {
  /// The stable name of a finding that values are lost: a renaming identifier names a version in between, of which the
  /// stores have nothing.
  package static let lossID = "lost-in-one-hop"
  /// The stable name of a finding that the app has to make the planned hops itself.
  ///
  /// Whether it does is not in its models, so this is a warning that fails no check.
  package static let hopsID = "needs-hops"

  /// The stable name.
  package let id: String
  /// The version of the stores.
  package let sourceVersion: String
  /// The lost element, as the current version has it; `nil` if the finding is about the whole way.
  package let element: PropertyName?
  /// The problem.
  package let problem: String
  /// The advice.
  package let advice: String

  /// Returns the findings about a plan.
  package static func all(in plan: MigrationPlan) -> [OneHopFinding] {
    guard let hop = plan.directHop else { return [] }
    let (source, destination) = (plan.source.name, plan.destination.name)
    let losses = hop.losses.map { old, new in
      OneHopFinding(
        id: lossID, sourceVersion: source, element: new,
        problem:
          "Core Data migrates stores of '\(source)' to '\(destination)' in one hop, and loses '\(old)': it became "
          + "'\(new)' by way of another name, which these stores do not have",
        advice:
          "set the renaming identifier of '\(new)' to '\(old.property ?? old.entity)' in every version since, or add "
          + "a mapping model from '\(source)' to '\(destination)'")
    }
    guard hop.needsHops else { return losses }
    return losses + [
      OneHopFinding(id: hopsID, sourceVersion: source, element: nil, problem: hop.problem, advice: hop.advice)
    ]
  }

  /// Returns the findings about stores of earlier versions.
  package static func all(
    from sources: [LoadedModelVersion], to destination: LoadedModelVersion, _ planner: MigrationPlanner
  ) -> [OneHopFinding] {
    var findings: [OneHopFinding] = []
    planner.forEachPlan(from: sources, to: destination) { _, plan in
      if let plan = try? plan.get() { findings += all(in: plan) }
    }
    return findings
  }
}

extension ModelFinding {
  /// A finding about Core Data's one hop.
  ///
  /// - Parameter version: The version to which it is attributed.
  package init(_ finding: OneHopFinding, _ severity: Severity, of version: String) {
    self.init(
      finding.id, severity, finding.problem, "\(finding.advice)", version: version, entity: finding.element?.entity,
      property: finding.element?.property)
  }
}

/// A problem of a renaming identifier, by the stable name of its finding.
enum IdentifierFinding: String, CaseIterable {
  /// It matches nothing in the version before, and the name has decided instead.
  case unknown = "stale-renaming-identifier"
  /// It matches nothing in the version before.
  case unmatched = "unmatched-renaming-identifier"
  /// It claims what another property has the name of.
  case claimed = "claimed-by-renaming"

  /// The problem that inference has found; `nil` for findings about something else.
  init?(_ kind: InferenceFinding.Kind) {
    switch kind {
    case .unknownIdentifier: self = .unknown
    case .unmatchedIdentifier: self = .unmatched
    case .claimedByRenaming: self = .claimed
    case .entityRemoved, .becomesAbstract, .attributeRemoved, .becomesDerived, .becomesTransient, .relationshipRemoved,
      .orderRemoved, .precisionMayBeLost, .unreadableDefault, .valueMayBeMissing, .uniquenessConstraintAdded,
      .destinationRemoved, .linksMayConflict, .inverseBecomesToOne, .linksMayBeDropped:
      return nil
    }
  }

  /// The advice for the author of the model.
  var advice: String {
    switch self {
    case .unknown, .unmatched: "correct it, or remove it"
    case .claimed: "write a mapping model if both are to have the values"
    }
  }
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
    kind.consequence == .entityRemoved || kind.consequence == .propertyRemoved
  }
}

extension InferenceFinding.Kind {
  /// The problem, with the name of the version before.
  package func problem(since version: String) -> String { description.replacing("the source", with: "'\(version)'") }
}
