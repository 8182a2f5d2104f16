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

/// A list of which there is never a copy.
///
/// Each change of an array would check whether it has another owner, which takes longer than most changes. Indexes are
/// not checked either.
struct FlatList<Element: BitwiseCopyable>: ~Copyable {
  private var start: UnsafeMutablePointer<Element>
  private var capacity: Int
  private(set) var count = 0

  init(capacity: Int = 16) {
    self.capacity = max(capacity, 1)
    start = .allocate(capacity: self.capacity)
  }

  init(repeating element: Element, count: Int) {
    self.init(capacity: count)
    append(repeating: element, count: count)
  }

  deinit { start.deallocate() }

  var isEmpty: Bool {
    @inline(__always)
    get { count == 0 }
  }

  subscript(place: Int) -> Element {
    @inline(__always)
    get {
      assert(place >= 0 && place < count)
      return start[place]
    }
    @inline(__always)
    set {
      assert(place >= 0 && place < count)
      start[place] = newValue
    }
  }

  @inline(__always)
  mutating func append(_ element: Element) {
    if count == capacity { grow(to: count &+ 1) }
    start[count] = element
    count &+= 1
  }

  @inline(__always)
  mutating func append(repeating element: Element, count additional: Int) {
    if capacity &- count < additional { grow(to: count &+ additional) }
    for place in count..<(count &+ additional) { start[place] = element }
    count &+= additional
  }

  @inline(__always)
  mutating func removeLast() -> Element {
    assert(count > 0)
    count &-= 1
    return start[count]
  }

  @inline(__always)
  mutating func removeAll() { count = 0 }

  @inline(never)
  private mutating func grow(to least: Int) {
    let new = UnsafeMutablePointer<Element>.allocate(capacity: max(least, capacity * 2))
    new.update(from: start, count: count)
    start.deallocate()
    (start, capacity) = (new, max(least, capacity * 2))
  }
}

/// The first and the last bytes of a text, eight of each, by which keys are compared.
struct KeyWords: Equatable, BitwiseCopyable {
  private var first: UInt64 = 0
  private var last: UInt64 = 0
  private(set) var count: UInt32 = 0

  init() {}

  @inline(__always)
  init(_ utf8: UnsafeRawBufferPointer) {
    guard let base = utf8.baseAddress, utf8.count > 0 else { return }
    count = UInt32(clamping: utf8.count)
    if utf8.count >= 8 {
      first = base.loadUnaligned(as: UInt64.self)
      last = base.loadUnaligned(fromByteOffset: utf8.count &- 8, as: UInt64.self)
    } else if utf8.count >= 4 {
      first = UInt64(base.loadUnaligned(as: UInt32.self))
      last = UInt64(base.loadUnaligned(fromByteOffset: utf8.count &- 4, as: UInt32.self))
    } else {
      first = UInt64(utf8[0]) | UInt64(utf8[utf8.count / 2]) << 8
      last = UInt64(utf8[utf8.count &- 1])
    }
  }

  /// Whether there are no bytes between them, so that equal words are equal texts.
  var areWhole: Bool {
    @inline(__always)
    get { count <= 16 }
  }

  /// The hash at which a search begins, for a table of any size.
  var hash: Int {
    @inline(__always)
    get { Int(truncatingIfNeeded: ((first ^ (last &<< 29 | last &>> 35)) &* 0x9E37_79B9_7F4A_7C15) &>> 48) }
  }
}
