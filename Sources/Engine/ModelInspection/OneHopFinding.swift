package import MappingModels
package import Migration
internal import MigrationDiagnostics

/// A difference between a plan and Core Data on a device, which opens a store of any earlier version in one hop.
package struct OneHopFinding: Sendable, Hashable {
  /// The stable name of a finding that values are lost or end under another name: a renaming identifier names a version
  /// in between, of which the stores have nothing, or only such a version has the identifier.
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

  /// Whether stores lose values, or have them under another name.
  package var isLoss: Bool { [Self.lossID, IdentifierFinding.claimed.rawValue].contains(id) }

  /// Returns the findings about a plan.
  ///
  /// - Parameter steps: The hops between neighbours of which the claims of renaming identifiers are known.
  package static func all(in plan: MigrationPlan, besides steps: [VersionStep]) -> [OneHopFinding] {
    let hop = plan.directHop
    let (source, destination) = (plan.source.name, plan.destination.name)
    let losses = plan.diversions.map { found in
      OneHopFinding(
        id: lossID, sourceVersion: source, element: found.new,
        problem:
          "Core Data migrates stores of '\(source)' to '\(destination)' in one hop, and \(found.problem)",
        advice: (found.renaming.map { "\($0), or " } ?? "")
          + "add a mapping model from '\(source)' to '\(destination)'")
    }
    // An app that has to make the hops itself gets what they give, unless it is the claims that prevent the one hop.
    guard let hop, hop.needsHops else { return losses + claims(in: hop?.step ?? plan.steps.first, besides: steps) }
    let rivals = hop.passesMappingModels ? [] : rivals(among: hop.obstacles, plan, besides: steps)
    return losses + rivals + [
      OneHopFinding(id: hopsID, sourceVersion: source, element: nil, problem: hop.problem, advice: hop.advice)
    ]
  }

  /// Returns the elements that begin empty in one hop, because a renaming identifier claims what stores have of them.
  private static func claims(in step: MigrationStep?, besides steps: [VersionStep]) -> [OneHopFinding] {
    guard let step, case .inferred(let inferred) = step.method else { return [] }
    let known = Set(steps.flatMap(\.verdict.findings))
    let (source, destination) = (step.source.name, step.destination.name)
    return inferred.findings.compactMap { finding in
      guard case .claimedByRenaming(let claimant) = finding.kind, !known.contains(finding) else { return nil }
      let element = PropertyName(entity: finding.entity, property: finding.property)
      let other = finding.property.map { _ in PropertyName(entity: finding.entity, property: claimant) }
      return OneHopFinding(
        id: IdentifierFinding.claimed.rawValue, sourceVersion: source, element: element,
        problem:
          "Core Data migrates stores of '\(source)' to '\(destination)' in one hop, in which '\(element)' begins empty: "
          + "what these stores have under this name goes to '\(other?.description ?? claimant)', whose renaming identifier "
          + "claims it",
        advice: "give '\(element)' another name, or add a mapping model from '\(source)' to '\(destination)'")
    }
  }

  /// Returns the elements of which it cannot be told in one hop which of them gets what stores have.
  private static func rivals(
    among obstacles: [InferenceError.Reason], _ plan: MigrationPlan, besides steps: [VersionStep]
  ) -> [OneHopFinding] {
    let known = Set(steps.flatMap(\.verdict.reasons))
    return obstacles.compactMap { reason in
      guard case .ambiguousRenaming = reason.kind, !known.contains(reason) else { return nil }
      let element = PropertyName(entity: reason.entity, property: reason.property)
      return OneHopFinding(
        id: IdentifierFinding.ambiguous, sourceVersion: plan.source.name, element: element,
        problem:
          "Core Data cannot migrate stores of '\(plan.source.name)' to '\(plan.destination.name)' in one hop, because of "
          + "'\(element)': \(reason.kind.problem)",
        advice: reason.kind.advice)
    }
  }

  /// Returns the findings about stores of earlier versions.
  package static func all(
    from sources: [LoadedModelVersion], to destination: LoadedModelVersion, _ planner: MigrationPlanner,
    besides steps: [VersionStep]
  ) -> [OneHopFinding] {
    var findings: [OneHopFinding] = []
    planner.forEachPlan(from: sources, to: destination) { _, plan in
      if let plan = try? plan.get() { findings += all(in: plan, besides: steps) }
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

  /// It claims what another one claims, too, so that nothing can be inferred.
  static let ambiguous = "ambiguous-renaming"

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

  /// Whether hops through other versions would take it elsewhere, which is a finding of its own.
  var isDiverted: Bool { if case .diverted = reason { true } else { false } }

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
