import CommandLineArguments
import DataModel
import Migration
import MigrationDiagnostics
import ModelInspection
import PersistentStore
import TerminalOutput

/// Keeps shipped versions of a model as files of their own.
struct FreezeModel: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "freeze",
    abstract: "Keep the versions of a model as files that no change of its source touches.",
    discussion: """
      Versions that are Swift source change with every type that they use. This command writes them as Xcode's models, \
      with the same version hashes, and adds new versions to those that it has frozen before. It refuses to freeze \
      anything if a frozen version was edited since. A name that ends in .json gets the version hashes only, as \
      'models.lock' has them.

      'models guard --against' takes both, and the frozen models are models like any other.

      The exit status is 3 if a frozen version was edited.

      EXAMPLES
        tracks-migrate models freeze Sources/Models --output Models.xcdatamodeld
        tracks-migrate models freeze Sources/Models:AppSchemaV2 --output Models.xcdatamodeld
        tracks-migrate models guard Sources/Models --against Models.xcdatamodeld
      """)

  @Argument(
    help: "The model with its versions, or one of them after a colon; see 'tracks-migrate help models'.",
    completion: .modelVersion)
  var model: String

  @Option(
    help: ArgumentHelp("The .xcdatamodeld or .json to write, or to add versions to.", valueName: "path"),
    completion: .file(.creates, extensions: ["xcdatamodeld", "json"]))
  var output: String?

  /// The output without the slash with which shells complete the name of a folder.
  private var target: String? {
    output.map { path in String(path.dropLast(path.reversed().prefix { $0 == "/" }.count)) }
  }

  mutating func validate() throws {
    guard let path = target else {
      throw ValidationError("the option '--output' is missing: name an .xcdatamodeld or a .json.")
    }
    guard [".xcdatamodeld", ".json"].contains(where: path.hasSuffix) else {
      throw ValidationError("'--output' requires a name that ends in '.xcdatamodeld' or '.json'.")
    }
  }

  mutating func run() throws {
    let (word, output) = (model, target ?? "")
    SignalCancellation.listen()
    try reportingErrors {
      let source = try ModelSource(word)
      let bundle = try source.bundle()
      let (frozen, isLock) = (FrozenModel(path: output), output.hasSuffix(".json"))
      let before = isLock ? try ShippedModel.locked(bundle, at: output) : try frozen.versions()
      let check = ModelGuard(bundle, shipped: before, mappings: [])
      let edits = check.findings.filter { $0.id == ModelGuard.editID || $0.id == "unreadable-version" }
      guard edits.isEmpty else {
        try StandardOutput.print(edits.map { LintMessage($0, bundle.path).line })
        throw foundSomething
      }
      var now = check.current
      if let name = source.versionName { now.versions.removeAll { $0.name != name } }
      if isLock { return try ShippedModel.record(now, of: bundle, at: output) }
      let names = now.versions.map(\.name).filter { name in before?.versions.contains { $0.name == name } != true }
      try frozen.add(names, of: bundle, current: now.current)
      ShippedModel.note(names, in: output)
    }
  }
}
