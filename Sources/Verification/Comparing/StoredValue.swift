internal import SQLite
internal import SystemC

/// Values of rows as people read them, and whether two are the same.
enum StoredValue {
  /// Whether two results are the same, bit for bit.
  ///
  /// A whole number is the same as a real one of this value: columns of dates keep whichever is shorter.
  static func areEqual(_ first: Statement, _ column: Int, _ second: Statement, _ otherColumn: Int) -> Bool {
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

  private static func areEqual(_ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer) -> Bool {
    guard let start = first.baseAddress, let other = second.baseAddress else { return first.isEmpty && second.isEmpty }
    return first.count == second.count && memcmp(start, other, first.count) == 0
  }

  /// A result as people read it; `nil` for NULL.
  static func text(_ statement: Statement, _ column: Int) -> String? {
    switch statement.storageClass(column) {
    case .null: nil
    case .integer, .real: statement.text(column)
    case .text: statement.withText(column) { $0.map { quoted($0) } }
    case .blob:
      statement.withText(column) { bytes in bytes.map { "x'\(hex($0.prefix(16)))\($0.count > 16 ? "…" : "")'" } }
    }
  }

  /// Text in quotes, of which not more is shown than a person wants to see.
  static func quoted(_ bytes: some Collection<UInt8>) -> String {
    let limit = 80
    let text = String(decoding: bytes.prefix(limit * 4), as: UTF8.self)
    let isCut = bytes.count > limit * 4 || text.count > limit
    return isCut ? "'\(text.prefix(limit))…' (\(bytes.count) bytes)" : "'\(text)'"
  }

  /// Where two texts begin to differ, for those that look alike.
  static func difference(_ first: some Collection<UInt8>, _ second: some Collection<UInt8>) -> String {
    // Both may be large: nothing is made of what they have in common.
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
