internal import CommandLineArguments
import Migration
import MigrationDiagnostics
import PersistentStore
public import TerminalOutput
import TrackLibrary

/// The library that a command is about.
struct LibraryArgument: ParsableArguments {
  @Argument(
    help: "The library: a SQLite file written by Core Data.",
    completion: .file(extensions: ["sqlite", "db", "store"]))
  var library: String
}

extension OutputFormat: ExpressibleByArgument {}

/// How a list of results is written.
struct OutputOptions: ParsableArguments {
  @Option(help: "The output format.")
  var format: OutputFormat = .table

  @Option(help: ArgumentHelp("The maximum number of results.", valueName: "number"))
  var limit: Int64?

  mutating func validate() throws {
    if let limit, limit < 0 { throw ValidationError("'--limit' must not be negative.") }
  }

  /// Writes records to standard output.
  func write(columns: [String], _ body: (([FieldValue]) throws -> Void) throws -> Void) throws {
    let writer = format.makeWriter(to: StandardOutput(), terminal: .standardOutput)
    try writer.begin(columns: columns)
    try body { try writer.write($0) }
    try writer.end()
  }
}

/// How long to wait for others.
struct WaitOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Seconds to wait for other migrations and for programs that use the library. (default: 2 for programs, 0 for "
        + "migrations)",
      valueName: "seconds"))
  var wait: Double?

  /// A year.
  private static let longest = 31_536_000.0

  mutating func validate() throws {
    if let wait, !(0...Self.longest).contains(wait) {
      throw ValidationError("'--wait' requires a number of seconds from 0 to 31536000.")
    }
  }

  /// The patience that is asked for; whoever is waited for is told on standard error.
  func patience(isQuiet: Bool, _ cancellation: MigrationCancellation) -> WaitPolicy {
    var patience = WaitPolicy(limit: wait.map { .seconds($0) })
    patience.isCancelled = { cancellation.isCancelled }
    // Two seconds need no words.
    if wait != nil, !isQuiet {
      patience.onWait = { StandardError.note("Waiting: \(ErrorMessage(command: $0).problem).") }
    }
    return patience
  }
}

/// A condition in Core Data's predicate format.
struct WhereOption: ParsableArguments {
  @Option(
    name: .customLong("where"),
    help: ArgumentHelp(
      "Only rows that match this predicate, in Core Data's format.", valueName: "predicate"))
  var condition: String?

  mutating func validate() throws {
    _ = try filter
  }

  /// The condition, if there is one.
  var filter: LibraryFilter? {
    get throws {
      do {
        return try condition.map { try LibraryFilter($0) }
      } catch {
        throw ValidationError("The value of '--where' is not a predicate: \(error)")
      }
    }
  }
}

extension CompletionKind {
  /// A model, in any of its forms.
  static let model = CompletionKind.file(extensions: ["xcdatamodeld", "momd", "xcdatamodel", "mom"])
}

/// The models and mapping models of an app.
struct ModelOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The app's model (.xcdatamodeld, .momd, .xcdatamodel or .mom), for a store that is not a track library.",
      valueName: "model"),
    completion: .model)
  var model: String?

  @Option(
    help: ArgumentHelp(
      "A mapping model (.xcmappingmodel or .cdm) or a folder of them; repeat for more, in order. (default: those next "
        + "to the model)",
      valueName: "mapping"),
    completion: .file(extensions: ["xcmappingmodel", "cdm"]))
  var mapping: [String] = []

  @Option(
    help: ArgumentHelp("The version to migrate to. (default: the model's current version)", valueName: "version"))
  var to: String?

  @Option(
    help: ArgumentHelp(
      "Use a built-in policy for a policy class that a mapping model names.",
      valueName: "class=policy"))
  var policy: [String] = []

  @Option(
    help: ArgumentHelp(
      "Name a many-to-many table after this side of the relationship, if the summary says that its name is in doubt; "
        + "repeat for more.",
      valueName: "entity.relationship"))
  var joinTable: [String] = []

  @Flag(name: .customLong("no-infer"), help: "Only use mapping models; never infer one (no lightweight migration).")
  var declinesInference = false

  @Flag(
    name: .customLong("allow-loss"),
    help: ArgumentHelp(
      "Allow the new model or a mapping model to drop entities that have rows. Otherwise such a migration fails and "
        + "changes nothing."))
  var allowsLoss = false

  mutating func validate() throws {
    if model == nil {
      let given = [
        ("--mapping", !mapping.isEmpty), ("--to", to != nil), ("--policy", !policy.isEmpty),
        ("--join-table", !joinTable.isEmpty), ("--no-infer", declinesInference), ("--allow-loss", allowsLoss),
      ].first { $0.1 }
      if let given { throw ValidationError("'\(given.0)' requires '--model', the app's model.") }
    }
    for assignment in policy where Self.parts(assignment) == nil {
      throw ValidationError("The value '\(assignment)' of '--policy' must have the form class=policy.")
    }
    for relationship in joinTable where relationship.split(separator: ".", omittingEmptySubsequences: false).count != 2
    {
      throw ValidationError("The value '\(relationship)' of '--join-table' must have the form Entity.relationship.")
    }
  }

  /// The class names of policies, and what stands for them.
  var policyNames: [(className: String, policy: String)] { policy.compactMap(Self.parts) }

  private static func parts(_ assignment: String) -> (className: String, policy: String)? {
    let parts = assignment.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty else { return nil }
    return (parts[0], parts[1])
  }
}
