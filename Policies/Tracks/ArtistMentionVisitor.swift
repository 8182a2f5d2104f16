internal import JSONPresets
internal import JSONStream
internal import SystemC

/// Collects the artists that documents name, where the first matching preset says that they stand.
///
/// Everything else in a document is skipped. If a key occurs twice, the first one is used.
final class ArtistMentionVisitor: JSONVisitor {
  /// The reader that does the work.
  ///
  /// It is a pointer because each access to a property of an object costs a check, which takes longer than most events.
  private let reader: UnsafeMutablePointer<ArtistMentionReader>

  init(_ trie: PresetTrie, options: TrackMigrationOptions) {
    reader = .allocate(capacity: 1)
    reader.initialize(to: ArtistMentionReader(trie, options))
  }

  deinit {
    reader.deinitialize(count: 1)
    reader.deallocate()
  }

  /// The mentions collected from all documents since the batch was last taken.
  var batch: TrackBatch {
    get { reader.pointee.batch }
    _modify { yield &reader.pointee.batch }
  }

  /// Starts a document.
  func begin() { reader.pointee.begin() }

  /// Ends a document that could be read, and adds its mentions to the batch.
  func finish() { reader.pointee.finish() }

  /// Whether the document that has ended may have a track inside that only ``EnvelopeSearch`` finds.
  var mayBeEnvelope: Bool { reader.pointee.mayBeEnvelope }

  /// Takes the track that was found inside of the document that has ended.
  func take(_ candidate: EnvelopeSearch.Candidate) { reader.pointee.take(candidate) }

  /// Ends a document that is known to have the shape of a preset.
  func finish(as number: Int) { reader.pointee.finish(as: number) }

  /// Carries out the decisions about the `artistName` that was just added.
  func decideArtistName() { reader.pointee.decideArtistName() }

  /// The number of the preset that the document matches.
  var preset: Int? { reader.pointee.preset }
  var outcome: PresetMatcher.Outcome { reader.pointee.outcome }

  override var canStartOver: Bool { true }
  override func startOver() { reader.pointee.begin() }
  override func startObject() { reader.pointee.start(isObject: true) }
  override func endObject() { reader.pointee.end() }
  override func startArray() { reader.pointee.start(isObject: false) }
  override func endArray() { reader.pointee.end() }
  override func key(_ utf8: UnsafeRawBufferPointer) -> JSONVisit { reader.pointee.key(utf8) }
  override func number(_ text: UnsafeRawBufferPointer) { reader.pointee.scalar(.number, text) }
  override func null() { reader.pointee.scalar(.null, nil) }

  override func string(_ utf8: UnsafeRawBufferPointer, isTruncated: Bool) {
    reader.pointee.scalar(.text, isTruncated ? nil : utf8)
  }

  override func boolean(_ value: Bool) {
    PresetMatcher.withText(of: value) { reader.pointee.scalar(.boolean, $0) }
  }
}

/// A value inside a document that may be a track, and is read beside the document.
struct InnerTrack: ~Copyable {
  var matcher: PresetMatcher
  /// Whether the value is being read.
  private(set) var isOpen = false
  /// The preset that it matches.
  private(set) var preset: Int?
  /// The place of the value.
  private var node: Int32 = -1

  init(_ matcher: consuming PresetMatcher) { self.matcher = matcher }

  /// Forgets the value of the last document.
  mutating func clear() { (isOpen, preset) = (false, nil) }

  /// Whether it is all of an answer.
  var isAnswer: Bool { matcher.trie.nodes[Int(node)].isAnswer }

  /// Compares an object inside of an unknown document, which has ended, with the presets.
  mutating func matchInside() { preset = matcher.matchInside() }

  /// Begins to read an object.
  mutating func begin(at node: Int32) {
    (self.node, isOpen) = (node, true)
    matcher.begin()
    matcher.startObject()
  }

  /// Forgets the value if its place turns out to be an array of several.
  mutating func forget(at node: Int32) { if self.node == node { preset = nil } }

  mutating func start(isObject: Bool) {
    guard isOpen else { return }
    isObject ? matcher.startObject() : matcher.startArray()
  }

  mutating func end() {
    guard isOpen else { return }
    matcher.end()
    isOpen = matcher.isOpen
    if !isOpen { preset = matcher.match(isLate: false) }
  }

  mutating func key(_ utf8: UnsafeRawBufferPointer) -> JSONVisit { isOpen ? matcher.key(utf8) : .skip }

  mutating func scalar(_ kind: PresetMatcher.Kind, _ utf8: UnsafeRawBufferPointer?) {
    if isOpen { matcher.scalar(kind, utf8) }
  }

  /// Adds the artists to a batch, if the value matches a preset.
  mutating func collect(_ options: TrackMigrationOptions, _ batch: inout TrackBatch) -> PresetMatcher.Outcome? {
    guard let preset else { return nil }
    var outcome = matcher.collect(preset, options, &batch)
    if outcome.track.played.count <= 0 { outcome.track.played = matcher.timeOfAnyService(batch) }
    return outcome
  }
}

extension PresetMatcher {
  /// Calls back with a boolean as it is written.
  @inline(__always)
  static func withText(of value: Bool, _ body: (UnsafeRawBufferPointer) -> Void) {
    let text: StaticString = value ? "true" : "false"
    body(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  /// The time under the words of any service.
  fileprivate func timeOfAnyService(_ batch: TrackBatch) -> Text {
    track(trie.readings[trie.readings.count - 1], batch).played
  }
}

/// Reads a document, and the tracks that may stand inside it.
private struct ArtistMentionReader: ~Copyable {
  var batch = TrackBatch()
  private(set) var preset: Int?
  private(set) var outcome = PresetMatcher.Outcome()

  private let options: TrackMigrationOptions
  private let decider: ArtistDecider?
  private let looksUnderRoots: Bool
  private var main: PresetMatcher
  private var rooted: InnerTrack
  /// A value in the one that ``rooted`` reads.
  private var nested: InnerTrack

  init(_ trie: PresetTrie, _ options: TrackMigrationOptions) {
    self.options = options
    decider = options.decisions.map(ArtistDecider.init)
    looksUnderRoots = options.json.looksUnderRoots
    main = PresetMatcher(trie, arena: batch.bytes)
    rooted = InnerTrack(PresetMatcher(trie, arena: batch.bytes))
    nested = InnerTrack(PresetMatcher(trie, arena: batch.bytes))
  }

  mutating func begin() {
    if main.arena !== batch.bytes {
      (main.arena, rooted.matcher.arena, nested.matcher.arena) = (batch.bytes, batch.bytes, batch.bytes)
    }
    main.begin()
    rooted.clear()
    nested.clear()
    preset = nil
    outcome = PresetMatcher.Outcome()
  }

  mutating func start(isObject: Bool) {
    rooted.start(isObject: isObject)
    if nested.isOpen {
      nested.start(isObject: isObject)
    } else if looksUnderRoots {
      enterRoot(isObject: isObject)
    }
    isObject ? main.startObject() : main.startArray()
  }

  mutating func end() {
    nested.end()
    rooted.end()
    main.end()
  }

  mutating func key(_ utf8: UnsafeRawBufferPointer) -> JSONVisit {
    let visits: (JSONVisit, JSONVisit, JSONVisit) = (main.key(utf8), rooted.key(utf8), nested.key(utf8))
    if visits.0 == .enter || visits.1 == .enter || visits.2 == .enter { return .enter }
    return visits.0 == .skip && visits.1 == .skip && visits.2 == .skip ? .skip : .skipUnlessNull
  }

  mutating func scalar(_ kind: PresetMatcher.Kind, _ utf8: UnsafeRawBufferPointer?) {
    rooted.scalar(kind, utf8)
    if nested.isOpen {
      nested.scalar(kind, utf8)
    } else if rooted.preset != nil || nested.preset != nil {
      // A value that is not an object can only follow one.
      enterRoot(isObject: false)
    }
    main.scalar(kind, utf8)
  }

  /// Looks at a value that may be a track: an object, or the only element of an array.
  private mutating func enterRoot(isObject: Bool) {
    guard let place = main.rootPlace else { return }
    if place.index > 0 {
      rooted.forget(at: place.node)
      nested.forget(at: place.node)
    } else if isObject, rooted.preset == nil, nested.preset == nil {
      if rooted.isOpen { nested.begin(at: place.node) } else { rooted.begin(at: place.node) }
    }
  }

  mutating func finish(as number: Int) {
    let start = batch.mentions.count
    preset = number
    outcome = main.collect(number, options, &batch)
    decide(from: start)
  }

  mutating func finish() {
    let start = batch.mentions.count
    collect()
    decide(from: start)
  }

  var mayBeEnvelope: Bool {
    guard looksUnderRoots, main.documentKind == .object else { return false }
    return preset.map { main.trie.entries[$0].preset.kind == .list } ?? true
  }

  mutating func take(_ candidate: EnvelopeSearch.Candidate) {
    let start = batch.mentions.count
    // Without an artist, the document is what it was.
    guard let found = candidate.track.collect(options, &batch), batch.mentions.count > start else { return }
    (preset, outcome) = (candidate.track.preset, found)
    for outer in candidate.outer where outcome.track.played.count <= 0 {
      outcome.track.played = outer.track.matcher.timeOfAnyService(batch)
    }
    decide(from: start)
  }

  private mutating func decide(from start: Int) {
    guard let decider, let preset, batch.mentions.count > start else { return }
    decider.decide(&batch, from: start, options.identity, namespace: main.trie.readings[preset].namespace)
    if batch.mentions.count == start { outcome.problem = .ignoredArtists }
  }

  mutating func decideArtistName() {
    decider?.decide(&batch, from: batch.mentions.count - 1, options.identity)
  }

  private mutating func collect() {
    guard main.documentKind == .object else { return outcome.problem = .notAnObject }
    preset = main.match(isLate: false)
    var isAnswer = false
    if let preset {
      outcome = main.collect(preset, options, &batch)
    } else if let found = rooted.collect(options, &batch) {
      (preset, outcome, isAnswer) = (rooted.preset, found, rooted.isAnswer)
    } else if let found = nested.collect(options, &batch) {
      (preset, outcome, isAnswer) = (nested.preset, found, rooted.isAnswer)
      if outcome.track.played.count <= 0 { outcome.track.played = rooted.matcher.timeOfAnyService(batch) }
    } else {
      preset = main.match(isLate: true)
      if let preset { outcome = main.collect(preset, options, &batch) }
    }
    // The words of any service, beside the track too.
    if preset != nil, !isAnswer, outcome.track.played.count <= 0 {
      outcome.track.played = main.timeOfAnyService(batch)
    }
  }
}

extension UnsafeRawBufferPointer {
  /// Whether these bytes equal others.
  func isEqual(to other: UnsafeRawBufferPointer) -> Bool {
    guard count == other.count else { return false }
    guard count > 0, let bytes = baseAddress, let otherBytes = other.baseAddress else { return true }
    return memcmp(bytes, otherBytes, count) == 0
  }

  /// The text, or the beginning of one too long to be read to its end.
  var excerpt: String {
    let limit = 1000
    return String(decoding: prefix(limit), as: UTF8.self) + (count > limit ? "…" : "")
  }
}

/// The bytes of the texts of one batch, one after the other.
///
/// For an array stored in a class, every access would check for exclusivity, and handing on a batch would copy it. One
/// thread fills an arena and then hands it on with its batch; it never changes after that.
final class ByteArena: @unchecked Sendable {
  private var start: UnsafeMutableRawPointer
  private var capacity: Int
  private(set) var count = 0

  init(capacity: Int = 1 << 12) {
    self.capacity = capacity
    start = .allocate(byteCount: capacity, alignment: 16)
  }

  deinit { start.deallocate() }

  /// The bytes of a range, which always have a base address.
  ///
  /// They are valid as long as the arena exists, until more bytes are added.
  subscript(range: Range<Int>) -> UnsafeRawBufferPointer {
    precondition(range.lowerBound >= 0 && range.upperBound <= count)
    return UnsafeRawBufferPointer(start: start + range.lowerBound, count: range.count)
  }

  func append(_ bytes: UnsafeRawBufferPointer) {
    reserve(bytes.count)
    UnsafeMutableRawBufferPointer(start: start + count, count: bytes.count).copyMemory(from: bytes)
    count += bytes.count
  }

  /// Appends bytes with one before them, which can be set later.
  ///
  /// - Returns: Where the bytes begin.
  func appendMarked(_ bytes: UnsafeRawBufferPointer) -> Int {
    reserve(bytes.count + 1)
    let place = count + 1
    start.storeBytes(of: 0, toByteOffset: place - 1, as: UInt8.self)
    UnsafeMutableRawBufferPointer(start: start + place, count: bytes.count).copyMemory(from: bytes)
    count = place + bytes.count
    return place
  }

  func append(_ byte: UInt8) {
    reserve(1)
    start.storeBytes(of: byte, toByteOffset: count, as: UInt8.self)
    count += 1
  }

  /// Sets the byte before bytes that were appended marked.
  func mark(_ place: Int, _ byte: UInt8) {
    precondition(place > 0 && place <= count)
    start.storeBytes(of: byte, toByteOffset: place - 1, as: UInt8.self)
  }

  /// Removes all bytes from an offset on.
  func removeAll(from end: Int) { count = min(count, end) }

  private func reserve(_ additional: Int) {
    guard capacity - count < additional else { return }
    capacity = max(capacity * 2, count + additional)
    let new = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 16)
    new.copyMemory(from: start, byteCount: count)
    start.deallocate()
    start = new
  }
}
