internal import JSONPresets
internal import JSONStream
internal import SystemC

/// Collects the artists that a document names, where the first matching preset says that they stand.
///
/// Everything else in the document is skipped. If a key occurs twice, the first one is used.
final class ArtistMentionVisitor: JSONVisitor {
  /// The mentions collected from all documents since the batch was last taken.
  var batch = TrackBatch()
  /// The number of the preset that the document matches.
  private(set) var preset: Int?
  /// Why the document has provided no artist.
  private(set) var problem = FallbackReason.noArtists
  private(set) var namelessArtistCount = 0
  private(set) var duplicateKeyCount = 0
  /// The number of ids and images that are too long to keep, of artists that have a name.
  private(set) var longValueCount = 0
  /// What the document says of the track itself, if the presets look for it.
  private(set) var track: (title: TrackBatch.Text, played: TrackBatch.Text, image: TrackBatch.Text) = noTrack

  private static let noTrack = (title: TrackBatch.Text.none, played: TrackBatch.Text.none, image: TrackBatch.Text.none)

  private let options: TrackMigrationOptions
  private let looksUnderRoots: Bool
  /// Reads the document, and the track that may stand inside it.
  private let main: PresetMatcher
  private let rooted: PresetMatcher
  /// The preset that the track inside matches, and the place of that track.
  private var rootedPreset: Int?
  private var rootedNode: Int32 = -1

  init(_ trie: PresetTrie, options: TrackMigrationOptions) {
    self.options = options
    looksUnderRoots = options.json.looksUnderRoots
    main = PresetMatcher(trie, arena: batch.bytes)
    rooted = PresetMatcher(trie, arena: batch.bytes)
  }

  /// Starts a document.
  func begin() {
    (main.arena, rooted.arena) = (batch.bytes, batch.bytes)
    main.begin()
    if rooted.isOpen { rooted.begin() }
    (rootedPreset, preset) = (nil, nil)
    (namelessArtistCount, duplicateKeyCount, longValueCount) = (0, 0, 0)
    track = Self.noTrack
  }

  // MARK: - Events

  override func startObject() {
    if rooted.isOpen { rooted.startObject() } else if looksUnderRoots { enterRoot(isObject: true) }
    main.startObject()
  }

  override func endObject() { end() }

  override func startArray() {
    if rooted.isOpen { rooted.startArray() } else if looksUnderRoots { enterRoot(isObject: false) }
    main.startArray()
  }

  override func endArray() { end() }

  override func key(_ utf8: UnsafeRawBufferPointer) -> JSONVisit {
    let isWanted = rooted.isOpen && rooted.key(utf8)
    return main.key(utf8) || isWanted ? .enter : .skip
  }

  override func string(_ utf8: UnsafeRawBufferPointer, isTruncated: Bool) {
    scalar(.text, isTruncated ? nil : utf8)
  }

  override func number(_ text: UnsafeRawBufferPointer) { scalar(.number, text) }

  override func boolean(_ value: Bool) {
    let text: StaticString = value ? "true" : "false"
    scalar(.boolean, UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  override func null() { scalar(.null, nil) }

  private func scalar(_ kind: PresetMatcher.Kind, _ utf8: UnsafeRawBufferPointer?) {
    if rooted.isOpen { rooted.scalar(kind, utf8) } else if looksUnderRoots { enterRoot(isObject: false) }
    main.scalar(kind, utf8)
  }

  private func end() {
    if rooted.isOpen {
      rooted.end()
      if !rooted.isOpen { rootedPreset = rooted.match(isLate: false) }
    }
    main.end()
  }

  /// Looks at a value that may be a track: an object, or the only element of an array.
  private func enterRoot(isObject: Bool) {
    guard let place = main.rootPlace else { return }
    if place.index > 0 {
      if rootedNode == place.node { rootedPreset = nil }
    } else if isObject, rootedPreset == nil {
      rootedNode = place.node
      rooted.begin()
      rooted.startObject()
    }
  }

  // MARK: - Mentions

  /// Ends a document that could be read, and adds its mentions to the batch.
  func finish() {
    guard main.documentKind == .object else { return problem = .notAnObject }
    if let early = main.match(isLate: false) {
      finish(early, main)
    } else if let rootedPreset {
      finish(rootedPreset, rooted)
    } else if let late = main.match(isLate: true) {
      finish(late, main)
    } else {
      problem = .noArtists
    }
  }

  /// Ends a document that is known to have the shape of a preset.
  func finish(as number: Int) { finish(number, main) }

  private func finish(_ number: Int, _ matcher: PresetMatcher) {
    let entry = matcher.trie.entries[number]
    preset = number
    duplicateKeyCount = matcher.repeatedCount(for: number)
    guard entry.preset.kind == .track else { return problem = .otherAnswer }
    let start = batch.mentions.count
    problem = .noArtists
    if let source = entry.track { collectTrack(source, of: entry.preset, matcher) }
    for source in entry.artists { collect(source, of: entry.preset, number, matcher) }
    if batch.mentions.count == start {
      for source in entry.otherwise { collect(source, of: entry.preset, number, matcher) }
    }
  }

  private func collectTrack(_ source: PresetTrie.Source, of preset: Preset, _ matcher: PresetMatcher) {
    matcher.forEachRecord(of: source) { details in
      func text(_ slots: [Int]) -> TrackBatch.Text {
        slots.lazy.map { details[details.startIndex + $0] }.first { $0.count > 0 } ?? .none
      }
      let title = text(source.name)
      track = (name(title, preset) ?? .none, text(source.id), address(text(source.image), preset))
    }
  }

  private func collect(
    _ source: PresetTrie.Source, of preset: Preset, _ number: Int, _ matcher: PresetMatcher
  ) {
    note(matcher.container(of: source))
    var isFeatured = false
    matcher.forEachRecord(of: source) { details in
      func text(_ slots: [Int]) -> TrackBatch.Text? {
        slots.lazy.map { details[details.startIndex + $0] }.first { $0.count > 0 }
      }
      /// An id or image, and whether it is too long.
      func value(_ slots: [Int]) -> (text: TrackBatch.Text, isTooLong: Bool) {
        if let text = text(slots) { return (text, false) }
        let all = slots.lazy.map { details[details.startIndex + $0] }
        let empty = preset.keepsEmpty ? all.first { $0.count == 0 } : nil
        return (empty ?? .none, all.contains { $0.isTooLong })
      }
      let role = role(text(source.role), source, preset, isFeatured: isFeatured)
      if let join = source.joinPhrase, let phrase = text([join]), isFeaturing(phrase) { isFeatured = true }
      // Of an artist of a library, the key is enough.
      let key = text(source.key)
      let found = text(source.name) ?? key.map { _ in value(source.name).text }
      guard let found, let name = name(found, preset) else {
        if source.isElement || problem == .noArtists { problem = .noUsableArtist }
        if source.isElement { namelessArtistCount += 1 }
        return
      }
      if let roles = options.roles, !roles.contains(role ?? .main) {
        if problem != .noUsableArtist { problem = .otherRoles }
        return
      }
      var mention = TrackBatch.Mention(name: name)
      if let key { mention.primaryKey = key }
      let (id, image) = (value(source.id), value(source.image))
      mention.id = id.text
      mention.imageURL = address(image.text, preset)
      mention.credited = text(source.credited) ?? .none
      mention.role = role
      longValueCount += (id.isTooLong ? 1 : 0) + (image.isTooLong ? 1 : 0)
      batch.append(mention, options.identity, namespace: namespaces[number])
    }
  }

  /// The number of each preset's namespace.
  private lazy var namespaces: [UInt8] = {
    var numbers: [String: UInt8] = [:]
    return main.trie.entries.map { entry in
      let number = numbers[entry.preset.namespace] ?? UInt8(truncatingIfNeeded: numbers.count)
      numbers[entry.preset.namespace] = number
      return number
    }
  }()

  /// Records why there is no artist, as far as what stands in the artists' place says it.
  private func note(_ container: PresetMatcher.Container) {
    guard problem == .noArtists else { return }
    switch container {
    case .missing, .object: break
    case .null: problem = .nullArtists
    case .array: problem = .emptyArtists
    case .scalar: problem = .artistsNotAnArray
    }
  }

  private func role(
    _ text: TrackBatch.Text?, _ source: PresetTrie.Source, _ preset: Preset, isFeatured: Bool
  ) -> ArtistRole? {
    if isFeatured { return .featured }
    guard let text else { return source.joinPhrase == nil ? source.fixedRole : .main }
    return preset.role(String(decoding: batch.text(text), as: UTF8.self))
  }

  /// Whether the artists after a phrase such as " feat. " are featured.
  private func isFeaturing(_ text: TrackBatch.Text) -> Bool {
    let phrase = String(decoding: batch.text(text), as: UTF8.self).lowercased()
    return phrase.split { !$0.isLetter }.contains { ["feat", "ft", "featuring"].contains($0) }
  }

  /// A name without what the service adds to it; `nil` if nothing is left.
  private func name(_ text: TrackBatch.Text, _ preset: Preset) -> TrackBatch.Text? {
    guard text.isPresent, preset.trimsNames || preset.hasEntities, let name = String(validating: batch.text(text), as: UTF8.self)
    else { return text }
    let clean = preset.cleaned(name)
    if clean.utf8.count == name.utf8.count { return text }
    return clean.isEmpty ? nil : batch.append(clean)
  }

  /// The address of an image; a placeholder is none.
  private func address(_ text: TrackBatch.Text, _ preset: Preset) -> TrackBatch.Text {
    guard text.count > 0, !preset.images.isPlain,
      let value = String(validating: batch.text(text), as: UTF8.self)
    else { return text }
    guard let address = preset.images.address(value) else { return .none }
    return address.utf8.elementsEqual(value.utf8) ? text : batch.append(address)
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
    append(UInt8(0))
    append(bytes)
    return count - bytes.count
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
