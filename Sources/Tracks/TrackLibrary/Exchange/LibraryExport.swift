internal import MigrationDiagnostics
package import PersistentStore
internal import Policies
internal import SQLiteDatabase
internal import SystemC
package import TerminalOutput

/// Writes what a migrated library holds, in the order of the primary keys.
///
/// An import of a whole library's NDJSON makes the same library again: the same tracks, artists, links and keys.
public struct LibraryExport: Sendable {
  /// The contents of an export.
  public enum Content: String, Sendable, CaseIterable {
    /// The tracks with their artists, and then the artists who have no tracks.
    case library
    case tracks
    case artists
    case links
  }

  /// The formats of an export.
  public enum Format: String, Sendable, CaseIterable {
    /// One JSON object per line.
    case ndjson
    /// Comma-separated values, for all but a whole library.
    case csv
  }

  /// The library.
  public let path: String
  /// The contents of the export.
  public let content: Content
  /// The format of the export.
  public let format: Format

  /// Whether CSV marks text that a spreadsheet would run as a formula.
  package var guardsFormulas = false

  /// Called with the links to missing rows, which are left out, be they none.
  package var onDanglingLinks: (@Sendable (DanglingLinks) -> Void)?

  /// Prepares an export.
  public init(path: String, content: Content = .library, format: Format = .ndjson) {
    (self.path, self.content, self.format) = (path, content, format)
  }

  /// Writes a file that appears when it is complete, and that only those may read who may read the library.
  ///
  /// - Returns: The number of texts that are not valid UTF-8, which JSON and CSV cannot hold, so that they were repaired.
  /// - Throws: `MigrationError` if the library cannot be read, or the file not be written.
  public func write(toFileAt outputPath: String) throws -> Int {
    try AtomicFile.write(outputPath, from: [path], temporarySuffix: "export") { try write(to: $0) }
  }

  /// Writes the export to a stream.
  ///
  /// - Returns: The number of texts that were repaired.
  package func write(to output: any TextOutput) throws -> Int {
    let library = try TrackLibraryReader(migratedLibraryAt: path)
    let rows = ExportRows(library.store.connection, try library.names())
    do {
      try library.reading {
        try library.store.connection.reading {
          if content == .library || content == .tracks && format == .ndjson {
            try writeTracks(rows, to: output)
          } else {
            try writeTable(rows, writer(to: output))
          }
        }
      }
      try output.flush()
      onDanglingLinks?(try library.names().linkTable.dangling)
      try library.store.close()
    } catch let error as SQLiteError {
      throw MigrationError(error, path: path)
    }
    return rows.repairedCount
  }

  private func writer(to output: any TextOutput) -> any RecordWriter {
    (format == .csv ? OutputFormat.csv : .ndjson).makeWriter(
      to: output, terminal: .standardOutput, guardsFormulas: guardsFormulas)
  }

  /// One object per track, with the artists inside of it.
  private func writeTracks(_ rows: ExportRows, to output: any TextOutput) throws {
    // One piece of memory for all lines.
    var line = JSONObject()
    let links = try rows.tracksWithArtists()
    var isMore = try links.step()
    while isMore {
      let key = links.integer(0)
      line.removeAll()
      line.add("key", .integer(key))
      rows.add([("title", 1), ("imageURL", 2)], of: links, to: &line)
      if let date = ExportDate(links, 3) { line.add(date.key, date.value) }
      try line.add("artists") { artist in
        // Of a track without artists there is one row without an artist.
        while isMore, links.integer(0) == key, links.isNull(4) { isMore = try links.step() }
        guard isMore, links.integer(0) == key else { return false }
        rows.addArtist(links, from: 4, to: &artist)
        isMore = try links.step()
        return true
      }
      try line.writeLine(to: output)
    }
    guard content == .library else { return }
    try rows.forEachArtist(withoutTracks: true) { artist in
      try JSONObject { $0.add("artist", object: JSONObject { rows.addArtist(artist, to: &$0) }) }.writeLine(to: output)
    }
  }

  private func writeTable(_ rows: ExportRows, _ writer: any RecordWriter) throws {
    switch content {
    case .library, .tracks:
      try writer.begin(columns: ["key", "title", "imageURL", "lastPlayedAt", "artists"])
      let artists = try rows.artistsOfTrack()
      try rows.forEachTrack { track in
        var names: [String] = []
        try artists.bind(track.integer(0), at: 1)
        while try artists.step() { names.append(rows.text(artists, 1) ?? "") }
        artists.reset()
        try writer.write([
          .integer(track.integer(0)), FieldValue(rows.text(track, 1)), FieldValue(rows.text(track, 2)),
          ExportDate(track, 3)?.value ?? .null, .strings(names),
        ])
      }
    case .artists:
      try writer.begin(columns: ["key", "name", "id", "imageURL"])
      try rows.forEachArtist { artist in
        try writer.write([.integer(artist.integer(0))] + (1...3).map { FieldValue(rows.text(artist, $0)) })
      }
    case .links:
      try writer.begin(columns: ["track", "artist"])
      try rows.forEachLink { try writer.write([.integer($0.integer(0)), .integer($0.integer(1))]) }
    }
    try writer.end()
  }
}

extension AtomicFile {
  /// Writes a file through a stream.
  ///
  /// It appears when it is complete, and only those may read it who may read what it was made from.
  ///
  /// - Parameter sources: The library or feed that it is made from, and other files that its contents come from.
  package static func write<Result>(
    _ path: String, from sources: [String], temporarySuffix: String, _ body: (StandardOutput) throws -> Result
  ) throws -> Result {
    try RunFiles.requireNoClash(writing: path, from: Array(sources.prefix(1)))
    let file = try AtomicFile(path, temporarySuffix: temporarySuffix)
    let lock = try file.lock()
    defer { lock?.discard() }
    try file.reserve()
    do {
      let descriptor = open(file.stagedPath ?? file.target, O_WRONLY | O_CLOEXEC)
      guard descriptor >= 0 else { throw FileSystem.failure(.cannotCreate, path) }
      defer { close(descriptor) }
      let result: Result
      do {
        let output = StandardOutput(descriptor: descriptor)
        result = try body(output)
        try output.flush()
      } catch let error as OutputError {
        throw FileSystem.failure(.inputOutput, path, number: error.errorNumber)
      }
      if file.stagedPath != nil, fsync(descriptor) != 0 { throw FileSystem.failure(.inputOutput, path) }
      try file.publish(from: sources)
      return result
    } catch {
      file.discard()
      throw error
    }
  }
}

/// The rows of a library, in the order of their keys.
private final class ExportRows {
  private let connection: Connection
  private let names: TrackLibraryNames
  private(set) var repairedCount = 0

  init(_ connection: Connection, _ names: TrackLibraryNames) {
    (self.connection, self.names) = (connection, names)
  }

  private var artistColumns: String {
    "a.Z_PK, \(["name", "id", "imageURL"].map { names.artists.text($0, "a") }.joined(separator: ", "))"
  }

  /// The artists of one track, which is to be bound.
  func artistsOfTrack() throws -> Statement {
    try connection.prepare(
      """
      SELECT \(artistColumns) FROM \(names.links) l JOIN \(names.artists.table) a ON a.Z_PK = l.\(names.linkedArtist)
      WHERE l.\(names.linkedTrack) = ? ORDER BY a.Z_PK
      """)
  }

  /// The tracks with each of their artists: the columns of ``forEachTrack(_:)``, and from the fourth on those of an artist.
  ///
  /// To ask for the artists of each track would take a third longer.
  func tracksWithArtists() throws -> Statement {
    let condition = names.tracks.condition("t").map { " WHERE \($0)" } ?? ""
    return try connection.prepare(
      """
      SELECT \(trackColumns), \(artistColumns) FROM \(names.tracks.table) t
      LEFT JOIN \(names.links) l ON l.\(names.linkedTrack) = t.Z_PK
      LEFT JOIN \(names.artists.table) a ON a.Z_PK = l.\(names.linkedArtist)\(condition)
      ORDER BY t.Z_PK, l.\(names.linkedArtist)
      """)
  }

  private var trackColumns: String {
    let tracks = names.tracks
    return "t.Z_PK, \(tracks.text("title", "t")), \(tracks.text("imageURL", "t")), \(tracks.date("lastPlayedAt", "t"))"
  }

  func forEachTrack(_ body: (Statement) throws -> Void) throws {
    try forEach(
      "SELECT \(trackColumns) FROM \(names.tracks.table) t", [names.tracks.condition("t")], "t.Z_PK", body)
  }

  func forEachArtist(withoutTracks: Bool = false, _ body: (Statement) throws -> Void) throws {
    let lacksTracks = "a.Z_PK NOT IN (SELECT \(names.linkedArtist) FROM \(names.links))"
    try forEach(
      "SELECT \(artistColumns) FROM \(names.artists.table) a",
      [names.artists.condition("a"), withoutTracks ? lacksTracks : nil], "a.Z_PK", body)
  }

  func forEachLink(_ body: (Statement) throws -> Void) throws {
    try forEach(
      "SELECT \(names.linkedTrack), \(names.linkedArtist) FROM \(names.links)", [], "1, 2", body)
  }

  private func forEach(
    _ select: String, _ conditions: [String?], _ order: String, _ body: (Statement) throws -> Void
  ) throws {
    let conditions = conditions.compactMap { $0 }
    let filter = conditions.isEmpty ? "" : " WHERE \(conditions.joined(separator: " AND "))"
    let statement = try connection.prepare("\(select)\(filter) ORDER BY \(order)")
    while try statement.step() { try body(statement) }
  }

  /// Adds the members of an artist, whose columns are key, name, id and image.
  func addArtist(_ row: Statement, from first: Int = 0, to object: inout JSONObject) {
    object.add("key", .integer(row.integer(first)))
    add([("name", first + 1), ("id", first + 2), ("imageURL", first + 3)], of: row, to: &object)
  }

  /// Adds the columns that have a value.
  func add(_ members: [(key: String, column: Int)], of row: Statement, to object: inout JSONObject) {
    for member in members {
      let isValid = row.withText(member.column) { bytes in bytes.map { object.add(member.key, text: $0) } }
      if isValid == false { repairedCount += 1 }
    }
  }

  func text(_ row: Statement, _ column: Int) -> String? {
    if row.invalidText(column) != nil { repairedCount += 1 }
    return row.text(column)
  }
}

/// A date as an export writes it: in ISO 8601 if that says all of it, or else in seconds since 2001; what is no number as it
/// is, under a name of its own if an import cannot read it as a date.
private struct ExportDate {
  let key: String
  let value: FieldValue

  init?(_ row: Statement, _ column: Int) {
    let value = ColumnValue(row, column)
    guard let seconds = value.number else {
      guard let text = value.oddTime else { return nil }
      let isDate = Array(text.utf8).withUnsafeBytes(FeedDate.seconds) != nil
      (key, self.value) = (isDate ? "lastPlayedAt" : "storedTime", .string(text))
      return
    }
    if let text = ReferenceDate.exact(seconds) {
      (key, self.value) = ("lastPlayedAt", .string(text))
    } else {
      (key, self.value) = ("secondsSince2001", seconds.isFinite ? .real(seconds) : .string("\(seconds)"))
    }
  }
}
