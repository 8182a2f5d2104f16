import CommandLineKit
import DataModel
import Diagnostics
import Migration
import PersistentStore

/// Tells why a store or a mapping model does not fit models.
struct ExplainModels: ParsableCommand {
  /// How it is written.
  enum Format: String, CaseIterable, ExpressibleByArgument {
    case table, json
  }

  static let configuration = CommandConfiguration(
    commandName: "explain",
    abstract: "Tell why a store, or a mapping model, does not fit models, property by property.",
    discussion: """
      A STORE AND A MODEL

      The model that the store keeps is compared with the one that is wanted; "from" is the store, "to" the model. A \
      store without a model is explained by its version hashes and the columns of its tables: the wanted model is \
      changed, one or two things at a time, until the hash of the store comes out. What is found that way is certain. \
      Of a bundle every version is tried, and the one that comes nearest is explained.

      A MAPPING MODEL AND MODELS

      An .xcmappingmodel or .cdm is compared with all versions of a bundle, or with two models, the source and the \
      destination. A mapping model that fits is shown with all its expressions; otherwise everything that is in the \
      way is listed.

      The exit status is 0 when the store or the mapping model fits, and 3 when it does not.

      EXAMPLES
        tracks-migrate models explain Library.sqlite Model.xcdatamodeld
        tracks-migrate models explain Library.sqlite 'Model.xcdatamodeld:Model 2' --format json
        tracks-migrate models explain 1to2.xcmappingmodel Model.xcdatamodeld
        tracks-migrate models explain 1to2.cdm 'Model.momd:Model' 'Model.momd:Model 2'
      """)

  @Argument(
    help: "The store, or the mapping model.",
    completion: .file(extensions: ["sqlite", "db", "store", "xcmappingmodel", "cdm"]))
  var file: String

  @Argument(
    help: "The model, or the bundle of all its versions; see 'tracks-migrate help models'.",
    completion: .file(extensions: modelExtensions))
  var model: String

  @Argument(
    help: "Of a mapping model: the model that it leads to, if the other one is what it leads from.",
    completion: .file(extensions: modelExtensions))
  var destination: String?

  @Option(help: "Write in this format.")
  var format: Format = .table

  mutating func validate() throws {
    if let destination, !MappingSearch.isMappingModel(file) {
      throw ValidationError(
        "'\(destination)' is one model too many: only an .xcmappingmodel or .cdm is compared with two.")
    }
  }

  mutating func run() throws {
    let (path, model, destination, format) = (file, model, destination, format)
    try reportingErrors {
      let output = StandardOutput()
      let isGood =
        MappingSearch.isMappingModel(path)
        ? try Self.explainMappingModel(path, model, destination, format, to: output)
        : try Self.explainStore(path, model, format, to: output)
      try output.flush()
      if !isGood { throw foundSomething }
    }
  }

  private static func explainStore(
    _ path: String, _ model: String, _ format: Format, to output: StandardOutput
  ) throws -> Bool {
    let store = try StoreReader(path: path)
    let result = try ExplanationResult(of: store, comparedWith: try ModelSource(model))
    try store.close()
    switch format {
    case .table: try ExplanationText.write(result, to: output, terminal: .standardOutput)
    case .json: try output.writeLine(ExplanationText.json(result))
    }
    return result.isGood
  }

  private static func explainMappingModel(
    _ path: String, _ model: String, _ destination: String?, _ format: Format, to output: StandardOutput
  ) throws -> Bool {
    let explanation = try MappingExplanation(ofFileAt: path, model, destination)
    switch format {
    case .table: try MappingText.write(explanation, to: output, terminal: .standardOutput)
    case .json: try output.writeLine(MappingJSON.text(of: explanation))
    }
    return explanation.fits
  }
}

extension MappingExplanation {
  /// Explains a mapping model as the words of a command line ask for it.
  fileprivate init(ofFileAt path: String, _ model: String, _ destination: String?) throws {
    let file: MappingModelFile
    do throws(MappingModelFileError) {
      file = try MappingModelFile(path: path)
    } catch {
      throw error.migrationError
    }
    let source = try ModelSource(model)
    if let destination {
      let destination = try ModelSource(destination)
      self.init(
        of: file, from: try source.load(), to: try destination.load(),
        otherModels: source.otherModels + destination.otherModels)
      return
    }
    guard source.kind == .model, source.versionName == nil, let bundle = try? source.bundle(), bundle.versions.count > 1
    else {
      // What cannot be read at all is told first.
      _ = try source.load()
      throw ValidationError(
        "'\(model)' is only one model. Name the bundle of all versions, or two models: the source and the destination.")
    }
    try self.init(of: file, among: bundle)
  }
}
