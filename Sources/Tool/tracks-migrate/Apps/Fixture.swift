import CommandLineArguments
import Migration
import MigrationDiagnostics
import MigrationTesting
import ModelInspection
import PersistentStore
import TerminalOutput

/// Groups the commands that make stores for tests.
struct Fixture: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Make stores of any version of an app's model, for tests.",
    discussion: """
      EXAMPLES
        tracks-migrate fixture new --model 'App.xcdatamodeld:App 2' App-2.sqlite
      """,
    subcommands: [NewFixture.self],
    otherNames: ["fixtures"],
    extraWords: { words, _ in
      words.first.flatMap { word in
        FileSystem.exists(word)
          ? "A store is made with: tracks-migrate fixture new --model \(ErrorMessage.shellPath(word)) New.sqlite" : nil
      }
    })
}

/// Makes a store of a version, with data in every corner.
struct NewFixture: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "new",
    abstract: "Make a store with data in every corner of a model.",
    discussion: """
      Each attribute has empty, extreme and ordinary values, and none where that is allowed; text is of many scripts, some \
      values are large, and each kind of relationship has links. All of it keeps the rules of the model, for which an entity \
      may get more or fewer rows: a required relationship needs destinations, and of unique values there may be only so \
      many. The same model, number and seed give the same file, byte for byte.

      EXAMPLES
        tracks-migrate fixture new --model App.xcdatamodeld App.sqlite
        tracks-migrate fixture new --model 'App.xcdatamodeld:App 2' --rows 1000 --seed 7 App-2.sqlite
      """)

  @Option(
    help: ArgumentHelp(
      "The model; a version of it may be named after a colon. (default version: the current one)", valueName: "model"),
    completion: .modelVersion)
  var model: String?

  @Option(help: ArgumentHelp("How many rows each entity gets.", valueName: "number"))
  var rows: Int = 100

  @Option(help: ArgumentHelp("Where the random numbers begin.", valueName: "number"))
  var seed: Int = 1

  @Argument(help: "The new file.", completion: .file(.createsStore))
  var file: String

  mutating func validate() throws {
    guard model != nil else { throw ValidationError("'--model' is missing: name the app's model.") }
    guard (1...1_000_000).contains(rows) else { throw ValidationError("'--rows' must be between 1 and 1,000,000.") }
  }

  mutating func run() throws {
    let (model, rows, seed, file) = (model ?? "", rows, seed, file)
    SignalCancellation.listen()
    try reportingErrors {
      let source = try ModelSource(model)
      let named = try source.load()
      var fixture = StoreFixture(model: named.model, rowCount: rows, seed: UInt64(bitPattern: Int64(seed)))
      fixture.modelPath = source.path
      let counts = try fixture.write(to: file)
      let count = named.model.entities.count { !$0.isAbstract }
      let others = counts.filter { $0.value != rows }.sorted { $0.key < $1.key }.map {
        "\($0.key) \(NumberFormat.grouped($0.value))"
      }
      let rest = others.isEmpty ? "" : ", fewer or more where rules require it (\(others.joined(separator: ", ")))"
      StandardError.note(
        "Made '\(file)' of '\(named.name)': \(NumberFormat.counted(rows, "row")) of each of "
          + "\(NumberFormat.counted(count, "entity", plural: "entities"))\(rest).")
    }
  }
}
