/// Finds the list of tracks in JSON by its beginning.
///
/// A service answers with an array, or with an object that has the array as a member, under a name that says so; a
/// program that prints such an answer may break it into lines.
enum ListFinder {
  /// A way of reading a feed of JSON.
  enum Form: Equatable {
    /// Each line is a value.
    case lines
    /// Each value is a track, or an array of tracks.
    case values
    /// Each value is an object that has an array of tracks as the last of these members, one inside the other.
    case list([String])
  }

  /// The names that services give to lists of tracks, in small letters.
  private static let names: Set<String> = [
    "collection", "contents", "data", "docs", "entry", "entries", "favorites", "feedback", "history", "hits", "items",
    "list", "listens", "loved", "metadata", "plays", "recordings", "records", "result", "results", "scrobbles", "song",
    "songs", "track", "tracks",
  ]
  /// The members of an object that say that it is itself a track, or an album, and nothing around a list of tracks.
  private static let ownMembers: Set<String> = [
    "artist", "artist_name", "artistname", "title", "track_name", "trackname",
  ]
  /// A list is not deeper than this in objects.
  private static let maximumDepth = 4

  /// Returns the form of JSON of which nothing else is known.
  ///
  /// - Parameter isWhole: Whether the bytes are all that there are.
  static func form(of bytes: ArraySlice<UInt8>, isWhole: Bool) -> Form {
    let text = bytes.drop(while: isSpace)
    guard text.first == UInt8(ascii: "{") else { return .values }
    let line = text.prefix { $0 != 0x0A }
    var scan = ListScan(line)
    let isBalanced = scan.run(minimum: 2)
    let rest = text[line.endIndex...].drop(while: isSpace)
    if isBalanced {
      // Another value on the same line is no line of its own.
      if !line[scan.place...].allSatisfy(isSpace) { return .values }
      if !rest.isEmpty || !isWhole { return .lines }
      return scan.found.map(Form.list) ?? .lines
    }
    if line.endIndex == text.endIndex, !isWhole { return scan.found.map(Form.list) ?? .lines }
    // JSON in several lines is broken where a value or a member may begin; a line that was cut off is not.
    guard !scan.isInString, let last = line.last(where: { !isSpace($0) }), "{[,:".utf8.contains(last) else {
      return .lines
    }
    return .list(of: text)
  }

  /// Returns the form of JSON that is known to be no lines.
  static func list(of bytes: ArraySlice<UInt8>) -> Form { .list(of: bytes.drop(while: isSpace), isWanted: true) }

  static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 }

  /// A look at the first object.
  fileprivate struct ListScan {
    private let bytes: ArraySlice<UInt8>
    private(set) var place: Int
    private(set) var isInString = false
    /// The members that lead to the first list.
    private(set) var list: [String]?
    private var isTrack = false
    /// Whether the object has artists, which a track has, and albums beside them, which a person's library has.
    private var (hasArtists, hasAlbums) = (false, false)
    var found: [String]? { isTrack || hasArtists && !hasAlbums ? nil : list }
    /// The members that lead to the first list that has nothing in it.
    private(set) var emptyList: [String]?
    /// The names of the members of the objects that are open; `nil` for an array.
    private var open: [String?] = []

    init(_ bytes: ArraySlice<UInt8>) { (self.bytes, place) = (bytes, bytes.startIndex) }

    /// Reads up to the end of the first value.
    ///
    /// - Parameter minimum: The number of objects that a list must have.
    /// - Returns: Whether there is an end.
    mutating func run(minimum: Int) -> Bool {
      var key = ""
      // The number of objects in the candidate, which is an array at the depth `candidate`.
      var (candidate, count): (Int?, Int) = (nil, 0)
      while place < bytes.endIndex {
        let byte = bytes[place]
        place += 1
        switch byte {
        case UInt8(ascii: "\""):
          let start = place
          guard skipString() else { return false }
          key = String(decoding: bytes[start..<(place - 1)], as: UTF8.self)
        case UInt8(ascii: ":"):
          if !open.isEmpty, open[open.count - 1] != nil { open[open.count - 1] = key }
          if open.count == 1 { noteMember(key.lowercased()) }
        case UInt8(ascii: "{"), UInt8(ascii: "["):
          if byte == UInt8(ascii: "{"), open.count == candidate {
            count += 1
            if count >= minimum, list == nil { list = open.dropLast().compactMap { $0 } }
          }
          let isObject = byte == UInt8(ascii: "{")
          if !isObject, list == nil, candidate == nil, open.count <= ListFinder.maximumDepth,
            !open.contains(nil), let name = open.last ?? nil, ListFinder.names.contains(name.lowercased())
          {
            (candidate, count) = (open.count + 1, 0)
          }
          open.append(isObject ? "" : nil)
        case UInt8(ascii: "}"), UInt8(ascii: "]"):
          guard !open.isEmpty else { return true }
          open.removeLast()
          if let depth = candidate, open.count < depth {
            if count == 0, emptyList == nil { emptyList = open.compactMap { $0 } }
            candidate = nil
          }
          if open.isEmpty { return true }
        default: break
        }
      }
      return false
    }

    private mutating func noteMember(_ name: String) {
      if ListFinder.ownMembers.contains(name) { isTrack = true }
      if name == "artists" { hasArtists = true }
      if name == "albums" { hasAlbums = true }
    }

    private mutating func skipString() -> Bool {
      while place < bytes.endIndex {
        let byte = bytes[place]
        place += 1
        if byte == UInt8(ascii: "\"") { return true }
        if byte == UInt8(ascii: "\\") { place += 1 }
      }
      place = min(place, bytes.endIndex)
      isInString = true
      return false
    }
  }
}

extension ListFinder.Form {
  fileprivate static func list(of text: ArraySlice<UInt8>, isWanted: Bool = false) -> Self {
    guard text.first == UInt8(ascii: "{") else { return .values }
    var scan = ListFinder.ListScan(text)
    _ = scan.run(minimum: 1)
    // The first page of an answer may be empty.
    return (isWanted ? scan.list ?? scan.emptyList : scan.found).map(Self.list) ?? .values
  }
}
