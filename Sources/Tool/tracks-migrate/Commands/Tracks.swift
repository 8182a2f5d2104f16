internal import CommandLineArguments
import MigrationDiagnostics
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
      Tracks must match all conditions. Text is compared without regard to case, accents and character width. A list \
      without tracks is no failure: the exit status is 0.

      \(sortingDiscussion) Dates are descending unless '+' says otherwise; equal tracks are sorted by key. 'played' \
      stands for lastPlayedAt. An artist without an id has an empty one in artistIDs.

      \(conditionDiscussion) Tracks have artists, imageURL, lastPlayedAt and title.

      EXAMPLES
        tracks-migrate tracks Library.sqlite --artist bjork
        tracks-migrate tracks Library.sqlite --sort played --limit 10
        tracks-migrate tracks Library.sqlite --fields key,artistIDs,title --format ndjson
        tracks-migrate tracks Library.sqlite --where 'artists.@count > 2 AND lastPlayedAt != nil'
        tracks-migrate tracks Library.sqlite --where 'lastPlayedAt > "2023-01-01"'
        tracks-migrate tracks Library.sqlite --where 'lastPlayedAt BETWEEN {"2023-01-01", "2023-01-31T18:30:00+01:00"}'
        tracks-migrate tracks Library.sqlite --where 'lastPlayedAt > now() - 30 * 86400'
        tracks-migrate tracks Library.sqlite --where 'title LIKE[cd] "*remix*" AND NOT ANY artists.name == "Björk"'
        tracks-migrate tracks Library.sqlite --where 'title MATCHES ".*[0-9]{4}.*"'
      """,
    otherNames: ["songs", "track", "song", "titles"],
    extraWords: { extra, _ in
      if let hint = MistakenWords.secondLibrary(extra) { return hint }
      let words = ErrorMessage.shellWord(extra.joined(separator: " "))
      return "Search with: --title \(words), or --artist \(words)"
    })

  @OptionGroup var source: LibraryArgument

  @Option(help: ArgumentHelp("Only tracks of artists whose name contains this text.", valueName: "text"))
  var artist: String?

  @Option(help: ArgumentHelp("Only tracks whose title contains this text.", valueName: "text"))
  var title: String?

  @OptionGroup var condition: ConditionOption

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
        try output.write(none: "No track matches.") { write in try query.forEach(in: library, write) }
        try library.danglingLinks()?.warn(path)
      }
      try library.store.close()
    }
  }
}
