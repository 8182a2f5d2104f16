internal import JSONPresets

// Hot: every key of every document is looked up here. The tables are flat and never change after they were built.

/// All paths of some presets as one tree, so that a single pass over a document follows all of them.
///
/// A node stands for a place in a document. Its effects say what a value there means for the presets.
final class PresetTrie: Sendable {
  /// The conditions that a document meets, one bit for each.
  typealias Bits = SIMD4<UInt64>

  struct Node {
    /// Where its keys begin in the hash table, and the size of that table minus one; -1 without keys.
    var table: Int32 = 0
    var mask: Int32 = -1
    /// The node of the elements of an array here; -1 if no path leads there.
    var element: Int32 = -1
    var effects: Range<Int32> = 0..<0
    /// Whether a track may be here.
    var isRoot = false
    /// Whether an object counts as the only element of an array.
    var takesObject = false
  }

  struct Key {
    let bytes: Range<Int>
    let node: Int32
    /// Its number among the keys of its node.
    let ordinal: Int
    /// Whether only its presence matters, so that its value can be skipped.
    let isPresenceOnly: Bool
  }

  /// A place in a hash table of keys.
  private struct Slot {
    /// What tells keys apart before their bytes are compared.
    let tag: UInt32
    /// The index of the key; -1 if the slot is free.
    let key: Int32
  }

  struct Effect {
    enum Kind {
      /// The document has a value here.
      case present(bit: Int)
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
    /// The number of the list of elements that the path names; -1 if it names none.
    let elements: Int
  }

  /// The numbers of the details among which the first that a document has counts.
  typealias Slots = FlatTable<Int>

  /// A source of a preset, with the numbers of its details.
  final class Source: Sendable {
    let base: Int
    let isElement: Bool
    let name, credited, id, image, role, joinPhrase, key: Slots
    /// The ids of the parts of a joined name, and one more to see whether there are too many; empty if none is split.
    let partIDs: [[Int]]
    let fixedRole: ArtistRole?
    let filter: (slot: Int, value: [UInt8])?

    fileprivate init(
      _ source: Preset.Source, base: Int, filter: (slot: Int, value: [UInt8])?, splitsByIDs: Bool,
      _ slots: ([JSONPath]) -> [Int]
    ) {
      (self.base, self.filter, isElement, fixedRole) = (base, filter, source.path.leadsToElements, source.fixedRole)
      name = Slots(slots(source.name))
      credited = Slots(slots(source.credited))
      id = Slots(slots(source.id))
      image = Slots(slots(source.image))
      role = Slots(slots(source.role))
      key = Slots(slots(source.key))
      joinPhrase = Slots(slots(source.joinPhrase.map { [$0] } ?? []))
      let isSplit = splitsByIDs && !source.id(at: 0).isEmpty
      partIDs = isSplit ? (0...Preset.Source.joinedNamesLimit).map { slots(source.id(at: $0)) } : []
    }
  }

  /// A preset, with its conditions as bits.
  final class Entry: Sendable {
    let preset: Preset
    private let required: Bits
    private let forbidden: Bits
    /// The conditions with several alternatives.
    private let choices: [(wanted: Bits, unwanted: [Bits])]
    let artists: [Source]
    let otherwise: [Source]
    /// Where the track itself has its title (`name`), time (`id`) and picture, if an import asks for them.
    let track: Source?
    /// The number of its namespace.
    let namespace: UInt8
    let isTrack: Bool
    let comesLast: Bool
    let keepsEmpty: Bool
    /// Whether names are used as they are.
    let keepsNames: Bool
    /// Whether images are used as they are, and none of them is a placeholder.
    let keepsImages: Bool

    fileprivate init(
      _ preset: Preset, namespace: UInt8, artists: [Source], otherwise: [Source], track: Source?,
      _ bit: (JSONCondition.Test) -> Bits
    ) {
      var (required, forbidden) = (Bits(), Bits())
      var choices: [(wanted: Bits, unwanted: [Bits])] = []
      for condition in preset.conditions {
        let (wanted, unwanted) = (condition.tests.filter { !$0.isNegated }, condition.tests.filter(\.isNegated))
        if condition.tests.count > 1 {
          choices.append((wanted.reduce(into: Bits()) { $0 |= bit($1) }, unwanted.map(bit)))
        } else {
          wanted.forEach { required |= bit($0) }
          unwanted.forEach { forbidden |= bit($0) }
        }
      }
      (self.preset, self.namespace, self.track) = (preset, namespace, track)
      (self.artists, self.otherwise) = (artists, otherwise)
      (self.required, self.forbidden, self.choices) = (required, forbidden, choices)
      (isTrack, comesLast, keepsEmpty) = (preset.kind == .track, preset.kind.comesLast, preset.keepsEmpty)
      (keepsNames, keepsImages) = (!preset.trimsNames && !preset.hasEntities, preset.images.isPlain)
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
  let keys: FlatTable<Key>
  /// The hash tables of all nodes.
  private let table: FlatTable<Slot>
  /// The bytes of keys and of the texts that conditions name.
  private let bytes: FlatTable<UInt8>
  let effects: FlatTable<Effect>
  /// Elements of arrays that paths name, as the depth of the array and the index.
  let elementLists: [[(depth: Int, index: Int)]]
  /// For each place where artists stand, the number of details of each artist.
  let slotCounts: FlatTable<Int>
  let entries: [Entry]
  /// For each node, the presets that read it.
  let readers: [Set<Int>]
  /// The greatest number of arrays and objects around a value that matters.
  let depth: Int

  /// - Parameter readsTracks: Whether the title, the time and the picture of tracks are looked for, too.
  init(_ shape: JSONShape, readsTracks: Bool = false) {
    var draft = Draft(readsTracks: readsTracks, splitsByIDs: shape.splitsByIDs)
    entries = shape.presets.indices.map { draft.add(shape.presets[$0], number: $0) }
    if shape.looksUnderRoots { Preset.roots.forEach { draft.addRoot($0) } }
    slotCounts = FlatTable(draft.bases.map(\.count))
    elementLists = draft.elementLists
    readers = draft.nodes.map(\.readers)
    depth = draft.depth
    var nodes: [Node] = []
    var keys: [Key] = []
    var table: [Slot] = []
    var bytes = draft.texts
    var effects: [Effect] = []
    for place in draft.nodes {
      var node = Node(element: Int32(place.element ?? -1), isRoot: place.isRoot, takesObject: place.takesObject)
      // An artist begins before its details are read.
      let sorted = place.effects.filter(\.comesFirst) + place.effects.filter { !$0.comesFirst }
      node.effects = Int32(effects.count)..<Int32(effects.count + sorted.count)
      effects += sorted
      if !place.members.isEmpty {
        var size = 4
        while size < place.members.count * 2 { size *= 2 }
        (node.table, node.mask) = (Int32(table.count), Int32(size - 1))
        table += repeatElement(Slot(tag: 0, key: -1), count: size)
        for (ordinal, member) in place.members.enumerated() {
          let name = Array(member.name.utf8)
          let tag = name.withUnsafeBytes(Self.tag)
          var slot = Self.slot(tag) & (size - 1)
          while table[Int(node.table) + slot].key >= 0 { slot = (slot + 1) & (size - 1) }
          table[Int(node.table) + slot] = Slot(tag: tag, key: Int32(keys.count))
          keys.append(
            Key(
              bytes: bytes.count..<(bytes.count + name.count), node: Int32(member.node), ordinal: ordinal,
              isPresenceOnly: draft.nodes[member.node].isPresenceOnly))
          bytes += name
        }
      }
      nodes.append(node)
    }
    self.nodes = FlatTable(nodes)
    self.keys = FlatTable(keys)
    self.table = FlatTable(table)
    self.bytes = FlatTable(bytes)
    self.effects = FlatTable(effects)
  }

  /// The key with these bytes at a node.
  @inline(__always)
  func key(_ utf8: UnsafeRawBufferPointer, at node: Node) -> Int? {
    guard node.mask >= 0, utf8.count > 0 else { return nil }
    let tag = Self.tag(utf8)
    var place = Self.slot(tag)
    while true {
      let slot = table[Int(node.table) &+ place & Int(node.mask)]
      guard slot.key >= 0 else { return nil }
      if slot.tag == tag, isText(utf8, keys[Int(slot.key)].bytes) { return Int(slot.key) }
      place &+= 1
    }
  }

  /// Whether bytes are a key, or a text that a condition names.
  @inline(__always)
  func isText(_ utf8: UnsafeRawBufferPointer, _ text: Range<Int>) -> Bool {
    bytes[text].isEqual(to: utf8)
  }

  /// The length and three bytes, in which few keys of one object agree.
  @inline(__always)
  private static func tag(_ utf8: UnsafeRawBufferPointer) -> UInt32 {
    guard utf8.count > 0 else { return 0 }
    return UInt32(truncatingIfNeeded: utf8.count) << 24 | UInt32(utf8[0]) << 16 | UInt32(utf8[utf8.count / 2]) << 8
      | UInt32(utf8[utf8.count &- 1])
  }

  /// Where the search for a tag begins, in a table of any size.
  @inline(__always)
  private static func slot(_ tag: UInt32) -> Int { Int((tag &* 0x9E37_79B1) >> 16) }
}

extension PresetTrie.Effect {
  fileprivate var comesFirst: Bool {
    if case .record = kind { true } else { false }
  }

  fileprivate var isPresence: Bool {
    if case .present = kind { elements < 0 } else { false }
  }
}

/// A tree that is being built.
private struct Draft {
  struct Place {
    var members: [(name: String, node: Int)] = []
    var element: Int?
    var effects: [PresetTrie.Effect] = []
    var isRoot = false
    var takesObject = false
    /// The presets that read values here.
    var readers: Set<Int> = []

    var isPresenceOnly: Bool {
      members.isEmpty && element == nil && !isRoot && effects.allSatisfy(\.isPresence)
    }
  }

  let readsTracks: Bool
  let splitsByIDs: Bool
  var nodes = [Place()]
  /// For each place where artists stand, the numbers of their details.
  var bases: [[JSONPath: Int]] = []
  /// The texts that conditions name, one after the other.
  var texts: [UInt8] = []
  var elementLists: [[(depth: Int, index: Int)]] = []
  var depth = 1
  private var basesByPath: [JSONPath: Int] = [:]
  private var namespaces: [String: UInt8] = [:]
  private var bits: [JSONCondition.Test: Int] = [:]

  init(readsTracks: Bool, splitsByIDs: Bool) { (self.readsTracks, self.splitsByIDs) = (readsTracks, splitsByIDs) }

  mutating func add(_ preset: Preset, number: Int) -> PresetTrie.Entry {
    let artists = preset.artists.map { add($0, of: number) }
    let otherwise = preset.otherwise.map { add($0, of: number) }
    let track = readsTracks ? add(Self.track(of: preset), of: number) : nil
    return PresetTrie.Entry(
      preset, namespace: namespace(preset.namespace), artists: artists, otherwise: otherwise, track: track
    ) { bit(for: $0) }
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
    _ = element(of: node)
  }

  private mutating func namespace(_ name: String) -> UInt8 {
    let number = namespaces[name] ?? UInt8(truncatingIfNeeded: namespaces.count)
    namespaces[name] = number
    return number
  }

  /// The bit of a test, without its negation.
  private mutating func bit(for test: JSONCondition.Test) -> PresetTrie.Bits {
    let key = JSONCondition.Test(path: test.path, value: test.value, isNegated: false)
    let number = bits[key] ?? bits.count
    if bits[key] == nil {
      precondition(number < 256, "a trie has room for 256 conditions")
      bits[key] = number
      var kind = PresetTrie.Effect.Kind.present(bit: number)
      if let value = test.value {
        kind = .equals(bit: number, text: texts.count..<(texts.count + value.utf8.count))
        texts += value.utf8
      }
      let node = node(at: test.path)
      let elements = elements(test.path.steps)
      nodes[node].effects.append(PresetTrie.Effect(kind: kind, elements: elements))
    }
    var bit = PresetTrie.Bits()
    bit[number / 64] = 1 << (number % 64)
    return bit
  }

  private mutating func add(_ source: Preset.Source, of preset: Int) -> PresetTrie.Source {
    let base = base(for: source.path, of: preset)
    let filter = source.path.filter.map { filter in
      let path = JSONPath(steps: filter.members.map { .member($0) })
      return (slot: slot(path, of: base, at: source.path, .compared, preset), value: Array(filter.value.utf8))
    }
    return PresetTrie.Source(source, base: base, filter: filter, splitsByIDs: splitsByIDs) { paths in
      paths.map { slot($0, of: base, at: source.path, .detail, preset) }
    }
  }

  /// The number of the artists at a path; a filter is applied to them later.
  private mutating func base(for path: JSONPath, of preset: Int) -> Int {
    let plain = Self.withoutFilter(path)
    let node = node(at: plain, readBy: preset)
    if let known = basesByPath[plain] { return known }
    let base = bases.count
    bases.append([:])
    basesByPath[plain] = base
    let elements = elements(plain.steps)
    var container = node
    if path.leadsToElements {
      container = self.node(at: JSONPath(steps: Array(plain.steps.dropLast())))
      nodes[container].takesObject = true
    }
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

  /// The number of the list of elements that a path names.
  private mutating func elements(_ steps: [JSONPath.Step]) -> Int {
    let list = steps.enumerated().compactMap { depth, step in
      if case .element(let index) = step { (depth: depth, index: index) } else { nil }
    }
    guard !list.isEmpty else { return -1 }
    elementLists.append(list)
    return elementLists.count - 1
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
    // Byte by byte, as keys are compared: two spellings of one character are two keys.
    let known = nodes[node].members.first {
      $0.name.utf8.count == name.utf8.count && $0.name.utf8.elementsEqual(name.utf8)
    }
    if let known { return known.node }
    nodes.append(Place())
    nodes[node].members.append((name, nodes.count - 1))
    return nodes.count - 1
  }

  private mutating func element(of node: Int) -> Int {
    if let known = nodes[node].element { return known }
    nodes.append(Place())
    nodes[node].element = nodes.count - 1
    return nodes.count - 1
  }
}

/// A table that never changes.
///
/// Threads share it. References to an array would be counted each time that one of them looks something up, which takes
/// longer than looking it up. Indexes are not checked: they come from other tables of the same trie.
struct FlatTable<Element: Sendable>: ~Copyable, @unchecked Sendable {
  private let start: UnsafeMutablePointer<Element>
  let count: Int

  init(_ elements: [Element]) {
    count = elements.count
    start = .allocate(capacity: count)
    _ = UnsafeMutableBufferPointer(start: start, count: count).initialize(from: elements)
  }

  deinit {
    start.deinitialize(count: count)
    start.deallocate()
  }

  var isEmpty: Bool { count == 0 }

  subscript(place: Int) -> Element {
    @inline(__always)
    get {
      assert(place >= 0 && place < count)
      return start[place]
    }
  }

  /// The bytes of several elements, as long as the table exists.
  subscript(places: Range<Int>) -> UnsafeRawBufferPointer {
    @inline(__always)
    get {
      assert(places.lowerBound >= 0 && places.upperBound <= count)
      return UnsafeRawBufferPointer(UnsafeBufferPointer(start: start + places.lowerBound, count: places.count))
    }
  }
}
