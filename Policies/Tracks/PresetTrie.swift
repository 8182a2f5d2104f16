internal import JSONPresets

// Hot: every key of every document is looked up here. The tables are flat and never change after they were built.

/// All paths of some presets as one tree, so that a single pass over a document follows all of them.
///
/// A node stands for a place in a document. Its effects say what a value there means for the presets.
final class PresetTrie: Sendable {
  /// The conditions that a document meets, one bit for each.
  typealias Bits = SIMD16<UInt64>

  struct Node {
    /// The start of its keys in the hash table, and the size of that table minus one; -1 without keys.
    var table: Int32 = 0
    var mask: Int32 = -1
    /// The node of the elements of an array here; -1 if no path leads there.
    var element: Int32 = -1
    var effects: Range<Int32> = 0..<0
    /// Whether a track may be here.
    var isRoot = false
    /// Whether all of an answer is here, so that a time beside it is that of the answer.
    var isAnswer = false
    /// Whether an object counts as the only element of an array.
    var takesObject = false
  }

  /// A key, or a place in a hash table of keys that is free.
  struct Key {
    fileprivate var words = KeyWords()
    /// The start of its bytes, if these are more than its words.
    fileprivate var start: UInt32 = 0
    /// The node of its value; -1 if the place is free.
    fileprivate(set) var node: Int32 = -1
    /// The conditions that it meets, as places of ``PresetTrie/presences``, if only its presence matters, so that its value can
    /// be skipped; otherwise none.
    fileprivate(set) var presence: Range<Int32> = 0..<0
  }

  struct Effect {
    enum Kind {
      /// The document has a value here.
      case present(bit: Int, countsNull: Bool)
      /// The document has this text here.
      case equals(bit: Int, text: Range<Int>)
      /// Artists stand here: in the array, or this is the only one.
      case container(base: Int)
      /// An artist begins.
      case record(base: Int, isElement: Bool)
      /// An element begins, and the last one counts: what an earlier one gave is forgotten.
      case forget(base: Int, slot: Int)
      /// This is a detail of the current artist.
      case capture(base: Int, slot: Int, use: Use)
    }

    enum Use {
      case detail
      /// The artist itself: only text is a name.
      case element
      /// Compared only, so that `true` and `false` count too.
      case compared
    }

    let kind: Kind
    /// The elements that the path names, as places of ``PresetTrie/elements``.
    let elements: Range<Int>
  }

  /// An element of an array that a path names, as the depth of the array and the index.
  typealias Element = (depth: Int, index: Int)

  /// The details among which the first that a document has counts, as places of ``PresetTrie/slots``.
  typealias Slots = Range<Int32>

  /// A source of a preset, with its details.
  struct Source {
    let base: Int
    let isElement: Bool
    let name, credited, id, image, role, joinPhrase, key: Slots
    /// Of the places of a title, those where something else may stand, by their order; a bit for each.
    let doubtfulTitles: UInt64
    /// The ids of the parts of a joined name, and one more to see whether there are too many, as places of
    /// ``PresetTrie/partIDs``; two to see whether there are several; empty if the path leads to one id.
    let partIDs: Range<Int>
    /// Whether a joined name is split.
    let splitsName: Bool
    /// The names of a list and one more, as places of ``PresetTrie/partIDs``; empty if there is no list.
    let listedNames: Range<Int>
    let fixedRole: ArtistRole?
    let filter: (slot: Int, text: Range<Int>)?

    fileprivate init(
      _ source: Preset.Source, base: Int, filter: (slot: Int, text: Range<Int>)?, partIDs: Range<Int>,
      listedNames: Range<Int>, splitsName: Bool, _ slots: ([JSONPath]) -> Slots
    ) {
      (self.base, self.filter, isElement, fixedRole) = (base, filter, source.path.leadsToElements, source.fixedRole)
      (self.partIDs, self.listedNames, self.splitsName) = (partIDs, listedNames, splitsName)
      name = slots(source.name)
      credited = slots(source.credited)
      id = slots(source.id)
      image = slots(source.image)
      role = slots(source.role)
      key = slots(source.key)
      joinPhrase = slots(source.joinPhrase.map { [$0] } ?? [])
      doubtfulTitles = source.name.indices.reduce(0) {
        Preset.isDoubtful(titleAt: source.name[$1]) ? $0 | 1 << UInt64($1) : $0
      }
    }
  }

  /// The parts of a preset's documents that are read; a copy, because references to entries would be counted by all
  /// threads.
  struct Reading {
    /// The number of the preset's entry.
    let number: Int
    let isTrack: Bool
    /// Its sources, as places of ``PresetTrie/sources``.
    let artists: Range<Int>
    let otherwise: Range<Int>
    /// The source with the title (as `name`), the time (as `id`) and the picture of the track itself, if an import asks
    /// for them.
    let track: Int?
    /// The number of its namespace.
    let namespace: UInt8
    let keepsEmpty: Bool
    /// Whether names are used as they are.
    let keepsNames: Bool
    /// Whether images are used as they are, and none of them is a placeholder.
    let keepsImages: Bool
  }

  /// A preset, with its conditions as bits.
  final class Entry: Sendable {
    let preset: Preset
    let reading: Reading
    private let required: Bits
    private let forbidden: Bits
    /// The conditions with several alternatives.
    private let choices: [(wanted: Bits, unwanted: [Bits])]
    let comesLast: Bool

    fileprivate init(_ preset: Preset, _ reading: Reading, _ bit: ([JSONCondition.Test]) -> Bits) {
      var (required, forbidden) = (Bits(), Bits())
      var choices: [(wanted: Bits, unwanted: [Bits])] = []
      for condition in preset.conditions {
        let (wanted, unwanted) = (condition.tests.filter { !$0.isNegated }, condition.tests.filter(\.isNegated))
        if condition.tests.count > 1, unwanted.isEmpty {
          // One bit for all of them: there are many.
          required |= bit(wanted)
        } else if condition.tests.count > 1 {
          choices.append((wanted.reduce(into: Bits()) { $0 |= bit([$1]) }, unwanted.map { bit([$0]) }))
        } else {
          wanted.forEach { required |= bit([$0]) }
          unwanted.forEach { forbidden |= bit([$0]) }
        }
      }
      (self.preset, self.reading, comesLast) = (preset, reading, preset.kind.comesLast)
      (self.required, self.forbidden, self.choices) = (required, forbidden, choices)
    }

    /// Whether a document that meets these conditions matches.
    func matches(_ bits: Bits) -> Bool {
      guard bits & required == required, bits & forbidden == Bits() else { return false }
      return choices.allSatisfy { choice in
        bits & choice.wanted != Bits() || choice.unwanted.contains { bits & $0 == Bits() }
      }
    }
  }

  let nodes: FlatTable<Node>
  /// The hash tables of the keys of all nodes.
  let keys: FlatTable<Key>
  /// The bytes of long keys and of the texts that conditions name.
  private let bytes: FlatTable<UInt8>
  let effects: FlatTable<Effect>
  /// The numbers of conditions that are met by keys alone.
  let presences: FlatTable<Int32>
  let elements: FlatTable<Element>
  let sources: FlatTable<Source>
  /// The numbers of details.
  let slots: FlatTable<Int>
  let partIDs: FlatTable<Slots>
  /// For each place where artists stand, the number of details of each artist.
  let slotCounts: FlatTable<Int>
  let entries: [Entry]
  let readings: FlatTable<Reading>
  /// For each node, the presets that read it.
  let readers: [Set<Int>]
  /// The greatest number of arrays and objects around a value that matters.
  let depth: Int

  /// The tree of a shape; that of all built-in presets is made once.
  static func of(_ shape: JSONShape) -> PresetTrie { shape == .auto ? usual : PresetTrie(shape) }

  private static let usual = PresetTrie(.auto)

  /// - Parameter readsTracks: Whether the title, the time and the picture of tracks are looked for, too.
  init(_ shape: JSONShape, readsTracks: Bool = false) {
    var draft = Draft(readsTracks: readsTracks, splitsByIDs: shape.splitsByIDs)
    entries = shape.presets.indices.map { draft.add(shape.presets[$0], number: $0) }
    readings = FlatTable(entries.map(\.reading))
    if shape.looksUnderRoots { Preset.roots.forEach { draft.addRoot($0) } }
    slotCounts = FlatTable(draft.bases.map(\.count))
    elements = FlatTable(draft.elements)
    sources = FlatTable(draft.sources)
    slots = FlatTable(draft.slots)
    partIDs = FlatTable(draft.partIDs)
    readers = draft.nodes.map(\.readers)
    depth = draft.depth
    var nodes: [Node] = []
    var keys: [Key] = []
    var bytes = draft.texts
    var effects: [Effect] = []
    var presences: [Int32] = []
    for place in draft.nodes {
      var node = Node(
        element: Int32(place.element ?? -1), isRoot: place.isRoot, isAnswer: place.isAnswer,
        takesObject: place.takesObject)
      // An artist begins before its details are read.
      let sorted = place.effects.filter(\.comesFirst) + place.effects.filter { !$0.comesFirst }
      node.effects = Int32(effects.count)..<Int32(effects.count + sorted.count)
      effects += sorted
      if !place.members.isEmpty {
        var size = 4
        while size < place.members.count * 2 { size *= 2 }
        (node.table, node.mask) = (Int32(keys.count), Int32(size - 1))
        keys += repeatElement(Key(), count: size)
        for member in place.members {
          let name = Array(member.name.utf8)
          var key = Key(words: name.withUnsafeBytes(KeyWords.init))
          let met = draft.nodes[member.node].presence
          (key.node, key.presence) = (Int32(member.node), Int32(presences.count)..<Int32(presences.count + met.count))
          presences += met
          if !key.words.areWhole {
            key.start = UInt32(bytes.count)
            bytes += name
          }
          var slot = key.words.hash & (size - 1)
          while keys[Int(node.table) + slot].node >= 0 { slot = (slot + 1) & (size - 1) }
          keys[Int(node.table) + slot] = key
        }
      }
      nodes.append(node)
    }
    self.nodes = FlatTable(nodes)
    self.keys = FlatTable(keys)
    self.bytes = FlatTable(bytes)
    self.effects = FlatTable(effects)
    self.presences = FlatTable(presences)
  }

  /// The place of the key with these bytes at a node.
  @inline(__always)
  func key(_ utf8: UnsafeRawBufferPointer, _ words: KeyWords, at node: Node) -> Int? {
    guard node.mask >= 0, words.count > 0 else { return nil }
    var slot = words.hash
    while true {
      let place = Int(node.table) &+ slot & Int(node.mask)
      let key = keys[place]
      guard key.node >= 0 else { return nil }
      if key.words == words, words.areWhole || isText(utf8, Int(key.start)..<(Int(key.start) &+ utf8.count)) {
        return place
      }
      slot &+= 1
    }
  }

  /// Whether bytes are a key, or a text that a condition names.
  @inline(__always)
  func isText(_ utf8: UnsafeRawBufferPointer, _ text: Range<Int>) -> Bool {
    bytes[text].isEqual(to: utf8)
  }
}

extension PresetTrie.Effect {
  fileprivate var comesFirst: Bool {
    if case .record = kind { true } else { false }
  }

  /// The condition that any value meets.
  fileprivate var presence: Int32? {
    if case .present(let bit, countsNull: false) = kind, elements.isEmpty { Int32(bit) } else { nil }
  }
}

/// A member of a node, byte by byte, as keys are compared: two spellings of one character are two keys.
private struct MemberKey: Hashable {
  let node: Int
  let name: [UInt8]
}

/// A tree that is being built.
private struct Draft {
  struct Place {
    var members: [(name: String, node: Int)] = []
    var element: Int?
    var effects: [PresetTrie.Effect] = []
    var isRoot = false
    var isAnswer = false
    var takesObject = false
    /// The presets that read values here.
    var readers: Set<Int> = []

    /// The conditions that a value meets, if nothing else about it matters.
    var presence: [Int32] {
      let bits = effects.compactMap(\.presence)
      return members.isEmpty && element == nil && !isRoot && bits.count == effects.count ? bits : []
    }
  }

  let readsTracks: Bool
  let splitsByIDs: Bool
  var nodes = [Place()]
  /// For each place where artists stand, the numbers of their details.
  var bases: [[JSONPath: Int]] = []
  /// The texts that conditions name, one after the other.
  var texts: [UInt8] = []
  var elements: [PresetTrie.Element] = []
  var sources: [PresetTrie.Source] = []
  var slots: [Int] = []
  var partIDs: [PresetTrie.Slots] = []
  var depth = 1
  private var basesByPath: [JSONPath: Int] = [:]
  private var members: [MemberKey: Int] = [:]
  private var namespaces: [String: UInt8] = [:]
  private var bits: [[JSONCondition.Test]: Int] = [:]

  init(readsTracks: Bool, splitsByIDs: Bool) { (self.readsTracks, self.splitsByIDs) = (readsTracks, splitsByIDs) }

  mutating func add(_ preset: Preset, number: Int) -> PresetTrie.Entry {
    let artists = add(preset.artists, of: number)
    let otherwise = add(preset.otherwise, of: number)
    let track = readsTracks ? add([Self.track(of: preset)], of: number).lowerBound : nil
    let reading = PresetTrie.Reading(
      number: number, isTrack: preset.kind == .track, artists: artists, otherwise: otherwise, track: track,
      namespace: namespace(preset.namespace), keepsEmpty: preset.keepsEmpty,
      keepsNames: preset.keepsNames, keepsImages: preset.images.isPlain)
    return PresetTrie.Entry(preset, reading) { bit(for: $0) }
  }

  /// The places of what a document says of the track itself, as those of an artist.
  private static func track(of preset: Preset) -> Preset.Source {
    var source = Preset.Source("$", id: preset.playedAt, image: preset.trackImage)
    source.name = preset.trackTitle
    return source
  }

  mutating func addRoot(_ members: [String]) {
    let node = self.node(at: JSONPath(steps: members.map { .member($0) }))
    nodes[node].isRoot = true
    nodes[node].isAnswer = Preset.answerRoots.contains(members[0])
    _ = element(of: node)
  }

  private mutating func namespace(_ name: String) -> UInt8 {
    let number = namespaces[name] ?? UInt8(truncatingIfNeeded: namespaces.count)
    namespaces[name] = number
    return number
  }

  /// The bit that a document gets if it meets one of several tests, without their negation.
  private mutating func bit(for tests: [JSONCondition.Test]) -> PresetTrie.Bits {
    let key = tests.map { JSONCondition.Test(path: $0.path, value: $0.value, isNegated: false) }
    let number = bits[key] ?? bits.count
    if bits[key] == nil {
      precondition(number < PresetTrie.Bits.scalarCount * 64, "a trie has room for 1024 conditions")
      bits[key] = number
      for test in key {
        var kind = PresetTrie.Effect.Kind.present(bit: number, countsNull: test.countsNull)
        if let value = test.value { kind = .equals(bit: number, text: text(value)) }
        let node = node(at: test.path)
        nodes[node].effects.append(PresetTrie.Effect(kind: kind, elements: elements(test.path.steps)))
      }
    }
    var bit = PresetTrie.Bits()
    bit[number / 64] = 1 << (number % 64)
    return bit
  }

  private mutating func text(_ text: String) -> Range<Int> {
    defer { texts += text.utf8 }
    return texts.count..<(texts.count + text.utf8.count)
  }

  private mutating func add(_ sources: [Preset.Source], of preset: Int) -> Range<Int> {
    let start = self.sources.count
    for source in sources { self.sources.append(self.source(source, of: preset)) }
    return start..<self.sources.count
  }

  private mutating func source(_ source: Preset.Source, of preset: Int) -> PresetTrie.Source {
    let base = base(for: source.path, isOnlyArray: source.isOnlyArray, of: preset)
    let filter = source.path.filter.map { filter in
      let path = JSONPath(steps: filter.members.map { .member($0) })
      return (slot: slot(path, of: base, at: source.path, .compared, preset), text: text(filter.value))
    }
    func slots(_ paths: [JSONPath]) -> PresetTrie.Slots {
      let start = Int32(self.slots.count)
      for path in paths { self.slots.append(slot(path, of: base, at: source.path, .detail, preset)) }
      return start..<Int32(self.slots.count)
    }
    func parts(_ paths: (Int) -> [JSONPath], upTo last: Int = Preset.Source.joinedNamesLimit) -> Range<Int> {
      let start = partIDs.count
      guard !paths(0).isEmpty else { return start..<start }
      for part in 0...last { partIDs.append(slots(paths(part))) }
      return start..<partIDs.count
    }
    let names = parts(source.name(at:))
    let ids = splitsByIDs || !names.isEmpty ? parts(source.id(at:)) : parts(source.id(at:), upTo: 1)
    return PresetTrie.Source(
      source, base: base, filter: filter, partIDs: ids, listedNames: names, splitsName: splitsByIDs && !ids.isEmpty,
      slots)
  }

  /// The number of the artists at a path; a filter is applied to them later.
  private mutating func base(for path: JSONPath, isOnlyArray: Bool, of preset: Int) -> Int {
    let plain = Self.withoutFilter(path)
    let node = node(at: plain, readBy: preset)
    var container = node
    if path.leadsToElements {
      container = self.node(at: JSONPath(steps: Array(plain.steps.dropLast())))
      // Of the presets that look here, one that takes an object is enough.
      if !isOnlyArray { nodes[container].takesObject = true }
    }
    if let known = basesByPath[plain] { return known }
    let base = bases.count
    bases.append([:])
    basesByPath[plain] = base
    let elements = elements(plain.steps)
    nodes[container].effects.append(PresetTrie.Effect(kind: .container(base: base), elements: elements))
    nodes[node].effects.append(
      PresetTrie.Effect(kind: .record(base: base, isElement: path.leadsToElements), elements: elements))
    return base
  }

  private mutating func slot(
    _ path: JSONPath, of base: Int, at source: JSONPath, _ use: PresetTrie.Effect.Use, _ preset: Int
  ) -> Int {
    let whole = JSONPath(steps: Self.withoutFilter(source).steps + path.steps)
    let node = node(at: whole, readBy: preset)
    if let known = bases[base][path] { return known }
    let slot = bases[base].count
    bases[base][path] = slot
    for (index, step) in path.steps.enumerated() where step == .last {
      let steps = whole.steps.prefix(whole.steps.count - path.steps.count + index + 1)
      let element = self.node(at: JSONPath(steps: Array(steps)))
      let elements = elements(Array(steps))
      nodes[element].effects.append(
        PresetTrie.Effect(kind: .forget(base: base, slot: slot), elements: elements))
    }
    let elements = elements(whole.steps)
    nodes[node].effects.append(
      PresetTrie.Effect(
        kind: .capture(base: base, slot: slot, use: path.steps.isEmpty ? .element : use), elements: elements))
    return slot
  }

  private static func withoutFilter(_ path: JSONPath) -> JSONPath {
    path.filter == nil ? path : JSONPath(steps: path.steps.dropLast() + [.every])
  }

  /// The elements that a path names.
  private mutating func elements(_ steps: [JSONPath.Step]) -> Range<Int> {
    let start = elements.count
    for (depth, step) in steps.enumerated() {
      if case .element(let index) = step { elements.append((depth, index)) }
    }
    return start..<elements.count
  }

  /// The node at a path, which is made with all on the way to it.
  private mutating func node(at path: JSONPath, readBy preset: Int? = nil) -> Int {
    var node = 0
    for step in path.steps {
      if case .member(let name) = step { node = member(name, of: node) } else { node = element(of: node) }
      if let preset { nodes[node].readers.insert(preset) }
    }
    depth = max(depth, path.steps.count + 1)
    return node
  }

  private mutating func member(_ name: String, of node: Int) -> Int {
    let key = MemberKey(node: node, name: Array(name.utf8))
    if let known = members[key] { return known }
    nodes.append(Place())
    nodes[node].members.append((name, nodes.count - 1))
    members[key] = nodes.count - 1
    return nodes.count - 1
  }

  private mutating func element(of node: Int) -> Int {
    if let known = nodes[node].element { return known }
    nodes.append(Place())
    nodes[node].element = nodes.count - 1
    return nodes.count - 1
  }
}
