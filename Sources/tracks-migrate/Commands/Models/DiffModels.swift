import CommandLineKit
import DataModel
import Migration

/// Compares two models.
struct DiffModels: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "diff",
    abstract: "Tell how two models differ, and which changes give stores another version hash.",
    discussion: """
      Entities and properties are matched by their renaming identifiers and names. A model out of a store or a compiled \
      bundle has no validation rules, which then are not compared. What follows for stores is told too: whether they \
      can be migrated without a mapping model (a lightweight migration) and what that loses, or why they cannot.

      The exit status is 0 when the models say the same, and 3 when they differ.

      EXAMPLES
        tracks-migrate models diff 'Model.xcdatamodeld:Model' 'Model.xcdatamodeld:Model 2'
        tracks-migrate models diff Library.sqlite Model.xcdatamodeld --format json
      """)

  @Argument(
    help: "The old model, or a store that keeps it; see 'tracks-migrate help models'.",
    completion: .file(extensions: modelExtensions))
  var old: String

  @Argument(help: "The new model, or a store that keeps it.", completion: .file(extensions: modelExtensions))
  var new: String

  @Option(help: "Write in this format.")
  var format: OutputFormat = .table

  mutating func run() throws {
    let (old, new, format) = (old, new, format)
    try reportingErrors {
      let oldModel = try ModelSource(old).load()
      let newModel = try ModelSource(new).load()
      let difference = newModel.difference(from: oldModel)
      let verdict = InferenceVerdict(from: oldModel.model, to: newModel.model)
      let records = ChangeRecord.all(difference, from: oldModel.model, to: newModel.model)
      let output = StandardOutput()
      switch format {
      case .table:
        try output.writeLine(ChangeWording.summary(difference))
        for line in InferenceWording.lines(verdict) { try output.writeLine(line.visible) }
        if !difference.isEmpty {
          try output.writeLine()
          try Self.write(records, .table, to: output)
        }
      case .json:
        try output.writeLine(Self.json(records, verdict, from: oldModel, to: newModel))
      case .ndjson, .csv: try Self.write(records, format, to: output)
      }
      try output.flush()
      if !difference.isEmpty { throw foundSomething }
    }
  }

  private static func write(_ records: [ChangeRecord], _ format: OutputFormat, to output: StandardOutput) throws {
    let writer = format.makeWriter(to: output, terminal: .standardOutput)
    try writer.begin(columns: ChangeRecord.columns(for: format))
    for record in records { try writer.write(record.values(for: format)) }
    try writer.end()
  }

  private static func json(
    _ records: [ChangeRecord], _ verdict: InferenceVerdict, from old: NamedModel, to new: NamedModel
  ) -> String {
    JSONObject {
      $0.add("format_version", .integer(1))
      $0.add("old", .path(old.name))
      $0.add("new", .path(new.name))
      $0.add("migration", object: InferenceWording.object(verdict))
      $0.add("differences", objects: records.map(\.object))
    }.text
  }
}
