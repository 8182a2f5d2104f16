import CommandLineArguments
import MigrationDiagnostics
import PersistentStore
import SystemC
import TerminalOutput
import TrackLibrary

/// Shows and exports statistics.
struct Stats: ParsableCommand {
  enum Format: String, CaseIterable, ExpressibleByArgument {
    case table, json, csv, prometheus
  }

  static let configuration = CommandConfiguration(
    abstract: "Show or export statistics about a library and its migration.",
    discussion: """
      The migration's statistics are read from <library>.migration.json. The name of each figure ends in its unit. A \
      table ends with the command line that has made the library.

      EXAMPLES
        tracks-migrate stats Library.sqlite
        tracks-migrate stats Library.sqlite --format prometheus --output /var/lib/node_exporter/tracks.prom
      """,
    otherNames: ["statistics", "count", "figures", "numbers"])

  @OptionGroup var source: LibraryArgument

  @Option(help: .outputFormat)
  var format: Format = .table

  @OptionGroup var csv: CSVOptions

  @Option(
    help: ArgumentHelp(
      "Write to this file, atomically, replacing it. (default: '-', standard output)",
      valueName: "file"),
    completion: .file(.writes))
  var output: String?

  mutating func validate() throws {
    try csv.check(isCSV: format == .csv)
    if output == "" { throw ValidationError("'--output' requires a file name.") }
  }

  mutating func run() throws {
    let (path, format, output) = (source.library, format, output == "-" ? nil : output)
    let guardsFormulas = csv.guardsFormulas
    try answering {
      let library = try TrackLibraryReader(path: path)
      let statistics = try library.reading { try LibraryStatistics(of: library) }
      try library.danglingLinks()?.warn(path)
      let text = try StatisticsText.render(
        statistics, of: path, version: library.version, format, guardsFormulas: guardsFormulas)
      try library.store.close()
      // What the library itself tells is told all the same.
      defer { statistics.reportError.map { StandardError.warning("\(ErrorMessage(command: $0).problem).") } }
      if let output {
        try DocumentFile.write(text, to: output, from: [path])
      } else if format == .prometheus {
        try StandardOutput.write(document: text)
      } else {
        let standardOutput = StandardOutput()
        try standardOutput.write(text)
        try standardOutput.flush()
      }
    }
  }
}

/// Statistics as text.
private enum StatisticsText {
  static func render(
    _ statistics: LibraryStatistics, of path: String, version: TrackModelVersion, _ format: Stats.Format,
    guardsFormulas: Bool
  ) throws -> String {
    switch format {
    case .table: try records(statistics, .table) + (command(statistics, path).map { "\nMade with: \($0)\n" } ?? "")
    case .csv: try records(statistics, .csv, guardsFormulas: guardsFormulas)
    case .json: json(statistics, version, command(statistics, path)) + "\n"
    case .prometheus: prometheus(statistics, path)
    }
  }

  /// Returns the figures with their sources.
  private static func all(_ statistics: LibraryStatistics) -> [(scope: String, figure: Figure)] {
    statistics.library.map { ("library", $0) } + (statistics.migration ?? []).map { ("migration", $0) }
  }

  private static func records(
    _ statistics: LibraryStatistics, _ format: OutputFormat, guardsFormulas: Bool = false
  ) throws -> String {
    let output = MemoryOutput()
    let writer = format.makeWriter(to: output, terminal: Terminal(), guardsFormulas: guardsFormulas)
    try writer.begin(columns: ["scope", "figure", "value", "meaning"])
    for (scope, figure) in all(statistics) {
      try writer.write([.string(scope), .string(figure.name), figure.value, .string(figure.help)])
    }
    try writer.end()
    return output.text
  }

  /// The command line that did it, to do it again; `nil` if that is not known.
  private static func command(_ statistics: LibraryStatistics, _ path: String) -> String? {
    guard let report = statistics.report, let options = report.options else { return nil }
    let words = options.map { Advice.WayOut.optionWord(String(spellingOfPathBytes: $0)) }
    let feed = report.feedPath.map { ["import", Advice.WayOut.word(String(spellingOfPathBytes: $0))] } ?? []
    return (["tracks-migrate"] + feed + [Advice.WayOut.word(path)] + words).joined(separator: " ")
  }

  private static func json(
    _ statistics: LibraryStatistics, _ version: TrackModelVersion, _ command: String?
  ) -> String {
    func object(_ figures: [Figure]) -> JSONObject {
      JSONObject { object in
        for figure in figures { object.add(figure.name, figure.value) }
      }
    }
    return JSONObject {
      $0.add("format_version", .integer(1))
      $0.add("version", .string(version.rawValue))
      $0.add("library", object: object(statistics.library))
      if let migration = statistics.migration {
        $0.add("migration", object: object(migration))
      } else {
        $0.add("migration", .null)
      }
      if let command { $0.add("command", .string(command)) }
    }.text
  }

  /// The text format of Prometheus.
  private static func prometheus(_ statistics: LibraryStatistics, _ path: String) -> String {
    let library = FileSystem.resolved(path) ?? path
    let labels = [("library", library)]
    var metrics = PrometheusText()
    for (scope, figure) in all(statistics) {
      metrics.add(figure, scope: scope, labels, isCounted: scope == "migration")
    }
    metrics.add(
      "success", .gauge, "Whether the library is migrated (1) or the last attempt failed (0)",
      [(labels, statistics.report == nil ? "0" : "1")])
    if let time = statistics.report?.finishedAtSeconds {
      metrics.add(
        "last_migration_timestamp_seconds", .gauge, "When the last migration of the library was done, in Unix time",
        [(labels, "\(time)")])
    }
    return metrics.text
  }
}
