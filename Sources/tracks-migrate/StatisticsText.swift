import CommandLineKit
import TrackLibrary

/// Statistics as text.
enum StatisticsText {
  static func render(
    _ statistics: LibraryStatistics, version: TrackModelVersion, _ format: Stats.Format
  ) throws -> String {
    switch format {
    case .table: try records(statistics, .table)
    case .csv: try records(statistics, .csv)
    case .json: json(statistics, version) + "\n"
    case .prometheus: prometheus(statistics)
    }
  }

  /// Where a figure comes from, and the figure.
  private static func all(_ statistics: LibraryStatistics) -> [(scope: String, figure: Figure)] {
    statistics.library.map { ("library", $0) } + (statistics.migration ?? []).map { ("migration", $0) }
  }

  private static func records(_ statistics: LibraryStatistics, _ format: OutputFormat) throws -> String {
    let output = MemoryOutput()
    let writer = format.makeWriter(to: output, terminal: Terminal())
    try writer.begin(columns: ["scope", "figure", "value", "meaning"])
    for (scope, figure) in all(statistics) {
      try writer.write([.string(scope), .string(figure.name), value(of: figure), .string(figure.help)])
    }
    try writer.end()
    return output.text
  }

  private static func json(_ statistics: LibraryStatistics, _ version: TrackModelVersion) -> String {
    func object(_ figures: [Figure]) -> JSONObject {
      JSONObject { object in
        for figure in figures { object.add(figure.name, value(of: figure)) }
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
    }.text
  }

  /// The text format of Prometheus: gauges, one metric a figure.
  private static func prometheus(_ statistics: LibraryStatistics) -> String {
    all(statistics).map { scope, figure in
      let name = "tracks_migrate_\(scope)_\(figure.name)"
      let value =
        switch figure.value {
        case .integer(let integer): "\(integer)"
        case .real(let real): "\(real)"
        }
      return "# HELP \(name) \(figure.help)\n# TYPE \(name) gauge\n\(name) \(value)\n"
    }.joined()
  }

  private static func value(of figure: Figure) -> FieldValue {
    switch figure.value {
    case .integer(let integer): .integer(integer)
    case .real(let real): .real(real)
    }
  }
}
