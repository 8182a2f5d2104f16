internal import Foundation
internal import JSONPresets
internal import SystemC
internal import Verification

/// Reads what a line of a feed says of a track, as docs/import.md describes it.
///
/// The import reads a line in one pass; here the whole tree of the line is at hand.
struct FeedEvaluation {
  /// A track of a feed.
  struct Track {
    var key: Int64?
    var values = RequiredTrack()
    var mentions = ArtistMentions()
    /// Whether the mentions are the line's `artistName`.
    var isFallback = false
    /// Whether the line is about an artist only.
    var isOnlyArtist = false
    /// Whether its document cannot be read, or has artists without a name or details that are too long, so that the line
    /// is in the rejects file too.
    var isRejected = false
  }

  /// The members that a line may have if it is not a service's answer.
  private static let fields = [
    "key", "title", "imageURL", "lastPlayedAt", "secondsSince2001", "storedTime", "artistName", "json", "artists",
    "artist",
  ]

  private let presets: PresetEvaluation
  private let ownNumber: Int
  /// Whether a person has chosen where artists stand, and where title and time do.
  private let isChosen: Bool
  private let given: (title: Bool, played: Bool)
  /// Whether artists without a role are wanted.
  private let wantsMain: Bool
  /// The presets that say more than the names of the fields, and whether they say where a time is.
  private let special: [Int: Bool]
  private var bytes: [UInt8] = []
  private var line: DocumentReader
  private var document: DocumentReader
  private var decisions: DecisionReplay
  /// The numbers of the fields' keys.
  private let numbers: [String: Int]

  /// - Parameter shape: That of a feed, see ``JSONShape/ofFeed(titlePath:playedPath:)``.
  init(_ shape: JSONShape, roles: Set<ArtistRole>?, _ decisions: ArtistDecisions?) {
    let presets = PresetEvaluation(shape, roles: roles)
    ownNumber = shape.presets.count - 1
    (isChosen, given) = (shape.isChosen, JSONShape.givenPlaces(shape.presets[ownNumber]))
    wantsMain = roles?.contains(.main) ?? true
    let others = shape.presets.dropLast().enumerated().filter { !$0.element.isGeneral }
    special = Dictionary(uniqueKeysWithValues: others.map { ($0.offset, !$0.element.playedAt.isEmpty) })
    let keys = presets.keys + Self.fields.filter { !presets.keys.contains($0) }
    let numbers = Dictionary(keys.enumerated().map { ($1, $0) }) { first, _ in first }
    line = DocumentReader(keys: keys, textLimit: .max)
    line.knownKeys = Set(Self.fields.compactMap { numbers[$0] })
    document = DocumentReader(keys: presets.keys)
    self.decisions = DecisionReplay(decisions)
    (self.presets, self.numbers) = (presets, numbers)
  }

  /// Reads a line.
  ///
  /// - Returns: `nil` if it is not a track, so that it is in the rejects file instead.
  mutating func read(_ bytes: [UInt8]) -> Track? {
    self.bytes = bytes
    line.begin()
    bytes.withUnsafeBytes { line.read($0) }
    guard line.finish() == .readable, line.tree.nodes.first?.kind == .object else { return nil }
    do {
      return try field("json") != nil || !line.hasOtherKeys ? fieldsTrack() : answerTrack()
    } catch {
      return nil
    }
  }

  /// A value of a wrong type.
  private struct Problem: Error {}

  private mutating func fieldsTrack() throws -> Track {
    let tree = line.tree
    var track = Track()
    if let node = field("key"), tree.nodes[node].kind != .null {
      guard tree.nodes[node].kind == .number, let key = Int64(tree.string(tree.nodes[node].text)), key > 0 else {
        throw Problem()
      }
      track.key = key
    }
    (track.values.title, track.values.imageURL) = (try text("title"), try text("imageURL"))
    track.values.lastPlayedAt = try date()
    if let node = field("secondsSince2001") {
      let text = tree.text(of: node).map { String(decoding: $0, as: UTF8.self) }
      track.values.lastPlayedAt = text.flatMap(Double.init)
      guard tree.nodes[node].kind == .null || track.values.lastPlayedAt?.isNaN == false else { throw Problem() }
    }
    let chosen = chosenFinding()
    let found = chosen ?? presets.read(ownNumber, at: 0, in: tree)
    track.mentions = found.mentions
    if found.mentions.namelessCount > 0 { track.isRejected = true }
    // A person's word comes before the names of the fields.
    let details = details(found, in: tree)
    if let title = details.title { track.values.title = title }
    if let image = details.image { track.values.imageURL = image }
    if given.played || chosen?.preset.flatMap({ special[$0] }) == true {
      track.values.lastPlayedAt = Self.playedTime(details.played) ?? track.values.lastPlayedAt
    }
    if let node = field("artist"), [.object, .array].contains(tree.nodes[node].kind) {
      track.isOnlyArtist = tree.children(of: 0).count == 1
      if track.isOnlyArtist, presets.isAboutArtist(tree) { throw Problem() }
      guard
        tree.nodes[node].kind == .array || chosen != nil || !found.mentions.named.isEmpty || found.hasOtherRoles
          || found.mentions.namelessCount > 0
      else { throw Problem() }
    }
    guard chosen == nil else { return try completed(&track, artistName: try text("artistName")) }
    let (listed, single) = (try name("artists", takesNumber: false), try name("artist", takesNumber: true))
    if found.mentions.named.isEmpty, listed == nil, let json = field("json") {
      try read(json, besides: details, for: &track)
    }
    let own = wantsMain ? listed : nil
    return try completed(&track, artistName: own ?? (try text("artistName")) ?? (wantsMain ? single : nil))
  }

  /// The artists of a line of plain fields where a person says that they are.
  private func chosenFinding() -> PresetEvaluation.Finding? {
    guard isChosen else { return nil }
    let finding = presets.evaluate(line.tree)
    guard let preset = finding.preset, special[preset] != nil,
      !finding.mentions.named.isEmpty || finding.hasOtherRoles
    else { return nil }
    return finding
  }

  /// The text in place of an artist.
  private func name(_ member: String, takesNumber: Bool) throws -> [UInt8]? {
    guard let node = field(member), ![.null, .array, .object].contains(line.tree.nodes[node].kind) else { return nil }
    if takesNumber, line.tree.nodes[node].kind == .number { return Array(line.tree.bytes[line.tree.nodes[node].text]) }
    return try text(member).flatMap { $0.isEmpty ? nil : $0 }
  }

  /// Reads the document in `json`.
  private mutating func read(
    _ json: Int, besides details: PresetEvaluation.TrackDetails, for track: inout Track
  ) throws {
    var (tree, root) = (line.tree, json)
    switch tree.nodes[json].kind {
    case .null: return
    case .longText: throw Problem()
    case .text:
      let text = Array(tree.bytes[tree.nodes[json].text])
      document.begin()
      text.withUnsafeBytes { document.read($0) }
      switch document.finish() {
      case .readable: (tree, root) = (document.tree, 0)
      case .blank: return
      case .unreadable: return track.isRejected = true
      }
    default: break
    }
    var finding = presets.evaluate(tree, at: root)
    let isText = tree.nodes[root].key < 0
    let text = line.tree.nodes[json].text
    if presets.mayHaveTrackInside(finding, size: isText ? text.count : bytes.count) {
      if isText {
        document.readAll(Array(line.tree.bytes[text]))
        (tree, root) = (document.tree, 0)
      } else {
        line.readAll(bytes)
        (tree, root) = (line.tree, field("json") ?? 0)
      }
      finding = presets.evaluateInside(tree, at: root) ?? presets.evaluate(tree, at: root)
    }
    track.mentions = finding.mentions
    take(self.details(finding, in: tree), besides: details, for: &track)
  }

  private mutating func answerTrack() throws -> Track {
    var finding = presets.evaluate(line.tree)
    if presets.mayHaveTrackInside(finding, size: bytes.count) {
      line.readAll(bytes)
      finding = presets.evaluateInside(line.tree) ?? presets.evaluate(line.tree)
    }
    if finding.preset == nil { finding = presets.read(ownNumber, at: 0, in: line.tree) }
    if finding.mentions.named.isEmpty, finding.shape == .otherAnswer { throw Problem() }
    var track = Track()
    track.mentions = finding.mentions
    take(details(finding, in: line.tree), for: &track)
    if track.values.title == nil { track.values.title = try? text("title") }
    if finding.preset == ownNumber {
      if track.values.imageURL == nil { track.values.imageURL = try? text("imageURL") }
      if track.values.lastPlayedAt == nil { track.values.lastPlayedAt = try? date() }
    }
    let isOnlyOfArtist = finding.preset == ownNumber && track.values.title == nil
    if isOnlyOfArtist, !finding.mentions.named.isEmpty { throw Problem() }
    return try completed(&track, artistName: (try? text("artistName")) ?? nil)
  }

  private func details(
    _ finding: PresetEvaluation.Finding, in tree: DocumentTree
  ) -> PresetEvaluation.TrackDetails {
    var details = presets.details(finding, in: tree)
    if details.played == nil, finding.preset != nil {
      details.played = ([finding.root] + finding.outer).lazy.compactMap { presets.time(at: $0, in: tree) }.first
    }
    return details
  }

  /// Takes details of a document, and those that a person has placed there before those of the line.
  private func take(
    _ details: PresetEvaluation.TrackDetails, besides line: PresetEvaluation.TrackDetails? = nil,
    for track: inout Track
  ) {
    let played = Self.playedTime(details.played)
    if given.title, line?.title == nil { track.values.title = details.title ?? track.values.title }
    if given.played, line?.played == nil { track.values.lastPlayedAt = played ?? track.values.lastPlayedAt }
    track.values.title = track.values.title ?? details.title
    track.values.imageURL = track.values.imageURL ?? details.image
    track.values.lastPlayedAt = track.values.lastPlayedAt ?? played
  }

  private static func playedTime(_ text: [UInt8]?) -> Double? {
    text.flatMap { playedTime(String(decoding: $0, as: UTF8.self)) }
  }

  /// The same as ``seconds(_:)`` for the time of a play; what is before the year 2000 is a duration.
  static func playedTime(_ text: String) -> Double? { seconds(text).flatMap { $0 < -31_622_400 ? nil : $0 } }

  private mutating func completed(_ track: inout Track, artistName: [UInt8]?) throws -> Track {
    track.mentions.decide(&decisions)
    for key in track.mentions.named.compactMap(\.key) {
      let number = Int64(String(decoding: track.mentions.bytes[key], as: UTF8.self))
      guard number ?? 0 > 0 else { throw Problem() }
    }
    if track.mentions.namelessCount > 0 || track.mentions.longCount > 0 { track.isRejected = true }
    if track.mentions.named.isEmpty, let artistName, !artistName.isEmpty {
      track.isFallback = true
      for name in decisions.names(insteadOf: artistName) {
        let range = track.mentions.append(Array(name))
        track.mentions.add(ArtistMentions.Mention(name: range))
      }
    }
    guard track.key != nil || track.values.title != nil || !track.mentions.named.isEmpty else { throw Problem() }
    return track
  }

  // MARK: - Fields

  private func field(_ name: String) -> Int? { numbers[name].flatMap { line.tree.member($0, of: 0) } }

  private func text(_ name: String) throws -> [UInt8]? {
    guard let node = field(name), line.tree.nodes[node].kind != .null else { return nil }
    guard line.tree.nodes[node].kind == .text else { throw Problem() }
    return Array(line.tree.bytes[line.tree.nodes[node].text])
  }

  private func date() throws -> Double? {
    guard let node = field("lastPlayedAt"), line.tree.nodes[node].kind != .null else { return nil }
    guard [.text, .number].contains(line.tree.nodes[node].kind) else { throw Problem() }
    let text = line.tree.string(line.tree.nodes[node].text)
    if let seconds = Self.seconds(text) { return seconds }
    // A number that is no time is left out; other text makes the line useless.
    guard let number = Double(text), number.isFinite else { throw Problem() }
    return nil
  }

  /// Seconds since 2001, of Unix time from 2000 to 2099, a day as a number or a date.
  static func seconds(_ text: String) -> Double? {
    let epoch = 978_307_200.0
    if let number = Double(text), number.isFinite {
      guard !text.contains("+") else { return nil }
      let years = 946_684_800.0..<4_102_444_800
      if let time = [number, number / 1000, number / 1_000_000].first(where: years.contains) { return time - epoch }
      let day = Int(exactly: number).map { Array(String($0)) } ?? []
      guard day.count == 8, day.starts(with: "20") else { return nil }
      return seconds("\(String(day[..<4]))-\(String(day[4..<6]))-\(String(day[6...]))")
    }
    if text.hasPrefix("/Date("), text.hasSuffix(")/") {
      let parts = text.dropFirst(6).dropLast(2).split(whereSeparator: "+-".contains)
      guard text.utf8.allSatisfy({ $0 < 0x80 }), let digits = parts.first, digits.allSatisfy(\.isNumber),
        parts.count == 1 && digits.count == text.count - 8 || parts.count == 2 && digits.count == text.count - 13
      else { return nil }
      return (12...13).contains(digits.count) ? seconds(String(digits)) : nil
    }
    // A pattern would say it in a line, and take a thousand times as long.
    let characters = Array(text.utf8)
    var rest = characters[...]
    func take(_ options: String) -> UInt8? {
      rest.first.flatMap { options.utf8.contains($0) ? rest.removeFirst() : nil }
    }
    func number(_ count: Int) -> Int? {
      guard rest.prefix(count).count == count, rest.prefix(count).allSatisfy({ (0x30...0x39).contains($0) }) else {
        return nil
      }
      defer { rest = rest.dropFirst(count) }
      return Int(String(decoding: rest.prefix(count), as: UTF8.self))
    }
    guard let year = number(4), take("-") != nil, let month = number(2), take("-") != nil, let day = number(2) else {
      return nil
    }
    var (hour, minute, second, fraction) = (0, 0, 0, "")
    if !rest.isEmpty {
      guard take("T ") != nil, let hours = number(2), take(":") != nil, let minutes = number(2) else { return nil }
      (hour, minute) = (hours, minutes)
      if take(":") != nil {
        guard let seconds = number(2) else { return nil }
        second = seconds
      }
      if rest.first == UInt8(ascii: ".") {
        let digits = rest.dropFirst().prefix { (0x30...0x39).contains($0) }
        fraction = "." + String(decoding: digits, as: UTF8.self)
        rest = rest[digits.endIndex...]
      }
    }
    guard year > 0, hour < 24, minute < 60, second <= 60 else { return nil }
    guard (1...12).contains(month), day > 0, day <= GregorianDay.count(inMonth: month, of: year) else { return nil }
    let midnight = GregorianDay.daysSince2001(year: year, month: month, day: day) * 86_400
    var offset = 0
    if !rest.isEmpty, take("Z") == nil {
      _ = take(" ")
      guard let sign = take("+-"), let hours = number(2) else { return nil }
      _ = take(":")
      guard let minutes = rest.isEmpty ? 0 : number(2), hours < 24, minutes < 60 else { return nil }
      offset = (hours * 3600 + minutes * 60) * (sign == UInt8(ascii: "-") ? -1 : 1)
    }
    guard rest.isEmpty, let parts = fraction.isEmpty ? 0 : Double("0\(fraction)") else { return nil }
    return Double(midnight + hour * 3600 + minute * 60 + second - offset) + parts
  }
}
