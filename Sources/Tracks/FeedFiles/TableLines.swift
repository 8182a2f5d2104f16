internal import MigrationDiagnostics

/// The rows of a table, each as a line of JSON: comma-separated values as RFC 4180 describes them, or with tabs or
/// semicolons between the values.
///
/// A row that has more or fewer values than the first one, or text behind a quotation mark, is passed on in one member, so
/// that it is rejected.
final class TableLines: MadeBytes {
  private let source: any FeedBytes
  private let name: String
  let header: TableHeader
  /// Whether any of the rows so far has a time.
  private(set) var hasTimes = false
  private let input = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
  private var (place, end) = (0, 0)
  private var isAtEnd = false
  private var rowCount = 0
  /// The values of the row that is being read: their bytes, and where each one ends.
  private var row = TableRow()

  init(_ source: any FeedBytes, name: String, header: TableHeader) {
    (self.source, self.name, self.header) = (source, name, header)
  }

  deinit { input.deallocate() }

  override func make() throws(MigrationError) {
    while output.count < Self.portion, let row = try nextRow() {
      if header.write(row, to: &output) { hasTimes = true }
    }
  }

  /// The number of bytes that are made at a time, about.
  private static let portion = 1 << 16

  private func nextRow() throws(MigrationError) -> TableRow? {
    while true {
      if place == end, !isAtEnd {
        (place, end) = (0, try source.read(into: input))
        isAtEnd = end == 0
      }
      if isAtEnd {
        if row.isInQuotes {
          throw feedError(
            name, "row \(rowCount + 1) has a quotation mark that is not closed",
            "Nothing was changed. Close it; a quotation mark inside of a value is written twice.")
        }
        guard row.finish() else { return nil }
      } else if !row.takes(input[place], separator: header.separator, lineEnd: header.lineEnd) {
        guard row.size < FeedFormat.longestLine else {
          throw feedError(name, "row \(rowCount + 1) is longer than 512 MiB", "Nothing was changed. Correct the row.")
        }
        place += 1
        continue
      } else {
        place += 1
      }
      defer { row = TableRow() }
      rowCount += 1
      if rowCount > 1 || !header.hasNames, !row.isBlank { return row }
    }
  }
}

/// A row of a table.
struct TableRow {
  private var bytes: [UInt8] = []
  private var ends: [Int] = []
  private(set) var isInQuotes = false
  /// Whether the last byte in quotation marks was one itself, which ends the value unless another one follows.
  private var isAfterQuote = false
  private var isQuoted = false

  /// The memory that it takes, about.
  var size: Int { bytes.count + ends.count * MemoryLayout<Int>.stride }
  /// Whether a value goes on behind its quotation mark, so that its end is not certain.
  private(set) var isMalformed = false
  var count: Int { ends.count }
  /// Whether the row is an empty line.
  var isBlank: Bool { ends.count == 1 && bytes.isEmpty }

  subscript(column: Int) -> ArraySlice<UInt8> { bytes[(column == 0 ? 0 : ends[column - 1])..<ends[column]] }

  /// Takes a byte, and returns whether it ends the row.
  mutating func takes(_ byte: UInt8, separator: UInt8, lineEnd: UInt8) -> Bool {
    if isInQuotes {
      isInQuotes = byte != UInt8(ascii: "\"")
      if isInQuotes { bytes.append(byte) } else { isAfterQuote = true }
      return false
    }
    let wasAfterQuote = isAfterQuote
    isAfterQuote = false
    switch byte {
    case UInt8(ascii: "\"") where wasAfterQuote:
      bytes.append(byte)
      isInQuotes = true
    case UInt8(ascii: "\"") where bytes.count == ends.last ?? 0 && !isQuoted:
      (isInQuotes, isQuoted) = (true, true)
    case separator: endValue()
    case lineEnd:
      if bytes.count > ends.last ?? 0, bytes.last == 0x0D { bytes.removeLast() }
      endValue()
      return true
    default:
      if wasAfterQuote, byte != 0x0D { isMalformed = true }
      bytes.append(byte)
    }
    return false
  }

  /// Ends a row that the end of the table ends; returns whether there is one.
  mutating func finish() -> Bool {
    guard !bytes.isEmpty || !ends.isEmpty || isQuoted else { return false }
    return takes(0x0A, separator: 0, lineEnd: 0x0A)
  }

  private mutating func endValue() {
    ends.append(bytes.count)
    isQuoted = false
  }
}
