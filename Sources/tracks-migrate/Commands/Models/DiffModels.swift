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
      bundle has no validation rules, which then are not compared.

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
      let output = StandardOutput()
      if format == .table { try output.writeLine(ChangeWording.summary(difference)) }
      if format != .table || !difference.isEmpty {
        if format == .table { try output.writeLine() }
        let writer = format.makeWriter(to: output, terminal: .standardOutput)
        try writer.begin(columns: ChangeRecord.columns(for: format))
        for record in ChangeRecord.all(difference, from: oldModel.model, to: newModel.model) {
          try writer.write(record.values(for: format))
        }
        try writer.end()
      }
      try output.flush()
      if !difference.isEmpty { throw foundSomething }
    }
  }
}
