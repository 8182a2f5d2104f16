// Hot path: most documents of a library are read here, every byte once, without yajl and its callbacks. Hence raw
// pointers, eight-byte words, and wrapping additions, whose operands are indices into one buffer and cannot overflow.

/// Reads a whole document in memory, as long as nothing in it is doubtful.
///
/// It accepts nothing that yajl and ``JSONByteValidator`` would not, and reports the same events. Whatever it does not
/// understand at once, and everything that is broken, is yajl's to judge, from the start of the document.
///
/// Without it, reading the JSON of `tracks-migrate sample` takes more than twice as much processor time: compare
/// "artists only" with "artists only, by yajl" in `make microbench PARTS=parser`. `MutationTests` compares it with yajl.
struct PlainDocument: ~Copyable {
  private let base: UnsafeRawPointer
  private let count: Int
  private let visitor: JSONVisitor
  private let maximumDepth: Int
  private var index: Int
  private var depth = 0
  /// For each open container, the innermost lowest, whether it is an object.
  private var objects: UInt64 = 0
  /// The depth of the value that is being skipped, or `notMuted`.
  private var mutedDepth = PlainDocument.notMuted

  private static let notMuted = -1
  private static let deepest = UInt64.bitWidth

  /// Prepares to read a document.
  private init(_ base: UnsafeRawPointer, _ count: Int, from start: Int, _ visitor: JSONVisitor, maximumDepth: Int) {
    (self.base, self.count, self.visitor) = (base, count, visitor)
    self.maximumDepth = min(maximumDepth, Self.deepest)
    index = start
  }

  /// Reads a document.
  ///
  /// - Returns: Whether it was read to its end. If not, the visitor may have got some of its events.
  static func read(_ document: UnsafeRawBufferPointer, for visitor: JSONVisitor, maximumDepth: Int) -> Bool {
    guard let base = document.baseAddress else { return false }
    var reader = PlainDocument(
      base, document.count, from: document.lengthOfByteOrderMark, visitor, maximumDepth: maximumDepth)
    return reader.readValue()
  }

  /// What is read next.
  private enum Step {
    case value
    case key
    case next
    case doubt
  }

  private mutating func readValue() -> Bool {
    var step = Step.value
    while true {
      switch step {
      case .value: step = startValue()
      case .key: step = key()
      case .next:
        guard depth > 0 else {
          skipWhitespace()
          return index == count
        }
        step = afterValue()
      case .doubt: return false
      }
    }
  }

  @inline(__always)
  private func byte(_ place: Int) -> UInt8 { base.load(fromByteOffset: place, as: UInt8.self) }

  @inline(__always)
  private mutating func skipWhitespace() {
    while index < count, Byte.isWhitespace(byte(index)) { index &+= 1 }
  }

  @inline(__always)
  private var isMuted: Bool { mutedDepth != Self.notMuted }

  // MARK: - Values

  @inline(__always)
  private mutating func startValue() -> Step {
    skipWhitespace()
    guard index < count else { return .doubt }
    switch byte(index) {
    case Byte.quote: return string()
    case UInt8(ascii: "{"): return open(isObject: true)
    case UInt8(ascii: "["): return open(isObject: false)
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return number()
    case UInt8(ascii: "t"): return literal("true") { $0.boolean(true) }
    case UInt8(ascii: "f"): return literal("false") { $0.boolean(false) }
    case UInt8(ascii: "n"): return literal("null") { $0.null() }
    default: return .doubt
    }
  }

  /// Counts an opening object or array, which may be empty.
  @inline(__always)
  private mutating func open(isObject: Bool) -> Step {
    guard depth < maximumDepth else { return .doubt }
    index &+= 1
    depth &+= 1
    objects = objects &<< 1 | (isObject ? 1 : 0)
    if !isMuted { isObject ? visitor.startObject() : visitor.startArray() }
    skipWhitespace()
    guard index < count else { return .doubt }
    if byte(index) == (isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) { return close() }
    return isObject ? .key : .value
  }

  @inline(__always)
  private mutating func close() -> Step {
    let isObject = objects & 1 == 1
    index &+= 1
    depth &-= 1
    objects &>>= 1
    if !isMuted {
      isObject ? visitor.endObject() : visitor.endArray()
    } else if depth == mutedDepth {
      mutedDepth = Self.notMuted
    }
    return .next
  }

  /// Reads what separates a value from the next, or ends their container.
  @inline(__always)
  private mutating func afterValue() -> Step {
    skipWhitespace()
    guard index < count else { return .doubt }
    let isObject = objects & 1 == 1
    switch byte(index) {
    case UInt8(ascii: ","):
      index &+= 1
      return isObject ? .key : .value
    case UInt8(ascii: "}"): return isObject ? close() : .doubt
    case UInt8(ascii: "]"): return isObject ? .doubt : close()
    default: return .doubt
    }
  }

  /// Ends a value that contains no others, and returns whether to report it.
  @inline(__always)
  private mutating func isReported() -> Bool {
    guard isMuted else { return true }
    if depth == mutedDepth { mutedDepth = Self.notMuted }
    return false
  }

  @inline(__always)
  private mutating func literal(_ word: StaticString, _ report: (JSONVisitor) -> Void) -> Step {
    let length = word.utf8CodeUnitCount
    guard index &+ length <= count else { return .doubt }
    for place in 0..<length where byte(index &+ place) != word.utf8Start[place] { return .doubt }
    index &+= length
    if isReported() { report(visitor) }
    return .next
  }

  // MARK: - Numbers

  @inline(__always)
  private mutating func number() -> Step {
    let start = index
    if byte(index) == UInt8(ascii: "-") { index &+= 1 }
    if index < count, byte(index) == UInt8(ascii: "0") { index &+= 1 } else if !skipDigits() { return .doubt }
    if index < count, byte(index) == UInt8(ascii: ".") {
      index &+= 1
      guard skipDigits() else { return .doubt }
    }
    if index < count, byte(index) | 0x20 == UInt8(ascii: "e") {
      index &+= 1
      if index < count, byte(index) == UInt8(ascii: "+") || byte(index) == UInt8(ascii: "-") { index &+= 1 }
      guard skipDigits() else { return .doubt }
    }
    if isReported() { visitor.number(UnsafeRawBufferPointer(start: base + start, count: index &- start)) }
    return .next
  }

  /// Passes over digits, of which there must be one.
  @inline(__always)
  private mutating func skipDigits() -> Bool {
    let start = index
    while index < count, byte(index) &- 0x30 < 10 { index &+= 1 }
    return index > start
  }

  // MARK: - Strings

  /// Reads a key and the colon after it.
  @inline(__always)
  private mutating func key() -> Step {
    skipWhitespace()
    guard index < count, byte(index) == Byte.quote else { return .doubt }
    let start = index &+ 1
    guard let hasEscapes = skipString() else { return .doubt }
    let end = index &- 1
    skipWhitespace()
    guard index < count, byte(index) == UInt8(ascii: ":") else { return .doubt }
    index &+= 1
    guard !isMuted else { return .value }
    if report(start, end, hasEscapes, { visitor, text in visitor.key(text) }) == .skip { mutedDepth = depth }
    return .value
  }

  @inline(__always)
  private mutating func string() -> Step {
    let start = index &+ 1
    guard let hasEscapes = skipString() else { return .doubt }
    guard isReported() else { return .next }
    report(start, index &- 1, hasEscapes) { visitor, text in visitor.string(text, isTruncated: false) }
    return .next
  }

  /// Passes over a string with its quotes.
  ///
  /// - Returns: Whether it has escapes, or `nil` if it is doubtful.
  @inline(__always)
  private mutating func skipString() -> Bool? {
    var place = index &+ 1
    var hasEscapes = false
    while place < count {
      if place &+ 8 <= count {
        let flags = ByteWord(base, place).stringSuspects
        if flags == 0 {
          place &+= 8
          continue
        }
        place &+= ByteWord.position(of: flags)
      }
      let byte = byte(place)
      if byte == Byte.quote {
        index = place &+ 1
        return hasEscapes
      }
      if byte >= 0x80 {
        guard case .whole(let length) = JSONByteValidator.character(byte, base + place, count &- place) else {
          return nil
        }
        place &+= length
      } else if byte == Byte.backslash {
        guard let length = escapeLength(place) else { return nil }
        hasEscapes = true
        place &+= length
      } else if byte >= 0x20 {
        place &+= 1
      } else {
        return nil
      }
    }
    return nil
  }

  /// The length of a well-formed escape, or of a pair of them for one character.
  private func escapeLength(_ place: Int) -> Int? {
    guard place &+ 1 < count else { return nil }
    if Byte.isSimpleEscape(byte(place &+ 1)) { return 2 }
    guard byte(place &+ 1) == Byte.u, case .whole(let length) = JSONByteValidator.escape(base + place, count &- place),
      length == 6 || length == JSONByteValidator.longestSequence
    else { return nil }
    return length
  }

  /// Lends a text with its escapes resolved.
  @inline(__always)
  private func report<Result>(
    _ start: Int, _ end: Int, _ hasEscapes: Bool, _ body: (JSONVisitor, UnsafeRawBufferPointer) -> Result
  ) -> Result {
    let text = UnsafeRawBufferPointer(start: base + start, count: end &- start)
    guard hasEscapes else { return body(visitor, text) }
    return withUnsafeTemporaryAllocation(byteCount: text.count, alignment: 1) { room in
      body(visitor, UnsafeRawBufferPointer(rebasing: room[..<Self.resolveEscapes(of: text, into: room)]))
    }
  }

  /// Writes a text with its escapes resolved, which is shorter, and returns its length.
  private static func resolveEscapes(of text: UnsafeRawBufferPointer, into room: UnsafeMutableRawBufferPointer) -> Int {
    var (place, length) = (0, 0)
    func put(_ byte: UInt8) {
      room[length] = byte
      length += 1
    }
    func unit(_ place: Int) -> UInt32 { text[place..<(place + 4)].reduce(0) { $0 << 4 | (Byte.hexValue($1) ?? 0) } }
    while place < text.count {
      guard text[place] == Byte.backslash else {
        put(text[place])
        place += 1
        continue
      }
      let kind = text[place + 1]
      guard kind == Byte.u else {
        put(Byte.escaped(kind))
        place += 2
        continue
      }
      var value = unit(place + 2)
      place += 6
      if 0xd800...0xdbff ~= value {
        value = 0x10000 + (value & 0x3ff) << 10 + unit(place + 2) & 0x3ff
        place += 6
      }
      guard let scalar = Unicode.Scalar(value) else { continue }
      for byte in UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter { put(byte) }
    }
    return length
  }
}
