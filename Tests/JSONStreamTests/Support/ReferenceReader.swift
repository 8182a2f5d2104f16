/// Reads JSON slowly and literally by RFC 8259, as a reference: recursive, byte by byte, sharing no code with the
/// parser.
struct ReferenceReader {
  private struct Refused: Error {}

  private var rest: ArraySlice<UInt8>
  private var events: [String] = []

  /// Returns the events of a document as `EventRecorder` writes them, or `nil` if it is not JSON.
  static func events(of document: [UInt8]) -> String? {
    var text = document[...]
    if text.starts(with: [0xef, 0xbb, 0xbf]) { text = text.dropFirst(3) }
    // The standard library validates UTF-8 independently.
    guard String(validating: text, as: UTF8.self) != nil else { return nil }
    var reader = ReferenceReader(rest: text)
    do {
      try reader.value()
      reader.blanks()
      return reader.rest.isEmpty ? reader.events.joined(separator: " ") : nil
    } catch {
      return nil
    }
  }

  private init(rest: ArraySlice<UInt8>) { self.rest = rest }

  private mutating func value() throws {
    blanks()
    switch rest.first.map(Character.init(ascii:)) {
    case "{": try object()
    case "[": try array()
    case "\"": events.append("s(" + EventRecorder.printable(try string()) + ")")
    case "t": try literal("true")
    case "f": try literal("false")
    case "n": try literal("null")
    default: events.append("n(" + (try number()) + ")")
    }
    blanks()
  }

  private mutating func object() throws {
    try expect("{")
    events.append("{")
    blanks()
    if !skip("}") {
      repeat {
        blanks()
        events.append("k(" + EventRecorder.printable(try string()) + ")")
        blanks()
        try expect(":")
        try value()
      } while skip(",")
      try expect("}")
    }
    events.append("}")
  }

  private mutating func array() throws {
    try expect("[")
    events.append("[")
    blanks()
    if !skip("]") {
      repeat { try value() } while skip(",")
      try expect("]")
    }
    events.append("]")
  }

  private mutating func literal(_ word: String) throws {
    for character in word { try expect(character) }
    events.append(word)
  }

  private mutating func number() throws -> String {
    let start = rest
    _ = skip("-")
    if !skip("0") { try digits() }
    if skip(".") { try digits() }
    if skip("e") || skip("E") {
      _ = skip("+") || skip("-")
      try digits()
    }
    return String(decoding: start.prefix(start.count - rest.count), as: UTF8.self)
  }

  private mutating func digits() throws {
    let count = rest.prefix { $0 >= 0x30 && $0 <= 0x39 }.count
    guard count > 0 else { throw Refused() }
    rest = rest.dropFirst(count)
  }

  private mutating func string() throws -> [UInt8] {
    try expect("\"")
    var units: [UInt16] = []
    var bytes: [UInt8] = []
    func flush() throws {
      guard let text = String(validating: units, as: UTF16.self) else { throw Refused() }
      bytes += Array(text.utf8)
      units = []
    }
    while let byte = rest.popFirst() {
      switch Character(ascii: byte) {
      case "\"":
        try flush()
        return bytes
      case "\\": units.append(try escape())
      default:
        guard byte >= 0x20 else { throw Refused() }
        try flush()
        bytes.append(byte)
      }
    }
    throw Refused()
  }

  private mutating func escape() throws -> UInt16 {
    guard let byte = rest.popFirst() else { throw Refused() }
    if byte == UInt8(ascii: "u") {
      let digits = rest.prefix(4)
      guard digits.count == 4, digits.allSatisfy({ Character(ascii: $0).isHexDigit }) else { throw Refused() }
      rest = rest.dropFirst(4)
      guard let unit = UInt16(String(decoding: digits, as: UTF8.self), radix: 16) else { throw Refused() }
      return unit
    }
    let simple: [Character: UInt16] = [
      "\"": 0x22, "\\": 0x5c, "/": 0x2f, "b": 8, "f": 12, "n": 10, "r": 13, "t": 9,
    ]
    guard let unit = simple[Character(ascii: byte)] else { throw Refused() }
    return unit
  }

  private mutating func blanks() { rest = rest.drop { [0x20, 0x09, 0x0a, 0x0d].contains($0) } }

  private mutating func skip(_ character: Character) -> Bool {
    guard rest.first == character.asciiValue, rest.first != nil else { return false }
    rest = rest.dropFirst()
    return true
  }

  private mutating func expect(_ character: Character) throws {
    guard skip(character) else { throw Refused() }
  }
}

extension Character {
  /// Returns the character of an ASCII byte.
  ///
  /// Other bytes become characters that JSON does not use.
  fileprivate init(ascii byte: UInt8) { self.init(Unicode.Scalar(byte)) }
}
