import CommandLineArguments
import DataModel
import Migration
import MigrationDiagnostics
import ModelInspection
import Policies
import TerminalOutput

/// Checks models and mapping models for problems.
struct LintModels: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "lint",
    abstract: "Check models and mapping models for problems.",
    discussion: """
      Compares all versions of a bundle: reports versions that are identical, that differ but have the same version \
      hash (so stores would not be migrated), and renaming identifiers that match nothing. Then checks the current \
      version; earlier ones are fixed, since stores were written with them. Mapping models are checked against the \
      versions and against each other. With --suggest, also reports possible improvements, and whether stores can be \
      migrated from each version to the next without a mapping model.

      The exit status is 0 if there are no errors and no warnings, and 3 if there are.

      EXAMPLES
        tracks-migrate models lint Model.xcdatamodeld
        tracks-migrate models lint Model.xcdatamodeld --suggest --format json
        tracks-migrate models lint Model.xcdatamodeld *.xcmappingmodel
      """)

  @Argument(
    help: "A bundle or a model, mapping models, or both; see 'tracks-migrate help models'.",
    completion: .file(extensions: ["xcdatamodeld", "xcdatamodel", "momd", "mom", "xcmappingmodel", "cdm"]))
  var files: [String]

  @Flag(help: "Also suggest improvements.")
  var suggest = false

  @Flag(name: .shortAndLong, help: "Also list each unused part of a mapping model's file; implies --suggest.")
  var verbose = false

  @Option(help: "The output format.")
  var format: OutputFormat = .table

  mutating func validate() throws {
    let models = files.filter { !MappingSearch.isMappingModel($0) }
    if models.count > 1 {
      throw ValidationError("'\(models[0])' and '\(models[1])' are two models. Give one, with its mapping models.")
    }
  }

  mutating func run() throws {
    let (files, suggests, isVerbose, format) = (files, suggest || verbose, verbose, format)
    try reportingErrors {
      let records = try Self.records(files, suggests: suggests, isVerbose: isVerbose)
      let output = StandardOutput()
      if format == .table, records.isEmpty {
        try output.writeLine("Nothing found.")
      } else {
        try LintRecord.write(records, format, to: output)
      }
      try output.flush()
      if records.contains(where: { $0.severity != .suggestion }) { throw foundSomething }
    }
  }

  private static func records(_ files: [String], suggests: Bool, isVerbose: Bool) throws -> [LintRecord] {
    let source = try files.first { !MappingSearch.isMappingModel($0) }.map { try ModelSource($0) }
    let findings = try source?.lint(suggests: suggests) ?? []
    let bundle = try source?.bundle()
    var lint = MappingLint(
      bundle: bundle.flatMap { $0.versions.count > 1 ? $0 : nil }, policies: .builtIn(), listsLeftovers: isVerbose)
    for file in files where MappingSearch.isMappingModel(file) { lint.check(path: file) }
    let steps = (bundle.map { VersionStep.all(in: $0) } ?? []).flatMap { step in
      LintRecord.all(
        step,
        hasMappingModel: lint.pairs.contains {
          $0.source == step.sourceName && $0.destination == step.destinationName
        })
    }
    let records = findings.map { LintRecord($0) } + steps + lint.remarks.map { LintRecord($0) }
    return records.filter { suggests || $0.severity != .suggestion }
  }
}

/// A finding in models or mapping models, as a row of a table.
struct LintRecord {
  let severity: ModelFinding.Severity
  var version: String?
  var entity: String?
  var property: String?
  let id: String
  let problem: String
  let advice: String
  var mappingModel: String?
  var entityMapping: String?

  init(_ finding: ModelFinding) {
    let wording = FindingWording(finding)
    self.init(finding.severity, id: finding.name, wording.problem, wording.advice)
    (version, entity, property) = (finding.versionName, finding.entityName, finding.propertyName)
  }

  init(_ remark: MappingRemark) {
    let wording = RemarkWording(remark)
    self.init(remark.severity, id: remark.name, wording.problem, wording.advice)
    (mappingModel, entityMapping, property) = (remark.path, remark.entityMappingName, remark.propertyName)
  }

  init(_ severity: ModelFinding.Severity, id: String, _ problem: String, _ advice: String) {
    self.severity = severity
    self.id = id
    self.problem = problem
    self.advice = advice
  }

  /// Writes rows.
  ///
  /// For people, a finding about a mapping model uses the columns of versions and entities.
  static func write(_ records: [LintRecord], _ format: OutputFormat, to output: any TextOutput) throws {
    let writer = format.makeWriter(to: output, terminal: .standardOutput)
    let place = records.contains { $0.mappingModel != nil } ? "where" : "version"
    let columns = [
      "severity", format.isForMachines ? "version" : place, "entity", "property", "id", "finding", "advice",
    ]
    try writer.begin(columns: columns + (format.isForMachines ? ["mapping_model", "entity_mapping"] : []))
    for record in records { try writer.write(record.values(for: format)) }
    try writer.end()
  }

  private func values(for format: OutputFormat) -> [FieldValue] {
    let words: [FieldValue] = [FieldValue(property), .string(id), .string(problem), .string(advice)]
    guard format.isForMachines else {
      return [
        .string(severity.rawValue), mappingModel.map(FieldValue.path) ?? FieldValue(version),
        FieldValue(entityMapping ?? entity),
      ]
        + words
    }
    return [.string(severity.rawValue), FieldValue(version), FieldValue(entity)] + words
      + [.path(mappingModel), FieldValue(entityMapping)]
  }
}

extension LintRecord {
  /// The findings between two consecutive versions.
  ///
  /// - Parameters:
  ///   - step: The versions.
  ///   - hasMappingModel: Whether a mapping model exists between the two.
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
        ? "nothing needs to be done" : "write a mapping model for what must be kept, unless there is one already")
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
