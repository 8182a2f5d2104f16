import CommandLineKit
import TrackLibrary

/// Tells what a store says about itself.
struct Info: ParsableCommand {
  /// How it is written.
  enum Format: String, CaseIterable, ExpressibleByArgument {
    case table, json
  }

  static let configuration = CommandConfiguration(
    abstract: "Tell a store's model version, entities, version hashes, metadata and write-ahead log.",
    discussion: """
      This works for any Core Data store. The values of the app's own metadata are not shown: they may be secrets.

      EXAMPLES
        tracks-migrate info Library.sqlite
      """)

  @OptionGroup var source: LibraryArgument

  @Option(help: "Write in this format.")
  var format: Format = .table

  mutating func run() throws {
    let (path, format) = (source.library, format)
    try reportingErrors {
      let info = try LibraryInfo(path: path)
      let output = StandardOutput()
      try output.write(format == .json ? InfoText.json(info) + "\n" : InfoText.table(info))
      try output.flush()
    }
  }
}
