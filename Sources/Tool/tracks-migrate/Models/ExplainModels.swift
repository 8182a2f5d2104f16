import CommandLineArguments
import DataModel
import Migration
import MigrationDiagnostics
import ModelInspection
import PersistentStore
import TerminalOutput

/// Explains why a store or a mapping model does not match models.
struct ExplainModels: ParsableCommand {
  /// The output format.
  enum Format: String, CaseIterable, ExpressibleByArgument {
    case table, json
  }

  static let configuration = CommandConfiguration(
    commandName: "explain",
    abstract: "Show why a store or a mapping model does not fit a model, property by property.",
    discussion: """
      A STORE AND A MODEL

      Compares the store's cached model with the given one; "from" is the store, "to" the model. For a store without a \
      cached model, changes the given model by one or two properties at a time until it has the store's version hash; \
      differences found this way are certain. In a bundle, the version that is closest to the store is explained.

      A MAPPING MODEL AND MODELS

      Compares an .xcmappingmodel or .cdm with all versions in a bundle, or with two models, the source and the \
      destination. If the mapping model fits, it is shown with all its expressions; otherwise everything that does not \
      fit is listed.

      The exit status is 0 if the store or the mapping model fits and 3 if it does not.

      EXAMPLES
        tracks-migrate models explain Library.sqlite Model.xcdatamodeld
        tracks-migrate models explain Library.sqlite 'Model.xcdatamodeld:Model 2' --format json
        tracks-migrate models explain 1to2.xcmappingmodel Model.xcdatamodeld
        tracks-migrate models explain 1to2.cdm 'Model.momd:Model' 'Model.momd:Model 2'
      """)

  @Argument(
    help: "The store or the mapping model.",
    completion: .file(.reads, extensions: ["sqlite", "db", "store", "xcmappingmodel", "cdm"]))
  var file: String

  @Argument(
    help: "The model or the bundle with its versions; see 'tracks-migrate help models'.",
    completion: .modelVersion)
  var model: String

  @Argument(
    help: "For a mapping model: its destination model; <model> is then its source model.",
    completion: .modelVersion)
  var destination: String?

  @Option(help: "The output format.")
  var format: Format = .table

  mutating func validate() throws {
    if destination != nil, !MappingSearch.isMappingModel(file) {
      throw ValidationError(
        "a second model needs a mapping model (.xcmappingmodel or .cdm) as the first argument.")
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
    result.explanation.remarks.forEach(StandardError.warning)
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
  /// Explains a mapping model according to the arguments of a command line.
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
      // A file that cannot be read at all is reported first.
      _ = try source.load()
      throw ValidationError(
        "'\(model)' is only one model. Name the bundle of all versions, or two models: the source and the destination.")
    }
    try self.init(of: file, among: bundle)
  }
}

/// One reason why a store and a model do not match, as a row of a table.
enum ExplanationRecord {
  case change(ChangeRecord)
  /// The version hash of an entity differs for an unknown reason.
  case unknown(String)
  case column(ColumnFinding)

  func values(for format: OutputFormat) -> [FieldValue] {
    switch self {
    case .change(let record): record.values(for: format)
    case .unknown(let entity):
      [
        .string(entity), .string("entity"), .null,
        .string(format.isForMachines ? "unknown" : "several things; no one or two changes give its version hash"),
        .null, .null, .string("changes"),
      ]
    case .column(let finding): values(of: finding, for: format)
    }
  }

  var object: JSONObject {
    JSONObject { object in
      for (column, value) in zip(ChangeRecord.columns(for: .json), values(for: .json)) { object.add(column, value) }
    }
  }

  private func values(of finding: ColumnFinding, for format: OutputFormat) -> [FieldValue] {
    let isText = !format.isForMachines
    let (kind, name, change, type): (String, String?, String, String?) =
      switch finding.kind {
      case .missingTable:
        ("table", finding.tableName, isText ? "not in the store" : "missing_table", nil)
      case .missingColumn(let column):
        ("column", column, isText ? "not in the store: \(finding.propertyName ?? "")" : "missing_column", nil)
      case .unexplainedColumn(let column, let type):
        ("column", column, isText ? "not in the model" : "unexplained_column", type)
      }
    return [
      .string(finding.entityName), .string(kind), FieldValue(name), .string(change), FieldValue(type), .null, .null,
    ]
  }
}

/// The explanation for one model, and how all versions of its bundle match.
struct ExplanationResult {
  /// The versions that were tried; empty if only one was requested.
  let versions: [VersionFit]
  let explanation: StoreExplanation

  /// Whether the store can be used with the model without migration.
  var isGood: Bool { explanation.fits }

  init(of store: StoreReader, comparedWith source: ModelSource) throws(MigrationError) {
    // A single version that is not part of a bundle with several.
    guard source.kind == .model, source.versionName == nil, let bundle = try? source.bundle(),
      bundle.versions.count > 1
    else {
      versions = []
      explanation = try StoreExplanation(
        of: store, comparedWith: try source.load(), otherModels: source.otherModels)
      return
    }
    versions = VersionFit.all(bundle, for: store)
    guard let model = VersionFit.nearest(of: versions)?.model else {
      throw versions.compactMap(\.error).first ?? MigrationError(.unusableModel, path: source.path)
    }
    explanation = try StoreExplanation(
      of: store, comparedWith: model, otherModels: versions.compactMap(\.model?.model))
  }
}
