import CommandLineArguments
import MigrationDiagnostics
import TerminalOutput
import TrackLibrary

/// Shows one artist.
struct ShowArtist: ParsableCommand {
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
      """,
    otherNames: ["who"],
    extraWords: { extra, taken in
      taken.last.map {
        "Put a name of several words in quotes: \(ErrorMessage.shellWord(([$0] + extra).joined(separator: " ")))"
      }
    })

  @OptionGroup var source: LibraryArgument

  @Argument(help: ArgumentHelp("The artist's name or id.", valueName: "name-or-id"))
  var artist: String

  @Option(help: .outputFormat)
  var format: Format = .table

  @Option(help: ArgumentHelp("The maximum number of tracks, and of other artists.", valueName: "number"))
  var limit: Int64?

  @OptionGroup var table: TableOptions

  mutating func validate() throws {
    if let limit, limit < 0 { throw ValidationError("'--limit' must not be negative.") }
  }

  mutating func run() throws {
    let (path, artist, format, limit, terminal) = (source.library, artist, format, limit, table.terminal)
    try answering {
      let library = try TrackLibraryReader(migratedLibraryAt: path)
      let details = try library.reading {
        do {
          return Result<_, any Error>.success(try ArtistDetails(of: artist, in: library, limit: limit))
        } catch let error as MigrationError where error.code == .noSuchArtist {
          return .failure(try Self.suggesting(namesLike: artist, in: library, for: error))
        }
      }.get()
      switch format {
      case .table: try Self.writeTable(details, terminal)
      case .json: try Self.writeJSON(details)
      }
      try library.danglingLinks()?.warn(path)
      try library.store.close()
    }
  }

  /// The error with the names that are nearest to what was given, regardless of case, accents and width.
  private static func suggesting(
    namesLike word: String, in library: TrackLibraryReader, for error: MigrationError
  ) throws -> MigrationError {
    var names: [String: String] = [:]
    try ArtistQuery().forEach(in: library) { artist in
      if let name = artist.name { names[TextFolding.sortKey(name), default: name] = name }
    }
    let near = nearest(3, to: TextFolding.sortKey(word), in: names.keys.sorted())
    let list = near.compactMap { key in names[key].map { "'\($0)'" } }
    guard let last = list.last else { return error }
    var error = error
    let others = list.dropLast().joined(separator: ", ")
    error.advice = "Did you mean \(others.isEmpty ? last : "\(others) or \(last)")? " + ErrorMessage.advice(for: error)
    return error
  }

  private static func writeTable(_ details: ArtistDetails, _ terminal: Terminal) throws {
    let output = StandardOutput()
    let facts = OutputFormat.table.makeWriter(to: output, terminal: terminal)
    try facts.begin(columns: ["artist", "id", "tracks", "imageURL", "key"])
    try facts.write(ArtistQuery.Field.allCases.map { $0.value(of: details.artist) })
    try facts.end()
    try output.writeLine()
    let tracks = OutputFormat.table.makeWriter(to: output, terminal: terminal)
    try tracks.begin(columns: ["track", "artists", "lastPlayedAt"])
    let fields = [TrackQuery.Field.title, .artists, .lastPlayedAt]
    for track in details.tracks { try tracks.write(fields.map { $0.value(of: track) }) }
    try tracks.end()
    guard !details.companions.isEmpty else { return }
    try output.writeLine()
    let companions = OutputFormat.table.makeWriter(to: output, terminal: terminal)
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
        $0.add("key", .integer(details.artist.primaryKey))
        $0.add(
          "tracks",
          objects: details.tracks.map { track in
            JSONObject { object in
              for field in TrackQuery.Field.allCases { object.add(field.rawValue, field.value(of: track)) }
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
}
