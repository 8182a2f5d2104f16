import CommandLineKit
import DataModel
import Diagnostics
import Migration
import PersistentStore

/// Tells why a store and a model do not fit together.
struct ExplainStore: ParsableCommand {
  /// How it is written.
  enum Format: String, CaseIterable, ExpressibleByArgument {
    case table, json
  }

  static let configuration = CommandConfiguration(
    commandName: "explain",
    abstract: "Tell why a store cannot be opened with a model, property by property.",
    discussion: """
      The model that the store keeps is compared with the one that is wanted; "from" is the store, "to" the model. A \
      store without a model is explained by its version hashes and the columns of its tables: the wanted model is \
      changed, one or two things at a time, until the hash of the store comes out. What is found that way is certain.

      Of a bundle every version is tried, and the one that comes nearest is explained.

      The exit status is 0 when the store fits the model, or a version of the bundle, and 3 when it does not.

      EXAMPLES
        tracks-migrate models explain Library.sqlite Model.xcdatamodeld
        tracks-migrate models explain Library.sqlite 'Model.xcdatamodeld:Model 2' --format json
      """)

  @Argument(help: "The store.", completion: .file(extensions: ["sqlite", "db", "store"]))
  var store: String

  @Argument(
    help: "The model, or the bundle of all its versions; see 'tracks-migrate help models'.",
    completion: .file(extensions: modelExtensions))
  var model: String

  @Option(help: "Write in this format.")
  var format: Format = .table

  mutating func run() throws {
    let (path, word, format) = (store, model, format)
    try reportingErrors {
      let store = try StoreReader(path: path)
      let result = try ExplanationResult(of: store, comparedWith: try ModelSource(word))
      try store.close()
      let output = StandardOutput()
      switch format {
      case .table: try ExplanationText.write(result, to: output, terminal: .standardOutput)
      case .json: try output.writeLine(ExplanationText.json(result))
      }
      try output.flush()
      if !result.isGood { throw foundSomething }
    }
  }
}
