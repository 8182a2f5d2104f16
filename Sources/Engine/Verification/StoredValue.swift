internal import DataModel
internal import PersistentStore
package import SQLiteDatabase
internal import SystemC

/// Describes and compares values of rows.
package enum StoredValue {
  /// Whether two results are equal, bit for bit.
  ///
  /// An integer equals a real number of the same value: columns of dates store whichever is shorter.
  package static func areEqual(_ first: Statement, _ column: Int, _ second: Statement, _ otherColumn: Int) -> Bool {
    switch (first.storageClass(column), second.storageClass(otherColumn)) {
    case (.null, .null): true
    case (.integer, .integer): first.integer(column) == second.integer(otherColumn)
    case (.real, .real): first.real(column).bitPattern == second.real(otherColumn).bitPattern
    case (.integer, .real): Double(exactly: first.integer(column)) == second.real(otherColumn)
    case (.real, .integer): first.real(column) == Double(exactly: second.integer(otherColumn))
    case (.text, .text), (.blob, .blob):
      first.withText(column) { text in
        second.withText(otherColumn) { other in
          guard let text, let other else { return text == nil && other == nil }
          return areEqual(text, other)
        }
      }
    default: false
    }
  }

  /// Whether a value is what SQLite makes of another one in a column with the type of an attribute.
  ///
  /// A column without a type, as in a table that a tool has made again, keeps numbers as text and text as numbers. In a
  /// column with one, numbers become text, and text that is a number becomes one (sqlite.org/datatype3.html, section 3).
  static func isConverted(
    _ value: Statement, _ column: Int, to other: Statement, _ otherColumn: Int, _ type: AttributeType
  ) -> Bool {
    switch (value.storageClass(column), other.storageClass(otherColumn)) {
    case (.integer, .text), (.real, .text):
      // Core Data has text columns for these types.
      return type.storedForm == .text
        && value.withText(column) { text in
          other.withText(otherColumn) { other in
            guard let text, let other else { return false }
            return areEqual(text, other)
          }
        }
    case (.text, .integer), (.text, .real):
      guard ![.string, .uri, .binaryData, .transformable, .uuid].contains(type), let text = value.text(column) else {
        return false
      }
      let number = String(text.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
      if other.storageClass(otherColumn) == .integer, let integer = Int64(number) {
        return integer == other.integer(otherColumn)
      }
      return Double(number).map { $0 == other.real(otherColumn) } ?? false
    default: return false
    }
  }

  package static func areEqual(_ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer) -> Bool {
    guard let start = first.baseAddress, let other = second.baseAddress else { return first.isEmpty && second.isEmpty }
    return first.count == second.count && memcmp(start, other, first.count) == 0
  }

  /// A result as text for people; `nil` for NULL.
  package static func text(_ statement: Statement, _ column: Int) -> String? {
    switch statement.storageClass(column) {
    case .null: nil
    case .integer, .real: statement.text(column)
    case .text: statement.withText(column) { $0.map { quoted($0) } }
    case .blob:
      statement.withText(column) { bytes in bytes.map { "x'\(hex($0.prefix(16)))\($0.count > 16 ? "…" : "")'" } }
    }
  }

  /// Text in quotes, shortened for people.
  package static func quoted(_ bytes: some Collection<UInt8>) -> String {
    let limit = 80
    let text = String(decoding: bytes.prefix(limit * 4), as: UTF8.self)
    let isCut = bytes.count > limit * 4 || text.count > limit
    return isCut ? "'\(text.prefix(limit))…' (\(bytes.count) bytes)" : "'\(text)'"
  }

  /// Describes the place where two similar texts begin to differ.
  package static func difference(_ first: some Collection<UInt8>, _ second: some Collection<UInt8>) -> String {
    // Both may be large, so their common part is not copied.
    var (common, index, otherIndex) = (0, first.startIndex, second.startIndex)
    while index < first.endIndex, otherIndex < second.endIndex, first[index] == second[otherIndex] {
      first.formIndex(after: &index)
      second.formIndex(after: &otherIndex)
      common += 1
    }
    let (rest, other) = (first[index...], second[otherIndex...])
    return "from byte \(common) on: \(excerpt(rest)) / \(excerpt(other))"
  }

  private static func excerpt(_ bytes: some Collection<UInt8>) -> String {
    bytes.isEmpty ? "nothing" : "\(hex(bytes.prefix(8)))\(bytes.count > 8 ? "…" : "")"
  }

  private static func hex(_ bytes: some Sequence<UInt8>) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }
}

/// A value that is read piece by piece.
package final class ValuePieces {
  private enum Content {
    /// NULL and numbers, which are read at once.
    case whole([UInt8])
    case blob(Blob)
  }

  private static let pieceSize = 1 << 16

  /// `null`, `integer`, `real`, `text` or `blob`.
  package let type: String
  private let content: Content
  private var transcoder: UTF16Reading?
  private var offset = 0

  /// Opens the value of one column in one row.
  ///
  /// - Parameter isRaw: Whether text keeps the encoding of the file instead of being converted to UTF-8.
  package init(_ side: StoreSide, table: String, column: String, row: Int64, isRaw: Bool) throws(SQLiteError) {
    let source = "FROM \(table.quotedIdentifier) WHERE Z_PK = \(row)"
    // typeof() reads only the header of a row.
    type = try side.connection.text("SELECT typeof(\(column.quotedIdentifier)) \(source)") ?? "null"
    if type == "text" || type == "blob" {
      content = .blob(try Blob(side.connection, table: table, column: column, row: row))
      if type == "text", side.isUTF16, !isRaw {
        transcoder = UTF16Reading(isBigEndian: side.reader.layout.encoding.uppercased().hasSuffix("BE"))
      }
    } else {
      let text = try side.connection.text("SELECT \(column.quotedIdentifier) \(source)")
      content = .whole(Array((text ?? "").utf8))
    }
  }

  /// The size of the value in the file.
  package var count: Int {
    switch content {
    case .whole(let bytes): bytes.count
    case .blob(let blob): blob.count
    }
  }

  /// The next bytes; none at the end.
  package func next() throws(SQLiteError) -> [UInt8] {
    while offset < count {
      let piece: [UInt8]
      switch content {
      case .whole(let bytes): piece = bytes
      case .blob(let blob):
        var buffer = [UInt8](repeating: 0, count: min(Self.pieceSize, blob.count - offset))
        _ = try buffer.withUnsafeMutableBufferPointer { bytes throws(SQLiteError) in
          try blob.read(into: UnsafeMutableRawBufferPointer(bytes), at: offset)
        }
        piece = buffer
      }
      offset += piece.count
      guard transcoder != nil else { return piece }
      let text = transcoder?.read(piece, isLast: offset >= count) ?? []
      if !text.isEmpty { return text }
    }
    return []
  }

  /// Whether two values are equal; this consumes both.
  package static func areEqual(_ first: ValuePieces, _ second: ValuePieces) throws(SQLiteError) -> Bool {
    guard first.type == second.type else { return false }
    var (left, right) = (ArraySlice<UInt8>(), ArraySlice<UInt8>())
    while true {
      if left.isEmpty { left = try first.next()[...] }
      if right.isEmpty { right = try second.next()[...] }
      let length = min(left.count, right.count)
      guard length > 0 else { return left.isEmpty && right.isEmpty }
      guard left.prefix(length) == right.prefix(length) else { return false }
      left = left.dropFirst(length)
      right = right.dropFirst(length)
    }
  }
}

/// Walks the rows of a table in the order of their keys.
///
/// A row with a value above a limit stops its statement before the value is in memory (`SQLITE_LIMIT_LENGTH`). Only the key
/// of such a row is provided; its values are read in pieces (`ValuePieces`).
package final class RowMergeCursor {
  /// The maximum size in bytes of a value that is read at once.
  private static let valueLimit: Int32 = 1 << 20

  /// The current row, unless it is large.
  package let statement: Statement
  /// The key of the current row.
  package private(set) var key = Int64.min
  /// Whether the current row has values that must be read in pieces.
  package private(set) var isLarge = false
  /// Whether there are no more rows.
  private(set) var isAtEnd = false

  private let connection: Connection
  private let nextKey: Statement
  private var keys = Int64.min...Int64.max
  private var hasStarted = false

  /// Prepares to walk a table.
  ///
  /// - Parameter expressions: The expressions to select; their values follow the key.
  package init(_ connection: Connection, table: String, expressions: [String], filter: String?) throws(SQLiteError) {
    self.connection = connection
    let rest =
      "FROM \(table.quotedIdentifier) WHERE Z_PK BETWEEN ? AND ?\(filter.map { " AND \($0)" } ?? "") ORDER BY Z_PK"
    statement = try connection.prepare("SELECT \((["Z_PK"] + expressions).joined(separator: ", ")) \(rest)")
    nextKey = try connection.prepare("SELECT Z_PK \(rest) LIMIT 1")
    try begin(in: keys)
  }

  /// Starts before the first row of a range of keys.
  package func begin(in keys: ClosedRange<Int64>) throws(SQLiteError) {
    statement.reset()
    try statement.bind(keys.lowerBound, at: 1)
    try statement.bind(keys.upperBound, at: 2)
    self.keys = keys
    (key, isLarge, isAtEnd, hasStarted) = (.min, false, false, false)
  }

  /// Moves to the next row.
  package func advance() throws(SQLiteError) {
    guard !isAtEnd else { return }
    let last = hasStarted ? key : nil
    if isLarge {
      guard key < .max else { return isAtEnd = true }
      statement.reset()
      try statement.bind(key + 1, at: 1)
      isLarge = false
    }
    let limit = connection.limitValueSize(to: Self.valueLimit)
    defer { connection.limitValueSize(to: limit) }
    do throws(SQLiteError) {
      guard try statement.step() else { return isAtEnd = true }
      key = statement.integer(0)
    } catch let error where error.code == SQLiteError.tooBig {
      try nextKey.bind(hasStarted ? key + 1 : keys.lowerBound, at: 1)
      try nextKey.bind(keys.upperBound, at: 2)
      defer { nextKey.reset() }
      guard try nextKey.step() else { return isAtEnd = true }
      key = nextKey.integer(0)
      isLarge = true
    }
    if let last, key <= last { throw .damaged("its rows are not in the order of their keys", path: connection.path) }
    hasStarted = true
  }
}

/// Converts pieces of UTF-16 to UTF-8; lone surrogates become U+FFFD.
private struct UTF16Reading {
  private let isBigEndian: Bool
  private var units: [UInt16] = []
  private var rest: [UInt8] = []

  package init(isBigEndian: Bool) {
    self.isBigEndian = isBigEndian
  }

  /// Reads a piece.
  package mutating func read(_ piece: [UInt8], isLast: Bool) -> [UInt8] {
    let bytes = rest + piece
    for index in stride(from: 0, to: bytes.count - 1, by: 2) {
      let (first, second) = (UInt16(bytes[index]), UInt16(bytes[index + 1]))
      units.append(isBigEndian ? first << 8 | second : second << 8 | first)
    }
    rest = bytes.count.isMultiple(of: 2) ? [] : Array(bytes.suffix(1))
    // The first half of a surrogate pair waits for the second.
    let waiting = !isLast && units.last.map(UTF16.isLeadSurrogate) == true ? units.popLast() : nil
    var text = Array(String(decoding: units, as: UTF16.self).utf8)
    units = waiting.map { [$0] } ?? []
    if isLast, !rest.isEmpty { text += Array("\u{FFFD}".utf8) }
    return text
  }
}
