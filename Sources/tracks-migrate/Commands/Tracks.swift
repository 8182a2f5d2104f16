internal import CommandLineArguments
import TerminalOutput
public import TrackLibrary

extension TrackQuery.Order: ExpressibleByArgument {}

/// Lists tracks.
struct Tracks: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "List the tracks of a library.",
    discussion: """
      Tracks must match all conditions. Text is compared without regard to case, accents and character width. In \
      predicates, write a date as CAST(600000000, "NSDate"), in seconds since 2001-01-01 00:00 UTC, or as now().

      EXAMPLES
        tracks-migrate tracks Library.sqlite --artist bjork
        tracks-migrate tracks Library.sqlite --sort played --limit 10
        tracks-migrate tracks Library.sqlite --where 'artists.@count > 2 AND lastPlayedAt != nil'
        tracks-migrate tracks Library.sqlite --where 'lastPlayedAt > CAST(600000000, "NSDate")'
      """)

  @OptionGroup var source: LibraryArgument

  @Option(help: ArgumentHelp("Only tracks of artists whose name contains this text.", valueName: "text"))
  var artist: String?

  @Option(help: ArgumentHelp("Only tracks whose title contains this text.", valueName: "text"))
  var title: String?

  @OptionGroup var condition: WhereOption

  @Option(help: "Sort by title, or by last played date, latest first.")
  var sort: TrackQuery.Order = .title

  @OptionGroup var output: OutputOptions

  /// The columns of a list of tracks.
  static let columns = ["title", "artists", "lastPlayedAt", "imageURL"]

  /// A track as a record of these columns.
  static func record(_ track: Track) -> [FieldValue] {
    [
      FieldValue(track.title), .strings(track.artistNames),
      FieldValue(track.lastPlayedAt.map(ReferenceDate.iso8601)), FieldValue(track.imageURL),
    ]
  }

  mutating func run() throws {
    var query = TrackQuery()
    query.title = title
    query.artistName = artist
    query.filter = try condition.filter
    query.order = sort
    query.limit = output.limit
    let (path, output) = (source.library, output)
    try answering {
      let library = try TrackLibraryReader(migratedLibraryAt: path)
      try output.write(columns: Self.columns) { write in
        try query.forEach(in: library) { try write(Self.record($0)) }
      }
      try library.store.close()
    }
  }
}
