/// Reads RFC 8259 by recursive descent in the most obvious way: strictly, as a whole and slowly.
///
/// A byte-order mark may come first. An error is at the first byte that cannot be where it is, or at the end of a
/// document that ends too early. A string, number or literal is read completely before its place is checked, so a
/// malformed one is refused as malformed and not as misplaced.
struct PlainJSONReader {
  private let bytes: [UInt8]
  private var index = 0

  static func read(_ bytes: [UInt8]) throws(PlainJSON.Fault) -> PlainJSON {
    var reader = PlainJSONReader(bytes: bytes)
    return try reader.document()
  }

  private init(bytes: [UInt8]) { self.bytes = bytes }

  private var next: UInt8? { index < bytes.count ? bytes[index] : nil }

  private mutating func document() throws(PlainJSON.Fault) -> PlainJSON {
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { index = 3 }
    skipSpace()
    if next == nil { throw PlainJSON.Fault(code: "empty_json", offset: index) }
    let value = try value()
    skipSpace()
    if next != nil { throw unexpected("json_trailing_bytes") }
    return value
  }

  private mutating func skipSpace() {
    while let byte = next, [0x20, 0x09, 0x0A, 0x0D].contains(byte) { index += 1 }
  }

  /// Returns the error of the byte at the index.
  private func unexpected(_ code: String = "json_syntax") -> PlainJSON.Fault {
    guard let byte = next else { return PlainJSON.Fault(code: "json_truncated", offset: index) }
    let isInvalid = byte >= 0x80 && character() == .invalid
    return PlainJSON.Fault(code: isInvalid ? "json_invalid_utf8" : code, offset: index)
  }

  /// Returns the error of the misplaced token at the index.
  private mutating func outOfPlace() -> PlainJSON.Fault {
    let start = index
    guard let byte = next, !"{}[]:,".utf8.contains(byte) else { return unexpected() }
    do throws(PlainJSON.Fault) { _ = try scalar() } catch { return error }
    index = start
    return unexpected()
  }

  /// Skips punctuation.
  private mutating func take(_ byte: UInt8) throws(PlainJSON.Fault) {
    guard next == byte else { throw outOfPlace() }
    index += 1
  }

  private mutating func value() throws(PlainJSON.Fault) -> PlainJSON {
    switch next {
    case UInt8(ascii: "{"): return try object()
    case UInt8(ascii: "["): return try array()
    default: return try scalar()
    }
  }

  private mutating func scalar() throws(PlainJSON.Fault) -> PlainJSON {
    switch next {
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "t"): return try word("true", .boolean)
    case UInt8(ascii: "f"): return try word("false", .boolean)
    case UInt8(ascii: "n"): return try word("null", .null)
    default: return .number(try number())
    }
  }

  private mutating func word(_ word: String, _ value: PlainJSON) throws(PlainJSON.Fault) -> PlainJSON {
    for byte in word.utf8 { try expect(byte) }
    return value
  }

  private mutating func expect(_ byte: UInt8) throws(PlainJSON.Fault) {
    guard next == byte else { throw unexpected() }
    index += 1
  }

  private mutating func array() throws(PlainJSON.Fault) -> PlainJSON {
    var elements: [PlainJSON] = []
    try take(UInt8(ascii: "["))
    skipSpace()
    if next == UInt8(ascii: "]") {
      index += 1
      return .array([])
    }
    while true {
      skipSpace()
      elements.append(try value())
      skipSpace()
      if next == UInt8(ascii: "]") { break }
      try take(UInt8(ascii: ","))
    }
    index += 1
    return .array(elements)
  }

  private mutating func object() throws(PlainJSON.Fault) -> PlainJSON {
    var members: [(key: [UInt8], value: PlainJSON)] = []
    try take(UInt8(ascii: "{"))
    skipSpace()
    if next == UInt8(ascii: "}") {
      index += 1
      return .object([])
    }
    while true {
      skipSpace()
      guard next == UInt8(ascii: "\"") else { throw outOfPlace() }
      let key = try string()
      skipSpace()
      try take(UInt8(ascii: ":"))
      skipSpace()
      members.append((key, try value()))
      skipSpace()
      if next == UInt8(ascii: "}") { break }
      try take(UInt8(ascii: ","))
    }
    index += 1
    return .object(members)
  }

  private mutating func number() throws(PlainJSON.Fault) -> [UInt8] {
    let start = index
    if next == UInt8(ascii: "-") { index += 1 }
    if next == UInt8(ascii: "0") { index += 1 } else { try digits() }
    if next == UInt8(ascii: ".") {
      index += 1
      try digits()
    }
    if next == UInt8(ascii: "e") || next == UInt8(ascii: "E") {
      index += 1
      if next == UInt8(ascii: "+") || next == UInt8(ascii: "-") { index += 1 }
      try digits()
    }
    return Array(bytes[start..<index])
  }

  private mutating func digits() throws(PlainJSON.Fault) {
    let start = index
    while let byte = next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { index += 1 }
    if index == start { throw unexpected() }
  }

  private mutating func string() throws(PlainJSON.Fault) -> [UInt8] {
    var text: [UInt8] = []
    try expect(UInt8(ascii: "\""))
    while true {
      switch next {
      case UInt8(ascii: "\""):
        index += 1
        return text
      case UInt8(ascii: "\\"): text += try escape()
      case .some(let byte) where byte >= 0x20:
        switch byte < 0x80 ? .whole(1) : character() {
        case .whole(let length):
          text += bytes[index..<(index + length)]
          index += length
        case .cut: throw PlainJSON.Fault(code: "json_truncated", offset: bytes.count)
        case .invalid: throw unexpected()
        }
      default: throw unexpected()
      }
    }
  }

  private mutating func escape() throws(PlainJSON.Fault) -> [UInt8] {
    let start = index
    index += 1
    let simple: [(Character, UInt8)] = [
      ("\"", 0x22), ("\\", 0x5C), ("/", 0x2F), ("b", 8), ("f", 12), ("n", 10), ("r", 13), ("t", 9),
    ]
    if let byte = simple.first(where: { $0.0.asciiValue == next })?.1 {
      index += 1
      return [byte]
    }
    try expect(UInt8(ascii: "u"))
    let unit = try hexadecimal()
    guard UTF16.isSurrogate(unit) else { return Array(String(UTF16.decode(UTF16.EncodedScalar([unit]))).utf8) }
    // A lone half of a pair is an error whatever follows, except the end of the document.
    let half = PlainJSON.Fault(code: "json_lone_surrogate", offset: start)
    guard UTF16.isLeadSurrogate(unit) else { throw half }
    var low: UInt16 = 0
    do throws(PlainJSON.Fault) {
      try expect(UInt8(ascii: "\\"))
      try expect(UInt8(ascii: "u"))
      low = try hexadecimal()
    } catch {
      throw error.code == "json_truncated" ? error : half
    }
    guard UTF16.isTrailSurrogate(low) else { throw half }
    return Array(String(UTF16.decode(UTF16.EncodedScalar([unit, low]))).utf8)
  }

  private mutating func hexadecimal() throws(PlainJSON.Fault) -> UInt16 {
    var unit: UInt16 = 0
    for _ in 0..<4 {
      guard let byte = next, let digit = Character(UnicodeScalar(byte)).hexDigitValue, byte < 0x80 else {
        throw unexpected()
      }
      unit = unit << 4 | UInt16(digit)
      index += 1
    }
    return unit
  }

  private enum Encoded: Equatable {
    case whole(Int)
    /// Returns the error of a document that ends here.
    case cut
    case invalid
  }

  /// Reads the UTF-8 character at the index by trying all lengths.
  private func character() -> Encoded {
    for length in 1...4 where index + length <= bytes.count {
      let candidate = bytes[index..<(index + length)]
      if String(validating: candidate, as: UTF8.self) != nil { return .whole(length) }
    }
    // A character is truncated if some continuation would complete it.
    let rest = Array(bytes[index...])
    guard rest.count < 4, let lead = rest.first, lead >= 0xC2, lead <= 0xF4 else { return .invalid }
    let length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2
    guard rest.count < length else { return .invalid }
    for filler in [[0x80, 0x80, 0x80], [0xA0, 0x80, 0x80], [0x90, 0x80, 0x80]] as [[UInt8]] {
      let candidate = rest + filler.prefix(length - rest.count)
      if String(validating: candidate, as: UTF8.self) != nil { return .cut }
    }
    return .invalid
  }
}
