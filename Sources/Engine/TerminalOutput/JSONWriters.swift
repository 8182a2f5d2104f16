/// Writes the records as one JSON array, with one object on each line.
final class JSONWriter: RecordWriter {
  private let output: any TextOutput
  private var encoder = JSONObjectEncoder()
  private var isEmpty = true
  // Reused for every record, so that a million records need one allocation.
  private var line: [UInt8] = []

  init(to output: any TextOutput) {
    self.output = output
  }

  func begin(columns: [String]) throws {
    encoder = JSONObjectEncoder(columns: columns)
    try output.write("[")
  }

  func write(_ values: [FieldValue]) throws {
    line.removeAll(keepingCapacity: true)
    // The comma ends the previous line, which was not the last after all.
    line.append(contentsOf: (isEmpty ? "\n" : ",\n").utf8)
    encoder.append(values, to: &line)
    isEmpty = false
    try output.write(utf8: line)
  }

  func end() throws {
    try output.write(isEmpty ? "]\n" : "\n]\n")
    try output.flush()
  }
}

/// Writes each record as a JSON object on a line of its own.
final class NDJSONWriter: RecordWriter {
  private let output: any TextOutput
  private var encoder = JSONObjectEncoder()
  // Reused for every record, so that a million records need one allocation.
  private var line: [UInt8] = []

  init(to output: any TextOutput) {
    self.output = output
  }

  func begin(columns: [String]) {
    encoder = JSONObjectEncoder(columns: columns)
  }

  func write(_ values: [FieldValue]) throws {
    line.removeAll(keepingCapacity: true)
    encoder.append(values, to: &line)
    line.append(UInt8(ascii: "\n"))
    try output.write(utf8: line)
  }

  func end() throws {
    try output.flush()
  }
}

/// A JSON object whose keys stand in the order in which they were added.
package struct JSONObject: Sendable {
  /// The object without its end.
  private var bytes = [UInt8(ascii: "{")]

  /// Builds an object.
  package init(_ build: (inout JSONObject) -> Void = { _ in }) {
    build(&self)
  }

  /// The object on one line.
  package var text: String { String(decoding: bytes, as: UTF8.self) + "}" }

  /// Removes all members, for another object in the same memory.
  package mutating func removeAll() { bytes.removeSubrange(1...) }

  /// Adds a member with a plain value.
  package mutating func add(_ key: String, _ value: FieldValue) {
    begin(key)
    JSONText.append(value, to: &bytes)
  }

  /// Adds a member that is text, of which what is not UTF-8 is repaired.
  ///
  /// - Returns: Whether it is UTF-8.
  package mutating func add(_ key: String, text utf8: UnsafeRawBufferPointer) -> Bool {
    begin(key)
    return JSONText.append(text: utf8, to: &bytes)
  }

  /// Adds a member that is an object.
  package mutating func add(_ key: String, object: JSONObject) {
    begin(key)
    bytes += object.bytes
    bytes.append(UInt8(ascii: "}"))
  }

  /// Adds a member that is an array of objects.
  package mutating func add(_ key: String, objects: [JSONObject]) {
    begin(key)
    bytes.append(UInt8(ascii: "["))
    for (number, object) in objects.enumerated() {
      if number > 0 { bytes.append(UInt8(ascii: ",")) }
      bytes += object.bytes
      bytes.append(UInt8(ascii: "}"))
    }
    bytes.append(UInt8(ascii: "]"))
  }

  /// Adds a member that is an array of objects, if there are any.
  ///
  /// - Parameter next: Adds the members of the next object, and returns whether there is one.
  package mutating func add(_ key: String, objects next: (inout JSONObject) throws -> Bool) rethrows {
    let start = bytes.count
    begin(key)
    bytes.append(UInt8(ascii: "["))
    var end = bytes.count
    while true {
      bytes.append(UInt8(ascii: "{"))
      guard try next(&self) else { break }
      bytes += [UInt8(ascii: "}"), UInt8(ascii: ",")]
      end = bytes.count - 1
    }
    let isEmpty = bytes[end - 1] == UInt8(ascii: "[")
    bytes.removeSubrange((isEmpty ? start : end)...)
    if !isEmpty { bytes.append(UInt8(ascii: "]")) }
  }

  /// Writes the object and the end of a line.
  package func writeLine(to output: any TextOutput) throws {
    try output.write(utf8: bytes + [UInt8(ascii: "}"), UInt8(ascii: "\n")])
  }

  private mutating func begin(_ key: String) {
    // No value ends with what begins an object.
    if bytes[bytes.count - 1] != UInt8(ascii: "{") { bytes.append(UInt8(ascii: ",")) }
    JSONText.append(key, to: &bytes)
    bytes.append(UInt8(ascii: ":"))
  }
}

/// Encodes records with the same columns as JSON objects.
private struct JSONObjectEncoder {
  /// For each column, the text before its value: the bracket or comma, the name and the colon.
  private let prefixes: [[UInt8]]

  init(columns: [String] = []) {
    prefixes = columns.enumerated().map { index, column in
      var prefix = [UInt8(ascii: index == 0 ? "{" : ",")]
      JSONText.append(column, to: &prefix)
      prefix.append(UInt8(ascii: ":"))
      return prefix
    }
  }

  /// Appends one object to UTF-8 text, with the names in the order of the columns.
  func append(_ values: [FieldValue], to text: inout [UInt8]) {
    precondition(values.count == prefixes.count, "a record must have a value for each column")
    if values.isEmpty { text.append(UInt8(ascii: "{")) }
    for (prefix, value) in zip(prefixes, values) {
      text.append(contentsOf: prefix)
      JSONText.append(value, to: &text)
    }
    text.append(UInt8(ascii: "}"))
  }
}

/// Appends values to UTF-8 text as JSON.
package enum JSONText {
  package static func append(_ value: FieldValue, to text: inout [UInt8]) {
    switch value {
    case .null: text.append(contentsOf: "null".utf8)
    case .string(let string): append(string, to: &text)
    case .integer(let integer): text.append(contentsOf: String(integer).utf8)
    // JSON has no notation for infinity and NaN.
    case .real(let real): text.append(contentsOf: (real.isFinite ? real.description : "null").utf8)
    case .boolean(let boolean): text.append(contentsOf: (boolean ? "true" : "false").utf8)
    case .strings(let strings): append(strings, to: &text)
    }
  }

  static func append(_ string: String, to text: inout [UInt8]) {
    text.append(UInt8(ascii: "\""))
    var string = string
    let isPlain = string.withUTF8 { utf8 in
      guard utf8.allSatisfy(Self.isPlain) else { return false }
      text.append(contentsOf: utf8)
      return true
    }
    if !isPlain {
      for scalar in string.unicodeScalars { append(scalar, to: &text) }
    }
    text.append(UInt8(ascii: "\""))
  }

  /// Appends text, of which what is not UTF-8 is repaired.
  ///
  /// - Returns: Whether it is UTF-8.
  static func append(text utf8: UnsafeRawBufferPointer, to text: inout [UInt8]) -> Bool {
    // Nearly all text is ASCII, which needs no value of its own.
    guard utf8.allSatisfy({ $0 < 0x80 && isPlain($0) }) else {
      let valid = String(validating: utf8, as: UTF8.self)
      append(valid ?? String(decoding: utf8, as: UTF8.self), to: &text)
      return valid != nil
    }
    text.append(UInt8(ascii: "\""))
    text.append(contentsOf: utf8)
    text.append(UInt8(ascii: "\""))
    return true
  }

  /// Appends text in pieces, which may end within a character.
  ///
  /// Only what JSON requires is escaped.
  package static func append(utf8: UnsafeRawBufferPointer, to text: inout [UInt8]) {
    let digits = Array("0123456789abcdef".utf8)
    for byte in utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): text += [UInt8(ascii: "\\"), byte]
      case 0x0A: text += Array("\\n".utf8)
      case 0x0D: text += Array("\\r".utf8)
      case 0x09: text += Array("\\t".utf8)
      case 0..<0x20: text += Array("\\u00".utf8) + [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      default: text.append(byte)
      }
    }
  }

  /// Escapes what a terminal would interpret in a text that another encoder has made.
  package static func escapingControls(inJSON json: some Sequence<UInt8>) -> [UInt8] {
    var text: [UInt8] = []
    for scalar in String(decoding: Array(json), as: UTF8.self).unicodeScalars {
      if scalar.value >= 0x7F, scalar.steersTerminals {
        appendEscape(scalar, to: &text)
      } else {
        text.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
      }
    }
    return text
  }

  private static func append(_ strings: [String], to text: inout [UInt8]) {
    text.append(UInt8(ascii: "["))
    for (index, string) in strings.enumerated() {
      if index > 0 { text.append(UInt8(ascii: ",")) }
      append(string, to: &text)
    }
    text.append(UInt8(ascii: "]"))
  }

  private static func append(_ scalar: Unicode.Scalar, to text: inout [UInt8]) {
    switch scalar {
    case "\"": text.append(contentsOf: #"\""#.utf8)
    case "\\": text.append(contentsOf: #"\\"#.utf8)
    case "\u{8}": text.append(contentsOf: #"\b"#.utf8)
    case "\u{C}": text.append(contentsOf: #"\f"#.utf8)
    case "\n": text.append(contentsOf: #"\n"#.utf8)
    case "\r": text.append(contentsOf: #"\r"#.utf8)
    case "\t": text.append(contentsOf: #"\t"#.utf8)
    // Foundation's reader drops this character at the start of a string as a byte-order mark.
    case "\u{FEFF}": appendEscape(scalar, to: &text)
    // Stricter than JSON requires, but equivalent for every JSON reader: the text may be shown on a screen.
    case _ where scalar.steersTerminals: appendEscape(scalar, to: &text)
    default: text.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
    }
  }

  /// Appends four hexadecimal digits, which suffice: no scalar that is escaped is above U+FFFF.
  private static func appendEscape(_ scalar: Unicode.Scalar, to text: inout [UInt8]) {
    let digits = String(scalar.value, radix: 16, uppercase: true)
    text.append(contentsOf: #"\u"#.utf8)
    text.append(contentsOf: repeatElement(UInt8(ascii: "0"), count: 4 - digits.utf8.count))
    text.append(contentsOf: digits.utf8)
  }

  /// Whether the byte can be copied without checking its neighbours.
  ///
  /// C2 starts the C1 controls, E2 the line separators and the text direction controls, and EF the byte-order mark.
  private static func isPlain(_ byte: UInt8) -> Bool {
    byte >= 0x20 && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\") && byte != 0x7F && byte != 0xC2
      && byte != 0xE2 && byte != 0xEF
  }
}
