internal import JSONPresets
internal import JSONStream

/// Reads the lines of a feed, each of which is a track: its fields by name, or a service's answer for it.
///
/// A line whose members all have the names of ``Field`` is read by these, and so is one that has `json`. Any other line
/// is the answer of a service: the first preset that matches says where its artists, title, time and picture stand.
final class FeedLineReader: JSONVisitor {
  /// The members of a line that is not a service's answer.
  enum Field: String, CaseIterable {
    case key, title, imageURL, lastPlayedAt, secondsSince2001, storedTime, artistName, json, artists, artist
  }

  /// A reason why a line is not a track; the raw values stay as they are in the rejects file, beside those of
  /// ``FallbackReason``.
  enum Problem: String {
    /// A field has a value of another type than it can have, or a date that is none.
    case wrongType = "wrong_type"
    /// There is neither a title nor an artist.
    case noTrack = "no_track"
    /// A line before has the same key.
    case repeatedKey = "repeated_key"
    /// A line before that has no key got this one.
    case takenKey = "taken_key"
    /// It is an artist who has no tracks, which only a library can hold, not one of its shards.
    case artistWithoutTrack = "artist_without_track"

    /// A few words for a person.
    var summary: String {
      switch self {
      case .wrongType: "a value of another type, or a date that does not exist"
      case .noTrack: "neither a title nor an artist"
      case .repeatedKey: "the key of an earlier line"
      case .takenKey: "a key that an earlier line without one was given"
      case .artistWithoutTrack: "an artist without a track"
      }
    }
  }

  /// A line that is not a track.
  struct Rejection: Error {
    let reason: String
    /// A few words for a person.
    let summary: String
    var byteOffset: Int?
    /// Whether the line may be a track that ``Preset/anyTitle`` reads.
    private(set) var mayBeTrack = false

    /// A line with a title and an artist that says more of something else.
    static let unclear: Rejection = {
      var rejection = Rejection(
        FallbackReason.otherAnswer.rawValue,
        "a title and an artist, but nothing that only a track has; the preset '\(Preset.anyTitle.name)' takes it")
      rejection.mayBeTrack = true
      return rejection
    }()

    private init(_ reason: String, _ summary: String) { (self.reason, self.summary) = (reason, summary) }
    init(_ problem: Problem) { (reason, summary) = (problem.rawValue, problem.summary) }
    init(_ reason: FallbackReason, at byteOffset: Int? = nil) {
      (self.reason, summary, self.byteOffset) = (reason.rawValue, reason.summary, byteOffset)
    }
  }

  /// The track of a line; its texts are in the reader's batch.
  struct Track: Sendable {
    var key: Int64?
    var title = TrackBatch.Text.none
    var imageURL = TrackBatch.Text.none
    /// Seconds since 2001.
    var lastPlayedAt: Double?
    /// Whether there is a time that cannot be read.
    var hasUnreadTime = false
    /// Whether the line is about an artist who has no tracks.
    var isOnlyArtist = false
    /// The reason for using the `artistName`, and the place where reading the JSON failed.
    var fallback: FallbackReason?
    var byteOffset: Int?
    var oddities = TrackBatch.Oddities()

    /// The reason for keeping the line although it is a track: the library does not fully represent it.
    var rejectReason: String? { oddities.rejectReason(after: fallback) }
  }

  /// A value of a field; arrays and objects are read by others.
  enum Value {
    case text(TrackBatch.Text)
    case number(TrackBatch.Text)
    case null
    case boolean
    case array
    case object
  }

  /// The values of a line's fields, which are too few for a dictionary.
  struct FieldValues: ~Copyable {
    private(set) var all = FlatList<FieldValue>()

    mutating func removeAll() { all.removeAll() }

    /// Adds the value of a field that has none.
    mutating func add(_ value: Value, of field: Field) { all.append(FieldValue(field: field, value: value)) }

    subscript(field: Field) -> Value? {
      for place in 0..<all.count where all[place].field == field { return all[place].value }
      return nil
    }
  }

  struct FieldValue {
    let field: Field
    let value: Value
  }

  private let identity: ArtistIdentity
  private let decider: ArtistDecider?
  let trie: PresetTrie
  let ownNumber: Int
  /// Whether a person has chosen where artists stand, and where title and time do.
  let isChosen: Bool
  let given: (title: Bool, played: Bool)
  /// Whether artists without a role are wanted.
  let wantsMain: Bool
  let answer: ArtistMentionVisitor
  let nested: ArtistMentionVisitor
  private lazy var lineParser = JSONStreamParser(visitor: self, limits: Self.limits)
  lazy var jsonParser = JSONStreamParser(visitor: nested)
  /// Searches of answers, which are as long as the line, and of documents in `json`.
  lazy var envelopes = (answer: EnvelopeSearch(trie, limits: Self.limits), nested: EnvelopeSearch(trie))

  /// The texts of the lines, of which those of the current one begin at `textStart`.
  private(set) var texts = ByteArena()
  private var textStart = 0
  /// Whether the mentions of the line are those of its `json`.
  var isFromJSON = false
  // Nothing here is changed while it is used: the checks for that would take longer than to add a value.
  @exclusivity(unchecked) private(set) var values = FieldValues()
  private let fields = FlatTable(Field.allCases.map { ($0, Array($0.rawValue.utf8).withUnsafeBytes(KeyWords.init)) })
  /// The value of `json` that is a text.
  var document: [UInt8] = []
  private var depth = 0
  private var isObject = false
  private var field: Field?
  private var hasOnlyFields = true
  /// Whether the value of `json` is being read.
  private var isNested = false

  /// A document inside of a line is as long as the line.
  private static let limits = JSONStreamLimits(maximumTokenBytes: .max)
  /// From this size on, what a service calls a name is not reported whole, as in a migration.
  static let longText = JSONStreamLimits().maximumTokenBytes

  /// Prepares to read lines with the paths of ``makeTrie(_:titlePath:playedPath:)``, which several readers can share.
  init(_ options: TrackMigrationOptions, _ trie: PresetTrie) {
    identity = options.identity
    decider = options.decisions.map(ArtistDecider.init)
    self.trie = trie
    answer = ArtistMentionVisitor(trie, options: options)
    nested = ArtistMentionVisitor(trie, options: options)
    ownNumber = trie.entries.count - 1
    isChosen = options.json.isChosen
    given = JSONShape.givenPlaces(trie.entries[ownNumber].preset)
    wantsMain = options.roles?.contains(.main) ?? true
    super.init()
    _ = beginTexts()
  }

  /// The paths of all presets; the last one is that of a line that is not a service's answer.
  static func makeTrie(_ options: TrackMigrationOptions, titlePath: JSONPath?, playedPath: JSONPath?) -> PresetTrie {
    if options.json == .auto, titlePath == nil, playedPath == nil { return usualTrie }
    return PresetTrie(options.json.ofFeed(titlePath: titlePath, playedPath: playedPath), readsTracks: true)
  }

  private static let usualTrie = PresetTrie(
    JSONShape.auto.ofFeed(titlePath: nil, playedPath: nil), readsTracks: true)

  /// The visitor with the mentions of the line.
  var source: ArtistMentionVisitor { isFromJSON ? nested : answer }

  /// The mentions of the line that was read last.
  var batch: TrackBatch { source.batch }

  /// Adds the mentions of the line that was read last to those of a block.
  func addMentions(to batch: inout FeedBatch) { batch.add(&source.batch) }

  /// The number of the preset that the answer in the last line matches, if there is an answer.
  var preset: Int? {
    if let preset = nested.preset, preset != ownNumber { return preset }
    return answer.preset == ownNumber ? nil : answer.preset
  }

  /// Lets the texts of the lines that follow stand in a new arena.
  func beginTexts() -> ByteArena {
    // It will be about as large as the last one.
    texts = ByteArena(capacity: max(texts.count, 1 << 12))
    (answer.batch.bytes, nested.batch.bytes) = (texts, texts)
    return texts
  }

  /// Reads a line.
  ///
  /// - Parameter keepsTexts: Whether the texts of the lines before are still needed.
  func read(_ line: UnsafeRawBufferPointer, keepsTexts: Bool = false) throws(Rejection) -> Track {
    textStart = keepsTexts ? texts.count : 0
    startOver()
    do throws(JSONStreamError) {
      try lineParser.parse(line)
    } catch {
      throw Rejection(FallbackReason(error.code), at: error.byteOffset)
    }
    guard isObject else { throw Rejection(.notAnObject) }
    return values[.json] != nil || hasOnlyFields ? try readFields(of: line) : try readAnswer(line)
  }

  // MARK: - Events

  override var canStartOver: Bool { true }

  override func startOver() {
    texts.removeAll(from: textStart)
    answer.batch.removeAll()
    nested.batch.removeAll()
    answer.begin()
    nested.begin()
    values.removeAll()
    (depth, isObject, field, hasOnlyFields, isNested, isFromJSON) = (0, false, nil, true, false, false)
  }

  override func startObject() {
    if depth == 0 { isObject = true }
    enterValue(.object)
    if isNested { nested.startObject() } else { answer.startObject() }
    depth += 1
  }

  override func endObject() {
    depth -= 1
    if isNested { nested.endObject() } else { answer.endObject() }
    if depth == 1 { isNested = false }
  }

  override func startArray() {
    enterValue(.array)
    if isNested { nested.startArray() } else { answer.startArray() }
    depth += 1
  }

  override func endArray() {
    depth -= 1
    if isNested { nested.endArray() } else { answer.endArray() }
    if depth == 1 { isNested = false }
  }

  override func key(_ utf8: UnsafeRawBufferPointer) -> JSONVisit {
    isNested ? nested.key(utf8) : keyOfLine(utf8)
  }

  // Not inlined: most keys are those of the value of `json`, and would pay for what it needs.
  @inline(never)
  private func keyOfLine(_ utf8: UnsafeRawBufferPointer) -> JSONVisit {
    let visit = answer.key(utf8)
    guard depth == 1, isObject else { return visit }
    field = knownField(utf8)
    if field == nil { hasOnlyFields = false }
    // Of two equal keys, the first one counts.
    if let known = field, values[known] != nil { field = nil }
    return field != nil ? .enter : visit
  }

  override func string(_ utf8: UnsafeRawBufferPointer, isTruncated: Bool) {
    if let field = takeField() { values.add(.text(store(utf8, of: field)), of: field) }
    let isLong = utf8.count > Self.longText
    let text = isLong ? UnsafeRawBufferPointer(rebasing: utf8.prefix(0)) : utf8
    if isNested { nested.string(text, isTruncated: isLong) } else { answer.string(text, isTruncated: isLong) }
  }

  override func number(_ text: UnsafeRawBufferPointer) {
    if let field = takeField() { values.add(.number(store(text, of: field)), of: field) }
    if isNested { nested.number(text) } else { answer.number(text) }
  }

  override func boolean(_ value: Bool) {
    if let field = takeField() { values.add(.boolean, of: field) }
    if isNested { nested.boolean(value) } else { answer.boolean(value) }
  }

  override func null() {
    if let field = takeField() { values.add(.null, of: field) }
    if isNested { nested.null() } else { answer.null() }
  }

  /// The field of a name, none of which is longer than its words.
  private func knownField(_ name: UnsafeRawBufferPointer) -> Field? {
    let words = KeyWords(name)
    for place in 0..<fields.count where fields[place].1 == words {
      assert(words.areWhole)
      return fields[place].0
    }
    return nil
  }

  private func enterValue(_ value: Value) {
    guard let field = takeField() else { return }
    if field == .json { isNested = true }
    values.add(value, of: field)
  }

  /// The field whose value begins, if it is one.
  private func takeField() -> Field? {
    guard depth == 1, let known = field else { return nil }
    field = nil
    return known
  }

  private func store(_ utf8: UnsafeRawBufferPointer, of field: Field) -> TrackBatch.Text {
    guard field == .json else { return TrackBatch.Text(start: texts.appendMarked(utf8), count: utf8.count) }
    // More texts are stored while it is read.
    document.removeAll(keepingCapacity: true)
    document.append(contentsOf: utf8)
    return .none
  }

  // MARK: - Answers

  private func readAnswer(_ line: UnsafeRawBufferPointer) throws(Rejection) -> Track {
    answer.finish()
    if answer.mayBeEnvelope, let inside = envelopes.answer.track(in: line, texts) { answer.take(inside) }
    if answer.preset == nil { answer.finish(as: ownNumber) }
    let (outcome, hasMentions) = (answer.outcome, !answer.batch.mentions.isEmpty)
    if !hasMentions, outcome.problem == .otherAnswer {
      let isUnclear = answer.preset.map { trie.entries[$0].preset.mayHideTracks } ?? false
      throw isUnclear ? .unclear : Rejection(.otherAnswer)
    }
    var track = Track()
    track.title = outcome.track.title.isPresent ? outcome.track.title : usableText(.title)
    track.imageURL = outcome.track.image.isPresent ? outcome.track.image : .none
    readTime(outcome.track.played, of: &track)
    if answer.preset == ownNumber {
      if !track.imageURL.isPresent { track.imageURL = usableText(.imageURL) }
      if track.lastPlayedAt == nil, let value = values[.lastPlayedAt] { try? readDate(value, of: &track) }
    }
    if hasMentions, answer.preset == ownNumber, !track.title.isPresent { throw Rejection(.otherAnswer) }
    if !hasMentions { track.fallback = outcome.problem }
    return try completed(track, usableText(.artistName))
  }

  /// A text that a service may use for something else, in which case it counts as none.
  private func usableText(_ field: Field) -> TrackBatch.Text {
    values[field].flatMap { try? text($0) } ?? .none
  }

  /// A track that has at least a title or an artist, which may be its `artistName`.
  func completed(_ track: Track, _ artistName: TrackBatch.Text) throws(Rejection) -> Track {
    let hasMentions = !source.batch.mentions.isEmpty
    for mention in source.batch.mentions where mention.primaryKey.isPresent {
      guard Self.key(string(mention.primaryKey)) != nil else { throw Rejection(.wrongType) }
    }
    var track = track
    track.oddities = TrackBatch.Oddities(source.outcome, hasArtists: hasMentions)
    // The line's own artists have no usable name, so that those of its document are asked for.
    if isFromJSON { track.oddities.add(TrackBatch.Oddities(answer.outcome, hasArtists: false)) }
    if !hasMentions, artistName.count > 0 {
      source.batch.append(TrackBatch.Mention(name: artistName, isFallback: true), identity)
      decider?.decide(&source.batch, from: source.batch.mentions.count - 1, identity)
    }
    // What was exported from a library is a track even if nothing is known of it.
    guard track.key != nil || track.title.isPresent || !source.batch.mentions.isEmpty else { throw Rejection(.noTrack) }
    return track
  }
}
