internal import CoreDataExpressions
internal import MigrationDiagnostics
internal import PersistentStore
internal import SQLiteDatabase

/// A track, with the names of its artists.
public struct Track: Sendable, Hashable {
  /// The primary key in the store.
  public let primaryKey: Int64
  /// The track's title.
  public let title: String?
  /// The names of its artists, ordered by their keys.
  public let artistNames: [String]
  /// Seconds since 2001-01-01 00:00:00 UTC.
  public let lastPlayedAt: Double?
  /// The URL of the track's picture.
  public let imageURL: String?
}

/// A query for the tracks of a library.
///
/// All given conditions must be met.
public struct TrackQuery: Sendable {
  /// The order of the results.
  public enum Order: String, Sendable, CaseIterable {
    /// By title, ignoring case and accents.
    case title
    /// By the date last played, most recent first.
    case played
  }

  /// Part of the title, ignoring case, accents and width.
  public var title: String?
  /// Part of the name of one of the artists.
  public var artistName: String?
  /// The primary key of one of the artists.
  public var artistKey: Int64?
  /// The order of the results.
  public var order: Order = .title
  /// A condition in Core Data's predicate format.
  package var filter: LibraryFilter?
  /// The greatest number of answers; `nil` for all.
  public var limit: Int64?

  /// Creates a query that matches every track.
  public init() {}

  /// Calls a closure with each matching track, in order.
  public func forEach(in library: TrackLibraryReader, _ body: (Track) throws -> Void) throws {
    let connection = library.store.connection
    do {
      try TextFolding.install(in: connection)
      let names = try TrackLibraryNames(library)
      let application = try filter?.application(toEntityNamed: "Track", alias: "t", in: library)
      var counter = AnswerCounter(limit: limit, application)
      let statement = try connection.prepare(sql(names, application))
      let artists = try connection.prepare(
        """
        SELECT \(names.artists.text("name", "a")) FROM \(names.links) l
        JOIN \(names.artists.table) a ON a.Z_PK = l.\(names.linkedArtist)
        WHERE l.\(names.linkedTrack) = ? ORDER BY a.Z_PK
        """)
      for (index, argument) in zip(Int32(1)..., arguments(application)) { try argument.bind(to: statement, at: index) }
      while !counter.isDone, try statement.step() {
        let key = statement.integer(0)
        guard try counter.accepts(key) else { continue }
        try artists.bind(key, at: 1)
        var artistNames: [String] = []
        while try artists.step() { artistNames.append(artists.text(0) ?? "") }
        artists.reset()
        try body(
          Track(
            primaryKey: key, title: statement.text(1), artistNames: artistNames,
            lastPlayedAt: statement.isNull(2) ? nil : statement.real(2), imageURL: statement.text(3)))
      }
    } catch let error as SQLiteError {
      // Errors of the closure are rethrown unchanged: a reader that went away is not an error of the library.
      throw MigrationError(error, path: library.store.file.path)
    }
  }

  private func arguments(_ application: LibraryFilter.Application?) -> [SQLArgument] {
    [title, artistName].compactMap { $0.map { .text(TextFolding.fold($0)) } }
      + (application?.condition?.arguments ?? [])
  }

  private func sql(_ names: TrackLibraryNames, _ application: LibraryFilter.Application?) -> String {
    let tracks = names.tracks
    let trackTitle = tracks.text("title", "t")
    let played = tracks.date("lastPlayedAt", "t")
    var conditions = [tracks.condition("t")].compactMap { $0 }
    if title != nil { conditions.append("contains_folded(\(trackTitle), ?)") }
    if artistName != nil {
      conditions.append(
        """
        t.Z_PK IN (SELECT l.\(names.linkedTrack) FROM \(names.links) l
        JOIN \(names.artists.table) a ON a.Z_PK = l.\(names.linkedArtist)
        WHERE contains_folded(\(names.artists.text("name", "a")), ?))
        """)
    }
    if let artistKey {
      conditions.append(
        "t.Z_PK IN (SELECT \(names.linkedTrack) FROM \(names.links) WHERE \(names.linkedArtist) = \(artistKey))")
    }
    if let condition = application?.condition { conditions.append("(\(condition.sql))") }
    let filter = conditions.isEmpty ? "" : "WHERE \(conditions.joined(separator: " AND "))"
    let order =
      switch order {
      case .title: "folded(\(trackTitle)), \(trackTitle), t.Z_PK"
      case .played: "\(played) DESC NULLS LAST, t.Z_PK"
      }
    return """
      SELECT t.Z_PK, \(trackTitle), \(played), \(tracks.text("imageURL", "t")) FROM \(tracks.table) t
      \(filter) ORDER BY \(order) LIMIT \(application?.matches == nil ? limit ?? -1 : -1)
      """
  }
}

/// Core Data's dates: seconds since 2001-01-01 00:00:00 UTC.
package enum ReferenceDate {
  /// A date in ISO 8601, in UTC and to the second; outside the years 1 to 9999 just the number.
  package static func iso8601(_ seconds: Double) -> String {
    guard seconds.isFinite, abs(seconds) < 2.5e11 else { return "\(seconds)" }
    let whole = Int64(seconds.rounded(.down))
    let day = Int64((Double(whole) / 86_400).rounded(.down))
    let second = whole - day * 86_400
    let (year, month, dayOfMonth) = civil(daysSince1970: day + 11_323)
    guard (1...9999).contains(year) else { return "\(seconds)" }
    let time = [second / 3600, second / 60 % 60, second % 60].map { padded($0, 2) }.joined(separator: ":")
    return "\(padded(year, 4))-\(padded(month, 2))-\(padded(dayOfMonth, 2))T\(time)Z"
  }

  private static func padded(_ number: Int64, _ width: Int) -> String {
    let text = String(number)
    return String(repeating: "0", count: max(0, width - text.count)) + text
  }

  /// The date of a day in the Gregorian calendar, by the algorithm of Howard Hinnant's `civil_from_days`.
  private static func civil(daysSince1970 days: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let shifted = days + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    return (year, month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
  }
}
