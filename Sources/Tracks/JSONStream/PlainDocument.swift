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
  private let maximumDepth: Int
  private var index: Int
  private var depth = 0
  /// For each open container, the innermost lowest, whether it is an object.
  private var objects: UInt64 = 0

  private static let deepest = UInt64.bitWidth

  /// Prepares to read a document.
  private init(_ base: UnsafeRawPointer, _ count: Int, from start: Int, maximumDepth: Int) {
    (self.base, self.count) = (base, count)
    self.maximumDepth = min(maximumDepth, Self.deepest)
    index = start
  }

  /// Reads a document.
  ///
  /// - Returns: Whether it was read to its end. If not, the visitor may have got some of its events.
  static func read(_ document: UnsafeRawBufferPointer, for visitor: JSONVisitor, maximumDepth: Int) -> Bool {
    guard let base = document.baseAddress else { return false }
    var reader = PlainDocument(base, document.count, from: document.lengthOfByteOrderMark, maximumDepth: maximumDepth)
    reader.skipWhitespace()
    guard reader.readValue(AllEvents.self, visitor, skippingBy: { $0.skipValue(visitor) }) else { return false }
    reader.skipWhitespace()
    return reader.index == reader.count
  }

  @inline(__always)
  private func byte(_ place: Int) -> UInt8 { base.load(fromByteOffset: place, as: UInt8.self) }

  @inline(__always)
  private mutating func skipWhitespace() {
    // Most tokens stand side by side.
    while index < count, byte(index) <= Byte.space, Byte.isWhitespace(byte(index)) { index &+= 1 }
  }

  /// Whether this is the next byte, and passes over it.
  @inline(__always)
  private mutating func skip(_ wanted: UInt8) -> Bool {
    guard index < count, byte(index) == wanted else { return false }
    index &+= 1
    return true
  }

  // MARK: - Values

  /// Reads a value with all that is in it.
  ///
  /// - Parameter skip: Reads a value that is not wanted; called directly, functions that call each other would not be
  ///   inlined.
  /// - Returns: Whether there was nothing doubtful.
  @inline(__always)
  private mutating func readValue<Events: EventReporting>(
    _ events: Events.Type, _ visitor: JSONVisitor, skippingBy skip: (inout PlainDocument) -> Bool
  ) -> Bool {
    let outerDepth = depth
    var isMember = false
    values: while true {
      value: do {
        if isMember {
          switch member(events, visitor) {
          case .value: skipWhitespace()
          case .unwanted:
            guard skip(&self) else { return false }
            break value
          case .doubt: return false
          }
        }
        guard index < count else { return false }
        switch byte(index) {
        case Byte.quote: guard string(events, visitor) else { return false }
        case UInt8(ascii: "{"):
          guard open(isObject: true, events, visitor) else { return false }
          isMember = true
          guard self.skip(UInt8(ascii: "}")) else { continue values }
          close(events, visitor)
        case UInt8(ascii: "["):
          guard open(isObject: false, events, visitor) else { return false }
          isMember = false
          guard self.skip(UInt8(ascii: "]")) else { continue values }
          close(events, visitor)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
          guard number(events, visitor) else { return false }
        case UInt8(ascii: "t"): guard literal("true", events, visitor, { $0.boolean(true) }) else { return false }
        case UInt8(ascii: "f"): guard literal("false", events, visitor, { $0.boolean(false) }) else { return false }
        case UInt8(ascii: "n"): guard literal("null", events, visitor, { $0.null() }) else { return false }
        default: return false
        }
      }
      // A value has ended: what follows separates it from the next, or ends what it is in.
      while depth > outerDepth {
        skipWhitespace()
        isMember = objects & 1 == 1
        if self.skip(UInt8(ascii: ",")) {
          skipWhitespace()
          continue values
        }
        guard self.skip(isMember ? UInt8(ascii: "}") : UInt8(ascii: "]")) else { return false }
        close(events, visitor)
      }
      return true
    }
  }

  /// Reads a value that is not wanted.
  ///
  /// It is read by a copy, so that this one, to which no pointer leads then, stays in registers.
  @inline(__always)
  private mutating func skipValue(_ visitor: JSONVisitor) -> Bool {
    let end = Self.endOfValue(base, count, from: index, visitor, maximumDepth: maximumDepth &- depth)
    guard let end else { return false }
    index = end
    return true
  }

  /// The end of a value in which there is nothing doubtful.
  @inline(never)
  private static func endOfValue(
    _ base: UnsafeRawPointer, _ count: Int, from start: Int, _ visitor: JSONVisitor, maximumDepth: Int
  ) -> Int? {
    var reader = PlainDocument(base, count, from: start, maximumDepth: maximumDepth)
    reader.skipWhitespace()
    return reader.readValue(NoEvents.self, visitor, skippingBy: { _ in false }) ? reader.index : nil
  }

  /// Counts an opening object or array, and passes over the space after it.
  @inline(__always)
  private mutating func open<Events: EventReporting>(isObject: Bool, _ events: Events.Type, _ visitor: JSONVisitor)
    -> Bool
  {
    guard depth < maximumDepth else { return false }
    index &+= 1
    depth &+= 1
    objects = objects &<< 1 | (isObject ? 1 : 0)
    if events.areReported { isObject ? visitor.startObject() : visitor.startArray() }
    skipWhitespace()
    return true
  }

  @inline(__always)
  private mutating func close<Events: EventReporting>(_ events: Events.Type, _ visitor: JSONVisitor) {
    let isObject = objects & 1 == 1
    depth &-= 1
    objects &>>= 1
    if events.areReported { isObject ? visitor.endObject() : visitor.endArray() }
  }

  /// The outcome of reading the beginning of a member.
  private enum Member {
    /// Its value comes next.
    case value
    /// Its value comes next, and is to be passed over.
    case unwanted
    case doubt
  }

  /// Reads a key and the colon after it.
  @inline(__always)
  private mutating func member<Events: EventReporting>(_ events: Events.Type, _ visitor: JSONVisitor) -> Member {
    guard index < count, byte(index) == Byte.quote else { return .doubt }
    let start = index &+ 1
    guard let hasEscapes = skipString() else { return .doubt }
    let end = index &- 1
    skipWhitespace()
    guard skip(UInt8(ascii: ":")) else { return .doubt }
    guard events.areReported else { return .value }
    switch report(visitor, start, end, hasEscapes, { $0.key($1) }) {
    case .enter: return .value
    case .skip: return .unwanted
    case .skipUnlessNull:
      skipWhitespace()
      return index < count && byte(index) == UInt8(ascii: "n") ? .value : .unwanted
    }
  }

  @inline(__always)
  private mutating func literal<Events: EventReporting>(
    _ word: StaticString, _ events: Events.Type, _ visitor: JSONVisitor, _ report: (JSONVisitor) -> Void
  ) -> Bool {
    let length = word.utf8CodeUnitCount
    guard index &+ length <= count else { return false }
    for place in 0..<length where byte(index &+ place) != word.utf8Start[place] { return false }
    index &+= length
    if events.areReported { report(visitor) }
    return true
  }

  // MARK: - Numbers

  @inline(__always)
  private mutating func number<Events: EventReporting>(_ events: Events.Type, _ visitor: JSONVisitor) -> Bool {
    let start = index
    if byte(index) == UInt8(ascii: "-") { index &+= 1 }
    if index < count, byte(index) == UInt8(ascii: "0") { index &+= 1 } else if !skipDigits() { return false }
    if index < count, byte(index) == UInt8(ascii: ".") {
      index &+= 1
      guard skipDigits() else { return false }
    }
    if index < count, byte(index) | 0x20 == UInt8(ascii: "e") {
      index &+= 1
      if index < count, byte(index) == UInt8(ascii: "+") || byte(index) == UInt8(ascii: "-") { index &+= 1 }
      guard skipDigits() else { return false }
    }
    if events.areReported { visitor.number(UnsafeRawBufferPointer(start: base + start, count: index &- start)) }
    return true
  }

  /// Passes over digits, of which there must be one.
  @inline(__always)
  private mutating func skipDigits() -> Bool {
    let start = index
    while index < count, byte(index) &- 0x30 < 10 { index &+= 1 }
    return index > start
  }

  // MARK: - Strings

  @inline(__always)
  private mutating func string<Events: EventReporting>(_ events: Events.Type, _ visitor: JSONVisitor) -> Bool {
    let start = index &+ 1
    guard let hasEscapes = skipString() else { return false }
    if events.areReported {
      report(visitor, start, index &- 1, hasEscapes) { $0.string($1, isTruncated: false) }
    }
    return true
  }

  /// Passes over a string with its quotes.
  ///
  /// - Returns: Whether it has escapes, or `nil` if it is doubtful.
  @inline(__always)
  private mutating func skipString() -> Bool? {
    var place = index &+ 1
    var hasEscapes = false
    while true {
      while place &+ StringBlock.length <= count {
        let plainCount = StringBlock.plainPrefix(base, place)
        place &+= plainCount
        if plainCount < StringBlock.length { break }
      }
      guard place < count else { return nil }
      var byte = byte(place)
      if byte == Byte.quote {
        index = place &+ 1
        return hasEscapes
      }
      // Where one character is not ASCII, the next is likely not either.
      while byte >= 0x80 {
        guard case .whole(let length) = JSONByteValidator.character(byte, base + place, count &- place) else {
          return nil
        }
        place &+= length
        guard place < count else { return nil }
        byte = self.byte(place)
      }
      if byte == Byte.backslash {
        guard let length = escapeLength(place) else { return nil }
        hasEscapes = true
        place &+= length
      } else if byte != Byte.quote {
        guard byte >= 0x20 else { return nil }
        place &+= 1
      }
    }
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
    _ visitor: JSONVisitor, _ start: Int, _ end: Int, _ hasEscapes: Bool,
    _ body: (JSONVisitor, UnsafeRawBufferPointer) -> Result
  ) -> Result {
    let text = UnsafeRawBufferPointer(start: base + start, count: end &- start)
    return hasEscapes ? reportResolved(visitor, text, body) : body(visitor, text)
  }

  // Not inlined: the room on the stack would cost all other strings something.
  @inline(never)
  private func reportResolved<Result>(
    _ visitor: JSONVisitor, _ text: UnsafeRawBufferPointer,
    _ body: (JSONVisitor, UnsafeRawBufferPointer) -> Result
  ) -> Result {
    withUnsafeTemporaryAllocation(byteCount: text.count, alignment: 1) { room in
      body(visitor, UnsafeRawBufferPointer(rebasing: room[..<Self.resolveEscapes(of: text, into: room)]))
    }
  }

  /// Writes a text with its escapes resolved, which is shorter, and returns its length.
  private static func resolveEscapes(of text: UnsafeRawBufferPointer, into room: UnsafeMutableRawBufferPointer) -> Int {
    guard let base = text.baseAddress, let start = room.baseAddress else { return 0 }
    var (place, length) = (0, 0)
    func put(_ byte: UInt8) {
      start.storeBytes(of: byte, toByteOffset: length, as: UInt8.self)
      length &+= 1
    }
    func unit(_ place: Int) -> UInt32 { text[place..<(place + 4)].reduce(0) { $0 << 4 | (Byte.hexValue($1) ?? 0) } }
    while place < text.count {
      if place &+ StringBlock.length <= text.count {
        // All of the block is written, and all behind its plain bytes is written again.
        (start + length).copyMemory(from: base + place, byteCount: StringBlock.length)
        let plainCount = StringBlock.plainPrefix(base, place)
        place &+= plainCount
        length &+= plainCount
        if plainCount == StringBlock.length { continue }
      }
      let byte = base.load(fromByteOffset: place, as: UInt8.self)
      guard byte == Byte.backslash else {
        put(byte)
        place &+= 1
        continue
      }
      let kind = text[place + 1]
      guard kind == Byte.u else {
        put(Byte.escaped(kind))
        place &+= 2
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

/// Whether the visitor gets the events of a value: a type, so that there is a function for each answer.
private protocol EventReporting {
  static var areReported: Bool { get }
}

private enum AllEvents: EventReporting { static var areReported: Bool { true } }
private enum NoEvents: EventReporting { static var areReported: Bool { false } }
