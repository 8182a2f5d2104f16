import CommandLineArguments
import DataModel
import Migration
import MigrationDiagnostics
import MigrationTesting
import PersistentStore
import Policies
import TerminalOutput

/// Migrates stores of every version before any user does.
struct Rehearse: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Migrate a store of every version of an app's model to the current one, and compare what comes of it.",
    discussion: """
      For each version but the current one, a store is made (see 'fixture new') and migrated: directly, in one hop as \
      Core Data does it, by the hops that a migration plans, and from version to version. All results are validated and \
      verified, and must be the same. A hop without a mapping model that drops the values of an attribute fails; \
      --allow-loss lets it pass. Where Core Data's one hop would bypass the mapping models, a note says that the app has to \
      migrate step by step. Stores of shipped versions with --stores are tried too, and are not changed.

      Policies of the app's own are not in this program: rehearse those with the package that has them, and \
      MigrationTesting (see the tutorial in the documentation).

      The exit status is 0 if all migrations work, 3 if one does not, and 65 or 66 if a store of --stores is damaged or \
      cannot be read.

      EXAMPLES
        tracks-migrate rehearse App.xcdatamodeld
        tracks-migrate rehearse --model App.xcdatamodeld --stores Tests/Stores --junit rehearsal.xml
      """,
    otherNames: ["simulate", "test", "try"],
    extraWords: { extra, _ in "Name one model, and a folder with stores of it with: --stores FOLDER" })

  @Argument(
    help: ArgumentHelp("The app's model, as with --model.", valueName: "model"), completion: .model)
  var model: String?

  @OptionGroup(title: "An app's own store") var models: ModelOptions

  @Option(
    help: ArgumentHelp("A folder with stores of shipped versions.", valueName: "folder"), completion: .directory(.reads)
  )
  var stores: String?

  @Option(help: ArgumentHelp("How many rows of each entity are made.", valueName: "number"))
  var rows: Int = 50

  @Option(help: ArgumentHelp("Where the random numbers begin.", valueName: "number"))
  var seed: Int = 1

  @Option(help: ArgumentHelp("Write the results as a JUnit report.", valueName: "file"), completion: .file(.writes))
  var junit: String?

  @Option(
    help: ArgumentHelp("Write the results as Markdown, for a pull request.", valueName: "file"),
    completion: .file(.writes))
  var markdown: String?

  mutating func validate() throws {
    try ModelChoice.checkPresence(model, models.model)
    guard (1...100_000).contains(rows) else { throw ValidationError("'--rows' must be between 1 and 100,000.") }
  }

  mutating func run() throws {
    let (options, seed) = (self, seed)
    let cancellation = SignalCancellation.listen()
    try reportingErrors {
      let model = try ModelChoice(argument: options.model, option: options.models.model, to: options.models.to)
      var tool = try AppMigration.tool(for: model, options: options.models)
      tool.settings.allowsLoss = options.models.allowsLoss
      tool.settings.keepsHistory = options.models.keepsHistory
      tool.settings.cancellation = cancellation
      var rehearsal = MigrationRehearsal(tool: tool)
      (rehearsal.rowCount, rehearsal.seed) = (options.rows, UInt64(bitPattern: Int64(seed)))
      rehearsal.naming = \.commandName
      rehearsal.onRemark = StandardError.warning
      rehearsal.storePaths = try options.stores.map { try Self.stores(in: $0) } ?? []
      let results = try rehearsal.run()
      try StandardOutput.print(results.text.split(separator: "\n").map { String($0) })
      for (path, text) in [(options.junit, results.junit), (options.markdown, results.markdown)] {
        let sources = [model.path, options.stores].compactMap { $0 } + rehearsal.storePaths
        if let path { try DocumentFile.write(text, to: path, from: sources) }
      }
      if results.contains(where: { !$0.isPassed }) { throw foundSomething }
    }
  }

  private static func stores(in folder: String) throws(MigrationError) -> [String] {
    guard let names = FileSystem.names(in: folder) else {
      var error = FileSystem.failure(.unreadable, folder)
      if try !FileSystem.isThere(folder) { error = MigrationError(.missing, path: folder) }
      if let kind = FileStatus(folder)?.kind, kind != .directory {
        error.detail =
          "it is \(kind == .regular ? "a file" : kind == .pipe ? "a pipe" : "a device or a socket"), not a folder"
      }
      error.advice = "Name a folder with stores of shipped versions."
      throw error
    }
    let stores = names.filter { name in [".sqlite", ".db", ".store"].contains { name.hasSuffix($0) } }.sorted()
    guard !stores.isEmpty else {
      var error = MigrationError(.missing, path: "\(folder)/*.sqlite")
      error.advice = "Keep a store of each shipped version in that folder."
      throw error
    }
    return stores.map { "\(folder)/\($0)" }
  }
}
