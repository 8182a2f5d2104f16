internal import DataModel
internal import Migration
internal import MigrationDiagnostics
internal import SwiftSchemas

/// The findings about SwiftData's plans, which take the place of those about the ways that Core Data finds.
extension ModelGuard {
  /// The findings about the plans; `nil` if there is none, so that SwiftData infers the way as Core Data does.
  var planFindings: [ModelFinding]? {
    guard let plans, !plans.plans.isEmpty else { return nil }
    return plans.plans.flatMap { plan in
      unplannedVersions(plan) + missingStages(plan) + misplacedStages(plan) + impossibleStages(plan)
    }
  }

  /// The findings about what SwiftData needs besides models.
  var schemaFindings: [ModelFinding] {
    guard let plans else { return [] }
    return unversionedClasses(plans) + identifiers(plans)
  }

  private func unplannedVersions(_ plan: SchemaPlans.Plan) -> [ModelFinding] {
    // With several plans, each may be for a container of its own.
    let others = plans?.plans.filter { $0 != plan }.flatMap(\.schemas) ?? []
    return current.versions.map(\.name).filter { !(plan.schemas + others).contains($0) }.map {
      finding(
        "unplanned-version", of: $0,
        "'\(plan.name)' does not name it: SwiftData does not open stores of it (error 134504)",
        "add it to 'schemas', with a stage to the next version")
    }
  }

  private func missingStages(_ plan: SchemaPlans.Plan) -> [ModelFinding] {
    plan.hops.filter { hop in !plan.stages.contains { $0.isHop(hop) } }.map { hop in
      finding(
        "missing-stage", of: hop.to,
        "'\(plan.name)' has no stage from '\(hop.from)' to it: SwiftData does not migrate stores of '\(hop.from)'",
        "add the stage to 'stages'")
    }
  }

  private func misplacedStages(_ plan: SchemaPlans.Plan) -> [ModelFinding] {
    var last = -1
    return plan.stages.compactMap { stage in
      let words = "the stage of '\(plan.name)' from '\(stage.from)' to it"
      guard let place = plan.hops.firstIndex(where: stage.isHop) else {
        return finding(
          "misplaced-stage", of: stage.to, "\(words) is between versions that do not follow each other in 'schemas'",
          "give each version in 'schemas' a stage to the next one")
      }
      defer { last = max(last, place) }
      guard place <= last else { return nil }
      return finding(
        "misplaced-stage", of: stage.to, "\(words) \(place == last ? "is listed twice" : "comes after a later one")",
        "list the stages in the order of 'schemas'")
    }
  }

  /// The stages that SwiftData cannot carry out, and those that lose something without a word.
  private func impossibleStages(_ plan: SchemaPlans.Plan) -> [ModelFinding] {
    // Before the first version that has shipped there are no stores.
    let first = plan.schemas.firstIndex { name in shipped?.versions.contains { $0.name == name } ?? true } ?? 0
    return plan.stages.flatMap { stage -> [ModelFinding] in
      guard let place = plan.hops.firstIndex(where: stage.isHop), place >= first,
        let old = versions.first(where: { $0.name == stage.from }),
        let new = versions.first(where: { $0.name == stage.to })
      else { return [] }
      guard old.model.entityVersionHashesByName != new.model.entityVersionHashesByName else {
        guard stage.kind == .custom else { return [] }
        return [
          finding(
            "stage-between-equals", of: stage.to,
            "the '.custom' stage from '\(stage.from)' to it is between equal version hashes, which SwiftData refuses",
            "change something that counts, or set a hash modifier")
        ]
      }
      return findings(of: stage, old, new)
    }
  }

  private func findings(
    of stage: SchemaPlans.Stage, _ old: LoadedModelVersion, _ new: LoadedModelVersion
  ) -> [ModelFinding] {
    let verdict = InferenceVerdict(from: old.model, to: new.model)
    guard verdict.canInfer else {
      let problem =
        stage.kind == .lightweight
        ? "the '.lightweight' stage from '\(old.name)' to it cannot be inferred"
        : "the '.custom' stage from '\(old.name)' to it begins with a lightweight migration, which cannot be inferred"
      return [
        finding(
          "not-lightweight", of: new.name,
          "\(problem): \(verdict.reasons.map(\.description).joined(separator: "; "))",
          "SwiftData has no mapping models: instead of one, keep what is old beside what is new until a later version")
      ]
    }
    guard let plan = try? MigrationPlanner(versions: [old, new]).plan(from: old, to: new) else { return [] }
    // The closures of a custom stage may move what is lost, but run too late for what is missing.
    return lossFindings(of: plan, new.name).filter { stage.kind == .lightweight || $0.id == MissingValue.id }
  }

  private func unversionedClasses(_ plans: SchemaPlans) -> [ModelFinding] {
    let advice = "list them in a VersionedSchema, and in the migration plan, before they change"
    guard plans.isVersioned else {
      return [
        finding(
          "unversioned", .warning, of: nil,
          "the current schema has no version, so that the next change leaves nothing to migrate from", advice)
      ]
    }
    guard !plans.unlisted.isEmpty else { return [] }
    let names = plans.unlisted.map { "'\($0)'" }.joined(separator: ", ")
    return [
      finding(
        "unversioned", .warning, of: nil, "no version lists \(names): a container of these classes has no version",
        advice)
    ]
  }

  /// The versions that cannot be told apart, or not be ordered, by their identifiers.
  private func identifiers(_ plans: SchemaPlans) -> [ModelFinding] {
    let names = current.versions.map(\.name)
    let hops = plans.plans.isEmpty ? Array(zip(names, names.dropFirst())) : plans.plans.flatMap(\.hops)
    return hops.compactMap { from, to in
      guard let old = plans.versions[from], let new = plans.versions[to],
        old.compare(new, options: .numeric) != .orderedAscending
      else { return nil }
      return finding(
        "version-identifier", .warning, of: to,
        "its version identifier \(new) is not greater than that of '\(from)'\(old == new ? "" : ", \(old)")",
        "give each version a greater one than the version before")
    }
  }
}
