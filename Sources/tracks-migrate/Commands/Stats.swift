import CommandLineKit
import Diagnostics
import SystemC
import TrackLibrary

/// Shows and exports statistics.
struct Stats: ParsableCommand {
  /// How the statistics are written.
  enum Format: String, CaseIterable, ExpressibleByArgument {
    case table, json, csv, prometheus
  }

  static let configuration = CommandConfiguration(
    abstract: "Show or export what a library holds and what its migration did.",
    discussion: """
      What the migration did is read from <library>.migration.json. The name of every figure ends in its unit.

      EXAMPLES
        tracks-migrate stats Library.sqlite
        tracks-migrate stats Library.sqlite --format prometheus --output /var/lib/node_exporter/tracks.prom
      """)

  @OptionGroup var source: LibraryArgument

  @Option(help: "Write the statistics in this format.")
  var format: Format = .table

  @Option(
    help: ArgumentHelp("Write to this file, in one step, instead of standard output ('-').", valueName: "file"),
    completion: .file())
  var output: String?

  mutating func validate() throws {
    if output == "" { throw ValidationError("'--output' needs the name of a file.") }
  }

  mutating func run() throws {
    let (path, format, output) = (source.library, format, output == "-" ? nil : output)
    try answering {
      let library = try TrackLibraryReader(path: path)
      let statistics = try LibraryStatistics(of: library)
      let text = try StatisticsText.render(statistics, version: library.version, format)
      try library.store.close()
      // What the library itself tells is told all the same.
      defer { statistics.reportError.map { Messages.warning("\(ErrorMessage($0).problem).") } }
      if let output {
        try Self.write(text, to: output, besides: path)
      } else {
        let standardOutput = StandardOutput()
        try standardOutput.write(text)
        try standardOutput.flush()
      }
    }
  }

  private static func write(_ text: String, to path: String, besides library: String) throws {
    let file = try PublishedFile(path, besides: [library], isPrivate: false, temporarySuffix: "\(getpid())")
    do {
      try file.stage(Array(text.utf8))
      try file.publish()
    } catch {
      file.discard()
      throw error
    }
  }
}
