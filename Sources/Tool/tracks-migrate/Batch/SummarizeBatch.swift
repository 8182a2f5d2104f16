import CommandLineArguments
import JSONPresets
import SystemC
import TerminalOutput
import TrackLibrary

/// The sums of a batch.
struct BatchSummary {
  /// The last result of each library.
  let results: [BatchResult]

  /// The failures with one code.
  struct Failure {
    let code: String
    let count: Int
    let first: BatchResult
    /// The path of the first, and what is wrong with it.
    var example: String { "\(first.path): \(first.reason)" }
  }

  /// The results of libraries, rather than of files that belong to them.
  var libraries: [BatchResult] { results.filter { $0.status != .skipped } }

  func count(_ status: BatchResult.Status) -> Int { results.count { $0.status == status } }

  private func bytes(_ figure: KeyPath<BatchResult, Int64?>) -> Int64 {
    results.reduce(0) { $0.addingUpToMax($1[keyPath: figure] ?? 0) }
  }

  /// The sums of what the libraries' results count.
  var facts: Facts { results.reduce(into: Facts()) { $0.add($1.facts) } }

  var seconds: Double { results.reduce(0) { $0 + ($1.elapsedSeconds ?? 0) } }

  /// The failures by code, the most frequent first.
  var failures: [Failure] {
    Dictionary(grouping: results.filter { $0.status == .failed }) { $0.errorCode ?? "" }
      .map { Failure(code: $0.key, count: $0.value.count, first: $0.value[0]) }
      .sorted { ($1.count, $0.code) < ($0.count, $1.code) }
  }

  /// The libraries that took longest, the slowest first.
  func slowest(_ count: Int) -> [BatchResult] {
    Array(libraries.sorted { ($1.elapsedSeconds ?? 0, $0.path) < ($0.elapsedSeconds ?? 0, $1.path) }.prefix(count))
  }

  /// The sums by name.
  var figures: [Figure] {
    [
      Figure("libraries_count", libraries.count, "Libraries"),
      Figure("migrated_libraries_count", count(.migrated), "Libraries that were migrated"),
      Figure("current_libraries_count", count(.current), "Libraries that were current"),
      Figure("failed_libraries_count", count(.failed), "Libraries that failed"),
      Figure("skipped_files_count", count(.skipped), "Backups and other files that were skipped"),
    ] + sums
  }

  /// The sums of what the results hold.
  var sums: [Figure] {
    Figure.all(of: facts) + [
      Figure("source_size_bytes", bytes(\.sourceSizeBytes), "Size of the old libraries"),
      Figure("destination_size_bytes", bytes(\.destinationSizeBytes), "Size of the new libraries"),
      Figure("elapsed_seconds", (seconds * 1e6).rounded() / 1e6, "Time of all libraries, one after the other"),
    ]
  }
}

/// Sums up the results of a batch.
struct SummarizeBatch: ParsableCommand {
  enum Format: String, CaseIterable, ExpressibleByArgument { case table, json, ndjson, prometheus, html }

  static let configuration = CommandConfiguration(
    commandName: "summarize", abstract: "Sum up the results of batches.",
    discussion: """
      Of several results of one library, the last one counts. The format 'ndjson' writes that result of each library, \
      which merges the results of shards and of repeated runs.

      EXAMPLES
        tracks-migrate batch summarize results.ndjson
        tracks-migrate batch summarize part-*.ndjson --format ndjson > results.ndjson
        tracks-migrate batch summarize results.ndjson --format prometheus > /var/lib/node_exporter/tracks.prom
      """)

  @Argument(help: "Files of results; '-' is standard input.", completion: .file(.reads, extensions: ["ndjson"]))
  var results: [String]

  @Option(help: "The output format.")
  var format: Format = .table

  @Option(help: ArgumentHelp("The number of slowest libraries that are listed.", valueName: "number"))
  var slowest = 5

  mutating func validate() throws {
    if slowest < 0 { throw ValidationError("'--slowest' must not be negative.") }
  }

  mutating func run() throws {
    let (paths, format, slowest) = (results, format, slowest)
    try reportingErrors {
      let summary = BatchSummary(results: try BatchResults.read(paths).results)
      let output = StandardOutput()
      switch format {
      case .table: try Self.writeTable(summary, slowest, to: output)
      case .json: try output.writeLine(Self.json(summary, slowest).text)
      case .ndjson: for result in summary.results { try output.write(utf8: result.line) }
      case .prometheus: return try StandardOutput.write(document: Self.prometheus(summary))
      case .html: try output.write(BatchPage(summary: summary, slowestCount: slowest).html)
      }
      try output.flush()
    }
  }

  private static func writeTable(_ summary: BatchSummary, _ slowest: Int, to output: StandardOutput) throws {
    func table(_ columns: [String], _ rows: [[FieldValue]]) throws {
      guard !rows.isEmpty else { return }
      let writer = OutputFormat.table.makeWriter(to: output, terminal: .standardOutput)
      try writer.begin(columns: columns)
      for row in rows { try writer.write(row) }
      try writer.end()
    }
    try table(["figure", "value", "meaning"], summary.figures.map { [.string($0.name), $0.value, .string($0.help)] })
    if !summary.failures.isEmpty { try output.writeLine() }
    try table(
      ["failure", "libraries", "example"],
      summary.failures.map { [.string($0.code), .integer(Int64($0.count)), .string($0.example)] })
    let slow = summary.slowest(slowest)
    if !slow.isEmpty { try output.writeLine() }
    try table(
      ["slowest", "seconds", "tracks"],
      slow.map {
        [.string($0.path), FieldValue($0.elapsedSeconds), FieldValue($0.facts[.tracks] ?? $0.facts[.instances])]
      })
  }

  private static func json(_ summary: BatchSummary, _ slowest: Int) -> JSONObject {
    JSONObject { object in
      object.add("format_version", .integer(1))
      for figure in summary.figures { object.add(figure.name, figure.value) }
      object.add(
        "failures",
        objects: summary.failures.map { failure in
          JSONObject {
            $0.add("code", .string(failure.code))
            $0.add("libraries_count", .integer(Int64(failure.count)))
            $0.add("example", .string(failure.example))
          }
        })
      object.add(
        "slowest",
        objects: summary.slowest(slowest).map { result in
          JSONObject {
            $0.add("path", .string(result.path))
            $0.add("elapsed_seconds", FieldValue(result.elapsedSeconds))
          }
        })
    }
  }

  private static func prometheus(_ summary: BatchSummary) -> String {
    var metrics = PrometheusText()
    metrics.add(
      "batch_libraries", .gauge, "Libraries by status",
      BatchResult.Status.allCases.map { ([("status", $0.rawValue)], "\(summary.count($0))") })
    metrics.add(
      "batch_failures", .gauge, "Libraries that failed, by the code of the error",
      summary.failures.map { ([("code", $0.code)], "\($0.count)") })
    for figure in summary.sums { metrics.add(figure, scope: "batch", isCounted: true) }
    func samples(_ value: (BatchResult) -> String?) -> [(labels: [(String, String)], value: String)] {
      summary.libraries.compactMap { result in value(result).map { ([("library", result.path)], $0) } }
    }
    metrics.add(
      "success", .gauge, "Whether the library is migrated (1) or the last attempt failed (0)",
      samples { $0.status == .failed ? "0" : "1" })
    metrics.add(
      "last_migration_timestamp_seconds", .gauge, "When the last migration of the library was done, in Unix time",
      samples { $0.status == .migrated ? $0.finishedAtSeconds.map { "\($0)" } : nil })
    return metrics.text
  }
}
