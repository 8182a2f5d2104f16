internal import JSONPresets
internal import JSONStream

/// Reads the lines of a feed, each of which is a track: its fields by name, or a service's answer for it.
///
/// A line whose members all have the names of ``Field`` is read by these, and so is one that has `json`. Any other line
/// is the answer of a service: the first preset that matches says where its artists, title, time and picture stand.
final class FeedLineReader: JSONVisitor {
  /// The members of a line that is no service's answer.
  enum Field: String, CaseIterable {
    case key, title, imageURL, lastPlayedAt, secondsSince2001, artistName, json, artists, artist
  }

  /// Why a line is not a track; the raw values stand in the rejects file, beside those of ``FallbackReason``.
  enum Problem: String {
    /// A field has a value of another type than it can have, or a date that is none.
    case wrongType = "wrong_type"
    /// There is neither a title nor an artist.
    case noTrack = "no_track"
    /// A line before has the same key.
    case repeatedKey = "repeated_key"
    /// It is an artist who has no tracks, which only a library can hold, not one of its shards.
    case artistWithoutTrack = "artist_without_track"
  }

  /// A line that is not a track.
  struct Rejection: Error {
    let reason: String
    var byteOffset: Int?

    init(_ problem: Problem) { reason = problem.rawValue }
    init(_ reason: FallbackReason, at byteOffset: Int? = nil) {
      (self.reason, self.byteOffset) = (reason.rawValue, byteOffset)
    }
  }

  /// What a line says of its track.
  struct Track {
    var key: Int64?
    var title: [UInt8]?
    var imageURL: [UInt8]?
    /// Seconds since 2001.
    var lastPlayedAt: Double?
    /// Whether the line is about an artist who has no tracks.
    var isOnlyArtist = false
    /// Why the artist is the `artistName`, and where reading the JSON failed.
    var fallback: FallbackReason?
    var byteOffset: Int?
  }

  /// A value of a field; arrays and objects are read by others.
  private enum Value {
    case text([UInt8])
    case number([UInt8])
    case null
    case other
  }

  /// The mentions of the line that was read last.
  private(set) var batch = TrackBatch()
  private let identity: ArtistIdentity
  private let decider: ArtistDecider?
  let trie: PresetTrie
  private let answer: ArtistMentionVisitor
  private let nested: ArtistMentionVisitor
  private lazy var lineParser = JSONStreamParser(visitor: self, limits: Self.limits)
  private lazy var jsonParser = JSONStreamParser(visitor: nested)

  private var values: [Field: Value] = [:]
  private var depth = 0
  private var isObject = false
  private var field: Field?
  private var hasOnlyFields = true
  /// Whether the value of `json` is being read.
  private var isNested = false

  /// A document inside of a line is as long as the line.
  private static let limits = JSONStreamLimits(maximumTokenBytes: .max)
  /// From this size on, what a service calls a name is not reported whole, as in a migration.
  private static let longText = JSONStreamLimits().maximumTokenBytes

  init(_ options: TrackMigrationOptions, titlePath: JSONPath?, playedPath: JSONPath?) {
    identity = options.identity
    decider = options.decisions.map(ArtistDecider.init)
    let shape = options.json.ofFeed(titlePath: titlePath, playedPath: playedPath)
    trie = PresetTrie(shape, readsTracks: true)
    answer = ArtistMentionVisitor(trie, options: options)
    nested = ArtistMentionVisitor(trie, options: options)
    ownNumber = shape.presets.count - 1
  }

  private let ownNumber: Int

  /// The preset that the answer in the last line matches, if there is an answer.
  var preset: Preset? {
    [nested.preset, answer.preset].compactMap { $0 }.first { $0 != ownNumber }.map { trie.entries[$0].preset }
  }

  /// Reads a line.
  func read(_ line: UnsafeRawBufferPointer) throws(Rejection) -> Track {
    startOver()
    do throws(JSONStreamError) {
      try lineParser.parse(line)
    } catch {
      throw Rejection(FallbackReason(error.code), at: error.byteOffset)
    }
    guard isObject else { throw Rejection(.notAnObject) }
    return values[.json] != nil || hasOnlyFields ? try readFields() : try readAnswer()
  }

  // MARK: - Events

  override var canStartOver: Bool { true }

  override func startOver() {
    answer.batch.removeAll()
    nested.batch.removeAll()
    answer.begin()
    nested.begin()
    values.removeAll(keepingCapacity: true)
    (depth, isObject, field, hasOnlyFields, isNested) = (0, false, nil, true, false)
  }

  override func startObject() {
    if depth == 0 { isObject = true }
    enterValue()
    if isNested { nested.startObject() } else { answer.startObject() }
    depth += 1
  }

  override func endObject() {
    depth -= 1
    if isNested { nested.endObject() } else { answer.endObject() }
    if depth == 1 { isNested = false }
  }

  override func startArray() {
    enterValue()
    if isNested { nested.startArray() } else { answer.startArray() }
    depth += 1
  }

  override func endArray() {
    depth -= 1
    if isNested { nested.endArray() } else { answer.endArray() }
    if depth == 1 { isNested = false }
  }

  override func key(_ utf8: UnsafeRawBufferPointer) -> JSONVisit {
    guard !isNested else { return nested.key(utf8) }
    let isWanted = answer.key(utf8) == .enter
    guard depth == 1, isObject else { return isWanted ? .enter : .skip }
    field = Field(rawValue: String(decoding: utf8.prefix(32), as: UTF8.self))
    if field == nil { hasOnlyFields = false }
    // Of two equal keys, the first one counts.
    if let known = field, values[known] != nil { field = nil }
    return isWanted || field != nil ? .enter : .skip
  }

  override func string(_ utf8: UnsafeRawBufferPointer, isTruncated: Bool) {
    note { .text(Array(utf8)) }
    let reader = isNested ? nested : answer
    let isLong = utf8.count > Self.longText
    reader.string(isLong ? UnsafeRawBufferPointer(rebasing: utf8.prefix(0)) : utf8, isTruncated: isLong)
  }

  override func number(_ text: UnsafeRawBufferPointer) {
    note { .number(Array(text)) }
    (isNested ? nested : answer).number(text)
  }

  override func boolean(_ value: Bool) {
    note { .other }
    (isNested ? nested : answer).boolean(value)
  }

  override func null() {
    note { .null }
    (isNested ? nested : answer).null()
  }

  private func enterValue() {
    isNested = isNested || depth == 1 && field == .json
    note { .other }
  }

  private func note(_ value: () -> Value) {
    guard depth == 1, let field else { return }
    values[field] = value()
    self.field = nil
  }

  // MARK: - Fields

  private func readFields() throws(Rejection) -> Track {
    var track = Track()
    track.key = try key()
    track.title = try text(.title)
    track.imageURL = try text(.imageURL)
    track.lastPlayedAt = try date(.lastPlayedAt)
    let artistName = try text(.artistName)
    if let seconds = values[.secondsSince2001] { track.lastPlayedAt = try number(seconds) }
    answer.finish(as: ownNumber)
    let artist: Value? = values[.artist]
    if case .other? = artist { track.isOnlyArtist = values.count == 1 }
    if !answer.batch.mentions.isEmpty || values[.json] == nil {
      batch = answer.batch
    } else {
      track.byteOffset = try readJSON(&track.fallback)
      batch = nested.batch
      if track.title == nil { track.title = bytes(nested.outcome.track.title) }
      if track.imageURL == nil { track.imageURL = bytes(nested.outcome.track.image) }
      if track.lastPlayedAt == nil { track.lastPlayedAt = played(nested.outcome.track.played) }
    }
    if case .text(let name)? = artist, artistName == nil { values[.artistName] = .text(name) }
    return try completed(track)
  }

  /// Reads the document in `json`.
  ///
  /// - Returns: Where it is broken, if it is.
  private func readJSON(_ fallback: inout FallbackReason?) throws(Rejection) -> Int? {
    switch values[.json] {
    case .text(let document)?:
      nested.begin()
      do throws(JSONStreamError) {
        try jsonParser.parse(document)
      } catch {
        nested.batch.removeAll()
        fallback = FallbackReason(error.code)
        return error.byteOffset
      }
    case .null?, nil:
      fallback = .noJSON
      return nil
    case .number?: throw Rejection(.wrongType)
    case .other?: break
    }
    nested.finish()
    if nested.batch.mentions.isEmpty { fallback = nested.outcome.problem }
    return nil
  }

  // MARK: - Answers

  private func readAnswer() throws(Rejection) -> Track {
    answer.finish()
    if answer.preset == nil { answer.finish(as: ownNumber) }
    batch = answer.batch
    if batch.mentions.isEmpty, answer.outcome.problem == .otherAnswer { throw Rejection(.otherAnswer) }
    var track = Track()
    track.title = bytes(answer.outcome.track.title) ?? (try? text(.title)) ?? nil
    track.imageURL = bytes(answer.outcome.track.image)
    track.lastPlayedAt = played(answer.outcome.track.played)
    if answer.preset == ownNumber {
      track.imageURL = track.imageURL ?? (try? text(.imageURL)) ?? nil
      track.lastPlayedAt = track.lastPlayedAt ?? (try? date(.lastPlayedAt)) ?? nil
    }
    if batch.mentions.isEmpty {
      track.fallback = answer.outcome.problem
      // A service may use the name for something else.
      if (try? text(.artistName)) == nil { values[.artistName] = nil }
    }
    return try completed(track)
  }

  /// A track that has at least a title or an artist, which may be its `artistName`.
  private func completed(_ track: Track) throws(Rejection) -> Track {
    if batch.mentions.isEmpty, let name = try text(.artistName), !name.isEmpty {
      let start = name.withUnsafeBytes { batch.bytes.appendMarked($0) }
      let text = TrackBatch.Text(start: start, count: name.count)
      batch.append(TrackBatch.Mention(name: text, isFallback: true), identity)
      decider?.decide(&batch, from: batch.mentions.count - 1, identity)
    }
    // What was exported from a library is a track even if nothing is known of it.
    guard track.key != nil || track.title != nil || !batch.mentions.isEmpty else { throw Rejection(.noTrack) }
    return track
  }

  // MARK: - Values

  private func key() throws(Rejection) -> Int64? {
    switch values[.key] {
    case nil, .null?: return nil
    case .number(let text)?:
      guard let key = Int64(String(decoding: text, as: UTF8.self)), key > 0 else { throw Rejection(.wrongType) }
      return key
    default: throw Rejection(.wrongType)
    }
  }

  private func text(_ field: Field) throws(Rejection) -> [UInt8]? {
    switch values[field] {
    case nil, .null?: return nil
    case .text(let text)?: return text
    default: throw Rejection(.wrongType)
    }
  }

  private func date(_ field: Field) throws(Rejection) -> Double? {
    switch values[field] {
    case nil, .null?: return nil
    case .text(let text)?, .number(let text)?:
      guard let date = FeedDate.seconds(text) else { throw Rejection(.wrongType) }
      return date
    default: throw Rejection(.wrongType)
    }
  }

  private func number(_ value: Value) throws(Rejection) -> Double? {
    switch value {
    case .text(let text), .number(let text):
      guard let number = Double(String(decoding: text, as: UTF8.self)), !number.isNaN else {
        throw Rejection(.wrongType)
      }
      return number
    case .null: return nil
    case .other: throw Rejection(.wrongType)
    }
  }

  /// A time that a service gives; one that cannot be read counts as none.
  private func played(_ text: TrackBatch.Text) -> Double? { bytes(text).flatMap(FeedDate.seconds) }

  private func bytes(_ text: TrackBatch.Text) -> [UInt8]? {
    // Every text of a line stands in the arena of its reader, which the batch shares.
    text.isPresent ? Array(batch.text(text)) : nil
  }
}

/// Dates as feeds write them.
package enum FeedDate {
  /// The seconds between 1970 and 2001.
  private static let epoch = 978_307_200.0
  /// From here on, a number counts milliseconds: as seconds it would lie beyond the year 5000.
  private static let milliseconds = 1e11

  /// Seconds since 2001, for Unix time in seconds or milliseconds, or a date such as `2024-05-01T12:30:00.5+02:00`.
  ///
  /// A date without a time zone is in UTC.
  package static func seconds(_ text: [UInt8]) -> Double? {
    if let number = Double(String(decoding: text, as: UTF8.self)), number.isFinite {
      return (abs(number) >= milliseconds ? number / 1000 : number) - epoch
    }
    var rest = text[...]
    guard let year = number(4, &rest), take("-", &rest), let month = number(2, &rest), take("-", &rest),
      let day = number(2, &rest), year > 0, (1...12).contains(month)
    else { return nil }
    let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    let lengths = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    guard (1...lengths[month - 1]).contains(day) else { return nil }
    let midnight = days(year, month, day) * 86_400
    if rest.isEmpty { return Double(midnight) }
    guard take("T", &rest) || take(" ", &rest), let hour = number(2, &rest), take(":", &rest),
      let minute = number(2, &rest), hour < 24, minute < 60
    else { return nil }
    // The 60th second is a leap second.
    let second = take(":", &rest) ? number(2, &rest) : 0
    guard let second, second <= 60 else { return nil }
    let fraction = rest.first == UInt8(ascii: ".") ? rest.prefix { !"Z+-".utf8.contains($0) } : []
    rest = rest.dropFirst(fraction.count)
    guard let part = fraction.isEmpty ? 0 : Double("0" + String(decoding: fraction, as: UTF8.self)),
      let offset = offset(&rest), rest.isEmpty
    else { return nil }
    return Double(midnight + hour * 3600 + minute * 60 + second - offset) + part
  }

  /// Takes a number of so many digits.
  private static func number(_ count: Int, _ text: inout ArraySlice<UInt8>) -> Int? {
    let digits = text.prefix(count)
    guard digits.count == count, digits.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains) else { return nil }
    text = text.dropFirst(count)
    return digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
  }

  private static func take(_ character: Unicode.Scalar, _ text: inout ArraySlice<UInt8>) -> Bool {
    guard text.first == UInt8(ascii: character) else { return false }
    text = text.dropFirst()
    return true
  }

  /// The days since 2001, by the algorithm of Howard Hinnant's `days_from_civil`.
  private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
    let year = month <= 2 ? year - 1 : year
    let era = year / 400
    let yearOfEra = year - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468 - 11_323
  }

  /// Takes a zone such as `+02:00`, and returns how many seconds it is ahead of UTC.
  private static func offset(_ text: inout ArraySlice<UInt8>) -> Int? {
    if text.isEmpty || take("Z", &text) { return 0 }
    let sign = text.first == UInt8(ascii: "-") ? -1 : 1
    guard take("+", &text) || take("-", &text), let hours = number(2, &text) else { return nil }
    _ = take(":", &text)
    guard let minutes = text.isEmpty ? 0 : number(2, &text), hours < 24, minutes < 60 else { return nil }
    return sign * (hours * 3600 + minutes * 60)
  }
}
