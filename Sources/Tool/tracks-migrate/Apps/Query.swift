import CommandLineArguments
import CoreDataExpressions
import Migration
import TerminalOutput

/// Lists the rows of an entity of any store.
struct Query: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "List the rows of an entity of any app's store.",
    discussion: """
      The model is the store's own copy, or --model. Each row has its key, its attributes, and the keys of what it is \
      linked with. Dates are ISO 8601 in UTC; data are base64 in JSON and CSV. Rows are in the order of their keys.

      EXAMPLES
        tracks-migrate query App.sqlite Note
        tracks-migrate query App.sqlite Note --where 'title BEGINSWITH "A" AND attachments.@count > 0'
        tracks-migrate query App.sqlite Note --fields key,title --sort -dateCreated --limit 10 --format csv
      """)

  @Argument(help: "The store.", completion: .file(.readsStore, extensions: ["sqlite", "db", "store"]))
  var store: String

  @Argument(help: "The entity.")
  var entity: String

  @Option(
    help: ArgumentHelp("The store's model. (default: the store's own copy)", valueName: "model"), completion: .model)
  var model: String?

  @Option(
    name: .customLong("where"),
    help: ArgumentHelp("Only rows that match this predicate, in Core Data's format.", valueName: "predicate"))
  var condition: String?

  @Option(help: ArgumentHelp("Only show these fields, in this order, separated by commas.", valueName: "fields"))
  var fields: String?

  @Option(
    help: ArgumentHelp(
      "Sort by these fields, separated by commas; '-' before a field sorts it descending.", valueName: "fields"))
  var sort: SortFields?

  @Option(help: "The output format.")
  var format: OutputFormat = .table

  @Option(help: ArgumentHelp("The maximum number of rows.", valueName: "number"))
  var limit: Int64?

  @OptionGroup var table: TableOptions

  mutating func validate() throws {
    if let limit, limit < 0 { throw ValidationError("'--limit' must not be negative.") }
    _ = try predicate
  }

  private var predicate: Predicate? {
    get throws {
      do {
        return try condition.map { try Predicate(format: $0) }
      } catch {
        throw ValidationError(lines: "the value of '--where' is not a predicate: \(error)")
      }
    }
  }

  mutating func run() throws {
    let (options, predicate) = (self, try predicate)
    func names(_ list: String?) -> [String]? {
      list?.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
    }
    SignalCancellation.listen()
    try reportingErrors {
      let rows = try StoreRows(
        storeAt: options.store, model: options.model, entity: options.entity, fields: names(options.fields),
        where: predicate, sort: names(options.sort?.list) ?? [], limit: options.limit)
      try StoreRows.reading(storesAt: [options.store]) {
        try rows.write(options.format, to: StandardOutput(), terminal: options.table.terminal)
      }
    }
  }
}

/// Names of fields, each with `-` before it for descending order, so that the list may begin with a dash.
struct SortFields: ExpressibleByArgument {
  /// The fields as they were given, separated by commas.
  let list: String

  init(argument: String) { list = argument }

  static var allowsLeadingDash: Bool { true }
}
