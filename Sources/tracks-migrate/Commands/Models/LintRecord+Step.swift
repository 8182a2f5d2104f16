import DataModel
import Migration

extension LintRecord {
  /// What is found between two versions that follow each other.
  ///
  /// - Parameters:
  ///   - step: The versions.
  ///   - hasMappingModel: Whether a mapping model leads from the one to the other.
  static func all(_ step: VersionStep, hasMappingModel: Bool) -> [LintRecord] {
    let stale = step.verdict.findings.compactMap { finding -> LintRecord? in
      guard case .unknownIdentifier(let identifier) = finding.kind else { return nil }
      return LintRecord(
        step, finding.entity, finding.property, .warning, id: "stale-renaming-identifier",
        "the renaming identifier '\(identifier)' matches nothing in '\(step.sourceName)'; the name decided instead",
        "correct it, or remove it")
    }
    let ambiguous = step.verdict.reasons.compactMap { reason -> LintRecord? in
      guard case .ambiguousRenaming = reason.kind else { return nil }
      return LintRecord(
        step, reason.entity, reason.property, .warning, id: "ambiguous-renaming", reason.kind.problem,
        reason.kind.advice)
    }
    guard step.verdict.isMigrationNeeded, !hasMappingModel else { return stale + ambiguous }
    return stale + ambiguous + [inference(step)]
  }

  private static func inference(_ step: VersionStep) -> LintRecord {
    let versions = "from '\(step.sourceName)' to '\(step.destinationName)'"
    guard step.verdict.canInfer else {
      return LintRecord(
        step, nil, nil, .suggestion, id: "needs-mapping-model",
        "stores cannot be migrated \(versions) without a mapping model: \(list(step.verdict.reasons.map(\.description)))",
        "write one, unless there is one already")
    }
    let losses = step.verdict.losses.map(\.description)
    return LintRecord(
      step, nil, nil, .suggestion, id: "no-mapping-model-needed",
      "stores can be migrated \(versions) without a mapping model"
        + (losses.isEmpty ? "" : ", but lose something: \(list(losses))"),
      losses.isEmpty
        ? "nothing has to be done" : "write a mapping model for what must be kept, unless there is one already")
  }

  private init(
    _ step: VersionStep, _ entity: String?, _ property: String?, _ severity: ModelFinding.Severity, id: String,
    _ problem: String, _ advice: String
  ) {
    self.init(severity, id: id, problem, advice)
    version = step.destinationName
    self.entity = entity
    self.property = property
  }

  private static func list(_ texts: [String]) -> String {
    let rest = texts.count > 3 ? " (and \(texts.count - 3) more)" : ""
    return texts.prefix(3).joined(separator: "; ") + rest
  }
}
