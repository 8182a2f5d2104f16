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
    "key", "title", "imageURL", "lastPlayedAt", "secondsSince2001", "artistName", "json", "artists", "artist",
  ]

  private let presets: PresetEvaluation
  private let ownNumber: Int
  private var line: DocumentReader
  private var document: DocumentReader
  private var decisions: DecisionReplay
  /// The numbers of the fields' keys.
  private let numbers: [String: Int]

  /// - Parameter shape: That of a feed, see ``JSONShape/ofFeed(titlePath:playedPath:)``.
  init(_ shape: JSONShape, roles: Set<ArtistRole>?, _ decisions: ArtistDecisions?) {
    let presets = PresetEvaluation(shape, roles: roles)
    ownNumber = shape.presets.count - 1
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
    let own = presets.read(ownNumber, at: 0, in: tree)
    track.mentions = own.mentions
    if own.mentions.namelessCount > 0 { track.isRejected = true }
    if let node = field("artist"), [.object, .array].contains(tree.nodes[node].kind) {
      track.isOnlyArtist = tree.children(of: 0).count == 1
    }
    if own.mentions.named.isEmpty, let json = field("json") { try read(json, for: &track) }
    return try completed(&track, artistName: try text("artistName") ?? (try? text("artist")) ?? nil)
  }

  /// Reads the document in `json`.
  private mutating func read(_ json: Int, for track: inout Track) throws {
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
    let finding = presets.evaluate(tree, at: root)
    track.mentions = finding.mentions
    take(details(finding, of: root, in: tree), for: &track)
  }

  private mutating func answerTrack() throws -> Track {
    var finding = presets.evaluate(line.tree)
    if finding.preset == nil { finding = presets.read(ownNumber, at: 0, in: line.tree) }
    if finding.mentions.named.isEmpty, finding.shape == .otherAnswer { throw Problem() }
    var track = Track()
    track.mentions = finding.mentions
    take(details(finding, of: 0, in: line.tree), for: &track)
    if track.values.title == nil { track.values.title = try? text("title") }
    if finding.preset == ownNumber {
      if track.values.imageURL == nil { track.values.imageURL = try? text("imageURL") }
      if track.values.lastPlayedAt == nil { track.values.lastPlayedAt = try? date() }
    }
    return try completed(&track, artistName: (try? text("artistName")) ?? nil)
  }

  private func details(
    _ finding: PresetEvaluation.Finding, of node: Int, in tree: DocumentTree
  ) -> PresetEvaluation.TrackDetails {
    var details = presets.details(finding, in: tree)
    if details.played == nil, finding.preset != nil {
      details.played = presets.time(at: finding.root, in: tree) ?? presets.time(at: node, in: tree)
    }
    return details
  }

  private func take(_ details: PresetEvaluation.TrackDetails, for track: inout Track) {
    track.values.title = track.values.title ?? details.title
    track.values.imageURL = track.values.imageURL ?? details.image
    track.values.lastPlayedAt =
      track.values.lastPlayedAt
      ?? details.played.flatMap { Self.seconds(String(decoding: $0, as: UTF8.self)) }.flatMap { seconds in
        // What is before the year 2000 is a duration.
        seconds < -31_622_400 ? nil : seconds
      }
  }

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
    guard [.text, .number].contains(line.tree.nodes[node].kind),
      let seconds = Self.seconds(line.tree.string(line.tree.nodes[node].text))
    else { throw Problem() }
    return seconds
  }

  /// Seconds since 2001, of Unix time or of a date.
  static func seconds(_ text: String) -> Double? {
    let epoch = 978_307_200.0
    if let number = Double(text), number.isFinite { return (abs(number) >= 1e11 ? number / 1000 : number) - epoch }
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
      guard let sign = take("+-"), let hours = number(2) else { return nil }
      _ = take(":")
      guard let minutes = rest.isEmpty ? 0 : number(2), hours < 24, minutes < 60 else { return nil }
      offset = (hours * 3600 + minutes * 60) * (sign == UInt8(ascii: "-") ? -1 : 1)
    }
    guard rest.isEmpty, let parts = fraction.isEmpty ? 0 : Double("0\(fraction)") else { return nil }
    return Double(midnight + hour * 3600 + minute * 60 + second - offset) + parts
  }
}
