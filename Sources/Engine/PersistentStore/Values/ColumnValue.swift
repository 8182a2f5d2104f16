package import DataModel
internal import Foundation
package import SQLiteDatabase

/// The value of a column.
package enum ColumnValue: Sendable, Hashable {
  case null
  case integer(Int64)
  case real(Double)
  case text(String)
  case blob([UInt8])

  /// Converts an attribute's value.
  package init(_ value: AttributeValue?) {
    self =
      switch value {
      case nil: .null
      case .integer(let integer): .integer(integer)
      case .double(let double), .date(let double): .real(double)
      case .string(let text), .uri(let text): .text(text)
      case .boolean(let boolean): .integer(boolean ? 1 : 0)
      case .data(let bytes), .uuid(let bytes): .blob(bytes)
      }
  }

  /// Reads a column of the current row.
  package init(_ statement: Statement, _ column: Int) {
    self =
      switch statement.storageClass(column) {
      case .null: .null
      case .integer: .integer(statement.integer(column))
      case .real: .real(statement.real(column))
      case .text: .text(statement.text(column) ?? "")
      case .blob: .blob(statement.blob(column) ?? [])
      }
  }

  /// The value as an attribute's value; `nil` for NULL.
  package func attributeValue(_ type: AttributeType) -> AttributeValue? {
    switch (type, self) {
    case (_, .null): nil
    case (.boolean, .integer(let integer)): .boolean(integer != 0)
    case (.date, .integer(let integer)): Double(exactly: integer).map { .date($0) } ?? .integer(integer)
    case (.date, .real(let real)): .date(real)
    case (.double, .integer(let integer)), (.float, .integer(let integer)), (.decimal, .integer(let integer)):
      // An integer that a double cannot represent stays an integer.
      Double(exactly: integer).map { .double($0) } ?? .integer(integer)
    case (.uri, .text(let text)): .uri(text)
    case (.uuid, .blob(let bytes)): .uuid(bytes)
    case (_, .integer(let integer)): .integer(integer)
    case (_, .real(let real)): .double(real)
    case (_, .text(let text)): .string(text)
    case (_, .blob(let bytes)): .data(bytes)
    }
  }

  package func bind(to statement: Statement, at index: Int32) throws(SQLiteError) {
    switch self {
    case .null: try statement.bindNull(at: index)
    case .integer(let integer): try statement.bind(integer, at: index)
    case .real(let real): try statement.bind(real, at: index)
    case .text(let text): try statement.bind(text, at: index)
    case .blob(let bytes): try statement.bind(bytes, at: index)
    }
  }
}

extension ColumnValue {
  /// The value as a literal of SQL.
  package var sqlLiteral: String {
    switch self {
    case .null: "NULL"
    case .integer(let integer): "\(integer)"
    // SQLite has no word for infinity, and stores NULL for what is no number.
    case .real(let real): real.isNaN ? "NULL" : real.isInfinite ? (real < 0 ? "-9e999" : "9e999") : "\(real)"
    // A statement ends at a NUL.
    case .text(let text): text.utf8.contains(0) ? "CAST(\(Self.hex(Array(text.utf8))) AS TEXT)" : text.quotedLiteral
    case .blob(let bytes): Self.hex(bytes)
    }
  }

  private static func hex(_ bytes: [UInt8]) -> String {
    "x'\(bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined())'"
  }
}

/// The column value of a binary attribute that allows external storage.
package enum ExternalValue: Sendable, Hashable {
  /// A small value: a byte 1, then the value itself.
  case inline([UInt8])
  /// The name of an external data file, a UUID: a byte 2, the name, a NUL.
  case file(String)

  /// Reads a column value.
  ///
  /// - Returns: `nil` for any other form, including a name that is not a UUID, which could lead anywhere.
  package init?(_ bytes: [UInt8]) {
    switch bytes.first {
    case 1: self = .inline(Array(bytes.dropFirst()))
    case 2:
      let name = bytes.dropFirst().dropLast()
      guard bytes.last == 0, Self.isUUID(name) else { return nil }
      self = .file(String(decoding: name, as: UTF8.self))
    default: return nil
    }
  }

  /// The column value.
  package var bytes: [UInt8] {
    switch self {
    case .inline(let value): [1] + value
    case .file(let name): [2] + Array(name.utf8) + [0]
    }
  }

  static func isUUID(_ text: some Collection<UInt8>) -> Bool {
    text.count == 36
      && text.enumerated().allSatisfy { place, byte in
        switch byte {
        case UInt8(ascii: "-"): [8, 13, 18, 23].contains(place)
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "F"),
          UInt8(ascii: "a")...UInt8(ascii: "f"):
          ![8, 13, 18, 23].contains(place)
        default: false
        }
      }
  }
}

extension [UInt8] {
  /// These bytes in base64, with padding.
  package var base64: String { Data(self).base64EncodedString() }
}
