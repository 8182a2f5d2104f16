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
  override func key(_ utf8: UnsafeRawBufferPointer) -> JSONVisit { reader.pointee.key(utf8) ? .enter : .skip }
  override func number(_ text: UnsafeRawBufferPointer) { reader.pointee.scalar(.number, text) }
  override func null() { reader.pointee.scalar(.null, nil) }

  override func string(_ utf8: UnsafeRawBufferPointer, isTruncated: Bool) {
    reader.pointee.scalar(.text, isTruncated ? nil : utf8)
  }

  override func boolean(_ value: Bool) {
    let text: StaticString = value ? "true" : "false"
    reader.pointee.scalar(.boolean, UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }
}

/// Reads a document, and the track that may stand inside it.
private struct ArtistMentionReader: ~Copyable {
  var batch = TrackBatch()
  private(set) var preset: Int?
  private(set) var outcome = PresetMatcher.Outcome()

  private let options: TrackMigrationOptions
  private let decider: ArtistDecider?
  private let looksUnderRoots: Bool
  private var main: PresetMatcher
  private var rooted: PresetMatcher
  /// Reads a value in the one that ``rooted`` reads.
  private var nested: PresetMatcher
  /// Whether a value inside is being read that may be a track, and whether one in it is.
  private var (isRooted, isNested) = (false, false)
  /// The preset that the track inside matches, and the place of that track.
  private var (rootedPreset, nestedPreset): (Int?, Int?) = (nil, nil)
  private var (rootedNode, nestedNode): (Int32, Int32) = (-1, -1)

  init(_ trie: PresetTrie, _ options: TrackMigrationOptions) {
    self.options = options
    decider = options.decisions.map(ArtistDecider.init)
    looksUnderRoots = options.json.looksUnderRoots
    main = PresetMatcher(trie, arena: batch.bytes)
    rooted = PresetMatcher(trie, arena: batch.bytes)
    nested = PresetMatcher(trie, arena: batch.bytes)
  }

  mutating func begin() {
    if main.arena !== batch.bytes {
      (main.arena, rooted.arena, nested.arena) = (batch.bytes, batch.bytes, batch.bytes)
    }
    main.begin()
    (isRooted, isNested, rootedPreset, nestedPreset, preset) = (false, false, nil, nil, nil)
    outcome = PresetMatcher.Outcome()
  }

  mutating func start(isObject: Bool) {
    if isRooted { isObject ? rooted.startObject() : rooted.startArray() }
    if isNested {
      isObject ? nested.startObject() : nested.startArray()
    } else if looksUnderRoots {
      enterRoot(isObject: isObject)
    }
    isObject ? main.startObject() : main.startArray()
  }

  mutating func end() {
    if isNested {
      nested.end()
      isNested = nested.isOpen
      if !isNested { nestedPreset = nested.match(isLate: false) }
    }
    if isRooted {
      rooted.end()
      isRooted = rooted.isOpen
      if !isRooted { rootedPreset = rooted.match(isLate: false) }
    }
    main.end()
  }

  mutating func key(_ utf8: UnsafeRawBufferPointer) -> Bool {
    let isWanted = isRooted && rooted.key(utf8)
    let isWantedInside = isNested && nested.key(utf8)
    return main.key(utf8) || isWanted || isWantedInside
  }

  mutating func scalar(_ kind: PresetMatcher.Kind, _ utf8: UnsafeRawBufferPointer?) {
    // A value that is not an object can only follow one.
    if isRooted { rooted.scalar(kind, utf8) }
    if isNested {
      nested.scalar(kind, utf8)
    } else if rootedPreset != nil || nestedPreset != nil {
      enterRoot(isObject: false)
    }
    main.scalar(kind, utf8)
  }

  /// Looks at a value that may be a track: an object, or the only element of an array.
  private mutating func enterRoot(isObject: Bool) {
    guard let place = main.rootPlace else { return }
    if place.index > 0 {
      if rootedNode == place.node { rootedPreset = nil }
      if nestedNode == place.node { nestedPreset = nil }
    } else if isObject, rootedPreset == nil, nestedPreset == nil {
      if isRooted {
        nestedNode = place.node
        nested.begin()
        nested.startObject()
        isNested = true
      } else {
        rootedNode = place.node
        rooted.begin()
        rooted.startObject()
        isRooted = true
      }
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
    let (isOfRoot, isOfNested) = (rootedPreset != nil, rootedPreset == nil && nestedPreset != nil)
    let isInside = preset == nil
    if let preset {
      outcome = main.collect(preset, options, &batch)
    } else if let rootedPreset {
      preset = rootedPreset
      outcome = rooted.collect(rootedPreset, options, &batch)
    } else if let nestedPreset {
      preset = nestedPreset
      outcome = nested.collect(nestedPreset, options, &batch)
    } else {
      preset = main.match(isLate: true)
      if let preset { outcome = main.collect(preset, options, &batch) }
    }
    guard preset != nil, outcome.track.played.count <= 0 else { return }
    // The words of any service, in the track and beside it.
    let own = main.trie.readings[main.trie.readings.count - 1]
    if isInside, isOfRoot { outcome.track.played = rooted.track(own, batch).played }
    if isInside, isOfNested { outcome.track.played = nested.track(own, batch).played }
    if outcome.track.played.count <= 0 { outcome.track.played = main.track(own, batch).played }
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
