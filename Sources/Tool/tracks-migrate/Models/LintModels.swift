import CommandLineArguments
import DataModel
import Foundation
import Migration
import MigrationDiagnostics
import ModelInspection
import Policies
import SystemC
import TerminalOutput

/// Checks models and mapping models for problems.
struct LintModels: ParsableCommand {
  enum Format: String, CaseIterable, ExpressibleByArgument {
    /// A line for each, in the form of compilers' messages.
    case lines
    case table, json, ndjson, csv
    /// Commands that make GitHub show each finding at its file.
    case github
    /// SARIF 2.1.0, which code hosts and editors show.
    case sarif
  }

  static let configuration = CommandConfiguration(
    commandName: "lint",
    abstract: "Check models and mapping models for problems.",
    discussion: """
      Compares all versions of a bundle: reports versions that are identical, that differ but have the same version \
      hash (so stores would not be migrated), renaming identifiers that match nothing or claim what another property \
      keeps, what Core Data loses when it opens a store of an earlier version in one hop, versions from which the app \
      has to migrate step by step, since that hop would bypass the mapping models ('needs-hops'), values that the current \
      version no longer stores, and links that it drops. That an attribute or an entity is removed is taken to be meant; \
      'models guard' names these. Then checks the current version, its derivations and limits of values among others; \
      earlier ones are fixed, since stores were written with them. Mapping models are checked against the versions and \
      against each other. With --suggest, also reports possible improvements, and whether stores can be \
      migrated from each version to the next without a mapping model.

      The exit status is 0 if there are no errors and no warnings but 'needs-hops', and 3 if there are.

      EXAMPLES
        tracks-migrate models lint Model.xcdatamodeld
        tracks-migrate models lint Model.xcdatamodeld --suggest --format json
        tracks-migrate models lint Model.xcdatamodeld *.xcmappingmodel
        tracks-migrate models lint Model.xcdatamodeld --format sarif > lint.sarif
      """)

  @Argument(
    help: "A bundle or a model, mapping models, or both; see 'tracks-migrate help models'.",
    completion: .file(.reads, extensions: ["xcdatamodeld", "xcdatamodel", "momd", "mom", "xcmappingmodel", "cdm"]))
  var files: [String] = []

  @Option(help: ArgumentHelp("The model, as one of the files.", valueName: "model"), completion: .model)
  var model: String?

  @Flag(help: "Also suggest improvements.")
  var suggest = false

  @Flag(name: .shortAndLong, help: "Also list each unused part of a mapping model's file; implies --suggest.")
  var verbose = false

  @Option(
    help: "The output format: lines like those of compilers, tables and records, or what GitHub or SARIF viewers show.")
  var format: Format = .lines

  @OptionGroup var csv: CSVOptions

  mutating func validate() throws {
    try csv.check(isCSV: format == .csv)
    let models = given.filter { !MappingSearch.isMappingModel($0) }
    if given.isEmpty { throw ValidationError("the argument '<files> ...' is missing: name a model or mapping models.") }
    if models.count > 1 {
      throw ValidationError("'\(models[0])' and '\(models[1])' are two models. Give one, with its mapping models.")
    }
  }

  /// The model that an option names, and the files.
  private var given: [String] { (model.map { [$0] } ?? []) + files }

  mutating func run() throws {
    let (files, suggests, isVerbose, format) = (given, suggest || verbose, verbose, format)
    let guardsFormulas = csv.guardsFormulas
    try reportingErrors {
      let records = try Self.records(files, suggests: suggests, isVerbose: isVerbose)
      let output = StandardOutput()
      let model = files.first { !MappingSearch.isMappingModel($0) }
      switch format {
      case .lines:
        if records.isEmpty { try output.writeLine("Nothing found.") }
        for record in records { try output.writeLine(LintMessage(record, model).line) }
      case .github: for record in records { try output.writeLine(LintMessage(record, model).workflowCommand) }
      case .sarif: try output.writeLine(LintMessage.sarif(records.map { LintMessage($0, model) }))
      case .table where records.isEmpty: try output.writeLine("Nothing found.")
      case .table, .json, .ndjson, .csv:
        try ModelFinding.write(
          records, OutputFormat(rawValue: format.rawValue) ?? .table, guardsFormulas: guardsFormulas, to: output)
      }
      try output.flush()
      if records.contains(where: \.isProblem) { throw foundSomething }
    }
  }

  private static func records(_ files: [String], suggests: Bool, isVerbose: Bool) throws -> [ModelFinding] {
    let source = try files.first { !MappingSearch.isMappingModel($0) }.map { try ModelSource($0) }
    let findings = try source?.lint(suggests: suggests) ?? []
    let bundle = try source?.bundle()
    var lint = MappingLint(
      bundle: bundle.flatMap { $0.versions.count > 1 ? $0 : nil }, policies: .builtIn(), listsLeftovers: isVerbose)
    for file in files where MappingSearch.isMappingModel(file) { lint.check(path: file) }
    let current = try? bundle?.currentVersion().name
    let steps = bundle.map { VersionStep.all(in: $0) } ?? []
    let mappings = bundle.map { Self.mappings(of: $0, files.filter(MappingSearch.isMappingModel)) } ?? []
    let stepFindings = steps.flatMap { step in
      step.findings(
        isCurrent: step.destinationName == current,
        hasMappingModel: lint.pairs.contains {
          $0.source == step.sourceName && $0.destination == step.destinationName
        }
          || mappings.contains {
            $0.sourceVersionName == step.sourceName && $0.destinationVersionName == step.destinationName
          })
    }
    let isChosen = source?.versionName != nil
    let direct = try bundle.map { try Self.oneHopFindings(in: $0, mappings, besides: steps, isChosen: isChosen) } ?? []
    let records = findings + stepFindings + direct + lint.remarks
    return records.filter { suggests || $0.severity != .suggestion }
  }

  /// Returns the mapping models that lead between versions: those that were named, or else those in the model's project.
  ///
  /// What is wrong with one is found elsewhere.
  private static func mappings(of bundle: ModelBundle, _ files: [String]) -> [LoadedMappingModel] {
    guard bundle.versions.count > 1, let versions = try? AppVersions(modelAt: bundle.path).all else { return [] }
    var search = MappingSearch(versions: versions)
    if files.isEmpty, bundle.schemaPlans == nil { try? search.addMappings(besideModelAt: bundle.path) }
    for file in files { try? search.add(path: file) }
    search.remarks.forEach(StandardError.warning)
    return search.mappings
  }

  /// Returns the findings about what Core Data does with stores of earlier versions on the way to the current one.
  ///
  /// - Parameter isChosen: Whether the current version is one that was asked for, after which others may come.
  private static func oneHopFindings(
    in bundle: ModelBundle, _ mappings: [LoadedMappingModel], besides steps: [VersionStep], isChosen: Bool
  ) throws -> [ModelFinding] {
    // With a plan, SwiftData goes from version to version.
    guard bundle.schemaPlans?.plans.isEmpty != false, let current = try? bundle.currentVersion().name else { return [] }
    let versions = try AppVersions(modelAt: bundle.path).all
    guard versions.count > 2, let destination = versions.first(where: { $0.name == current }) else { return [] }
    let planner = MigrationPlanner(versions: versions, mappings: mappings, currentVersionName: current)
    let sources = isChosen ? Array(versions.prefix { $0.name != current }) : versions.filter { $0.name != current }
    return OneHopFinding.all(
      from: sources, to: destination, planner, besides: steps
    ).map { found in ModelFinding(found, .warning, of: current) }
  }
}

extension ModelFinding {
  /// Whether it is about the models themselves; whether an app migrates step by step is not in them.
  var isProblem: Bool { severity != .suggestion && id != OneHopFinding.hopsID }

  /// Writes rows.
  ///
  /// For people, a finding about a mapping model uses the columns of versions and entities.
  static func write(
    _ records: [ModelFinding], _ format: OutputFormat, guardsFormulas: Bool, to output: any TextOutput
  ) throws {
    let writer = format.makeWriter(
      to: output, terminal: .standardOutput, guardsFormulas: guardsFormulas, styledColumn: "severity")
    let place = records.contains { $0.mappingModelPath != nil } ? "where" : "version"
    let columns = [
      "severity", format.isForMachines ? "version" : place, "entity", "property", "id", "finding", "advice",
    ]
    try writer.begin(columns: columns + (format.isForMachines ? ["mapping_model", "entity_mapping"] : []))
    for record in records { try writer.write(record.values(for: format)) }
    try writer.end()
  }

  /// The advice in the terms of this command.
  var adviceText: String { advice.worded(for: RunningCommand.reader) }

  private func values(for format: OutputFormat) -> [FieldValue] {
    let words: [FieldValue] = [FieldValue(propertyName), .string(id), .string(problem), .string(adviceText)]
    guard format.isForMachines else {
      return [
        .string(severity.rawValue), mappingModelPath.map(FieldValue.path) ?? FieldValue(versionName),
        FieldValue(entityMappingName ?? entityName),
      ]
        + words
    }
    return [.string(severity.rawValue), FieldValue(versionName), FieldValue(entityName)] + words
      + [.path(mappingModelPath), FieldValue(entityMappingName)]
  }
}

/// A finding as one message about a file.
struct LintMessage {
  private let record: ModelFinding
  /// The model's version or the mapping model; bytes that are not UTF-8 are spelled out.
  private let file: String
  private let text: String

  /// - Parameter model: The model that was named, in which the findings are that name no mapping model.
  init(_ record: ModelFinding, _ model: String?) {
    self.record = record
    let bundle = model.map { word in ((try? ModelSource(word))?.path ?? word).trimmingEnd("/") }
    let version = record.versionName.flatMap { name in
      bundle?.hasSuffix(".xcdatamodeld") == true ? "/\(name).xcdatamodel" : nil
    }
    file = (record.mappingModelPath ?? (bundle ?? "") + (version ?? "")).spellingPathBytes
    // A version of Swift source has no file of its own.
    let isInSource = bundle.map { !$0.contains(/\.(?:momd?|xcdatamodeld?|sqlite|store)$/) } == true
    let place = [
      isInSource ? record.versionName : nil, record.entityMappingName ?? record.entityName, record.propertyName,
    ].compactMap(\.self).joined(
      separator: ".")
    let advice = record.adviceText
    text = (place.isEmpty ? "" : "\(place): ") + record.problem + (advice.isEmpty ? "" : "; \(advice)")
  }

  /// The file in the folder, which is what code hosts know.
  private var document: String {
    if file.hasSuffix(".xcdatamodel") { return "\(file)/contents" }
    return file.hasSuffix(".xcmappingmodel") ? "\(file)/xcmapping.xml" : file
  }

  /// The severity in the words of compilers.
  private var level: String { record.severity == .suggestion ? "note" : record.severity.rawValue }

  /// A line as compilers write it.
  var line: String {
    let style: TextStyle? = record.severity == .error ? .error : record.severity == .warning ? .warning : nil
    let word = "\(level):"
    return
      "\(file.visible): \(style.map { word.styled($0, on: .standardOutput) } ?? word) \(text.visible) [\(record.id)]"
  }

  /// A workflow command of GitHub.
  var workflowCommand: String {
    WorkflowCommand(
      record.severity == .suggestion ? "notice" : record.severity.rawValue,
      properties: [("file", document), ("title", record.id)], message: text
    ).line
  }

  /// A log of SARIF 2.1.0.
  static func sarif(_ messages: [LintMessage]) -> String {
    func text(_ text: String) -> JSONObject { JSONObject { $0.add("text", .string(text)) } }
    let rules = Set(messages.map(\.record.id)).sorted().map { id in JSONObject { $0.add("id", .string(id)) } }
    let driver = JSONObject {
      $0.add("name", .string("tracks-migrate"))
      $0.add("version", .string(toolVersion))
      $0.add("rules", objects: rules)
    }
    let results = messages.map { message in
      let place = JSONObject {
        $0.add(
          "physicalLocation",
          object: JSONObject {
            $0.add(
              "artifactLocation",
              object: JSONObject {
                $0.add(
                  "uri", .string(message.document.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) ?? ""))
              })
          })
      }
      return JSONObject {
        $0.add("ruleId", .string(message.record.id))
        $0.add("level", .string(message.level))
        $0.add("message", object: text(message.text))
        $0.add("locations", objects: [place])
      }
    }
    return JSONObject {
      $0.add("$schema", .string("https://json.schemastore.org/sarif-2.1.0.json"))
      $0.add("version", .string("2.1.0"))
      $0.add(
        "runs",
        objects: [
          JSONObject {
            $0.add("tool", object: JSONObject { $0.add("driver", object: driver) })
            $0.add("results", objects: results)
          }
        ])
    }.text
  }
}

extension String {
  fileprivate func trimmingEnd(_ suffix: String) -> String {
    hasSuffix(suffix) && count > 1 ? String(dropLast()) : self
  }
}
