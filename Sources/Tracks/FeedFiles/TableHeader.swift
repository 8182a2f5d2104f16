/// The names of a table's columns, and what they mean.
struct TableHeader {
  /// A detail of a track that a column can have.
  private enum Column: String, CaseIterable {
    case key, title, artistName, imageURL, lastPlayedAt

    /// The names that programs give it, in small letters without blanks and signs; the best comes first.
    var names: [String] {
      switch self {
      case .key: ["key"]
      case .title:
        [
          "title", "trackname", "tracktitle", "track", "songname", "songtitle", "song", "name", "recording",
          "contentname",
        ]
      case .artistName:
        [
          "artistname", "artistnames", "artist", "artists", "trackartist", "performer", "singer", "creator", "band",
          "containerartistname", "artistname1",
        ]
      case .imageURL:
        ["imageurl", "image", "albumimageurl", "coverurl", "cover", "artworkurl", "artwork", "thumbnail"]
      case .lastPlayedAt:
        [
          "lastplayedat", "lastplayed", "playedat", "listenedat", "scrobbledat", "uts", "timestamp", "utctime",
          "datetime", "date", "time", "endtime", "ts", "eventendtimestamp", "eventstarttimestamp",
        ]
      }
    }
  }

  let separator: UInt8
  private var names: [[UInt8]]
  /// Whether the values keep the names of their columns.
  private let keepsNames: Bool
  /// The column of a value, by the place in the row; `nil` if it is not taken.
  private var columns: [Column?]
  /// The place of the kind of thing that a row is about, in tables of several kinds.
  private var kindPlace: Int?
  /// Whether the time may be a length: `Time` is one in the lists of players.
  private var mayHoldLengths = false
  /// Whether the first row has names, and not the first track.
  private(set) var hasNames = true
  /// Whether the rows are releases, as those of a collection at Discogs.
  private(set) var hasReleases = false
  /// Whether the rows look like those of a table, whatever its columns are.
  let isTable: Bool

  /// Reads the names of a table's columns, and looks at its first rows; `nil` if the first one has no end.
  init?(_ bytes: ArraySlice<UInt8>, keepsNames: Bool) {
    let line = bytes.prefix { $0 != 0x0A }
    // Commas in names are quoted, and other separators are rare in names.
    let candidates = [UInt8(ascii: ","), UInt8(ascii: "\t"), UInt8(ascii: ";"), UInt8(ascii: "|")]
    let counts = candidates.map { candidate in line.count { $0 == candidate } }
    let most = counts.max() ?? 0
    separator = candidates[counts.firstIndex(of: most) ?? 0]
    let rows = Self.rows(of: bytes, separator: separator)
    guard let first = rows.first else { return nil }
    isTable =
      rows.count > 1 && first.count > 1
      && rows.allSatisfy { row in
        row.count == first.count && !row.isMalformed && !"{[".utf8.contains(row[0].first ?? 0)
      }
    (names, self.keepsNames) = ((0..<first.count).map { Array(first[$0]) }, keepsNames)
    columns = Array(repeating: nil, count: names.count)
    guard !keepsNames else { return }
    // Some programs put a user's name behind that of a column: `Date#user`.
    let plain = names.map { name in
      let word = String(decoding: name, as: UTF8.self).lowercased().split(separator: "#").first ?? ""
      return String(word.filter { $0.isLetter || $0.isNumber })
    }
    for column in Column.allCases {
      if let place = column.names.lazy.compactMap({ plain.firstIndex(of: $0) }).first { columns[place] = column }
    }
    // Beside the tempo, the key is the musical one.
    if plain.contains("tempo") || plain.contains("bpm"), let place = columns.firstIndex(of: .key) {
      columns[place] = nil
    }
    kindPlace = plain.firstIndex(of: "type")
    mayHoldLengths = columns.firstIndex(of: .lastPlayedAt).map { plain[$0] == "time" } ?? false
    hasReleases = plain.contains("releaseid") && (plain.contains("catalog") || plain.contains("catno"))
    if !hasTracks, let known = Self.columnsWithoutNames(rows, separator) {
      (columns, hasNames) = (known, false)
      names = names.indices.map { Array("column \($0 + 1)".utf8) }
    }
  }

  /// The number of rows by which a table is recognised.
  private static let lookedAt = 8

  /// Returns the first rows of a table.
  ///
  /// The last one may have been cut off: it counts if it is the first, or has as many values.
  private static func rows(of bytes: ArraySlice<UInt8>, separator: UInt8) -> [TableRow] {
    var rows: [TableRow] = []
    var row = TableRow()
    for byte in bytes {
      guard row.takes(byte, separator: separator) else { continue }
      if rows.isEmpty || !row.isBlank { rows.append(row) }
      guard rows.count < lookedAt else { return rows }
      row = TableRow()
    }
    if row.finish(), rows.isEmpty || row.count == rows[0].count { rows.append(row) }
    return rows
  }

  /// Returns the columns of a table whose program writes no names; `nil` for any other.
  ///
  /// `lastfm-to-csv` writes an artist, an album, a title and a date; `lastexport`, which also reads Libre.fm, Unix time, a
  /// title, an artist, an album and three ids, with tabs between them.
  private static func columnsWithoutNames(_ rows: [TableRow], _ separator: UInt8) -> [Column?]? {
    if separator == UInt8(ascii: ","), rows.allSatisfy({ $0.count == 4 }) {
      // What is played while the program runs has no date yet.
      let dates = rows.map { $0[3] }.filter { !$0.isEmpty }
      let areDates = dates.allSatisfy { TableDate.standard($0) != nil }
      return !dates.isEmpty && areDates ? [.artistName, nil, .title, .lastPlayedAt] : nil
    }
    let areTimes = rows.allSatisfy { row in
      row.count == 7 && (9...10).contains(row[0].count) && row[0].allSatisfy(isDigit)
    }
    guard separator == UInt8(ascii: "\t"), areTimes else { return nil }
    return [.lastPlayedAt, .title, .artistName, nil, nil, nil, nil]
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

  /// Whether the table has tracks.
  var hasTracks: Bool { columns.contains(.title) && columns.contains(.artistName) }

  /// The names of the columns.
  var shownNames: [String] { names.map { String(decoding: $0, as: UTF8.self) } }

  /// The details for which columns are taken, and the names of those that are not.
  var taken: [(name: String, meaning: String)] {
    zip(shownNames, columns).compactMap { name, column in column.map { (name, $0.rawValue) } }
  }
  var left: [String] { zip(shownNames, columns).compactMap { $1 == nil ? $0 : nil } }

  /// Writes a row as a line of JSON.
  func write(_ row: TableRow, to line: inout [UInt8]) {
    line.append(UInt8(ascii: "{"))
    if row.count != names.count || row.isMalformed {
      // The row is no track that could be trusted: its values may stand under wrong names.
      let problem = row.isMalformed ? "text behind a quotation mark" : "\(row.count) values instead of \(names.count)"
      writeText(Array(problem.utf8)[...], to: &line)
      line += Array(":[".utf8)
      for place in 0..<row.count {
        if place > 0 { line.append(UInt8(ascii: ",")) }
        writeText(row[place], to: &line)
      }
      line.append(UInt8(ascii: "]"))
    } else {
      var isFirst = true
      if let kind = kindWithoutTitle(row) {
        isFirst = false
        line += Array("\"type\":\"\(kind)\"".utf8)
      }
      for (place, column) in columns.enumerated() where !row[place].isEmpty && (keepsNames || column != nil) {
        if column == .lastPlayedAt, mayHoldLengths, Self.isLength(row[place]) { continue }
        if !isFirst { line.append(UInt8(ascii: ",")) }
        isFirst = false
        if let column {
          write(row[place], of: column, to: &line)
        } else {
          writeText(names[place][...], to: &line)
          line.append(UInt8(ascii: ":"))
          writeText(row[place], to: &line)
        }
      }
    }
    line += Array("}\n".utf8)
  }

  /// The kinds of things besides tracks of which a list of favourites has rows.
  private static let otherKinds: Set<String> = ["album", "artist", "playlist"]

  /// The kind that a row without a title says it is of.
  ///
  /// With it, the line is recognised as no track.
  private func kindWithoutTitle(_ row: TableRow) -> String? {
    guard let kindPlace, let title = columns.firstIndex(of: .title), row[title].isEmpty else { return nil }
    let word = String(decoding: row[kindPlace], as: UTF8.self).lowercased()
    return Self.otherKinds.contains(word) ? word : nil
  }

  /// Whether a value is a number of seconds that no time of the years since 2000 is, or minutes and seconds.
  private static func isLength(_ value: ArraySlice<UInt8>) -> Bool {
    if value.allSatisfy(isDigit) { return value.count < 9 }
    let parts = value.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
    return (2...3).contains(parts.count) && parts.allSatisfy { (1...3).contains($0.count) && $0.allSatisfy(isDigit) }
  }

  private func write(_ value: ArraySlice<UInt8>, of column: Column, to line: inout [UInt8]) {
    let isNumber = value.allSatisfy(Self.isDigit) && value.count < 19
    var name = column.rawValue
    var text = value
    if column == .lastPlayedAt, !isNumber {
      if let date = TableDate.standard(value) { text = date[...] } else { name = "played_at" }
    }
    writeText(Array(name.utf8)[...], to: &line)
    line.append(UInt8(ascii: ":"))
    if isNumber, column == .lastPlayedAt || column == .key, value.count == 1 || value.first != UInt8(ascii: "0") {
      line += text
    } else {
      writeText(text, to: &line)
    }
  }

  /// Writes a JSON text.
  private func writeText(_ text: ArraySlice<UInt8>, to line: inout [UInt8]) {
    line.append(UInt8(ascii: "\""))
    for byte in text {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): line += [UInt8(ascii: "\\"), byte]
      case 0..<0x20: line += Array((byte < 0x10 ? "\\u000" : "\\u00").utf8) + Array(String(byte, radix: 16).utf8)
      default: line.append(byte)
      }
    }
    line.append(UInt8(ascii: "\""))
  }
}

/// Dates as only tables write them.
enum TableDate {
  private static let months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]

  /// Returns a date as ISO 8601 writes it; `nil` if it may mean several or none.
  ///
  /// `2021-04-21 05:30:00 UTC` and `21 Apr 2021, 05:30` are known.
  static func standard(_ value: ArraySlice<UInt8>) -> [UInt8]? {
    var text = String(decoding: value, as: UTF8.self)
    for zone in [" UTC", " GMT"] where text.hasSuffix(zone) { text = String(text.dropLast(4)) }
    let isDigit = { (character: Character) in character.isASCII && character.isNumber }
    if text.prefix(4).count(where: isDigit) == 4, text.dropFirst(4).first == "-" { return Array(text.utf8) }
    let words = text.split { $0 == " " || $0 == "," }
    guard words.count == 3 || words.count == 4, let day = Int(words[0]), (1...31).contains(day),
      let month = months.firstIndex(of: words[1].prefix(3).lowercased()), words[1].count == 3,
      words[2].count == 4, words[2].allSatisfy(isDigit)
    else { return nil }
    let date = [String(words[2]), two(month + 1), two(day)].joined(separator: "-")
    return Array((words.count == 4 ? "\(date)T\(words[3])" : date).utf8)
  }

  private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
