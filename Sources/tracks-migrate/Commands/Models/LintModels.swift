import CommandLineKit
import DataModel
import Diagnostics
import Migration
import Policies

/// Looks for what will lead to trouble.
struct LintModels: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "lint",
    abstract: "Look for what will lead to trouble in a model, its versions and mapping models.",
    discussion: """
      All versions are compared: two that are identical, or that differ without a change of version hash, so that \
      stores would not be migrated, and renaming identifiers that lead nowhere. Then the current version is looked \
      into; earlier ones are not, for stores were written with them. Mapping models are compared with the versions and \
      with each other; alone, only their files are looked at. --suggest tells also what would only be better \
      otherwise, and whether stores get from each version to the next without a mapping model.

      The exit status is 0 when there are no errors and no warnings, and 3 when there are some.

      EXAMPLES
        tracks-migrate models lint Model.xcdatamodeld
        tracks-migrate models lint Model.xcdatamodeld --suggest --format json
        tracks-migrate models lint Model.xcdatamodeld *.xcmappingmodel
      """)

  @Argument(
    help: "The bundle of versions or one model, mapping models, or both; see 'tracks-migrate help models'.",
    completion: .file(extensions: ["xcdatamodeld", "xcdatamodel", "momd", "mom", "xcmappingmodel", "cdm"]))
  var files: [String]

  @Flag(help: "Make suggestions too.")
  var suggest = false

  @Flag(name: .shortAndLong, help: "List with the suggestions each unused part of a mapping model's file.")
  var verbose = false

  @Option(help: "Write in this format.")
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
