internal import CommandLineArguments
import MigrationDiagnostics
import TerminalOutput
public import TrackLibrary

extension ArtistQuery.Field: ListField {
  func value(of artist: Artist) -> FieldValue {
    switch self {
    case .name: FieldValue(artist.name)
    case .id: FieldValue(artist.id)
    case .tracks: .integer(artist.trackCount)
    case .imageURL: FieldValue(artist.imageURL)
    case .key: .integer(artist.primaryKey)
    }
  }
}

/// Groups the commands about a library's artists.
struct Artists: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "List the artists of a library, find names to decide about, and apply decisions.",
    usage: """
      tracks-migrate artists <library> [<options>]
      tracks-migrate artists <subcommand>
      """,
    discussion: """
      EXAMPLES
        tracks-migrate artists Library.sqlite --min-tracks 50
        tracks-migrate artists review Library.sqlite --output decisions.tsv
        tracks-migrate artists apply Library.sqlite decisions.tsv
      """,
    subcommands: [ListArtists.self, ReviewArtists.self, ApplyDecisions.self], defaultSubcommand: ListArtists.self,
    otherNames: ["list", "ls", "search", "find", "names"])
}

/// Lists artists.
struct ListArtists: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the artists of a library.",
    discussion: """
      Artists must match all conditions. Text is compared without regard to case, accents and character width. A list \
      without artists is no failure: the exit status is 0.

      \(sortingDiscussion) Numbers of tracks are descending unless '+' says otherwise; equal artists are sorted by \
      name and then by key.

      \(conditionDiscussion) Artists have id, imageURL, name and tracks.

      EXAMPLES
        tracks-migrate artists Library.sqlite --name bjork
        tracks-migrate artists Library.sqlite --min-tracks 50 --sort tracks --limit 20
        tracks-migrate artists Library.sqlite --fields id,name,tracks --sort -tracks,name --format csv
        tracks-migrate artists Library.sqlite --track "Hyperballad" --format json
        tracks-migrate artists Library.sqlite --where 'name BEGINSWITH[cd] "a" AND tracks.@count > 3'
        tracks-migrate artists Library.sqlite --where 'id == nil OR imageURL == nil'
        tracks-migrate artists Library.sqlite --where 'name IN {"Björk", "Sigur Rós"}'
        tracks-migrate artists Library.sqlite --where 'ANY tracks.title CONTAINS[cd] "love"'
        tracks-migrate artists Library.sqlite --where 'tracks.@max.lastPlayedAt < now() - 365 * 86400'
        tracks-migrate artists Library.sqlite --where 'SUBQUERY(tracks, $t, $t.artists.@count > 1).@count > 2'
      """,
    extraWords: { extra, _ in
      MistakenWords.secondLibrary(extra)
        ?? "Search for a name with: --name \(ErrorMessage.shellWord(extra.joined(separator: " ")))"
    }
  )

  @OptionGroup var source: LibraryArgument

  @Option(help: ArgumentHelp("Only artists whose name contains this text.", valueName: "text"))
  var name: String?

  @Option(help: ArgumentHelp("Only the artist with this exact id.", valueName: "id"))
  var id: String?

  @Option(help: ArgumentHelp("Only artists of tracks whose title contains this text.", valueName: "title"))
  var track: String?

  @Option(help: ArgumentHelp("Only artists with at least this many tracks.", valueName: "number"))
  var minTracks: Int64?

  @OptionGroup var condition: ConditionOption

  @OptionGroup var output: ListOptions<ArtistQuery.Field>

  mutating func validate() throws {
    if let minTracks, minTracks < 0 { throw ValidationError("'--min-tracks' must not be negative.") }
  }

  mutating func run() throws {
    var query = ArtistQuery()
    query.name = name
    query.id = id
    query.trackTitle = track
    query.minimumTrackCount = minTracks
    query.filter = try condition.filter
    query.order = try output.sort.order()
    query.limit = output.limit
    let (path, output) = (source.library, output)
    try answering {
      let library = try TrackLibraryReader(migratedLibraryAt: path)
      try library.reading {
        try output.write(none: "No artist matches.") { write in try query.forEach(in: library, write) }
        try library.danglingLinks()?.warn(path)
      }
      try library.store.close()
    }
  }
}
