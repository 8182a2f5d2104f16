internal import CommandLineArguments
import MigrationDiagnostics
import PersistentStore
import TerminalOutput
public import TrackLibrary

extension LibraryExport.Content: ExpressibleByArgument {}

/// Writes what a library holds.
struct Export: ParsableCommand {
  enum Format: String, CaseIterable, ExpressibleByArgument { case ndjson, csv, sqlite }

  static let configuration = CommandConfiguration(
    abstract: "Write the rows of a library or any app's store as NDJSON, CSV or a plain database.",
    discussion: """
      By default, the whole library is written: one JSON object per track, with its artists, and then the artists who \
      have no tracks. 'tracks-migrate import' makes the same library of it, with the same keys. Rows are in the order \
      of their keys. Dates are ISO 8601 in UTC.

      With --format sqlite, makes a plain database of the library or any app's store: a table for each entity with \
      foreign keys, dates in ISO 8601, a view for each to-many relationship and full-text search. The file \
      <file>.metadata.json beside it describes it for Datasette.

      With --entity, writes the rows of an entity of any app's store, with all fields: see 'tracks-migrate query'.

      EXAMPLES
        tracks-migrate export Library.sqlite --output Library.ndjson
        tracks-migrate export Library.sqlite | gzip > Library.ndjson.gz
        tracks-migrate export Library.sqlite --what artists --format csv
        tracks-migrate export Old.sqlite | tracks-migrate import - Library.sqlite --new-keys
        tracks-migrate export App.sqlite --entity Note     rows of any app's store
        tracks-migrate export Library.sqlite --format sqlite --output Browse.db
      """,
    otherNames: ["save", "dump", "write"],
    extraWords: { extra, _ in
      extra.count == 1 ? "Name the file with: --output \(ErrorMessage.shellPath(extra[0]))" : nil
    },
    otherOptions: [
      "to": "The form is chosen with --format, and the file named with --output.",
      "json": "Each line of the form 'ndjson', the default, is JSON.", "csv": "It is: --format csv --what tracks",
      "sqlite": "It is: --format sqlite --output FILE",
    ])

  @OptionGroup var source: LibraryArgument

  @Option(help: "What to write.")
  var what: LibraryExport.Content = .library

  @Option(help: ArgumentHelp("Write the rows of this entity of any app's store instead.", valueName: "entity"))
  var entity: String?

  @Option(
    help: ArgumentHelp(
      "The store's model, if the store has no copy of it; requires --entity or --format sqlite.", valueName: "model"),
    completion: .model)
  var model: String?

  @Option(help: "The output format.")
  var format: Format = .ndjson

  @OptionGroup var csv: CSVOptions

  @Option(
    help: ArgumentHelp(
      "Write to this file, replacing it. (default: standard output)", valueName: "file",
      otherNames: ["o", "out", "file"]),
    completion: .file(.writes, extensions: ["ndjson", "csv", "db"]))
  var output: String?

  mutating func validate() throws {
    try csv.check(isCSV: format == .csv)
    if format == .sqlite {
      if entity != nil { throw ValidationError("'--entity' and '--format sqlite' cannot be used together.") }
      if what != .library { throw ValidationError("'--what' and '--format sqlite' cannot be used together.") }
      if output == nil || output == "-" { throw ValidationError("'--format sqlite' requires '--output', a file.") }
    } else if model != nil, entity == nil {
      throw ValidationError("'--model' requires '--entity' or '--format sqlite'.")
    }
    if format == .csv, what == .library, entity == nil {
      throw ValidationError("'--format csv' requires '--what tracks', '--what artists' or '--what links'.")
    }
    if output == "" { throw ValidationError("'--output' requires a file name.") }
  }

  mutating func run() throws {
    if format == .sqlite, let output { return try makeDatabase(output) }
    if let entity {
      let (store, model, path) = (source.library, model, output == "-" ? nil : output)
      let guardsFormulas = csv.guardsFormulas
      let format: OutputFormat = format == .csv ? .csv : .ndjson
      SignalCancellation.listen()
      return try reportingErrors {
        let rows = try StoreRows(storeAt: store, model: model, entity: entity)
        guard let path else {
          return try StoreRows.reading(storesAt: [store]) {
            try rows.write(format, to: StandardOutput(), guardsFormulas: guardsFormulas)
          }
        }
        let text = MemoryOutput()
        try StoreRows.reading(storesAt: [store]) { try rows.write(format, to: text, guardsFormulas: guardsFormulas) }
        try DocumentFile.write(text.text, to: path, from: [store])
      }
    }
    var export = LibraryExport(path: source.library, content: what, format: format == .csv ? .csv : .ndjson)
    export.guardsFormulas = csv.guardsFormulas
    export.onDanglingLinks = { [library = source.library] in $0.warn(library) }
    let (library, path) = (source.library, output == "-" ? nil : output)
    try answering { [export] in
      let repairedCount =
        if let path { try export.write(toFileAt: path) } else { try export.write(to: StandardOutput()) }
      if repairedCount > 0 {
        StandardError.warning("\(Self.repaired(repairedCount, in: library)).")
      }
    }
  }

  private static func repaired(_ count: Int, in path: String) -> String {
    "\(NumberFormat.counted(count, "text")) in '\(path)' \(count == 1 ? "is" : "are") not valid UTF-8; the invalid bytes were "
      + "replaced by U+FFFD"
  }

  /// Makes a plain database, and its description beside it.
  private func makeDatabase(_ output: String) throws {
    let (path, model) = (source.library, model)
    SignalCancellation.listen()
    try reportingErrors {
      let isLibrary = try model == nil && LibraryInfo(path: path).version != nil
      let database =
        isLibrary
        ? try BrowsableDatabase(libraryAt: path)
        : try StoreRows.database(ofStoreAt: path, model: model)
      let result = try database.write(toFileAt: output)
      result.danglingLinks?.warn(path)
      if result.repairedCount > 0 {
        let places = result.repairedTexts.map { "row \($0.row) of '\($0.table)', column '\($0.column)'" }
        let rest = result.repairedCount - places.count
        StandardError.warning(
          "\(Self.repaired(result.repairedCount, in: path)): \(places.joined(separator: "; "))"
            + "\(rest > 0 ? "; and \(NumberFormat.grouped(rest)) more" : "").")
      }
      let metadata = result.metadataPath
      StandardError.note("Made '\(output)' with \(NumberFormat.counted(result.rowCount, "row")), and '\(metadata)'.")
      StandardError.note(
        "Look at it with: datasette \(Advice.WayOut.word(output)) --metadata \(Advice.WayOut.word(metadata))")
    }
  }
}
