import CommandLineArguments
import DataModel
import Migration
import MigrationDiagnostics
import ModelInspection
import TerminalOutput

/// Compiles a model.
struct CompileModel: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "compile",
    abstract: "Compile a model or a mapping model to what apps load: a .momd, .mom or .cdm.",
    discussion: """
      Does what Xcode's momc and mapc do, on Linux: the compiled versions have the same hashes and the same archived objects. \
      What it cannot compile for certain, it refuses: validation rules (see --without-validation). The optimized copy \
      of the current version (.omo) is not made; apps do without it.

      EXAMPLES
        tracks-migrate models compile Model.xcdatamodeld --output Model.momd
        tracks-migrate models compile 'Model.xcdatamodeld:Model 2' --output Model2.mom
        tracks-migrate models compile V1toV2.xcmappingmodel --model Model.xcdatamodeld --output V1toV2.cdm
      """,
    otherNames: ["momc", "mapc", "build"],
    extraWords: { extra, _ in
      extra.count == 1 ? "Name the result with: --output \(ErrorMessage.shellPath(extra[0]))" : nil
    })

  @Argument(
    help: "The model (.xcdatamodeld or .xcdatamodel), or a mapping model (.xcmappingmodel).",
    completion: .file(.reads, extensions: ["xcdatamodeld", "xcdatamodel", "xcmappingmodel"]))
  var source: String

  @Option(
    help: ArgumentHelp(
      "The model with the versions of a mapping model. (default: the one that it names, beside it)", valueName: "model"),
    completion: .model)
  var model: String?

  @Option(
    help: ArgumentHelp("The new .momd, .mom or .cdm. (default: the same name, in this folder)", valueName: "path"),
    completion: .file(.creates))
  var output: String?

  @Flag(help: "Leave validation rules out: the app then does not check values when it saves.")
  var withoutValidation = false

  mutating func validate() throws {
    if model != nil, !MappingSearch.isMappingModel(source) {
      throw ValidationError("'--model' is for mapping models, and '\(source)' is none.")
    }
  }

  mutating func run() throws {
    let (source, model, output, withoutValidation) = (source, model, output, withoutValidation)
    SignalCancellation.listen()
    try reportingErrors {
      if MappingSearch.isMappingModel(source) { return try Self.compileMapping(source, model, output) }
      let bundle = try Self.bundle(source)
      let isOne = Self.name(of: bundle.path).hasSuffix(".xcdatamodel")
      let path = try Self.path(
        output, for: bundle.path, isOne ? ".xcdatamodel" : ".xcdatamodeld", isOne ? ".mom" : ".momd")
      var compiler = ModelCompiler()
      compiler.leavesValidationOut = withoutValidation
      do {
        try compiler.compile(bundle, to: path)
      } catch var error as MigrationError
        where error.code == .unusableModel && error.detail?.contains("validation") == true
      {
        error.advice = "Compile it with Xcode, or leave the rules out with --without-validation: stores stay the same."
        throw error
      }
      StandardError.note(
        "Compiled '\(source)' to '\(path)': \(NumberFormat.counted(bundle.versions.count, "version")).")
    }
  }

  /// The model, or the version that is named after a colon.
  private static func bundle(_ word: String) throws -> ModelBundle {
    let source = try ModelSource(word)
    let bundle = try source.bundle()
    guard source.versionName != nil else { return bundle }
    do throws(ModelFileError) {
      return try ModelBundle(path: try bundle.currentVersion().path)
    } catch {
      throw MigrationError(error)
    }
  }

  private static func compileMapping(_ source: String, _ model: String?, _ output: String?) throws {
    let path = try path(output, for: source, ".xcmappingmodel", ".cdm")
    try ModelCompiler().compile(
      mappingModelAt: source, modelPath: try model.map { try ModelChoice($0).path }, to: path)
    StandardError.note("Compiled '\(source)' to '\(path)'.")
  }

  private static func name(of path: String) -> String { path.split(separator: "/").last.map(String.init) ?? path }

  /// Returns the path of the compiled form.
  private static func path(_ output: String?, for source: String, _ ending: String, _ wanted: String) throws -> String {
    let path = output ?? name(of: source).replacing(ending, with: wanted)
    guard path.hasSuffix(wanted) else {
      throw ValidationError("'--output' requires a name that ends in '\(wanted)', or Core Data will not recognize it.")
    }
    return path
  }
}
