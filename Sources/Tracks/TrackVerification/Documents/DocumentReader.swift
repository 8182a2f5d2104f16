internal import Verification

// Hot: every byte of every document passes through here. It therefore loops over bytes, with indices that cannot
// overflow because they are below the length of a buffer.

/// Reads a track's document into a tree of what a preset's paths may lead to.
///
/// It shares nothing with the reader of the migration: neither the parser, nor a library, nor the approach. It is a
/// single automaton over bytes according to RFC 8259, with a short cut for tokens that are plain and whole, and knows no
/// presets: it keeps all values under keys that any path names, and ``PresetEvaluation`` looks into these afterwards. The
/// document may come in pieces. A number is kept as written. Text of more than 1 MiB is left out.
struct DocumentReader {
  /// The result of reading a document.
  enum Outcome {
    case readable
    /// It has only whitespace.
    case blank
    case unreadable
  }

  /// An open array or object, or the document.
  struct Level {
    /// The byte that ends it; 0 for the document.
    var end: UInt8 = 0
    /// Its node; -1 if it is not kept.
    var node = -1
    /// A bit for each key of its members so far; several keys may share one.
    var keys: UInt64 = 0

    var isArray: Bool { end == UInt8(ascii: "]") }
  }

  /// The states of reading, by the input that may come next.
  enum Place: UInt8 {
    case mark, value, elementOrEnd, keyOrEnd, key, colon, commaOrEnd, end
    case string, escape, digits, secondBackslash, secondU, continuation
    case minus, zero, integer, point, fraction, exponent, sign, power
    case literal
    case broken
  }

  /// The maximum length of text and numbers, as written.
  let textLimit: Int
  /// The keys that the document itself may have without being noted, and whether it has others.
  var knownKeys: Set<Int>?
  private(set) var hasOtherKeys = false
  /// Whether the values of all keys are kept.
  private var keepsAll = false
  /// The maximum length of what is kept of an artist.
  static let usualTextLimit = 1 << 20
  /// The maximum depth of a document.
  private static let depthLimit = 1_000_000
  /// The number of a key that no path names.
  private static let otherKey = -2

  /// The values that have been kept.
  var tree: DocumentTree
  var place = Place.value
  /// The innermost open array or object, and what it is in.
  var level = Level()
  var outerLevels: [Level] = []
  /// Whether the value that is read is kept, and the number of its key; -1 for an element.
  var isWanted = true
  var keyNumber = -1

  /// Whether the string that is being read is a key.
  var isKey = false
  /// Whether the text that is being read is kept.
  var isKept = false
  /// Whether it has become too long.
  var isTooLong = false
  /// The start of the text in its buffer.
  var textStart = 0
  /// The length of the token, as written.
  var tokenLength = 0
  var keyBytes: [UInt8] = []

  /// The digits of an escape: their value so far, how many are left, and the first half of a surrogate pair.
  var unit: UInt32 = 0
  var digitCount = 0
  var firstHalf: UInt32?
  /// The number of remaining bytes of a character, and the valid range of the next one.
  var continuationCount = 0
  var continuationRange: ClosedRange<UInt8> = 0x80...0xbf
  /// The literal that is being read: what follows its first letter, and how much of that has been read.
  private var literalKind = DocumentTree.Kind.null
  private var literal: StaticString = ""
  private var literalLength = 0
  /// The number of bytes of a byte-order mark read so far.
  var markLength = 0
  var isBlank = true

  /// Prepares to read documents.
  ///
  /// - Parameter keys: The keys whose values are kept.
  init(keys: [String], textLimit: Int = usualTextLimit) {
    self.textLimit = textLimit
    tree = DocumentTree(keys: keys)
  }

  /// Begins a document.
  ///
  /// - Parameter keepsAll: Whether the values under other keys are kept, too.
  mutating func begin(keepsAll: Bool = false) {
    self.keepsAll = keepsAll
    tree.removeAll()
    hasOtherKeys = false
    place = .mark
    level = Level()
    outerLevels.removeAll(keepingCapacity: true)
    (isWanted, keyNumber) = (true, -1)
    markLength = 0
    isBlank = true
    firstHalf = nil
  }

  /// Reads a document that is known to be readable once more, and keeps the values of all keys.
  mutating func readAll(_ bytes: [UInt8]) {
    begin(keepsAll: true)
    bytes.withUnsafeBytes { read($0) }
    _ = finish()
  }

  /// Reads a piece.
  mutating func read(_ bytes: UnsafeRawBufferPointer) {
    guard let bytes = DocumentPiece(bytes) else { return }
    var index = 0
    let isShort = bytes.count <= textLimit
    while index < bytes.count {
      switch place {
      case .string: readString(bytes, &index)
      case .broken: return
      case .minus, .zero, .integer, .point, .fraction, .exponent, .sign, .power:
        if !readNumber(bytes[index]) { endNumber() } else { index &+= 1 }
      case .mark: readMark(bytes[index], &index)
      case .escape, .digits, .secondBackslash, .secondU, .continuation:
        readInString(bytes[index])
        index &+= 1
      case .literal:
        readLiteral(bytes[index])
        index &+= 1
      default:
        if isShort {
          readPlainTokens(bytes, &index)
          guard index < bytes.count else { return }
        }
        let byte = bytes[index]
        index &+= 1
        if byte != 0x20 && byte != 0x0a && byte != 0x0d && byte != 0x09 { readSign(byte) }
      }
    }
  }

  /// Ends the document; nothing is kept of an unreadable one.
  mutating func finish() -> Outcome {
    switch place {
    case .zero, .integer, .fraction, .power: endNumber()
    case .mark where markLength > 0: place = .broken
    default: break
    }
    if place == .end { return .readable }
    let outcome: Outcome = isBlank && place != .broken ? .blank : .unreadable
    tree.removeAll()
    return outcome
  }

  private static let mark: [UInt8] = [0xef, 0xbb, 0xbf]

  /// Skips a byte-order mark.
  private mutating func readMark(_ byte: UInt8, _ index: inout Int) {
    if markLength < Self.mark.count, byte == Self.mark[markLength] {
      markLength += 1
      index += 1
      if markLength == Self.mark.count { place = .value }
    } else {
      place = markLength == 0 ? .value : .broken
    }
  }

  /// Reads a byte that begins a value, or that is between two.
  private mutating func readSign(_ byte: UInt8) {
    isBlank = false
    switch place {
    case .commaOrEnd: if byte == UInt8(ascii: ",") { continueLevel() } else { endLevel(byte) }
    case .colon: place = byte == UInt8(ascii: ":") ? .value : .broken
    case .key where byte == UInt8(ascii: "\""), .keyOrEnd where byte == UInt8(ascii: "\""): beginKey()
    case .keyOrEnd: endLevel(byte)
    case .elementOrEnd where byte == UInt8(ascii: "]"): endLevel(byte)
    case .value, .elementOrEnd: beginValue(byte)
    default: place = .broken
    }
  }

  private mutating func readLiteral(_ byte: UInt8) {
    guard literal.withUTF8Buffer({ $0[literalLength] == byte }) else { return place = .broken }
    literalLength += 1
    if literalLength == literal.utf8CodeUnitCount { endLiteral() }
  }
}

extension DocumentReader {
  mutating func beginValue(_ byte: UInt8) {
    switch byte {
    case UInt8(ascii: "{"): begin(.object, UInt8(ascii: "}"))
    case UInt8(ascii: "["): begin(.array, UInt8(ascii: "]"))
    case UInt8(ascii: "\""):
      isKey = false
      beginText(isKept: isWanted)
      place = .string
    case UInt8(ascii: "-"): beginNumber(byte, .minus)
    case UInt8(ascii: "0"): beginNumber(byte, .zero)
    case UInt8(ascii: "1")...UInt8(ascii: "9"): beginNumber(byte, .integer)
    case UInt8(ascii: "t"): beginLiteral("rue", .true)
    case UInt8(ascii: "f"): beginLiteral("alse", .false)
    case UInt8(ascii: "n"): beginLiteral("ull", .null)
    default: place = .broken
    }
  }

  private mutating func beginLiteral(_ rest: StaticString, _ kind: DocumentTree.Kind) {
    (literal, literalLength, literalKind) = (rest, 0, kind)
    place = .literal
  }

  private mutating func begin(_ kind: DocumentTree.Kind, _ end: UInt8) {
    guard outerLevels.count < Self.depthLimit else { return place = .broken }
    outerLevels.append(level)
    level = Level(end: end, node: isWanted ? tree.begin(kind, key: keyNumber) : -1)
    if level.isArray { keyNumber = -1 }
    place = level.isArray ? .elementOrEnd : .keyOrEnd
  }

  mutating func endLevel(_ byte: UInt8) {
    guard byte == level.end, let outer = outerLevels.popLast() else { return place = .broken }
    if level.node >= 0 { tree.end(level.node) }
    level = outer
    endValue()
  }

  private mutating func continueLevel() {
    guard level.isArray else { return place = .key }
    (place, isWanted, keyNumber) = (.value, level.node >= 0, -1)
  }

  private mutating func beginKey() {
    isKey = true
    beginText(isKept: level.node >= 0)
    place = .string
  }

  /// Decides whether the value that follows a key is kept.
  ///
  /// - Parameter number: The number of the key, if any path names it.
  mutating func endKey(_ number: Int?) {
    place = .colon
    (isWanted, keyNumber) = (number != nil || keepsAll && level.node >= 0, number ?? Self.otherKey)
    if let number { note(key: number) }
    if outerLevels.count == 1, let knownKeys, !knownKeys.contains(keyNumber) { hasOtherKeys = true }
  }

  /// Notes whether an object may already have had a key, which most never do.
  private mutating func note(key: Int) {
    let bit = UInt64(1) << UInt64(truncatingIfNeeded: key & 63)
    if level.keys & bit != 0 { tree.mayHaveRepeatedKeys = true }
    level.keys |= bit
  }

  private mutating func endLiteral() {
    if isWanted { tree.add(literalKind, key: keyNumber) }
    endValue()
  }

  /// Takes complete text or a complete number.
  mutating func endText(isNumber: Bool) {
    if isWanted {
      if isTooLong {
        tree.add(.longText, key: keyNumber)
      } else {
        tree.add(isNumber ? .number : .text, key: keyNumber, textStart..<tree.bytes.count)
      }
    }
    endValue()
  }

  private mutating func endValue() {
    place = outerLevels.isEmpty ? .end : .commaOrEnd
    isWanted = level.node >= 0
  }
}

/// The values of a document that may matter, as a flat list in the order of the document.
struct DocumentTree {
  enum Kind: UInt8 { case object, array, text, number, `true`, `false`, null, longText }

  struct Node {
    let kind: Kind
    /// The number of its key; -1 for an element of an array, and for the document itself.
    let key: Int
    /// Its text or number among the bytes.
    let text: Range<Int>
    /// The node after it and all that is in it.
    fileprivate(set) var end: Int

    var isAnyText: Bool { kind == .text || kind == .longText }
  }

  private(set) var nodes: [Node] = []
  /// The bytes of all text.
  var bytes: [UInt8] = []
  /// Whether an object may have two members with the same key; if not, none has.
  var mayHaveRepeatedKeys = false
  private let numbers: KeyNumbers

  init(keys: [String]) { numbers = KeyNumbers(keys) }

  /// The number of a key; `nil` if no path names it.
  func number(of key: UnsafeRawBufferPointer) -> Int? { numbers[key] }

  mutating func removeAll() {
    nodes.removeAll(keepingCapacity: true)
    bytes.removeAll(keepingCapacity: true)
    mayHaveRepeatedKeys = false
  }

  mutating func add(_ kind: Kind, key: Int, _ text: Range<Int> = 0..<0) {
    nodes.append(Node(kind: kind, key: key, text: text, end: nodes.count + 1))
  }

  mutating func begin(_ kind: Kind, key: Int) -> Int {
    add(kind, key: key)
    return nodes.count - 1
  }

  mutating func end(_ node: Int) { nodes[node].end = nodes.count }

  /// The members of an object or the elements of an array.
  func children(of node: Int) -> [Int] {
    var children: [Int] = []
    var child = node + 1
    while child < nodes[node].end {
      children.append(child)
      child = nodes[child].end
    }
    return children
  }

  /// The first member of an object with a key.
  func member(_ key: Int, of node: Int) -> Int? {
    guard nodes[node].kind == .object else { return nil }
    var child = node + 1
    while child < nodes[node].end {
      if nodes[child].key == key { return child }
      child = nodes[child].end
    }
    return nil
  }

  /// The first member whose object has another one with the same key before it, and the number of that key.
  var repeatedMember: (node: Int, number: Int)? {
    guard mayHaveRepeatedKeys else { return nil }
    for node in nodes.indices where nodes[node].kind == .object {
      var keys: Set<Int> = []
      for child in children(of: node) where !keys.insert(nodes[child].key).inserted { return (child, nodes[child].key) }
    }
    return nil
  }

  /// The text of a value; `nil` for an array, an object, `null`, and text that is too long.
  func text(of node: Int) -> ArraySlice<UInt8>? {
    switch nodes[node].kind {
    case .text, .number: bytes[nodes[node].text]
    case .true: ArraySlice("true".utf8)
    case .false: ArraySlice("false".utf8)
    case .object, .array, .null, .longText: nil
    }
  }

  func string(_ text: Range<Int>) -> String { String(decoding: bytes[text], as: UTF8.self) }
}
