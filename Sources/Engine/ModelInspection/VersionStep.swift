package import DataModel
internal import MappingModels
package import Migration

/// Two versions of a bundle that follow each other, and whether stores get from the one to the other without a mapping
/// model.
package struct VersionStep: Sendable, Hashable {
  /// The name of the earlier version.
  package let sourceName: String
  /// The name of the later version.
  package let destinationName: String
  /// The verdict of inference.
  package let verdict: InferenceVerdict
  private let source: LoadedModelVersion
  private let destination: LoadedModelVersion

  /// The properties that stores of the earlier version lose without a mapping model, besides whole entities.
  package var dropped: [DroppedProperty] { DroppedProperty.all(from: source, to: destination) }

  /// The steps from each version of a bundle to the next; what cannot be read is passed over.
  package static func all(in bundle: ModelBundle) -> [VersionStep] {
    let versions = bundle.versions.compactMap { version in
      (try? version.model()).map { LoadedModelVersion(name: version.name, model: $0) }
    }
    return versions.indices.dropFirst().map { VersionStep(to: $0, in: versions) }
  }
}

extension VersionStep {
  /// Compares a version with the one before.
  ///
  /// A renaming identifier that matches nothing there may match what an earlier version has, whose stores get here in one
  /// hop.
  init(to place: Int, in versions: [LoadedModelVersion]) {
    let (source, destination) = (versions[place - 1], versions[place])
    (self.source, self.destination) = (source, destination)
    (sourceName, destinationName) = (source.name, destination.name)
    var verdict = InferenceVerdict(from: source.model, to: destination.model)
    let isUnmatched = { (finding: InferenceFinding) in
      if case .unmatchedIdentifier = finding.kind { true } else { false }
    }
    if verdict.findings.contains(where: isUnmatched) {
      let earlier = versions[..<(place - 1)].map { RenamedNames(from: $0, to: destination) }
      verdict.findings.removeAll { finding in isUnmatched(finding) && earlier.contains { $0.includes(finding) } }
    }
    self.verdict = verdict
  }
}

extension VersionStep {
  /// Returns the findings between the two versions.
  ///
  /// - Parameters:
  ///   - isCurrent: Whether the second is the current version; earlier ones are fixed.
  ///   - hasMappingModel: Whether a mapping model exists between the two.
  package func findings(isCurrent: Bool, hasMappingModel: Bool) -> [ModelFinding] {
    let renamings = IdentifierFinding.allCases.flatMap { rule in
      verdict.findings.filter { IdentifierFinding($0.kind) == rule && !(rule == .claimed && hasMappingModel) }.map {
        finding($0.entity, $0.property, .warning, rule.rawValue, $0.kind.problem(since: sourceName), rule.advice)
      }
    }
    let ambiguous = verdict.reasons.compactMap { reason -> ModelFinding? in
      guard case .ambiguousRenaming = reason.kind else { return nil }
      return finding(
        reason.entity, reason.property, .warning, IdentifierFinding.ambiguous, reason.kind.problem,
        reason.kind.advice)
    }
    let identifiers = renamings + ambiguous
    guard !hasMappingModel else { return identifiers }
    // That an attribute is removed is plain, and only worth a suggestion.
    let dropped = (isCurrent ? dropped : []).filter { !$0.isClaimed && !$0.isRemovedAttribute }.map { dropped in
      finding(
        dropped.name.entity, dropped.name.property, .warning, DroppedProperty.id, "it \(dropped.problem)",
        dropped.modelAdvice)
    }
    return identifiers + dropped + (verdict.isMigrationNeeded ? [inference] : [])
  }

  private var inference: ModelFinding {
    let versions = "from '\(sourceName)' to '\(destinationName)'"
    guard verdict.canInfer else {
      return finding(
        nil, nil, .suggestion, "needs-mapping-model",
        "stores cannot be migrated \(versions) without a mapping model: \(Self.list(verdict.reasons.map(\.description)))",
        "write one, unless there is one already")
    }
    let losses = verdict.losses.map(\.description)
    return finding(
      nil, nil, .suggestion, "no-mapping-model-needed",
      "stores can be migrated \(versions) without a mapping model"
        + (losses.isEmpty ? "" : ", but lose something: \(Self.list(losses))"),
      losses.isEmpty
        ? "nothing needs to be done" : "write a mapping model for what must be kept, unless there is one already")
  }

  private func finding(
    _ entity: String?, _ property: String?, _ severity: ModelFinding.Severity, _ id: String, _ problem: String,
    _ advice: String
  ) -> ModelFinding {
    ModelFinding(id, severity, problem, "\(advice)", version: destinationName, entity: entity, property: property)
  }

  private static func list(_ texts: [String]) -> String {
    let rest = texts.count > 3 ? " (and \(texts.count - 3) more)" : ""
    return texts.prefix(3).joined(separator: "; ") + rest
  }
}

/// Whether stores can be migrated from one model to another without a mapping model, and what comes of that.
package struct InferenceVerdict: Sendable, Hashable {
  /// Whether the version hashes differ; otherwise stores are not migrated at all.
  package let isMigrationNeeded: Bool
  /// All reasons why a mapping model has to be written by hand; none where one can be inferred.
  package let reasons: [InferenceError.Reason]
  /// The losses of an inferred migration, the places where it may fail, and the places where the models may differ from
  /// their author's intention.
  ///
  /// Where none can be inferred, it is what was found besides.
  package fileprivate(set) var findings: [InferenceFinding]

  /// Whether a mapping model can be inferred.
  package var canInfer: Bool { reasons.isEmpty }
  /// The losses.
  package var losses: [InferenceFinding] { findings.filter(\.isLoss) }
  /// The findings that are not losses.
  package var cautions: [InferenceFinding] { findings.filter { !$0.isLoss } }

  /// Compares two models.
  package init(from source: ManagedObjectModel, to destination: ManagedObjectModel) {
    isMigrationNeeded = source.entityVersionHashesByName != destination.entityVersionHashesByName
    do throws(InferenceError) {
      let inferred = try InferredMappingModel(from: source, to: destination)
      (reasons, findings) = ([], inferred.findings(of: source, becoming: destination))
    } catch {
      var inference = MappingInference(from: source, to: destination)
      _ = try? inference.mappingModel()
      (reasons, findings) = (error.reasons, inference.sortedFindings)
    }
  }
}
