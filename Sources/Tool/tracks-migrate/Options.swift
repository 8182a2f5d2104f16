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

extension ArgumentHelp {
  /// The help of an option for the output format.
  static var outputFormat: ArgumentHelp {
    ArgumentHelp("The output format.", otherNames: ["json", "csv", "as", "f"])
  }
}

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
    let meant = nearest(to: name, in: allValueStrings).map { " Did you mean '\($0)'?" } ?? ""
    throw ValidationError(
      "'\(name)' in '\(option)' is not a field.\(meant) The fields are \(allValueStrings.joined(separator: ", ")).")
  }
}

/// The discussion of sorting, for commands with lists.
let sortingDiscussion = """
  Text is sorted without regard to case, accents and character width, and letters such as Ł, Ø, Æ and ß as L, O, AE \
  and SS; other scripts follow in the order of Unicode. Rows without a value come last.
  """

/// The options for the selection, order and format of a list of results.
struct ListOptions<Field: ListField>: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Only show these fields, in this order, separated by commas.", valueName: "fields",
      otherNames: ["columns", "select", "only"]))
  var fields = FieldList<Field>()

  @Option(
    help: ArgumentHelp(
      "Sort by these fields, separated by commas; '-' before a field sorts it descending, '+' ascending.",
      valueName: "fields", otherNames: ["order", "order-by", "sort-by", "by"]))
  var sort = FieldList<Field>(argument: Field.allCases.first?.rawValue ?? "")

  @Option(help: .outputFormat)
  var format: OutputFormat = .table

  @Option(
    help: ArgumentHelp(
      "The maximum number of results.", valueName: "number", otherNames: ["top", "max", "count", "head", "n"]))
  var limit: Int64?

  @OptionGroup var table: TableOptions

  @OptionGroup var csv: CSVOptions

  mutating func validate() throws {
    if let limit, limit < 0 { throw ValidationError("'--limit' must not be negative.") }
    try csv.check(isCSV: format == .csv)
    _ = (try fields.fields(), try sort.order())
  }

  /// Writes rows to standard output.
  ///
  /// - Parameter none: Said below a table without rows, which is no failure but may look like one.
  func write(none: String, _ body: ((Field.Row) throws -> Void) throws -> Void) throws {
    let fields = try fields.fields()
    let writer = format.makeWriter(to: StandardOutput(), terminal: table.terminal, guardsFormulas: csv.guardsFormulas)
    try writer.begin(columns: fields.map(\.rawValue))
    var isEmpty = true
    try body { row in
      isEmpty = false
      try writer.write(fields.map { $0.value(of: row) })
    }
    try writer.end()
    if isEmpty, limit != 0, !format.isForMachines { StandardError.note(none) }
  }
}

/// The option for CSV that people open in a spreadsheet.
struct CSVOptions: ParsableArguments {
  @Flag(
    name: .customLong("safe-csv"),
    help: ArgumentHelp(
      "In CSV, put an apostrophe before text that starts with =, +, -, @, a tab or a carriage return, which a "
        + "spreadsheet would run as a formula."))
  var guardsFormulas = false

  /// Checks that the option is about something.
  func check(isCSV: Bool) throws {
    if guardsFormulas, !isCSV { throw ValidationError("'--safe-csv' requires '--format csv'.") }
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

extension CompletionKind {
  /// A model in any of its forms, and one of its versions after a colon.
  static let model = CompletionKind.command(
    CompletionRequest.Source.models.rawValue, filesWith: ["xcdatamodeld", "momd", "xcdatamodel", "mom"])
  /// A model in any of its forms, one of its versions after a colon, or a store.
  static let modelVersion = CompletionKind.command(
    CompletionRequest.Source.models.rawValue,
    filesWith: ["xcdatamodeld", "xcdatamodel", "momd", "mom", "sqlite", "db", "store"])
  /// The versions of the model that the command line names.
  static let versions = CompletionKind.command(CompletionRequest.Source.versions.rawValue)
  /// A preset, by its name or its file.
  static let preset = CompletionKind.command(CompletionRequest.Source.presets.rawValue, filesWith: ["json"])
}
