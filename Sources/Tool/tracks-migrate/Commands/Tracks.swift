internal import CommandLineArguments
import TerminalOutput
public import TrackLibrary

extension TrackQuery.Field: ListField {
  func value(of track: Track) -> FieldValue {
    switch self {
    case .title: FieldValue(track.title)
    case .artists: .strings(track.artistNames)
    case .lastPlayedAt: FieldValue(track.lastPlayedAt.map(ReferenceDate.iso8601) ?? track.oddTime)
    case .imageURL: FieldValue(track.imageURL)
    // An artist without an id has an empty one, so that the ids and the names have the same places.
    case .artistIDs: .strings(track.artistIDs.map { $0 ?? "" })
    case .key: .integer(track.primaryKey)
    }
  }
}

/// Lists tracks.
struct Tracks: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "List the tracks of a library.",
    discussion: """
      Tracks must match all conditions. Text is compared without regard to case, accents and character width. In \
      predicates, write a date as CAST(600000000, "NSDate"), in seconds since 2001-01-01 00:00 UTC, or as now().

      \(sortingDiscussion) Dates are descending unless '+' says otherwise; equal tracks are sorted by key. 'played' \
      stands for lastPlayedAt. An artist without an id has an empty one in artistIDs.

      EXAMPLES
        tracks-migrate tracks Library.sqlite --artist bjork
        tracks-migrate tracks Library.sqlite --sort played --limit 10
        tracks-migrate tracks Library.sqlite --fields key,artistIDs,title --format ndjson
        tracks-migrate tracks Library.sqlite --where 'artists.@count > 2 AND lastPlayedAt != nil'
        tracks-migrate tracks Library.sqlite --where 'lastPlayedAt > CAST(600000000, "NSDate")'
      """)

  @OptionGroup var source: LibraryArgument

  @Option(help: ArgumentHelp("Only tracks of artists whose name contains this text.", valueName: "text"))
  var artist: String?

  @Option(help: ArgumentHelp("Only tracks whose title contains this text.", valueName: "text"))
  var title: String?

  @OptionGroup var condition: WhereOption

  @OptionGroup var output: ListOptions<TrackQuery.Field>

  mutating func run() throws {
    var query = TrackQuery()
    query.title = title
    query.artistName = artist
    query.filter = try condition.filter
    query.order = try output.sort.order()
    query.limit = output.limit
    let (path, output) = (source.library, output)
    try answering {
      let library = try TrackLibraryReader(migratedLibraryAt: path)
      try library.reading {
        try output.write { write in try query.forEach(in: library, write) }
        try library.danglingLinks()?.warn(path)
      }
      try library.store.close()
    }
  }
}
