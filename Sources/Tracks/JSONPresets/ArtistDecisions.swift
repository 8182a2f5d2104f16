internal import SystemC

/// A person's decisions about the artists of a library: the lines of a file of decisions.
///
/// docs/artists.md describes the file. Lines may build on each other: where one line merges A into B and another renames
/// B, the mentions of A get B's new name.
package struct ArtistDecisions: Sendable, Hashable {
  /// The kinds of decisions about the mentions of an artist.
  package enum Kind: String, Sendable, Hashable, CaseIterable {
    /// They become mentions of another artist.
    case merge
    /// They become mentions of several artists.
    case split
    /// They stay as they are.
    case keep
    /// They get another name.
    case rename
    /// They are dropped.
    case ignore
  }

  /// One line.
  package struct Decision: Sendable, Hashable {
    package let kind: Kind
    /// The name that it is about.
    package let artist: String
    /// The id that a mention must have; `nil` for all mentions with the name.
    package let id: String?
    /// The new names, each with the id that goes with it; empty for `keep` and `ignore`.
    package let targets: [Target]
    /// The number of the line.
    package let line: Int
    /// The line as it is written to a file.
    package let text: String

    /// The line for people: `line 3 (merge 'A')`.
    package var place: String {
      "line \(line) (\(kind.rawValue) '\(artist)'\(id.map { " with id '\($0)'" } ?? ""))"
    }
  }

  /// An artist that mentions become.
  package struct Target: Sendable, Hashable {
    package let name: String
    package let id: String?

    package init(name: String, id: String?) {
      (self.name, self.id) = (name, id)
    }
  }

  /// A reason why a file cannot be used.
  package struct FileError: Error, Sendable, Hashable, CustomStringConvertible {
    package let description: String
    /// Whether there is no header, so that the file is likely to be another one.
    package var lacksHeader = false
  }

  /// The names of the columns, in the order in which they are written.
  package static let columns = ["decision", "artist", "id", "into", "into_id", "tracks", "evidence"]
  /// The mark in place of a decision that is still to be made.
  package static let undecided = "?"

  /// The lines that decide.
  package private(set) var all: [Decision] = []
  /// The number of lines without a decision.
  package private(set) var undecidedCount = 0

  /// Reads a file.
  package init(file: [UInt8]) throws(FileError) {
    var columns: [String]?
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    let bytes = file.starts(with: mark) ? file[3...] : file[...]
    for (index, line) in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated() {
      let line = line.last == UInt8(ascii: "\r") ? line.dropLast() : line
      guard let text = String(validating: line, as: UTF8.self) else {
        throw FileError(description: "line \(index + 1) is not valid UTF-8")
      }
      if text.isEmpty || text.hasPrefix("#") { continue }
      let fields = text.split(separator: "\t", omittingEmptySubsequences: false)
      if let columns { try add(fields, columns, line: index + 1) } else { columns = try Self.header(fields, index + 1) }
    }
    guard columns != nil else { throw FileError(description: "it has no header line") }
    try check()
  }

  /// The decisions as a file, without the lines that decide nothing.
  package var file: String { ([Self.columns.joined(separator: "\t")] + all.map(\.text)).map { $0 + "\n" }.joined() }

  /// Texts as they stand in one column.
  package static func field(_ texts: String...) -> String { field(texts) }

  package static func field(_ texts: [String]) -> String { texts.map(escaped).joined(separator: " | ") }

  private static func header(_ fields: [Substring], _ line: Int) throws(FileError) -> [String] {
    let names = fields.map(String.init)
    guard names.contains("decision"), names.contains("artist"), Set(names).count == names.count else {
      throw FileError(
        description: "line \(line) is not the header, which names the columns, separated by tabs: "
          + columns.map { "'\($0)'" }.joined(separator: ", "), lacksHeader: true)
    }
    return names
  }
}

// Reading lines.
extension ArtistDecisions {
  private static func escaped(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\\": result += "\\\\"
      case "\t": result += "\\t"
      case "\n": result += "\\n"
      case "\r": result += "\\r"
      case "|": result += "\\|"
      // The lines are read in terminals too.
      case _ where scalar.steersTerminals: result += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  /// The texts of a column, which bars separate; spaces beside a bar do not count.
  private static func parts(_ field: Substring, _ line: Int) throws(FileError) -> [String] {
    var parts = [""]
    var isEscape = false
    var solid = 0
    func ended(_ part: String) -> String {
      var scalars = part.unicodeScalars
      while scalars.count > solid, scalars.last == " " { scalars.removeLast() }
      return String(scalars)
    }
    var rest = field.unicodeScalars[...]
    while let scalar = rest.popFirst() {
      let last = parts.count - 1
      if isEscape {
        guard let plain = Self.plain(scalar, &rest) else {
          throw FileError(
            description:
              "line \(line) has '\\\(scalar)'; only \\\\, \\t, \\n, \\r, \\| and \\u{1B} have a meaning")
        }
        parts[last].unicodeScalars.append(plain)
        solid = parts[last].unicodeScalars.count
        isEscape = false
      } else if scalar == "\\" {
        isEscape = true
      } else if scalar == "|" {
        parts[last] = ended(parts[last])
        parts.append("")
        solid = 0
      } else if scalar != " " || last == 0 || !parts[last].isEmpty {
        parts[last].unicodeScalars.append(scalar)
      }
    }
    guard !isEscape else { throw FileError(description: "line \(line) has a field that ends in '\\'; write '\\\\'") }
    if parts.count > 1 { parts[parts.count - 1] = ended(parts[parts.count - 1]) }
    return parts
  }

  /// The character that a backslash and another mean; `nil` if they mean nothing.
  private static func plain(_ scalar: Unicode.Scalar, _ rest: inout Substring.UnicodeScalarView) -> Unicode.Scalar? {
    guard scalar == "u" else { return ["\\": "\\", "t": "\t", "n": "\n", "r": "\r", "|": "|"][scalar] }
    guard rest.popFirst() == "{", let end = rest.firstIndex(of: "}") else { return nil }
    defer { rest = rest[rest.index(after: end)...] }
    guard rest[..<end].allSatisfy(\.properties.isASCIIHexDigit) else { return nil }
    return UInt32(String(rest[..<end]), radix: 16).flatMap(Unicode.Scalar.init)
  }

  private mutating func add(_ fields: [Substring], _ columns: [String], line: Int) throws(FileError) {
    func field(_ name: String) -> Substring {
      guard let place = columns.firstIndex(of: name), place < fields.count else { return "" }
      return fields[place]
    }
    func one(_ name: String) throws(FileError) -> String {
      let parts = try Self.parts(field(name), line)
      guard parts.count == 1 else {
        throw FileError(description: "line \(line) has '|' in '\(name)'; write '\\|' for a bar in a name")
      }
      return parts[0]
    }
    guard fields.count <= columns.count else {
      throw FileError(description: "line \(line) has more fields than the header; write '\\t' for a tab in a name")
    }
    guard field("decision") != Self.undecided else { return undecidedCount += 1 }
    guard let kind = Kind(rawValue: String(field("decision"))) else {
      let known = Kind.allCases.map(\.rawValue).joined(separator: ", ")
      throw FileError(
        description: "line \(line) has the decision '\(field("decision"))'; the decisions are \(known), and "
          + "\(Self.undecided) for none")
    }
    let (artist, id) = (try one("artist"), try one("id"))
    guard !artist.isEmpty else { throw FileError(description: "line \(line) names no artist") }
    var targets: [Target] = []
    if ![.keep, .ignore].contains(kind) {
      let (names, ids) = (try Self.parts(field("into"), line), try Self.parts(field("into_id"), line))
      if let problem = Self.problem(kind, names, ids) { throw FileError(description: "line \(line): \(problem)") }
      targets = names.indices.map { place in
        Target(name: names[place], id: ids.count == names.count && !ids[place].isEmpty ? ids[place] : nil)
      }
    }
    let ids = targets.contains { $0.id != nil } ? targets.map { $0.id ?? "" } : []
    let fields = [Self.field(artist), Self.field(id), Self.field(targets.map(\.name)), Self.field(ids)]
    all.append(
      Decision(
        kind: kind, artist: artist, id: id.isEmpty ? nil : id, targets: targets, line: line,
        text: ([kind.rawValue] + fields + [field("tracks"), field("evidence")].map(String.init))
          .joined(separator: "\t")))
  }

  /// Returns the problem of the artists that mentions become.
  private static func problem(_ kind: Kind, _ names: [String], _ ids: [String]) -> String? {
    if names.contains("") { return "'\(kind.rawValue)' requires a name in 'into'" }
    if kind == .split {
      if names.count < 2 { return "'split' requires two or more names in 'into', with '|' between them" }
      return ids != [""] && ids.count != names.count ? "'into_id' needs as many ids as 'into' has names" : nil
    }
    if names.count > 1 || ids.count > 1 { return "'into' must be one name; write '\\|' for a bar in a name" }
    return kind == .rename && ids != [""] ? "'rename' keeps the id, so 'into_id' must be empty" : nil
  }
}

// Lines that follow from each other.
extension ArtistDecisions {
  /// The greatest number of lines that follow from each other, and of artists that one mention becomes.
  private static let limit = 64

  /// Makes sure that no two lines decide the same, and that none leads back to itself.
  private func check() throws(FileError) {
    let lines = LinesByName(all)
    if let (place, other) = lines.firstRepeated {
      throw FileError(description: "\(all[place].place) decides again what \(all[other].place) has decided")
    }
    var sizes = Sizes(ofLines: [Size?](repeating: nil, count: all.count))
    for place in all.indices { _ = try size(of: place, after: [], lines, &sizes) }
  }

  /// The greatest result of a mention.
  private struct Size {
    var artistCount = 0
    var lineCount = 1

    func union(_ other: Size) -> Size {
      Size(artistCount: max(artistCount, other.artistCount), lineCount: max(lineCount, other.lineCount))
    }
  }

  /// The greatest results that are known.
  private struct Sizes {
    var ofLines: [Size?]
    /// Those of all lines about a name.
    var ofNames: [[UInt8]: Size] = [:]
  }

  /// The greatest result of the lines that may decide about what another one makes.
  private func size(
    ofLinesAfter place: Int, _ target: Target, _ path: [Int], _ lines: LinesByName, _ sizes: inout Sizes
  ) throws(FileError) -> Size {
    var size = Size(artistCount: 1, lineCount: 0)
    guard let following = lines[target.name.utf8], path.count < Self.limit else { return size }
    // Renamed artists keep their ids, whichever they are.
    let isAny = all[place].kind == .rename && all[place].id == nil
    let name = Array(target.name.utf8)
    if isAny, let known = sizes.ofNames[name] { return known }
    let id = all[place].kind == .rename ? all[place].id : target.id
    let places = isAny ? following.all : following.places(ofID: id)
    for next in places { size = size.union(try self.size(of: next, after: path + [place], lines, &sizes)) }
    if isAny { sizes.ofNames[name] = size }
    return size
  }

  private func size(
    of place: Int, after path: [Int], _ lines: LinesByName, _ sizes: inout Sizes
  ) throws(FileError) -> Size {
    if let size = sizes.ofLines[place] { return size }
    if let start = path.firstIndex(of: place) {
      let lines = path[start...].map { all[$0].place }.joined(separator: ", ")
      throw FileError(description: "\(lines) \(start == path.count - 1 ? "leads" : "lead") back to the same artist")
    }
    var size = Size()
    for target in all[place].targets {
      let greatest = try self.size(ofLinesAfter: place, target, path, lines, &sizes)
      size.lineCount = max(size.lineCount, greatest.lineCount + 1)
      size.artistCount += greatest.artistCount
    }
    guard path.count < Self.limit, size.lineCount <= Self.limit, size.artistCount <= Self.limit else {
      throw FileError(
        description: "\(all[place].place) leads to more than \(Self.limit) lines or artists; "
          + "name the last ones at once")
    }
    sizes.ofLines[place] = size
    return size
  }

  /// The lines by the names that they are about, and by the ids: there may be a line for each of many ids of a name.
  package struct LinesByName {
    /// The lines about one name, by their places.
    package struct Lines {
      /// All of them, in order.
      fileprivate(set) var all: [Int] = []
      /// The one about all mentions of the name.
      package fileprivate(set) var general: Int?
      private var byID: [[UInt8]: Int] = [:]

      /// The one about mentions with an id.
      package func place(ofID id: some Sequence<UInt8>) -> Int? { byID.isEmpty ? nil : byID[Array(id)] }

      /// Those about mentions with an id, or without one, in order.
      fileprivate func places(ofID id: String?) -> [Int] {
        [general, id.flatMap { place(ofID: $0.utf8) }].compactMap(\.self).sorted()
      }

      /// Adds a line, unless there is one about the same, which is returned.
      fileprivate mutating func add(_ place: Int, id: String?) -> Int? {
        let known = if let id { self.place(ofID: id.utf8) } else { general }
        guard known == nil else { return known }
        all.append(place)
        if let id { byID[Array(id.utf8)] = place } else { general = place }
        return nil
      }
    }

    /// The first line that decides the same as one before it.
    fileprivate private(set) var firstRepeated: (place: Int, other: Int)?
    private var lines: [[UInt8]: Lines] = [:]

    package init(_ all: [Decision]) {
      for (place, decision) in all.enumerated() {
        let other = lines[Array(decision.artist.utf8), default: Lines()].add(place, id: decision.id)
        if let other, firstRepeated == nil { firstRepeated = (place, other) }
      }
    }

    /// The lines about a name.
    package subscript(name: some Sequence<UInt8>) -> Lines? { lines.isEmpty ? nil : lines[Array(name)] }
  }
}

extension String? {
  /// Whether two texts have the same bytes, as artists are compared.
  package func isSameText(as other: String?) -> Bool {
    guard let self, let other else { return self == nil && other == nil }
    return self.utf8.elementsEqual(other.utf8)
  }
}

/// A name that looks like those of several artists.
package enum JoinedName {
  /// The separators between the names; those that come first are looked for first.
  package static let separators = [" & ", ", ", " / ", " x ", " X ", " feat. ", " ft. ", " and ", " vs. ", ";"]

  /// The separators to try in turn where the number of names is known: those of people first, then those that servers
  /// write, which stand in single names too.
  package static let separatorsByLevel: [[String]] = {
    let spaced = separators + [" \u{2022} ", " \u{B7} ", " + ", " \u{D7} ", " with ", " vs ", " featuring "]
    let bare = ["\u{2022}", "\u{B7}", "\u{3001}", "\u{FF0C}", "/", "+", "\u{D7}", "\\", "\u{0}"]
    return [separators, spaced, spaced + bare]
  }()

  private static let separatorBytes = separators.map { Array($0.utf8) }
  private static let bytesByLevel = separatorsByLevel.map { $0.map { Array($0.utf8) } }

  /// Whether there is a separator in a name.
  ///
  /// All names of a library are asked, and few have one: a search for each separator would take longer than all else.
  package static func isOne(_ name: String) -> Bool {
    var name = name
    return name.withUTF8 { bytes in
      bytes.indices.contains { start in
        [0x20, 0x2C, 0x3B].contains(bytes[start])
          && separatorBytes.contains { bytes[start...].starts(with: $0) }
      }
    }
  }

  private static func split(_ text: ArraySlice<UInt8>, at separator: [UInt8]) -> [ArraySlice<UInt8>] {
    var (parts, start): ([ArraySlice<UInt8>], Int) = ([], text.startIndex)
    var place = start
    while place + separator.count <= text.endIndex {
      if text[place] == separator[0], text[place...].starts(with: separator) {
        parts.append(text[start..<place])
        place += separator.count
        start = place
      } else {
        place += 1
      }
    }
    return parts + [text[start...]]
  }

  /// The names that it consists of.
  package static func parts(_ name: String) -> [String] { parts(name, at: separatorBytes) }

  /// The names that it consists of, if it can be so many.
  package static func parts(_ name: String, count: Int) -> [String]? {
    bytesByLevel.lazy.map { parts(name, at: $0) }.first { $0.count == count }
  }

  private static func parts(_ name: String, at separators: [[UInt8]]) -> [String] {
    var parts = [Array(name.utf8)[...]]
    for separator in separators { parts = parts.flatMap { split($0, at: separator) } }
    return parts.map { String(decoding: $0, as: UTF8.self).trimmed }.filter { !$0.isEmpty }
  }
}

extension String {
  /// The text without blanks at its ends.
  fileprivate var trimmed: String {
    let blank = UInt8(ascii: " ")
    let end = utf8.lastIndex { $0 != blank }.map { utf8.index(after: $0) } ?? startIndex
    return String(self[..<end].drop { $0 == " " })
  }
}
