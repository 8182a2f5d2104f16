internal import JSONPresets
internal import JSONStream

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
  private(set) var records = FlatList<Record>()
  private(set) var details = FlatList<Text>()
  private var bases: FlatList<Base>
  /// The conditions that the member that came last meets, unless its value turns out to be `null`.
  private var presence: Range<Int32> = 0..<0
  private var documentCount = 0
  /// For each key, the number of the last object that had it; 0 if none had.
  private var objectsByKey: FlatList<Int>
  /// The number of the object that began last, in any document; the next one is less by one.
  private var lastObject = 0
  /// The nodes of keys that occurred again.
  private(set) var repeated = FlatList<Int32>()
  /// The kind of the document's value.
  private(set) var documentKind: Kind?

  /// The last answer, which is the next one too as long as the documents are alike.
  private var known: (bits: PresetTrie.Bits, early: Int?, late: Int?)?
  var roles = WordMeanings<ArtistRole>()
  var joinPhrases = WordMeanings<Bool>()

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
    presence = 0..<0
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
    countPresence()
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
    countPresence()
    let node = nextNode()
    guard node >= 0 else { return ignored = 1 }
    touch(node, .array)
    guard trie.nodes[Int(node)].element >= 0 else { return ignored = 1 }
    frames.append(Frame(node: node, isArray: true, index: -1))
  }

  mutating func end() {
    guard ignored == 0 else { return ignored -= 1 }
    countPresence()
    if frames.removeLast().isOnlyElement { _ = frames.removeLast() }
  }

  /// Returns whether the value of a key matters.
  mutating func key(_ utf8: UnsafeRawBufferPointer) -> JSONVisit {
    guard ignored == 0 else { return .skip }
    countPresence()
    pending = -1
    let words = KeyWords(utf8)
    let frame = frames[frames.count - 1]
    if let key = trie.key(utf8, words, at: trie.nodes[Int(frame.node)]) { return enter(key, of: frame.index) }
    return frame.isOnlyElement ? keyBesideElement(utf8, words) : .skip
  }

  /// The same for a value in place of an array, which may have members that other paths name.
  @inline(never)
  private mutating func keyBesideElement(_ utf8: UnsafeRawBufferPointer, _ words: KeyWords) -> JSONVisit {
    let (array, object) = (frames[frames.count - 2], frames[frames.count - 1])
    guard let key = trie.key(utf8, words, at: trie.nodes[Int(array.node)]) else { return .skip }
    return enter(key, of: object.index)
  }

  @inline(__always)
  private mutating func enter(_ key: Int, of object: Int) -> JSONVisit {
    let found = trie.keys[key]
    guard objectsByKey[key] != object else {
      // Of two equal keys, the first one counts.
      repeated.append(found.node)
      return .skip
    }
    objectsByKey[key] = object
    if !found.presence.isEmpty {
      presence = found.presence
      return .skipUnlessNull
    }
    pending = found.node
    return .enter
  }

  /// Meets the conditions of the member that came last, which was not `null`.
  @inline(__always)
  private mutating func countPresence() {
    guard !presence.isEmpty else { return }
    for place in presence { set(Int(trie.presences[Int(place)])) }
    presence = 0..<0
  }

  /// Reads text, a number, a boolean or null; without bytes, text that is too long to keep.
  mutating func scalar(_ kind: Kind, _ utf8: UnsafeRawBufferPointer?) {
    guard ignored == 0 else { return }
    if kind == .null { presence = 0..<0 }
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
      case .present(let bit, let countsNull): if kind != .null || countsNull { set(bit) }
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
  func base(_ number: Int) -> Base {
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
  private var allBits: PresetTrie.Bits {
    var all = PresetTrie.Bits()
    for word in 0..<PresetTrie.Bits.scalarCount { all[word] = bits[word] }
    return all
  }

  /// Returns the first preset that matches an object inside of an unknown document.
  func matchInside() -> Int? {
    let bits = allBits
    return trie.entries.firstIndex { $0.preset.isKnownInside && $0.matches(bits) }
  }

  /// Returns the first preset that matches.
  ///
  /// - Parameter isLate: Whether to look among the presets that come last, instead of the others.
  mutating func match(isLate: Bool) -> Int? {
    let bits = allBits
    if let known, known.bits == bits { return isLate ? known.late : known.early }
    func first(_ isLate: Bool) -> Int? {
      trie.entries.firstIndex { $0.comesLast == isLate && $0.matches(bits) }
    }
    let found = (bits, early: first(false), late: first(true))
    known = found
    return isLate ? found.late : found.early
  }
}
