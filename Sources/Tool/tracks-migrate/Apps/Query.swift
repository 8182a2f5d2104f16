import CommandLineArguments
import MigrationDiagnostics
import TerminalOutput

/// Lists the rows of an entity of any store.
struct Query: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "List the rows of an entity of any app's store.",
    discussion: """
      The model is the store's own copy, or --model. Each row has its key, its attributes, and the keys of what it is \
      linked with. Dates are ISO 8601 in UTC; data are base64 in JSON and CSV. Rows are in the order of their keys.

      \(conditionDiscussion) The help of 'tracks' and of 'artists' has more examples.

      EXAMPLES
        tracks-migrate query App.sqlite Note
        tracks-migrate query App.sqlite Note --where 'title BEGINSWITH "A" AND attachments.@count > 0'
        tracks-migrate query App.sqlite Note --where 'dateCreated > "2023-01-01" OR body == nil'
        tracks-migrate query App.sqlite Note --fields key,title --sort -dateCreated --limit 10 --format csv
      """,
    otherNames: ["select", "where", "sql", "rows", "fetch"],
    extraWords: { extra, taken in
      if taken.count > 1, taken[1].lowercased() == "select" { return Query.noSQL }
      return
        "Rows are selected with --where, and fields with: --fields \(ErrorMessage.shellWord(extra.joined(separator: ",")))"
    })

  /// The advice for SQL in place of an entity.
  static let noSQL = "Name an entity, and rows with --where. SQL is run by: sqlite3 STORE"

  @Argument(help: "The store.", completion: .file(.readsStore, extensions: ["sqlite", "db", "store"]))
  var store: String

  @Argument(help: "The entity.")
  var entity: String

  @Option(
    help: ArgumentHelp("The store's model. (default: the store's own copy)", valueName: "model"), completion: .model)
  var model: String?

  @OptionGroup var condition: ConditionOption

  @Option(
    help: ArgumentHelp(
      "Only show these fields, in this order, separated by commas.", valueName: "fields",
      otherNames: ["columns", "only", "attributes"]))
  var fields: String?

  @Option(
    help: ArgumentHelp(
      "Sort by these fields, separated by commas; '-' before a field sorts it descending.", valueName: "fields",
      otherNames: ["order", "order-by", "sort-by", "by"]))
  var sort: SortFields?

  @Option(help: .outputFormat)
  var format: OutputFormat = .table

  @Option(
    help: ArgumentHelp(
      "The maximum number of rows.", valueName: "number", otherNames: ["top", "max", "count", "head", "n"]))
  var limit: Int64?

  @Flag(help: "Print the SQL that finds the rows and what is evaluated on them, and not the rows.")
  var explain = false

  @OptionGroup var table: TableOptions

  @OptionGroup var csv: CSVOptions

  mutating func validate() throws {
    if let limit, limit < 0 { throw ValidationError("'--limit' must not be negative.") }
    try csv.check(isCSV: format == .csv)
  }

  mutating func run() throws {
    let (options, predicate) = (self, try condition.predicate)
    func names(_ list: String?) -> [String]? {
      list?.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
    }
    SignalCancellation.listen()
    try reportingErrors {
      let rows = try StoreRows(
        storeAt: options.store, model: options.model, entity: options.entity, fields: names(options.fields),
        where: predicate, sort: names(options.sort?.list) ?? [], limit: options.limit)
      if options.explain { return try StandardOutput.print(rows.explanation().map(\.visible)) }
      try StoreRows.reading(storesAt: [options.store]) {
        try rows.write(
          options.format, to: StandardOutput(), terminal: options.table.terminal,
          guardsFormulas: options.csv.guardsFormulas)
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
