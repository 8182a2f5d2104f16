internal import CommandLineArguments
import Migration
import MigrationDiagnostics
import PersistentStore
public import TerminalOutput
import TrackLibrary

/// The library that a command reads.
struct LibraryArgument: ParsableArguments {
  @Argument(
    help: "The library: a SQLite file written by Core Data.",
    completion: .file(.readsStore, extensions: ["sqlite", "db", "store"]))
  var library: String
}

/// The library that a command changes.
struct ChangedLibraryArgument: ParsableArguments {
  @Argument(
    help: "The library: a SQLite file written by Core Data.",
    completion: .file(.replacesStore, extensions: ["sqlite", "db", "store"]))
  var library: String
}

extension OutputFormat: ExpressibleByArgument {}

/// A field of a list that is printed.
protocol ListField: QueryField {
  associatedtype Row
  /// The field's value in a row.
  func value(of row: Row) -> FieldValue
}

/// Fields of a list, separated by commas, such as `name,id` or, to sort by, `-tracks,name`.
struct FieldList<Field: ListField>: ExpressibleByArgument {
  private let words: [String]

  init(argument: String) {
    words = argument.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
  }

  /// All fields.
  init() { words = [] }

  var defaultValueDescription: String { words.isEmpty ? "all" : words.joined(separator: ",") }
  static var allValueStrings: [String] { Field.allCases.map(\.rawValue) }
  static var allowsLeadingDash: Bool { true }

  /// The fields to print.
  func fields() throws -> [Field] {
    if words.isEmpty { return Array(Field.allCases) }
    let fields = try words.map { try Self.field($0, "--fields") }
    if let repeated = fields.indices.first(where: { fields[..<$0].contains(fields[$0]) }) {
      throw ValidationError("'--fields' names '\(words[repeated])' twice.")
    }
    return fields
  }

  /// The fields to sort by, descending after "-" and ascending after "+".
  func order() throws -> [QuerySort<Field>] {
    try words.map { word in
      guard let sign = word.first, "+-".contains(sign) else { return QuerySort(try Self.field(word, "--sort")) }
      return QuerySort(try Self.field(String(word.dropFirst()), "--sort"), isAscending: sign == "+")
    }
  }

  private static func field(_ name: String, _ option: String) throws -> Field {
    // The short name is older than the fields.
    if let field = Field(rawValue: option == "--sort" && name == "played" ? "lastPlayedAt" : name) { return field }
    throw ValidationError(
      "'\(name)' in '\(option)' is not a field. The fields are \(allValueStrings.joined(separator: ", ")).")
  }
}

/// The discussion of sorting, for commands with lists.
let sortingDiscussion = """
  Text is sorted without regard to case, accents and character width, and letters such as Ł, Ø, Æ and ß as L, O, AE \
  and SS; other scripts follow in the order of Unicode. Rows without a value come last.
  """

/// The options for the selection, order and format of a list of results.
struct ListOptions<Field: ListField>: ParsableArguments {
  @Option(help: ArgumentHelp("Only show these fields, in this order, separated by commas.", valueName: "fields"))
  var fields = FieldList<Field>()

  @Option(
    help: ArgumentHelp(
      "Sort by these fields, separated by commas; '-' before a field sorts it descending, '+' ascending.",
      valueName: "fields"))
  var sort = FieldList<Field>(argument: Field.allCases.first?.rawValue ?? "")

  @Option(help: "The output format.")
  var format: OutputFormat = .table

  @Option(help: ArgumentHelp("The maximum number of results.", valueName: "number"))
  var limit: Int64?

  @OptionGroup var table: TableOptions

  @Flag(
    name: .customLong("safe-csv"),
    help: ArgumentHelp(
      "In CSV, put an apostrophe before text that starts with =, +, -, @, a tab or a carriage return, which a "
        + "spreadsheet would run as a formula."))
  var guardsFormulas = false

  mutating func validate() throws {
    if let limit, limit < 0 { throw ValidationError("'--limit' must not be negative.") }
    if guardsFormulas, format != .csv { throw ValidationError("'--safe-csv' requires '--format csv'.") }
    _ = (try fields.fields(), try sort.order())
  }

  /// Writes rows to standard output.
  func write(_ body: ((Field.Row) throws -> Void) throws -> Void) throws {
    let fields = try fields.fields()
    let writer = format.makeWriter(to: StandardOutput(), terminal: table.terminal, guardsFormulas: guardsFormulas)
    try writer.begin(columns: fields.map(\.rawValue))
    try body { row in try writer.write(fields.map { $0.value(of: row) }) }
    try writer.end()
  }
}

struct TableOptions: ParsableArguments {
  @Flag(name: .customLong("no-truncate"), help: "Write table cells whole, even if they are wider than the terminal.")
  var keepsCellsWhole = false

  /// The properties of standard output.
  var terminal: Terminal {
    var terminal = Terminal.standardOutput
    if keepsCellsWhole { terminal.width = .max }
    return terminal
  }
}

/// The time to wait for other programs and runs.
struct WaitOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Seconds to wait for other migrations and for programs that use the library. (default: 2 for programs, 0 for "
        + "migrations)",
      valueName: "seconds", environmentVariable: "TRACKS_MIGRATE_WAIT"))
  var wait: Double?

  /// A year.
  private static let longest = 31_536_000.0

  mutating func validate() throws {
    if let wait, !(0...Self.longest).contains(wait) {
      throw ValidationError("'--wait' requires a number of seconds from 0 to 31536000.")
    }
  }

  /// The patience that is asked for; the programs that are waited for are named on standard error.
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
        throw ValidationError(lines: "the value of '--where' is not a predicate: \(error)")
      }
    }
  }
}

extension CompletionKind {
  /// A model, in any of its forms.
  static let model = CompletionKind.file(.reads, extensions: ["xcdatamodeld", "momd", "xcdatamodel", "mom"])
  /// A model in any of its forms, one of its versions after a colon, or a store.
  static let modelVersion = CompletionKind.command(
    CompletionRequest.Source.models.rawValue,
    filesWith: ["xcdatamodeld", "xcdatamodel", "momd", "mom", "sqlite", "db", "store"])
  /// The versions of the model that the command line names.
  static let versions = CompletionKind.command(CompletionRequest.Source.versions.rawValue)
  /// A preset, by its name or its file.
  static let preset = CompletionKind.command(CompletionRequest.Source.presets.rawValue, filesWith: ["json"])
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
      "A mapping model (.xcmappingmodel or .cdm) or a folder with some in or below it; repeat for more, in order. "
        + "(default: those in the model's project)",
      valueName: "mapping"),
    completion: .file(.reads, extensions: ["xcmappingmodel", "cdm"]))
  var mapping: [String] = []

  @Option(
    help: ArgumentHelp("The version to migrate to. (default: the model's current version)", valueName: "version"),
    completion: .versions)
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

  @Flag(
    name: .customLong("keep-history"),
    help: ArgumentHelp(
      "Carry persistent history over where every entity keeps its number and every row its key; otherwise it is left "
        + "behind and named."))
  var keepsHistory = false

  mutating func validate() throws {
    if model == nil {
      let given = [
        ("--mapping", !mapping.isEmpty), ("--to", to != nil), ("--policy", !policy.isEmpty),
        ("--join-table", !joinTable.isEmpty), ("--no-infer", declinesInference), ("--allow-loss", allowsLoss),
        ("--keep-history", keepsHistory),
      ].first { $0.1 }
      if let given { throw ValidationError("'\(given.0)' requires '--model', the app's model.") }
    }
    for assignment in policy where Self.parts(assignment) == nil {
      throw ValidationError("the value '\(assignment)' of '--policy' must have the form class=policy.")
    }
    for relationship in joinTable where relationship.split(separator: ".", omittingEmptySubsequences: false).count != 2
    {
      throw ValidationError("the value '\(relationship)' of '--join-table' must have the form Entity.relationship.")
    }
  }

  /// The options that were given, as on a command line.
  var words: [String] {
    [
      allowsLoss ? "--allow-loss" : nil, declinesInference ? "--no-infer" : nil, keepsHistory ? "--keep-history" : nil,
      model.map { "--model=\($0)" }, to.map { "--to=\($0)" },
    ].compactMap { $0 } + mapping.map { "--mapping=\($0)" } + policy.map { "--policy=\($0)" }
      + joinTable.map { "--join-table=\($0)" }
  }

  /// The options, besides files, that decide what is made of a store.
  var choices: [String] {
    [declinesInference ? "--no-infer" : "", keepsHistory ? "--keep-history" : "", to ?? ""] + policy.sorted() + [""]
      + joinTable.sorted()
  }

  /// The class names of policies, and their replacements.
  var policyNames: [(className: String, policy: String)] { policy.compactMap(Self.parts) }

  private static func parts(_ assignment: String) -> (className: String, policy: String)? {
    let parts = assignment.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty else { return nil }
    return (parts[0], parts[1])
  }
}
