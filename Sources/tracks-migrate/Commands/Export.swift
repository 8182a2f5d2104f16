internal import CommandLineArguments
import MigrationDiagnostics
import PersistentStore
import SystemC
import TerminalOutput
public import TrackLibrary

extension LibraryExport.Content: ExpressibleByArgument {}

/// The formats of an export.
enum ExportFormat: String, CaseIterable, ExpressibleByArgument {
  case ndjson
  case csv
}

/// Writes what a library holds.
struct Export: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Write the tracks, artists and links of a library as NDJSON or CSV.",
    discussion: """
      By default, the whole library is written: one JSON object per track, with its artists, and then the artists who \
      have no tracks. 'tracks-migrate import' makes the same library of it, with the same keys. Rows are in the order \
      of their keys. Dates are ISO 8601 in UTC.

      EXAMPLES
        tracks-migrate export Library.sqlite --output Library.ndjson
        tracks-migrate export Library.sqlite | gzip > Library.ndjson.gz
        tracks-migrate export Library.sqlite --what artists --format csv
        tracks-migrate export Old.sqlite | tracks-migrate import - Library.sqlite --new-keys
      """)

  @OptionGroup var source: LibraryArgument

  @Option(help: "What to write.")
  var what: LibraryExport.Content?

  @Option(help: "The output format.")
  var format: ExportFormat = .ndjson

  @Option(
    help: ArgumentHelp("Write to this file, replacing it. (default: standard output)", valueName: "file"),
    completion: .file(extensions: ["ndjson", "csv"]))
  var output: String?

  mutating func validate() throws {
    if format == .csv, what ?? .library == .library {
      throw ValidationError("'--format csv' requires '--what tracks', '--what artists' or '--what links'.")
    }
    if output == "" { throw ValidationError("'--output' requires a file name.") }
  }

  mutating func run() throws {
    let export = LibraryExport(path: source.library, content: what ?? .library)
    let (format, library) = (format == .csv ? OutputFormat.csv : .ndjson, source.library)
    let path = output == "-" ? nil : output
    try answering {
      let repairedCount =
        if let path {
          try AtomicFile.write(to: path, besides: library) { try export.write(as: format, to: $0) }
        } else {
          try export.write(as: format, to: StandardOutput())
        }
      if repairedCount > 0 {
        StandardError.warning(
          "\(NumberFormat.counted(repairedCount, "text")) in '\(library)' "
            + "\(repairedCount == 1 ? "is" : "are") not valid UTF-8; the invalid bytes were replaced by U+FFFD.")
      }
    }
  }
}

extension AtomicFile {
  /// Writes a file that appears when it is complete, and that only those may read who may read the library.
  fileprivate static func write<Result>(
    to path: String, besides library: String, _ body: (StandardOutput) throws -> Result
  ) throws -> Result {
    let file = try AtomicFile(path, besides: [library], temporarySuffix: "export")
    try file.reserve()
    do {
      let descriptor = open(file.stagedPath ?? file.target, O_WRONLY | O_CLOEXEC)
      guard descriptor >= 0 else { throw FileSystem.failure(.cannotCreate, path) }
      defer { close(descriptor) }
      let result: Result
      do {
        result = try body(StandardOutput(descriptor: descriptor))
      } catch let error as OutputError {
        throw FileSystem.failure(.inputOutput, path, number: error.errorNumber)
      }
      guard file.stagedPath == nil || fsync(descriptor) == 0 else { throw FileSystem.failure(.inputOutput, path) }
      try file.publish(likeLibraryAt: library)
      return result
    } catch {
      file.discard()
      throw error
    }
  }
}
