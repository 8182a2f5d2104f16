import CommandLineArguments
import TerminalOutput
import TrackLibrary

/// Shows one artist.
struct ShowArtist: ParsableCommand {
  /// How the artist is written.
  enum Format: String, CaseIterable, ExpressibleByArgument {
    case table, json
  }

  static let configuration = CommandConfiguration(
    commandName: "artist",
    abstract: "Show one artist with its tracks and the artists it appears with.",
    discussion: """
      Looks for an exact id first, then for an exact name, then for a name without regard to case and accents.

      EXAMPLES
        tracks-migrate artist Library.sqlite "Björk"
        tracks-migrate artist Library.sqlite 7w29UYBi0qsHi5RTcv3lmA --format json
      """)

  @OptionGroup var source: LibraryArgument

  @Argument(help: ArgumentHelp("The artist's name or id.", valueName: "name-or-id"))
  var artist: String

  @Option(help: "The output format.")
  var format: Format = .table

  mutating func run() throws {
    let (path, artist, format) = (source.library, artist, format)
    try answering {
      let library = try TrackLibraryReader(migratedLibraryAt: path)
      let details = try ArtistDetails(of: artist, in: library)
      switch format {
      case .table: try Self.writeTable(details)
      case .json: try Self.writeJSON(details)
      }
      try library.store.close()
    }
  }

  private static func writeTable(_ details: ArtistDetails) throws {
    let output = StandardOutput()
    let facts = OutputFormat.table.makeWriter(to: output, terminal: .standardOutput)
    try facts.begin(columns: ["artist", "id", "tracks", "imageURL"])
    try facts.write(record(details.artist))
    try facts.end()
    try output.writeLine()
    let tracks = OutputFormat.table.makeWriter(to: output, terminal: .standardOutput)
    try tracks.begin(columns: ["track", "artists", "lastPlayedAt"])
    for track in details.tracks { try tracks.write(Array(Tracks.record(track).prefix(3))) }
    try tracks.end()
    guard !details.companions.isEmpty else { return }
    try output.writeLine()
    let companions = OutputFormat.table.makeWriter(to: output, terminal: .standardOutput)
    try companions.begin(columns: ["appears with", "tracks together"])
    for companion in details.companions {
      try companions.write([.string(companion.name), .integer(companion.sharedTrackCount)])
    }
    try companions.end()
  }

  private static func writeJSON(_ details: ArtistDetails) throws {
    let output = StandardOutput()
    try output.write(
      JSONObject {
        $0.add("name", FieldValue(details.artist.name))
        $0.add("id", FieldValue(details.artist.id))
        $0.add("imageURL", FieldValue(details.artist.imageURL))
        $0.add(
          "tracks",
          objects: details.tracks.map { track in
            JSONObject { object in
              for (key, value) in zip(Tracks.columns, Tracks.record(track)) { object.add(key, value) }
            }
          })
        $0.add(
          "appearsWith",
          objects: details.companions.map { companion in
            JSONObject {
              $0.add("name", .string(companion.name))
              $0.add("tracks", .integer(companion.sharedTrackCount))
            }
          })
      }.text + "\n")
    try output.flush()
  }

  private static func record(_ artist: Artist) -> [FieldValue] {
    [FieldValue(artist.name), FieldValue(artist.id), .integer(artist.trackCount), FieldValue(artist.imageURL)]
  }
}
