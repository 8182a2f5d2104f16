package import DataModel
package import Migration
internal import MigrationDiagnostics
internal import SwiftSchemas

/// Finds changes to a model that would break stores of versions that have shipped.
package struct ModelGuard {
  /// The stable name of the finding that a shipped version was changed.
  package static let editID = "edited-version"

  /// The versions as they are now, which were checked.
  package let current: ModelLock.Model
  let shipped: ModelLock.Model?
  let versions: [LoadedModelVersion]
  /// The migration plans of SwiftData's schemas.
  let plans: SchemaPlans?
  private let planner: MigrationPlanner
  private let unreadable: [(name: String, detail: String)]

  /// Prepares to check a bundle.
  ///
  /// - Parameters:
  ///   - bundle: The bundle as it is now.
  ///   - shipped: What has shipped; without it, all versions but the current one count as shipped.
  ///   - mappings: The mapping models.
  package init(_ bundle: ModelBundle, shipped: ModelLock.Model?, mappings: [LoadedMappingModel]) {
    let found = bundle.loadVersions()
    (current, self.shipped) = (ModelLock.Model(of: bundle, found), shipped)
    unreadable = found.compactMap { name, model in
      model.failure.map { (name, $0.detail ?? $0.code.rawValue) }
    }
    versions = found.compactMap { name, model in
      (try? model.get()).map { LoadedModelVersion(name: name, model: $0.model) }
    }
    plans = bundle.schemaPlans
    planner = MigrationPlanner(versions: versions, mappings: mappings, currentVersionName: current.current)
  }

  /// The name of the bundle.
  package var name: String { current.name }
  /// The number of versions that can be read.
  package var versionCount: Int { versions.count }
  /// The number of versions that have shipped, if that is known.
  package var shippedCount: Int? { shipped?.versions.count }
  /// The version that is marked as current.
  package var currentName: String? { current.current }

  /// All findings, the worst first.
  package var findings: [ModelFinding] {
    let all =
      unreadableVersions + editedVersions + currentMark + equalVersions + (planFindings ?? missingWays) + identifiers
      + schemaFindings + newVersions
    return all.filter { $0.severity != .suggestion } + all.filter { $0.severity == .suggestion }
  }

  func finding(
    _ id: String, _ severity: ModelFinding.Severity = .error, of version: String?, _ problem: String, _ advice: String
  ) -> ModelFinding {
    ModelFinding(id, severity, problem, "\(advice)", version: version)
  }

  private var unreadableVersions: [ModelFinding] {
    unreadable.map { finding("unreadable-version", of: $0.name, "it cannot be read: \($0.detail)", "restore it") }
  }

  private var editedVersions: [ModelFinding] {
    (shipped?.versions ?? []).compactMap { old in
      let advice = "restore it, and make the change in a new version"
      guard let new = current.versions.first(where: { $0.name == old.name }) else {
        guard !unreadable.contains(where: { $0.name == old.name }) else { return nil }
        return finding(
          "removed-version", of: old.name,
          "it has shipped and is gone: stores of it have no way to the current version",
          "restore it")
      }
      let names = Set(old.entities.keys).union(new.entities.keys).sorted()
      let changes = names.filter { old.entities[$0] != new.entities[$0] }.map { name in
        old.entities[name] == nil
          ? "'\(name)' is new" : new.entities[name] == nil ? "'\(name)' is gone" : "'\(name)' differs"
      }
      guard !changes.isEmpty else { return nil }
      return finding(
        Self.editID, of: old.name,
        "it has shipped and was changed: \(changes.joined(separator: ", ")); stores of it can no longer be recognised",
        advice)
    }
  }

  private var currentMark: [ModelFinding] {
    guard let mark = current.current else {
      return current.versions.count > 1
        ? [finding("no-current-version", of: nil, "no version is marked as current", "mark one in Xcode")] : []
    }
    guard let shipped, let before = shipped.current, before != mark,
      shipped.versions.contains(where: { $0.name == mark })
    else { return [] }
    return [
      finding(
        "current-went-back", of: mark, "the current version was '\(before)', and is an older one now",
        "mark '\(before)' or a new version as current")
    ]
  }

  private var equalVersions: [ModelFinding] {
    Dictionary(grouping: current.versions, by: \.checksum).values.filter { $0.count > 1 }
      .map { $0.map(\.name).sorted() }.sorted { $0[0] < $1[0] }.map { names in
        finding(
          "same-hashes", of: names.last,
          "it has the same version hashes as '\(names[0])', so that "
            + (plans == nil
              ? "no store of that is migrated to it"
              : "SwiftData stops at start if a plan has both (duplicate version checksums)"),
          "change something that counts, set a hash modifier, or remove one of them")
      }
  }

  private var missingWays: [ModelFinding] {
    guard let mark = current.current, let destination = versions.first(where: { $0.name == mark }) else { return [] }
    let sources = shipped.map { shipped in versions.filter { v in shipped.versions.contains { $0.name == v.name } } }
    let last = currentStep.map { [$0] } ?? []
    var findings: [ModelFinding] = []
    planner.forEachPlan(from: (sources ?? versions).filter { $0.name != mark }, to: destination) { source, plan in
      switch plan {
      case .success(let plan):
        findings += lossFindings(of: plan, mark)
        findings += OneHopFinding.all(in: plan, besides: last).map {
          finding($0.id, $0.isLoss ? .error : .warning, of: source.name, $0.problem, $0.advice)
        }
      case .failure(let error):
        findings.append(
          finding(
            "no-way", of: source.name,
            "stores of it cannot be migrated to '\(mark)': \(error.detail ?? error.code.rawValue)",
            "\(plans == nil ? "write a mapping model, or make" : "make") a change that can be inferred"))
      }
    }
    return findings
  }

  /// The hop to the current version from the one before.
  private var currentStep: VersionStep? {
    guard let mark = current.current, let place = versions.firstIndex(where: { $0.name == mark }), place > 0 else {
      return nil
    }
    return VersionStep(to: place, in: versions)
  }

  /// The entities, values and links that are lost on a way, and the values that it needs and stores lack.
  func lossFindings(of plan: MigrationPlan, _ mark: String) -> [ModelFinding] {
    let entities = plan.steps.flatMap { step in
      step.removedEntityNames.map { name in
        finding(
          "drops-entity", .warning, of: plan.source.name,
          "on the way to '\(mark)', '\(name)' is dropped from '\(step.source.name)' to '\(step.destination.name)' with all its rows",
          plans == nil
            ? "keep it, or move its rows with a mapping model, unless they are to go"
            : "\(DroppedProperty.planAdvice), unless that is meant")
      }
    }
    let values = DroppedProperty.all(along: plan).filter { !$0.isClaimed && !$0.isDiverted }.map {
      finding(
        DroppedProperty.id, .warning, of: plan.source.name, "on the way to '\(mark)', '\($0.name)' \($0.problem)",
        plans == nil ? $0.modelAdvice : "\(DroppedProperty.planAdvice), unless that is meant")
    }
    let missing = MissingValue.all(along: plan).map {
      finding(
        MissingValue.id, $0.isCertain ? .error : .warning, of: plan.source.name,
        "on the way to '\(mark)', \($0.problem)",
        plans == nil ? MissingValue.advice : "give it a default value, or make it optional")
    }
    return entities + values + missing
  }

  /// Renaming identifiers of the current version that do not do what they are there for.
  private var identifiers: [ModelFinding] {
    guard let step = currentStep else { return [] }
    let (before, mark) = (step.sourceName, step.destinationName)
    guard
      !planner.mappings.contains(where: { $0.sourceVersionName == before && $0.destinationVersionName == mark })
    else { return [] }
    let found = step.verdict.findings
    return found.compactMap { item in
      guard let rule = IdentifierFinding(item.kind), rule != .unknown else { return nil }
      let name = item.property.map { "'\(item.entity).\($0)'" } ?? "'\(item.entity)'"
      // Something is gone that an unmatched one may have been meant for; what is claimed is gone from where it was.
      let isLoss =
        rule == .claimed || found.contains { $0.isRemoval && (item.property == nil) == ($0.property == nil) }
      return finding(
        rule.rawValue, isLoss ? .error : .warning, of: mark, "\(name): \(item.kind.problem(since: before))",
        rule.advice)
    }
  }

  private var newVersions: [ModelFinding] {
    guard let shipped else {
      return [
        finding(
          "not-locked", .suggestion, of: nil, "nothing says which versions have shipped",
          "record them in 'models.lock' when they ship")
      ]
    }
    return current.versions.filter { version in !shipped.versions.contains { $0.name == version.name } }.map {
      finding("not-locked", .suggestion, of: $0.name, "it is new", "record it in 'models.lock' when it ships")
    }
  }
}
