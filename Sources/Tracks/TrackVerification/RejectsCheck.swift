internal import DataModel
internal import JSONPresets
internal import MigrationDiagnostics
internal import PersistentStore
internal import SQLiteDatabase
internal import SystemC
internal import Verification

/// Compares a rejects file with the old library: which tracks it lists, why, and their documents byte for byte.
///
/// Each line is `{"primaryKey":7,"title":"…","reason":"…","byteOffset":12,"json":"…",…}`, with whose it is at the end. Documents of any length are read in
/// pieces on both sides.
struct RejectsCheck {
  /// A track whose document belongs in the rejects file.
  struct Reject {
    let key: Int64
    let entity: String
    let cause: Cause
  }

  /// A reason for a document to be in the rejects file.
  enum Cause {
    case unreadable
    /// The new library lacks something of the document.
    case loss(Fact)
    /// There is no artist with a name, for this reason.
    case fallback(String)

    /// The reasons in the file that match this cause.
    ///
    /// In which way a document is unreadable is not checked here: the statistics count these reasons by name.
    var reasons: [String] {
      switch self {
      case .unreadable: Self.waysToBeUnreadable
      case .fallback(let reason): [reason]
      case .loss(let fact): [fact.name]
      }
    }

    private static let waysToBeUnreadable = [
      "json_syntax", "json_truncated", "json_trailing_bytes", "json_invalid_utf8", "json_lone_surrogate",
      "json_too_deep", "json_too_long",
    ]
  }

  private let path: String
  private let old: StoreSide
  private let log: DifferenceLog
  private let reader: RejectsReader

  init(path: String, old: StoreSide, log: DifferenceLog) throws {
    (self.path, self.old, self.log) = (path, old, log)
    reader = try RejectsReader(path)
  }

  /// Compares the file with the expected tracks.
  ///
  /// - Returns: The number of lines by reason; `nil` if there are differences, which are in the log.
  func run(expected: [Reject]) throws -> [String: Int]? {
    let differences = log.count
    var expected = Dictionary(expected.enumerated().map { ($1.key, (place: $0, reject: $1)) }) { first, _ in first }
    var last = -1
    var counts: [String: Int] = [:]
    var number = 0
    while try !reader.isAtEnd {
      number += 1
      guard try reader.takes("{\"primaryKey\":"), let key = Int64(try reader.token()) else {
        try log.add(.rejects) {
          ($0.expected, $0.found, $0.detail) = ("a primary key", "something else", "line \(number) of \(name)")
        }
        try reader.skipLine()
        continue
      }
      if let (place, reject) = expected.removeValue(forKey: key) {
        if place < last {
          try add(reject.entity, key) { ($0.expected, $0.found) = ("the order of the old library", "another order") }
        }
        last = max(last, place)
        if let reason = try compare(reject) { counts[reason, default: 0] += 1 }
      } else {
        try add("Track", key) { $0.found = "a line" }
      }
      try reader.skipLine()
    }
    for (_, reject) in expected.values.sorted(by: { $0.reject.key < $1.reject.key }) {
      try add(reject.entity, reject.key) { $0.expected = "a line" }
    }
    return log.count == differences ? counts : nil
  }

  /// Compares the rest of a line.
  ///
  /// - Returns: The reason in the line.
  private func compare(_ reject: Reject) throws -> String? {
    guard try reader.takes(",\"title\":"), let title = try reader.text(orNull: true), try reader.takes(",\"reason\":"),
      let reason = try reader.text(orNull: false), try reader.takes(",\"byteOffset\":"),
      case let offset = try reader.token(), offset == "null" || Int(offset) != nil, try reader.takes(",\"json"),
      case let isEncoded = try reader.takes("Base64"), try reader.takes("\":\"")
    else { return try addMalformed(reject) }
    let name = String(decoding: reason ?? [], as: UTF8.self)
    if !reject.cause.reasons.contains(name) {
      try add(reject.entity, reject.key, "reason") {
        ($0.expected, $0.found) = (reject.cause.reasons.joined(separator: " or "), StoredValue.quoted(name.utf8))
      }
    }
    let wanted = try self.title(of: reject)
    if title != wanted {
      try add(reject.entity, reject.key, "title") {
        ($0.expected, $0.found) = (wanted.map(StoredValue.quoted), title.map(StoredValue.quoted))
      }
    }
    guard let pieces = try pieces(of: "json", reject), pieces.type != "null" else {
      try add(reject.entity, reject.key, "json") { $0.found = "a document" }
      return name
    }
    var wantedBytes = PieceCursor(pieces)
    var position = 0
    while true {
      let byte = try isEncoded ? reader.base64Byte() : reader.textByte()
      guard try byte == wantedBytes.next() else {
        try add(reject.entity, reject.key, "json") {
          $0.expected = "the document of the old library"
          $0.found = "a document that differs from byte \(position) on"
        }
        return name
      }
      guard byte != nil else { break }
      position += 1
    }
    guard try reader.takes("\""), try takesOrigin(), try reader.takes("}"), try reader.isAtEndOfLine else {
      return try addMalformed(reject)
    }
    return name
  }

  /// Passes over what says whose reject it is, which must be this library's; older files do not say it.
  private func takesOrigin() throws -> Bool {
    guard try reader.isAt(",") else { return true }
    guard try reader.takes(",\"library\":"), try reader.text(orNull: false) != nil,
      try reader.takes(",\"libraryUUID\":"), let uuid = try reader.text(orNull: true),
      uuid.map({ String(decoding: $0, as: UTF8.self) }) == old.reader.metadata.uuid,
      try reader.takes(",\"toolVersion\":"), try reader.text(orNull: false) != nil, try reader.takes(",\"options\":[")
    else { return false }
    while try !reader.isAt("]") {
      guard try reader.text(orNull: false) != nil, try reader.isAt("]") || reader.takes(",") else { return false }
    }
    return try reader.takes("]")
  }

  private func addMalformed(_ reject: Reject) throws -> String? {
    try add(reject.entity, reject.key) {
      ($0.expected, $0.found) = ("a line as the migration writes it", "a line of another form")
    }
    return nil
  }

  /// The title of a track, with invalid UTF-8 replaced; `nil` if it has none.
  private func title(of reject: Reject) throws -> [UInt8]? {
    let attribute = old.schema.model.entity(named: reject.entity)?.attribute(named: "title")
    guard let attribute, attribute.type == .string, !attribute.isTransient,
      let pieces = try pieces(of: "title", reject), pieces.type != "null"
    else { return nil }
    var cursor = PieceCursor(pieces)
    var bytes: [UInt8] = []
    while let byte = try cursor.next() { bytes.append(byte) }
    return Array(String(decoding: bytes, as: UTF8.self).utf8)
  }

  private func pieces(of property: String, _ reject: Reject) throws -> ValuePieces? {
    guard let table = old.schema.table(forEntityNamed: reject.entity),
      let column = old.schema.column(forProperty: property, ofEntityNamed: reject.entity)
    else { return nil }
    return try ValuePieces(old, table: table.name, column: column.name, row: reject.key, isRaw: false)
  }

  private var name: String { FileSystem.split(path).name.spellingPathBytes }

  private func add(
    _ entity: String, _ key: Int64, _ property: String? = nil, _ fill: (inout Difference) -> Void
  ) throws {
    try log.add(.rejects) {
      ($0.entity, $0.row, $0.property, $0.detail) = (entity, key, property, name)
      fill(&$0)
    }
  }
}

/// The bytes of a value, one by one.
private struct PieceCursor {
  private let pieces: ValuePieces
  private var rest: ArraySlice<UInt8> = []

  init(_ pieces: ValuePieces) {
    self.pieces = pieces
  }

  mutating func next() throws(SQLiteError) -> UInt8? {
    if rest.isEmpty { rest = try pieces.next()[...] }
    return rest.popFirst()
  }
}

/// Reads a rejects file byte by byte, and only in the exact form in which the migration writes it.
private final class RejectsReader {
  private let path: String
  private let descriptor: Int32
  private var buffer = [UInt8](repeating: 0, count: 1 << 16)
  private var (position, count) = (0, 0)
  /// The decoded bytes of base64 that have not been read yet.
  private var decoded: ArraySlice<UInt8> = []

  init(_ path: String) throws(MigrationError) {
    self.path = path
    descriptor = try FileSystem.openFile(path, O_RDONLY, orThrow: .unreadable)
  }

  deinit { close(descriptor) }

  var isAtEnd: Bool { get throws { try peek() == nil } }
  var isAtEndOfLine: Bool { get throws { try peek() ?? Self.newline == Self.newline } }

  private static let newline = UInt8(ascii: "\n")

  /// The next byte, without consuming it; `nil` at the end.
  private func peek() throws(MigrationError) -> UInt8? {
    if position == count {
      guard let read = FileSystem.read(descriptor, into: &buffer) else {
        throw FileSystem.failure(.inputOutput, path)
      }
      (position, count) = (0, read)
    }
    return position < count ? buffer[position] : nil
  }

  /// Whether the next byte is this character.
  func isAt(_ character: Unicode.Scalar) throws(MigrationError) -> Bool { try peek() == UInt8(ascii: character) }

  /// Consumes the given text; returns false, somewhere within it, if there is something else.
  func takes(_ text: String) throws(MigrationError) -> Bool {
    for byte in text.utf8 {
      guard try peek() == byte else { return false }
      position += 1
    }
    return true
  }

  /// Moves to the next line.
  func skipLine() throws(MigrationError) {
    decoded = []
    while let byte = try peek() {
      position += 1
      if byte == Self.newline { return }
    }
  }

  /// A number or a word; empty if it is too long for either.
  func token() throws(MigrationError) -> String {
    var bytes: [UInt8] = []
    while let byte = try peek(), byte != UInt8(ascii: ","), byte != Self.newline {
      guard bytes.count < 20 else { return "" }
      bytes.append(byte)
      position += 1
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Text in quotes, or null, which has no bytes; `nil` if there is neither.
  func text(orNull isOptional: Bool) throws(MigrationError) -> [UInt8]?? {
    if isOptional, try peek() == UInt8(ascii: "n") { return try takes("null") ? .some(nil) : nil }
    guard try takes("\"") else { return nil }
    var bytes: [UInt8] = []
    while let byte = try textByte() { bytes.append(byte) }
    return try takes("\"") ? .some(bytes) : nil
  }

  /// The next byte of text; `nil` before the closing quote and before anything invalid.
  func textByte() throws(MigrationError) -> UInt8? {
    guard let byte = try peek(), byte != UInt8(ascii: "\""), byte >= 0x20 else { return nil }
    position += 1
    guard byte == UInt8(ascii: "\\") else { return byte }
    guard let letter = try peek() else { return nil }
    position += 1
    switch letter {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"): return letter
    case UInt8(ascii: "n"): return 0x0A
    case UInt8(ascii: "r"): return 0x0D
    case UInt8(ascii: "t"): return 0x09
    case UInt8(ascii: "u"):
      guard try takes("00") else { return nil }
      var digits = ""
      while digits.count < 2, let digit = try peek(), digit != Self.newline {
        digits.append(Character(UnicodeScalar(digit)))
        position += 1
      }
      return UInt8(digits, radix: 16)
    default: return nil
    }
  }

  /// The next byte of base64 text; `nil` at its end and before anything invalid.
  func base64Byte() throws(MigrationError) -> UInt8? {
    if let byte = decoded.popFirst() { return byte }
    var (bits, digits, padding): (UInt32, Int, Int) = (0, 0, 0)
    while digits + padding < 4, let byte = try peek() {
      if byte == UInt8(ascii: "="), digits > 1 {
        padding += 1
      } else if padding == 0, let value = Self.alphabet.firstIndex(of: byte) {
        bits = bits << 6 | UInt32(value)
        digits += 1
      } else {
        break
      }
      position += 1
    }
    guard digits + padding == 4 else { return nil }
    bits <<= 6 * UInt32(padding)
    decoded = [UInt8(bits >> 16 & 0xFF), UInt8(bits >> 8 & 0xFF), UInt8(bits & 0xFF)].prefix(3 - padding)
    return decoded.popFirst()
  }

  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
}
