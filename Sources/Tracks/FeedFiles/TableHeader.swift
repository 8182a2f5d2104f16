internal import SystemC

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

  /// The number of bytes before the row with the names.
  let start: Int
  let separator: UInt8
  /// The byte that ends a row.
  let lineEnd: UInt8
  private var names: [[UInt8]]
  /// Whether the values keep the names of their columns.
  private let keepsNames: Bool
  /// The column of a value, by the place in the row; `nil` if it is not taken.
  private var columns: [Column?]
  /// The places of the kinds of things that rows are about, in tables of several kinds.
  private var kindPlaces: [Int] = []
  /// Whether a column names the playlist that a track is of.
  private var namesPlaylists = false
  /// The places of artists, of which a value may be a list.
  private let artistPlaces: Set<Int>
  /// Whether the time may be a length: `Time` is one in the lists of players.
  private var mayHoldLengths = false
  /// Whether the time is a day as spreadsheets count them.
  private var hasSerialDays = false
  /// Whether the first row has names, and not the first track.
  private(set) var hasNames = true
  /// The kind of the rows, if they are no tracks.
  private(set) var otherRows: String?
  /// Whether the rows look like those of a table, whatever its columns are.
  let isTable: Bool
  /// Whether the rows look like plain text, which has one column.
  let isPlainText: Bool

  /// Reads the names of a table's columns, and looks at its first rows; `nil` if the first one has no end.
  init?(_ bytes: ArraySlice<UInt8>, keepsNames: Bool) {
    let lineEnd = Self.lineEnd(of: bytes)
    let (table, named) = Self.table(of: bytes, lineEnd)
    let line = table.prefix { $0 != lineEnd }
    let counts = Self.separators.map { candidate in line.count { $0 == candidate } }
    let most = counts.max() ?? 0
    separator = named ?? Self.separators[counts.firstIndex(of: most) ?? 0]
    (start, self.lineEnd) = (table.startIndex - bytes.startIndex, lineEnd)
    let rows = Self.rows(of: table, separator: separator, lineEnd)
    guard let first = rows.first else { return nil }
    isTable =
      rows.count > 1 && first.count > 1
      && rows.allSatisfy { row in
        row.count == first.count && !row.isMalformed && !"{[".utf8.contains(row[0].first ?? 0)
      }
    // JSON may be numbers and texts.
    isPlainText =
      rows.count > 1 && rows.allSatisfy { $0.count == 1 && !"{[\"-0123456789".utf8.contains($0[0].first ?? 0) }
    (names, self.keepsNames) = ((0..<first.count).map { Array(first[$0]) }, keepsNames)
    columns = Array(repeating: nil, count: names.count)
    // Some programs put a user's name behind that of a column: `Date#user`.
    let plain = names.map { name in
      let word = String(decoding: name, as: UTF8.self).lowercased().split(separator: "#").first ?? ""
      return String(word.filter { $0.isLetter || $0.isNumber })
    }
    artistPlaces = Set(plain.indices.filter { Column.artistName.names.contains(plain[$0]) })
    guard !keepsNames else { return }
    for column in Column.allCases {
      let places = column.names.compactMap { plain.firstIndex(of: $0) }
      // Some programs give the number of the track below `Track`, and its title below `Name`.
      let place = column == .title ? places.first { !Self.hasIdentifiers(rows, at: $0, named: plain[$0]) } : nil
      if let place = place ?? places.first { columns[place] = column }
    }
    // Beside the tempo, the key is the musical one.
    if plain.contains("tempo") || plain.contains("bpm"), let place = columns.firstIndex(of: .key) {
      columns[place] = nil
    }
    kindPlaces = plain.indices.filter { Self.kindColumns.contains(plain[$0]) }
    namesPlaylists = plain.contains { ["playlist", "playlistname", "playlisttitle"].contains($0) }
    if let place = columns.firstIndex(of: .lastPlayedAt) {
      mayHoldLengths = plain[place] == "time"
      let values = rows.dropFirst().filter { $0.count == names.count }.map { $0[place] }.filter { !$0.isEmpty }
      hasSerialDays =
        ["date", "played", "listened", "scrobbled"].contains { plain[place].contains($0) }
        && !values.isEmpty && values.allSatisfy { TableDate.serial($0) != nil }
    }
    otherRows = kindOfRows(plain)
    if !hasTracks, let known = Self.columnsWithoutNames(rows, separator) {
      (columns, hasNames) = (known, false)
      names = names.indices.map { Array("column \($0 + 1)".utf8) }
    }
  }

  /// The separators; commas in names are quoted, and other separators are rare in names.
  private static let separators = [UInt8(ascii: ","), UInt8(ascii: "\t"), UInt8(ascii: ";"), UInt8(ascii: "|")]

  /// The byte that ends rows: a carriage return where there are no line feeds, as old programs of the Mac write it.
  private static func lineEnd(of bytes: ArraySlice<UInt8>) -> UInt8 {
    var (isInQuotes, end): (Bool, UInt8) = (false, 0x0A)
    for byte in bytes {
      if byte == UInt8(ascii: "\"") { isInQuotes.toggle() }
      guard !isInQuotes else { continue }
      if byte == 0x0A { return byte }
      if byte == 0x0D { end = byte }
    }
    return end
  }

  /// The bytes from the row with the names on: behind a byte-order mark, empty rows, and a line such as `sep=;`, by
  /// which Excel knows the separator.
  private static func table(
    of bytes: ArraySlice<UInt8>, _ lineEnd: UInt8
  ) -> (bytes: ArraySlice<UInt8>, separator: UInt8?) {
    let empty = separators + [0x20, 0x0D, UInt8(ascii: "\"")]
    var (table, separator): (ArraySlice<UInt8>, UInt8?) = (bytes, nil)
    if table.starts(with: [0xEF, 0xBB, 0xBF]) { table = table.dropFirst(3) }
    while let end = table.firstIndex(of: lineEnd) {
      let line = table[..<end].filter { $0 != 0x0D && $0 != UInt8(ascii: "\"") }
      if line.count == 5, String(decoding: line.prefix(4), as: UTF8.self).lowercased() == "sep=" {
        separator = line[4]
      } else if !table[..<end].allSatisfy(empty.contains) {
        break
      }
      table = table[(end + 1)...]
    }
    return (table, separator)
  }

  /// Whether a column that may have titles has numbers, ids or addresses in the first rows.
  private static func hasIdentifiers(_ rows: [TableRow], at place: Int, named name: String) -> Bool {
    guard ["track", "song", "recording"].contains(name) else { return false }
    let values = rows.dropFirst().filter { $0.count > place && !$0[place].isEmpty }
    return !values.isEmpty && values.allSatisfy { $0[place].withUnsafeBytes(IdentifierText.isOne) }
  }

  /// The columns that say what a row is about, as the members of an answer of that name do.
  private static let kindColumns: Set<String> = [
    "type", "kind", "mediatype", "itemtype", "entitytype", "objecttype", "resourcetype", "resulttype",
  ]
  /// The columns that count the tracks of something that has several.
  private static let countColumns: Set<String> = [
    "totaltracks", "trackcount", "trackscount", "numberoftracks", "numtracks", "nbtracks", "tracks",
  ]
  /// The columns that only tracks have, whose lists count the tracks of their albums too.
  private static let trackColumns: Set<String> = [
    "album", "albumname", "albumtitle", "release", "isrc", "tracknumber", "trackno", "trackid", "trackuri", "duration",
    "durationms", "length",
  ]

  /// The kind of the rows, if their columns say that they are no tracks.
  private func kindOfRows(_ plain: [String]) -> String? {
    if plain.contains("releaseid"), plain.contains("catalog") || plain.contains("catno") {
      return "releases, as Discogs exports a collection,"
    }
    guard kindPlaces.isEmpty, Self.trackColumns.isDisjoint(with: plain),
      let count = plain.firstIndex(where: Self.countColumns.contains),
      let title = columns.firstIndex(of: .title), ["title", "name"].contains(plain[title])
    else { return nil }
    return "albums, whose tracks '\(shownNames[count])' counts,"
  }

  /// The number of rows by which a table is recognised.
  private static let lookedAt = 8

  /// Returns the first rows of a table.
  ///
  /// The last one may have been cut off: it counts if it is the first, or has as many values.
  private static func rows(of bytes: ArraySlice<UInt8>, separator: UInt8, _ lineEnd: UInt8) -> [TableRow] {
    var rows: [TableRow] = []
    var row = TableRow()
    for byte in bytes {
      guard row.takes(byte, separator: separator, lineEnd: lineEnd) else { continue }
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
  ///
  /// - Parameter hasTimes: Whether the rows have times; a column without any is not taken.
  func columns(hasTimes: Bool) -> (taken: [(name: String, meaning: String)], left: [String]) {
    let taken = columns.map { $0 == .lastPlayedAt && !hasTimes ? nil : $0 }
    return (
      zip(shownNames, taken).compactMap { name, column in column.map { (name, $0.rawValue) } },
      zip(shownNames, taken).compactMap { $1 == nil ? $0 : nil }
    )
  }

  /// Writes a row as a line of JSON.
  ///
  /// - Returns: Whether it has a time.
  func write(_ row: TableRow, to line: inout [UInt8]) -> Bool {
    var hasTime = false
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
      if let kind = kind(of: row) {
        isFirst = false
        line += Array("\"type\":\"\(kind)\"".utf8)
      }
      for (place, column) in columns.enumerated() where !row[place].isEmpty && (keepsNames || column != nil) {
        if column == .lastPlayedAt, mayHoldLengths, Self.isLength(row[place]) { continue }
        if !isFirst { line.append(UInt8(ascii: ",")) }
        isFirst = false
        if let column {
          if write(row[place], of: column, to: &line) { hasTime = true }
        } else {
          writeText(names[place][...], to: &line)
          line.append(UInt8(ascii: ":"))
          if !artistPlaces.contains(place) || !writeList(row[place], to: &line) { writeText(row[place], to: &line) }
        }
      }
    }
    line += Array("}\n".utf8)
    return hasTime
  }

  /// The kinds of things besides tracks, in the words by which a document is known to be about one.
  private static let otherKinds: Set<String> = [
    "album", "artist", "playlist", "podcast", "episode", "show", "video", "audiobook", "movie",
  ]

  /// The kind that a row says it is of, if it is no track.
  ///
  /// With it, the line is recognised as none.
  private func kind(of row: TableRow) -> String? {
    for place in kindPlaces {
      var word = String(decoding: row[place], as: UTF8.self).lowercased().filter(\.isLetter)
      for other in ["music", "podcast"] where word.hasPrefix(other) && word != other && word != "podcasts" {
        word.removeFirst(other.count)
      }
      if word.hasSuffix("s") { word.removeLast() }
      guard Self.otherKinds.contains(word) else { continue }
      // Lists of several playlists say so of each track.
      let isTitled = columns.firstIndex(of: .title).map { !row[$0].isEmpty } ?? false
      if word == "playlist", namesPlaylists, isTitled { continue }
      return word
    }
    return nil
  }

  /// Whether a value is a number of seconds that no time of the years since 2000 is, or minutes and seconds.
  private static func isLength(_ value: ArraySlice<UInt8>) -> Bool {
    if value.allSatisfy(isDigit) { return value.count < 9 }
    let parts = value.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
    return (2...3).contains(parts.count) && parts.allSatisfy { (1...3).contains($0.count) && $0.allSatisfy(isDigit) }
  }

  /// - Returns: Whether the value is a time.
  private func write(_ value: ArraySlice<UInt8>, of column: Column, to line: inout [UInt8]) -> Bool {
    if column == .artistName {
      let start = line.count
      line += Array("\"artists\":".utf8)
      if writeList(value, to: &line) { return false }
      line.removeSubrange(start...)
    }
    var isNumber = value.allSatisfy(Self.isDigit) && value.count < 19
    var name = column.rawValue
    var text = value
    var isTime = false
    if column == .lastPlayedAt {
      // A shorter number is none of the years since 2000, however it is counted.
      isTime = value.count >= 8
      if let date = (hasSerialDays ? TableDate.serial(value) : nil) ?? TableDate.standard(value) {
        (text, isNumber, isTime) = (date[...], false, true)
      } else if Double(String(decoding: value, as: UTF8.self))?.isFinite != true {
        // A date that only people read, or what a program writes for no value, such as `NaN`.
        (name, isTime) = ("played_at", false)
      }
    }
    writeText(Array(name.utf8)[...], to: &line)
    line.append(UInt8(ascii: ":"))
    if isNumber, column == .lastPlayedAt || column == .key, value.count == 1 || value.first != UInt8(ascii: "0") {
      line += text
    } else {
      writeText(text, to: &line)
    }
    return isTime
  }

  /// Writes a list of texts as an array; returns whether the value is one.
  private func writeList(_ value: ArraySlice<UInt8>, to line: inout [UInt8]) -> Bool {
    guard let texts = TextList.texts(value) else { return false }
    line.append(UInt8(ascii: "["))
    for (place, text) in texts.enumerated() {
      if place > 0 { line.append(UInt8(ascii: ",")) }
      writeText(Array(text.utf8)[...], to: &line)
    }
    line.append(UInt8(ascii: "]"))
    return true
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

  /// Returns the date that a spreadsheet counts as so many days since the end of 1899; `nil` for a number that would be
  /// a date before 2000 or after 2099.
  static func serial(_ value: ArraySlice<UInt8>) -> [UInt8]? {
    let text = String(decoding: value, as: UTF8.self)
    guard text.allSatisfy({ $0.isASCII && $0.isNumber || $0 == "." }), let number = Double(text),
      (36_526..<73_051).contains(number)
    else { return nil }
    let seconds = Int((number * 86_400).rounded())
    let (year, month, day) = GregorianDay.date(daysSince1970: Int64(seconds / 86_400) - 25_569)
    let date = "\(year)-\(two(Int(month)))-\(two(Int(day)))"
    let time = [seconds / 3600 % 24, seconds / 60 % 60, seconds % 60].map(two).joined(separator: ":")
    return Array("\(date)T\(time)".utf8)
  }

  private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
