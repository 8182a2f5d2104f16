package import MigrationDiagnostics

/// A problem, or a likely problem, in a model, its versions or a mapping model.
///
/// The rule that finds it words it. Those who show findings need to know only what is here.
package struct ModelFinding: Sendable, Hashable {
  /// The severities of findings.
  package enum Severity: String, Sendable, Hashable, CaseIterable {
    /// It cannot work.
    case error
    /// It works, but probably not as intended.
    case warning
    /// It could be improved, now or later.
    case suggestion
  }

  /// A stable name, for programs.
  package let id: String
  /// The severity of the finding.
  package let severity: Severity
  /// The problem, as part of a sentence.
  package let problem: String
  /// The advice, as part of a sentence.
  package let advice: Advice
  /// The version in which it was found; `nil` if it is about the bundle or a mapping model.
  package var versionName: String?
  /// The entity.
  package var entityName: String?
  /// The property; of a mapping model, that of the destination.
  package var propertyName: String?
  /// The file of the mapping model that it is about.
  package var mappingModelPath: String?
  /// The entity mapping.
  package var entityMappingName: String?

  init(
    _ id: String, _ severity: Severity, _ problem: String, _ advice: Advice, version: String? = nil,
    entity: String? = nil, property: String? = nil
  ) {
    (self.id, self.severity, self.problem, self.advice) = (id, severity, problem, advice)
    (versionName, entityName, propertyName) = (version, entity, property)
  }
}

extension [ModelFinding] {
  /// The worst first, and otherwise as they are.
  func worstFirst() -> [ModelFinding] {
    ModelFinding.Severity.allCases.flatMap { severity in filter { $0.severity == severity } }
  }
}

extension String {
  /// A sentence as part of another one.
  var asPhrase: String { prefix(1).lowercased() + withoutPeriod.dropFirst() }

  /// A sentence as the end of another one.
  var withoutPeriod: String { hasSuffix(".") ? String(dropLast()) : self }
}
