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
        tracks-migrate info App.sqlite --model App.xcdatamodeld
      """)

  @OptionGroup var source: LibraryArgument

  @Option(
    help: ArgumentHelp(
      "Tell which version of this model the store has: an .xcdatamodeld, .momd, .xcdatamodel or .mom.",
      valueName: "model"),
    completion: .model)
  var model: String?

  @Option(help: "Write in this format.")
  var format: Format = .table

  mutating func run() throws {
    let (path, model, format) = (source.library, model, format)
    try answering {
      let info = try LibraryInfo(path: path)
      let versions = try model.map { ($0, try AppVersions(modelAt: $0)) }
      versions?.1.unreadable.warn()
      let text = InfoText(info, model: versions.map { ($0, $1.name(of: info.metadata)) })
      let output = StandardOutput()
      try output.write(format == .json ? text.json + "\n" : text.table())
      try output.flush()
    }
  }
}
