internal import JSONPresets

// Hot: one call for each event of a document that a preset may care about.

/// Follows the presets' paths through one document, and collects what stands there.
///
/// Nothing is kept of values to which no path leads. Which preset matches is known only at the end, so the details of
/// several may be collected until then.
final class PresetMatcher {
  /// The type of a value.
  enum Kind { case object, array, text, number, boolean, null }

  /// A detail of an artist: a range of the arena, or why there is none.
  typealias Text = TrackBatch.Text

  /// What stands where artists are expected.
  enum Container: UInt8 { case missing, null, array, object, scalar }

  /// An artist.
  private struct Record {
    let base: Int
    /// Where its details begin.
    let start: Int
  }

  private struct Frame {
    var node: Int32
    var isArray: Bool
    /// Whether this object stands in place of an array with one element, which has a frame of its own.
    var isOnlyElement = false
    var index = -1
    var seen = SIMD4<UInt64>()
  }

  let trie: PresetTrie
  var arena: ByteArena
  private var frames = ContiguousArray<Frame>()
  /// The number of open arrays and objects to which no path leads.
  private var ignored = 0
  /// The node of the value after the current key; -1 for a value to which no path leads.
  private var pending: Int32 = -1

  private var bits = PresetTrie.Bits()
  private var records = ContiguousArray<Record>()
  private var details = ContiguousArray<Text>()
  /// For each base, where the details of its current artist begin, or -1.
  private var current: ContiguousArray<Int>
  private var containers: ContiguousArray<Container>
  /// The nodes of keys that occurred again.
  private var repeated = ContiguousArray<Int32>()
  /// The kind of the document's value.
  private(set) var documentKind: Kind?

  /// The last answer, which is the next one too as long as the documents are alike.
  private var known: (bits: PresetTrie.Bits, early: Int?, late: Int?)?

  init(_ trie: PresetTrie, arena: ByteArena) {
    (self.trie, self.arena) = (trie, arena)
    current = ContiguousArray(repeating: -1, count: trie.bases.count)
    containers = ContiguousArray(repeating: .missing, count: trie.bases.count)
    frames.reserveCapacity(trie.depth + 2)
  }

  /// Starts a document.
  func begin() {
    frames.removeAll(keepingCapacity: true)
    ignored = 0
    pending = -1
    bits = PresetTrie.Bits()
    records.removeAll(keepingCapacity: true)
    details.removeAll(keepingCapacity: true)
    repeated.removeAll(keepingCapacity: true)
    for base in current.indices {
      current[base] = -1
      containers[base] = .missing
    }
    documentKind = nil
  }

  /// Whether an array or object is open.
  var isOpen: Bool { ignored > 0 || !frames.isEmpty }

  /// The place of the value that comes next, if it may be a track: a node, and the index in an array there.
  var rootPlace: (node: Int32, index: Int)? {
    guard ignored == 0, let frame = frames.last else { return nil }
    let node = frame.isArray ? frame.node : pending
    guard node >= 0, trie.nodes[Int(node)].isRoot else { return nil }
    return (node, frame.isArray ? frame.index + 1 : 0)
  }

  // MARK: - Events

  func startObject() {
    guard ignored == 0 else { return ignored += 1 }
    let node = nextNode()
    guard node >= 0 else { return ignored = 1 }
    touch(node, .object)
    guard trie.nodes[Int(node)].takesObject else { return frames.append(Frame(node: node, isArray: false)) }
    frames.append(Frame(node: node, isArray: true, index: 0))
    let element = trie.nodes[Int(node)].element
    touch(element, .object)
    frames.append(Frame(node: element, isArray: false, isOnlyElement: true))
  }

  func startArray() {
    guard ignored == 0 else { return ignored += 1 }
    let node = nextNode()
    guard node >= 0 else { return ignored = 1 }
    touch(node, .array)
    guard trie.nodes[Int(node)].element >= 0 else { return ignored = 1 }
    frames.append(Frame(node: node, isArray: true))
  }

  func end() {
    guard ignored == 0 else { return ignored -= 1 }
    if frames.removeLast().isOnlyElement { frames.removeLast() }
  }

  /// Returns whether the value of a key matters.
  func key(_ utf8: UnsafeRawBufferPointer) -> Bool {
    guard ignored == 0 else { return false }
    pending = -1
    var place = frames.count - 1
    var key = trie.key(utf8, at: trie.nodes[Int(frames[place].node)])
    if key == nil, frames[place].isOnlyElement {
      // What stands in place of the array may have members that other paths name.
      place -= 1
      key = trie.key(utf8, at: trie.nodes[Int(frames[place].node)])
    }
    guard let key else { return false }
    let found = trie.keys[key]
    let (word, bit) = (found.ordinal >> 6 & 3, UInt64(1) << UInt64(found.ordinal & 63))
    guard frames[place].seen[word] & bit == 0 else {
      // Of two equal keys, the first one counts.
      repeated.append(found.node)
      return false
    }
    frames[place].seen[word] |= bit
    if found.isPresenceOnly {
      touch(found.node, .null)
      return false
    }
    pending = found.node
    return true
  }

  /// Reads text, a number, a boolean or null; without bytes, text that is too long to keep.
  func scalar(_ kind: Kind, _ utf8: UnsafeRawBufferPointer?) {
    guard ignored == 0 else { return }
    let node = nextNode()
    guard node >= 0 else { return }
    touch(node, kind, utf8)
  }

  /// The node of the value that begins, or -1.
  @inline(__always)
  private func nextNode() -> Int32 {
    guard !frames.isEmpty else { return 0 }
    let last = frames.count - 1
    guard frames[last].isArray else {
      defer { pending = -1 }
      return pending
    }
    frames[last].index += 1
    return trie.nodes[Int(frames[last].node)].element
  }

  /// Does what a value at a node means for the presets.
  @inline(__always)
  private func touch(_ node: Int32, _ kind: Kind, _ utf8: UnsafeRawBufferPointer? = nil) {
    if node == 0, documentKind == nil { documentKind = kind }
    var text: Text?
    for place in trie.nodes[Int(node)].effects {
      let effect = trie.effects[Int(place)]
      if !effect.elements.isEmpty, !isAt(effect.elements) { continue }
      switch effect.kind {
      case .present(let bit): set(bit)
      case .equals(let bit, let expected):
        if let utf8, utf8.elementsEqual(trie.texts[expected]) { set(bit) }
      case .container(let base):
        if containers[base] == .missing { containers[base] = Container(kind) }
      case .record(let base, let isElement):
        guard isElement || kind == .object else { continue }
        current[base] = details.count
        records.append(Record(base: base, start: details.count))
        details.append(contentsOf: repeatElement(.none, count: trie.bases[base].slotCount))
      case .forget(let base, let slot): if current[base] >= 0 { details[current[base] + slot] = .none }
      case .capture(let base, let slot, let use):
        guard current[base] >= 0, use == .compared || kind == .text || kind == .number && use != .element else {
          continue
        }
        let index = current[base] + slot
        guard kind != .object, kind != .array, kind != .null, !details[index].isSettled else { continue }
        if text == nil { text = store(utf8) }
        details[index] = text ?? .none
      }
    }
  }

  private func set(_ bit: Int) { bits[bit >> 6] |= 1 << UInt64(bit & 63) }

  private func isAt(_ elements: [(depth: Int, index: Int)]) -> Bool {
    elements.allSatisfy { $0.depth < frames.count && frames[$0.depth].index == $0.index }
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
  func match(isLate: Bool) -> Int? {
    if let known, known.bits == bits { return isLate ? known.late : known.early }
    func first(_ isLate: Bool) -> Int? {
      trie.entries.firstIndex { $0.preset.kind.comesLast == isLate && $0.matches(bits) }
    }
    let found = (bits, early: first(false), late: first(true))
    known = found
    return isLate ? found.late : found.early
  }

  /// The number of repeated keys that a preset reads.
  func repeatedCount(for entry: Int) -> Int {
    repeated.isEmpty ? 0 : repeated.count { trie.readers[Int($0)].contains(entry) }
  }

  /// What stands where a source expects artists.
  func container(of source: PresetTrie.Source) -> Container { containers[source.base] }

  /// Calls a function with the details of each artist of a source, in the order of the document.
  func forEachRecord(of source: PresetTrie.Source, _ body: (ArraySlice<Text>) -> Void) {
    for record in records where record.base == source.base {
      let details = ArraySlice(details[record.start..<(record.start + trie.bases[record.base].slotCount)])
      if let filter = source.filter {
        let value = details[details.startIndex + filter.slot]
        guard value.isPresent, arena[value.start..<(value.start + value.count)].elementsEqual(filter.value) else {
          continue
        }
      }
      body(details)
    }
  }
}
