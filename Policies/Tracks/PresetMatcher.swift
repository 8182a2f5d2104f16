internal import JSONPresets

// Hot: one call for each event of a document that a preset may care about.

/// Follows the presets' paths through one document, and collects the values there.
///
/// Nothing is kept of values to which no path leads. Which preset matches is known only at the end, so the details of
/// several may be collected until then.
struct PresetMatcher: ~Copyable {
  /// The type of a value.
  enum Kind { case object, array, text, number, boolean, null }

  /// A detail of an artist: a range of the arena, or why there is none.
  typealias Text = TrackBatch.Text

  /// The kind of value at the place where artists are expected.
  enum Container: UInt8 { case missing, null, array, object, scalar }

  // Not private, because Swift 6.3 fails to compile lists of private types in debug builds.

  /// An artist.
  struct Record {
    let base: Int
    /// The start of its details.
    let start: Int
  }

  /// An array or object that is open.
  struct Frame {
    let node: Int32
    let isArray: Bool
    /// Whether this object is in place of an array with one element, which has a frame of its own.
    var isOnlyElement = false
    /// The index of the element that began last; of an object, its number, which is negative and therefore no index.
    var index: Int
  }

  /// A place where artists may stand.
  struct Base {
    /// The document that has something there; of any other, all else counts as missing.
    var document = -1
    /// The start of the current artist's details, or -1.
    var current = -1
    var container = Container.missing
  }

  let trie: PresetTrie
  var arena: ByteArena
  private var frames: FlatList<Frame>
  /// The number of open arrays and objects to which no path leads.
  private var ignored = 0
  /// The node of the value after the current key; -1 for a value to which no path leads.
  private var pending: Int32 = -1

  /// The conditions that the document meets, 64 in a word.
  private var bits = FlatList<UInt64>(repeating: 0, count: PresetTrie.Bits.scalarCount)
  private var records = FlatList<Record>()
  private var details = FlatList<Text>()
  private var bases: FlatList<Base>
  private var documentCount = 0
  /// For each key, the number of the last object that had it; 0 if none had.
  private var objectsByKey: FlatList<Int>
  /// The number of the object that began last, in any document; the next one is less by one.
  private var lastObject = 0
  /// The nodes of keys that occurred again.
  private var repeated = FlatList<Int32>()
  /// The kind of the document's value.
  private(set) var documentKind: Kind?

  /// The last answer, which is the next one too as long as the documents are alike.
  private var known: (bits: PresetTrie.Bits, early: Int?, late: Int?)?
  private var roles = WordMeanings<ArtistRole>()
  private var joinPhrases = WordMeanings<Bool>()

  init(_ trie: PresetTrie, arena: ByteArena) {
    (self.trie, self.arena) = (trie, arena)
    frames = FlatList(capacity: trie.depth + 2)
    bases = FlatList(repeating: Base(), count: trie.slotCounts.count)
    objectsByKey = FlatList(repeating: 0, count: trie.keys.count)
  }

  /// Starts a document.
  mutating func begin() {
    frames.removeAll()
    ignored = 0
    pending = -1
    for word in 0..<bits.count { bits[word] = 0 }
    records.removeAll()
    details.removeAll()
    repeated.removeAll()
    documentCount &+= 1
    documentKind = nil
  }

  /// Whether an array or object is open.
  var isOpen: Bool { ignored > 0 || !frames.isEmpty }

  /// The place of the value that comes next, if it may be a track: a node, and the index in an array there.
  @inline(__always)
  var rootPlace: (node: Int32, index: Int)? {
    guard ignored == 0, !frames.isEmpty else { return nil }
    let frame = frames[frames.count - 1]
    let node = frame.isArray ? frame.node : pending
    guard node >= 0, trie.nodes[Int(node)].isRoot else { return nil }
    return (node, frame.isArray ? frame.index + 1 : 0)
  }

  // MARK: - Events

  mutating func startObject() {
    guard ignored == 0 else { return ignored += 1 }
    let node = nextNode()
    guard node >= 0 else { return ignored = 1 }
    touch(node, .object)
    lastObject &-= 1
    guard trie.nodes[Int(node)].takesObject else {
      return frames.append(Frame(node: node, isArray: false, index: lastObject))
    }
    frames.append(Frame(node: node, isArray: true, index: 0))
    let element = trie.nodes[Int(node)].element
    touch(element, .object)
    frames.append(Frame(node: element, isArray: false, isOnlyElement: true, index: lastObject))
  }

  mutating func startArray() {
    guard ignored == 0 else { return ignored += 1 }
    let node = nextNode()
    guard node >= 0 else { return ignored = 1 }
    touch(node, .array)
    guard trie.nodes[Int(node)].element >= 0 else { return ignored = 1 }
    frames.append(Frame(node: node, isArray: true, index: -1))
  }

  mutating func end() {
    guard ignored == 0 else { return ignored -= 1 }
    if frames.removeLast().isOnlyElement { _ = frames.removeLast() }
  }

  /// Returns whether the value of a key matters.
  mutating func key(_ utf8: UnsafeRawBufferPointer) -> Bool {
    guard ignored == 0 else { return false }
    pending = -1
    let words = KeyWords(utf8)
    let frame = frames[frames.count - 1]
    if let key = trie.key(utf8, words, at: trie.nodes[Int(frame.node)]) { return enter(key, of: frame.index) }
    return frame.isOnlyElement && keyBesideElement(utf8, words)
  }

  /// The same for a value in place of an array, which may have members that other paths name.
  @inline(never)
  private mutating func keyBesideElement(_ utf8: UnsafeRawBufferPointer, _ words: KeyWords) -> Bool {
    let (array, object) = (frames[frames.count - 2], frames[frames.count - 1])
    guard let key = trie.key(utf8, words, at: trie.nodes[Int(array.node)]) else { return false }
    return enter(key, of: object.index)
  }

  @inline(__always)
  private mutating func enter(_ key: Int, of object: Int) -> Bool {
    let found = trie.keys[key]
    guard objectsByKey[key] != object else {
      // Of two equal keys, the first one counts.
      repeated.append(found.node)
      return false
    }
    objectsByKey[key] = object
    if !found.presence.isEmpty {
      for place in found.presence { set(Int(trie.presences[Int(place)])) }
      return false
    }
    pending = found.node
    return true
  }

  /// Reads text, a number, a boolean or null; without bytes, text that is too long to keep.
  mutating func scalar(_ kind: Kind, _ utf8: UnsafeRawBufferPointer?) {
    guard ignored == 0 else { return }
    let node = nextNode()
    guard node >= 0 else { return }
    touch(node, kind, utf8)
  }

  /// The node of the value that begins, or -1.
  @inline(__always)
  private mutating func nextNode() -> Int32 {
    guard !frames.isEmpty else { return 0 }
    let last = frames.count - 1
    guard frames[last].isArray else {
      defer { pending = -1 }
      return pending
    }
    frames[last].index &+= 1
    return trie.nodes[Int(frames[last].node)].element
  }

  /// Does what a value at a node means for the presets.
  @inline(__always)
  private mutating func touch(_ node: Int32, _ kind: Kind, _ utf8: UnsafeRawBufferPointer? = nil) {
    if node == 0, documentKind == nil { documentKind = kind }
    var text: Text?
    for place in trie.nodes[Int(node)].effects {
      let effect = trie.effects[Int(place)]
      guard isAt(effect.elements) else { continue }
      switch effect.kind {
      case .present(let bit): set(bit)
      case .equals(let bit, let expected):
        if let utf8, trie.isText(utf8, expected) { set(bit) }
      case .container(let base):
        let known = self.base(base)
        guard known.container == .missing else { continue }
        bases[base] = Base(document: documentCount, current: known.current, container: Container(kind))
      case .record(let base, let isElement):
        guard isElement || kind == .object else { continue }
        bases[base] = Base(document: documentCount, current: details.count, container: self.base(base).container)
        records.append(Record(base: base, start: details.count))
        details.append(repeating: .none, count: trie.slotCounts[base])
      case .forget(let base, let slot):
        let current = self.base(base).current
        if current >= 0 { details[current + slot] = .none }
      case .capture(let base, let slot, let use):
        let current = self.base(base).current
        guard current >= 0, use == .compared || kind == .text || kind == .number && use != .element else { continue }
        let index = current + slot
        guard kind != .object, kind != .array, kind != .null, !details[index].isSettled else { continue }
        if text == nil { text = store(utf8) }
        details[index] = text ?? .none
      }
    }
  }

  @inline(__always)
  private mutating func set(_ bit: Int) { bits[bit >> 6] |= 1 << UInt64(bit & 63) }

  /// Returns the state of a place in this document.
  @inline(__always)
  private func base(_ number: Int) -> Base {
    let base = bases[number]
    return base.document == documentCount ? base : Base()
  }

  @inline(__always)
  private func isAt(_ elements: Range<Int>) -> Bool {
    for place in elements {
      let element = trie.elements[place]
      guard element.depth < frames.count, frames[element.depth].index == element.index else { return false }
    }
    return true
  }

  private func store(_ utf8: UnsafeRawBufferPointer?) -> Text {
    guard let utf8 else { return .tooLong }
    return Text(start: arena.appendMarked(utf8), count: utf8.count)
  }
}

extension PresetMatcher.Container {
  fileprivate init(_ kind: PresetMatcher.Kind) {
    self =
      switch kind {
      case .object: .object
      case .array: .array
      case .null: .null
      case .text, .number, .boolean: .scalar
      }
  }
}

// What a document turned out to be.
extension PresetMatcher {
  /// Returns the first preset that matches.
  ///
  /// - Parameter isLate: Whether to look among the presets that come last, instead of the others.
  mutating func match(isLate: Bool) -> Int? {
    let bits = PresetTrie.Bits(bits[0], bits[1], bits[2], bits[3], bits[4], bits[5], bits[6], bits[7])
    if let known, known.bits == bits { return isLate ? known.late : known.early }
    func first(_ isLate: Bool) -> Int? {
      trie.entries.firstIndex { $0.comesLast == isLate && $0.matches(bits) }
    }
    let found = (bits, early: first(false), late: first(true))
    known = found
    return isLate ? found.late : found.early
  }

  /// Whether an artist is one of a source, as far as a filter says it.
  private func isWanted(_ record: Record, by source: PresetTrie.Source) -> Bool {
    guard record.base == source.base else { return false }
    guard let filter = source.filter else { return true }
    let value = details[record.start + filter.slot]
    return value.isPresent && trie.isText(arena[value.start..<(value.start + value.count)], filter.text)
  }
}

// Hot: once for each document.
extension PresetMatcher {
  /// The outcome of collecting the artists of a document.
  struct Outcome {
    /// The reason for the lack of artists, if there are none.
    var problem = FallbackReason.noArtists
    var namelessArtistCount = 0
    /// The number of repeated keys that the preset reads.
    var duplicateKeyCount = 0
    /// The number of ids and images that are too long to keep, of artists that have a name.
    var longValueCount = 0
    /// Whether there are artists with roles that are not wanted.
    var hasOtherRoles = false
    /// The details of the track itself, if they are wanted.
    var track: (title: Text, played: Text, image: Text) = (.none, .none, .none)
  }

  /// Adds the artists of a document that matches a preset to a batch.
  mutating func collect(_ number: Int, _ options: TrackMigrationOptions, _ batch: inout TrackBatch) -> Outcome {
    let reading = trie.readings[number]
    var outcome = Outcome()
    for place in 0..<repeated.count where trie.readers[Int(repeated[place])].contains(number) {
      outcome.duplicateKeyCount += 1
    }
    guard reading.isTrack else {
      outcome.problem = .otherAnswer
      return outcome
    }
    let start = batch.mentions.count
    outcome.track = track(reading, batch)
    for place in reading.artists { collect(trie.sources[place], of: reading, options, &batch, &outcome) }
    // Artists who are not wanted are artists still.
    if batch.mentions.count == start, !outcome.hasOtherRoles {
      for place in reading.otherwise { collect(trie.sources[place], of: reading, options, &batch, &outcome) }
    }
    return outcome
  }

  /// The details of the track itself, as a preset finds them.
  func track(_ reading: PresetTrie.Reading, _ batch: TrackBatch) -> (title: Text, played: Text, image: Text) {
    guard let track = reading.track else { return (.none, .none, .none) }
    let source = trie.sources[track]
    var place = 0
    while place < records.count, records[place].base != source.base { place += 1 }
    guard place < records.count else { return (.none, .none, .none) }
    let record = records[place].start
    return (
      text(source.name, record).flatMap { name($0, reading, batch, isTitle: true) } ?? .none,
      text(source.id, record) ?? .none, address(text(source.image, record) ?? .none, reading, batch)
    )
  }

  private mutating func collect(
    _ source: PresetTrie.Source, of reading: PresetTrie.Reading, _ options: TrackMigrationOptions,
    _ batch: inout TrackBatch, _ outcome: inout Outcome
  ) {
    let container = base(source.base).container
    // Where an object is expected, an array of artists is not an empty one.
    if outcome.problem == .noArtists, container != .array || source.isElement, let problem = container.problem {
      outcome.problem = problem
    }
    var isFeatured = false
    for index in 0..<records.count where isWanted(records[index], by: source) {
      let start = records[index].start
      var role = isFeatured ? .featured : source.joinPhrase.isEmpty ? source.fixedRole : .main
      if !isFeatured, let word = text(source.role, start) {
        role = roles.meaning(of: batch.text(word), for: reading.number) { [trie] word in
          trie.entries[reading.number].preset.role(word)
        }
      }
      if !isFeatured, let phrase = text(source.joinPhrase, start) {
        isFeatured = joinPhrases.meaning(of: batch.text(phrase), for: reading.number, Self.isFeaturing)
      }
      if !source.listedNames.isEmpty, let listed = listed(by: source, start, reading, batch) {
        guard isWanted(role, options, &outcome) else { continue }
        for artist in listed {
          let mention = TrackBatch.Mention(name: artist.name, id: artist.id, role: role)
          batch.append(mention, options.identity, namespace: reading.namespace)
        }
        continue
      }
      // Of an artist of a library, the key is enough.
      let key = source.key.isEmpty ? nil : text(source.key, start)
      let named = text(source.name, start) ?? key.map { _ in details[start + trie.slots[Int(source.name.lowerBound)]] }
      guard let found = named, let name = name(found, reading, batch) else {
        if source.isElement || outcome.problem == .noArtists { outcome.problem = .noUsableArtist }
        if source.isElement { outcome.namelessArtistCount += 1 }
        continue
      }
      guard isWanted(role, options, &outcome) else { continue }
      if source.splitsName, let parts = parts(of: name, source, start, batch) {
        batch.splitNameCount += 1
        for part in parts {
          let mention = TrackBatch.Mention(name: batch.append(part.name), id: part.id, role: role)
          batch.append(mention, options.identity, namespace: reading.namespace)
        }
        continue
      }
      var mention = TrackBatch.Mention(name: name, role: role)
      if let key { mention.primaryKey = key }
      if !hasSeveralIDs(source, start) {
        mention.id = value(source.id, start, keepsEmpty: reading.keepsEmpty, &outcome)
        let image = value(source.image, start, keepsEmpty: reading.keepsEmpty, &outcome)
        mention.imageURL = address(image, reading, batch)
      }
      if !source.credited.isEmpty { mention.credited = text(source.credited, start) ?? .none }
      batch.append(mention, options.identity, namespace: reading.namespace)
    }
  }

  private func isWanted(_ role: ArtistRole?, _ options: TrackMigrationOptions, _ outcome: inout Outcome) -> Bool {
    guard let roles = options.roles, !roles.contains(role ?? .main) else { return true }
    outcome.hasOtherRoles = true
    if outcome.problem != .noUsableArtist { outcome.problem = .otherRoles }
    return false
  }

  /// Whether the id of a name is one of several, and so is the image: the name is that of all of them.
  @inline(__always)
  private func hasSeveralIDs(_ source: PresetTrie.Source, _ start: Int) -> Bool {
    guard source.partIDs.count > 1 else { return false }
    return trie.partIDs[source.partIDs.lowerBound + 1].contains { place in
      // An empty one is that of an artist without an id.
      let id = details[start + trie.slots[Int(place)]]
      return id.isPresent || id.isTooLong
    }
  }

  /// The artists of a list of names, with their ids if there are as many; `nil` if there are none, or too many.
  private func listed(
    by source: PresetTrie.Source, _ start: Int, _ reading: PresetTrie.Reading, _ batch: TrackBatch
  ) -> [(name: Text, id: Text)]? {
    let names = source.listedNames.map { text(trie.partIDs[$0], start) }
    guard names.count > 1, names[0] != nil, names[names.count - 1] == nil else { return nil }
    let ids = source.partIDs.map { text(trie.partIDs[$0], start) }
    let isWhole = ids.indices.allSatisfy { (ids[$0] == nil) == (names[$0] == nil) }
    return names.indices.compactMap { place in
      names[place].flatMap { name($0, reading, batch) }.map {
        ($0, isWhole && !ids.isEmpty ? ids[place] ?? .none : .none)
      }
    }
  }

  /// The parts of a joined name with their ids, if there are as many ids as parts.
  private func parts(
    of name: Text, _ source: PresetTrie.Source, _ start: Int, _ batch: TrackBatch
  ) -> [(name: String, id: Text)]? {
    let ids = source.partIDs.map { text(trie.partIDs[$0], start) }
    let count = ids.count { $0 != nil }
    guard count > 1, let parts = JoinedName.parts(String(decoding: batch.text(name), as: UTF8.self), count: count)
    else { return nil }
    let found = zip(parts, ids).compactMap { name, id in id.map { (name, $0) } }
    return found.count == parts.count ? found : nil
  }

  /// The first of several details that is text and not empty.
  @inline(__always)
  private func text(_ slots: PresetTrie.Slots, _ start: Int) -> Text? {
    for place in slots {
      let text = details[start + trie.slots[Int(place)]]
      if text.count > 0 { return text }
    }
    return nil
  }

  /// An id or image; counts one that is too long.
  @inline(__always)
  private func value(
    _ slots: PresetTrie.Slots, _ start: Int, keepsEmpty: Bool, _ outcome: inout Outcome
  ) -> Text {
    if let text = text(slots, start) { return text }
    var (empty, isTooLong) = (Text.none, false)
    for place in slots {
      let text = details[start + trie.slots[Int(place)]]
      if text.isTooLong { isTooLong = true }
      if text.count == 0, !empty.isPresent { empty = text }
    }
    if isTooLong { outcome.longValueCount += 1 }
    return keepsEmpty ? empty : .none
  }

  /// Whether the artists after a phrase are featured, as after "feat".
  private static func isFeaturing(_ phrase: String) -> Bool {
    phrase.lowercased().split { !$0.isLetter }.contains { ["feat", "ft", "featuring"].contains($0) }
  }

  /// A name without what the service adds to it; `nil` if nothing is left.
  @inline(__always)
  private func name(
    _ text: Text, _ reading: PresetTrie.Reading, _ batch: TrackBatch, isTitle: Bool = false
  ) -> Text? {
    reading.keepsNames ? text : cleanName(text, trie.entries[reading.number].preset, batch, isTitle)
  }

  private func cleanName(_ text: Text, _ preset: Preset, _ batch: TrackBatch, _ isTitle: Bool) -> Text? {
    guard isTitle && !preset.titleFormats.isEmpty || !preset.keeps(batch.text(text)),
      let name = String(validating: batch.text(text), as: UTF8.self)
    else { return text }
    let clean = isTitle ? preset.cleanedTitle(name) : preset.cleaned(name)
    if clean.utf8.count == name.utf8.count { return text }
    return clean.isEmpty ? nil : batch.append(clean)
  }

  /// The address of an image; a placeholder is none.
  @inline(__always)
  private func address(_ text: Text, _ reading: PresetTrie.Reading, _ batch: TrackBatch) -> Text {
    text.count <= 0 || reading.keepsImages ? text : usableAddress(text, trie.entries[reading.number], batch)
  }

  private func usableAddress(_ text: Text, _ entry: PresetTrie.Entry, _ batch: TrackBatch) -> Text {
    if entry.preset.images.isPlaceholder(batch.text(text)) { return .none }
    guard !entry.preset.images.keepsAddresses, let value = String(validating: batch.text(text), as: UTF8.self) else {
      return text
    }
    guard let address = entry.preset.images.address(value) else { return .none }
    return address.utf8.elementsEqual(value.utf8) ? text : batch.append(address)
  }
}

extension PresetMatcher.Container {
  /// The reason for the lack of artists, as far as the value in their place shows it.
  fileprivate var problem: FallbackReason? {
    switch self {
    case .missing, .object: nil
    case .null: .nullArtists
    case .array: .emptyArtists
    case .scalar: .artistsNotAnArray
    }
  }
}

/// The meanings of short texts of a preset, each of which is looked up as a string only once.
private struct WordMeanings<Meaning> {
  private var known: [(word: KeyWords, preset: Int, meaning: Meaning)] = []

  private static var limit: Int { 16 }

  mutating func meaning(
    of word: UnsafeRawBufferPointer, for preset: Int, _ find: (String) -> Meaning
  ) -> Meaning {
    let words = KeyWords(word)
    if words.areWhole {
      for place in known.indices where known[place].word == words && known[place].preset == preset {
        return known[place].meaning
      }
    }
    let meaning = find(String(decoding: word, as: UTF8.self))
    if words.areWhole, known.count < Self.limit { known.append((words, preset, meaning)) }
    return meaning
  }
}
