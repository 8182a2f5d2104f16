import CommandLineKit
import DataModel
import Diagnostics
import Migration

/// Looks for what will lead to trouble.
struct LintModels: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "lint",
    abstract: "Look for what will lead to trouble in a model and its versions.",
    discussion: """
      All versions are compared: two that are identical, or that differ without a change of version hash, so that \
      stores would not be migrated. Then the current version is looked into; earlier ones are not, for stores were \
      written with them. --suggest tells also what would only be better otherwise.

      The exit status is 0 when there are no errors and no warnings, and 3 when there are some.

      EXAMPLES
        tracks-migrate models lint Model.xcdatamodeld
        tracks-migrate models lint Model.xcdatamodeld --suggest --format json
      """)

  @Argument(
    help: "The bundle of versions, or one model; see 'tracks-migrate help models'.",
    completion: .file(extensions: ["xcdatamodeld", "xcdatamodel", "momd", "mom"]))
  var model: String

  @Flag(help: "Make suggestions too.")
  var suggest = false

  @Option(help: "Write in this format.")
  var format: OutputFormat = .table

  mutating func run() throws {
    let (word, suggest, format) = (model, suggest, format)
    try reportingErrors {
      let findings = try ModelSource(word).lint(suggests: suggest)
      let output = StandardOutput()
      if format != .table || !findings.isEmpty {
        let writer = format.makeWriter(to: output, terminal: .standardOutput)
        try writer.begin(columns: ["severity", "version", "entity", "property", "id", "finding", "advice"])
        for finding in findings {
          let wording = FindingWording(finding)
          try writer.write([
            .string(finding.severity.rawValue), FieldValue(finding.versionName), FieldValue(finding.entityName),
            FieldValue(finding.propertyName), .string(finding.name), .string(wording.problem), .string(wording.advice),
          ])
        }
        try writer.end()
      } else {
        try output.writeLine("Nothing found.")
      }
      try output.flush()
      if findings.contains(where: { $0.severity != .suggestion }) { throw foundSomething }
    }
  }
}
