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
    abstract: "Compile a model to the .momd or .mom that apps load.",
    discussion: """
      Does what Xcode's momc does, on Linux: the compiled versions have the same hashes and the same archived objects. \
      What it cannot compile for certain, it refuses: validation rules (see --without-validation). The optimized copy \
      of the current version (.omo) is not made; apps do without it.

      EXAMPLES
        tracks-migrate models compile Model.xcdatamodeld --output Model.momd
        tracks-migrate models compile 'Model.xcdatamodeld/Model 2.xcdatamodel' --output Model2.mom
      """)

  @Argument(help: "The model (.xcdatamodeld or .xcdatamodel).", completion: .model)
  var model: String

  @Option(
    help: ArgumentHelp("The new .momd or .mom. (default: the model's name, in this folder)", valueName: "path"),
    completion: .file())
  var output: String?

  @Flag(help: "Leave validation rules out: the app then does not check values when it saves.")
  var withoutValidation = false

  mutating func run() throws {
    let (model, output, withoutValidation) = (model, output, withoutValidation)
    try reportingErrors {
      let bundle = try ModelSource(path: model).bundle()
      let name = bundle.path.split(separator: "/").last.map(String.init) ?? bundle.path
      let isOne = name.hasSuffix(".xcdatamodel")
      let path = output ?? name.replacing(isOne ? ".xcdatamodel" : ".xcdatamodeld", with: isOne ? ".mom" : ".momd")
      guard path.hasSuffix(".mom") || path.hasSuffix(".momd"), isOne == path.hasSuffix(".mom") else {
        throw ValidationError(
          "'--output' requires a name that ends in '\(isOne ? ".mom" : ".momd")', or Core Data will not recognize it.")
      }
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
      StandardError.note("Compiled '\(model)' to '\(path)': \(NumberFormat.counted(bundle.versions.count, "version")).")
    }
  }
}
