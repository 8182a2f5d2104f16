/// Writes comma-separated values according to RFC 4180, with a header, and with line feeds between the lines.
///
/// Text is copied byte for byte, unless it contains control characters that a terminal would interpret.
final class CSVWriter: RecordWriter {
  private let output: any TextOutput
  private let terminal: Terminal
  private let guardsFormulas: Bool
  private var columnCount = 0
  // Reused for every record, so that a million records need one allocation.
  private var line: [UInt8] = []

  init(to output: any TextOutput, terminal: Terminal, guardsFormulas: Bool) {
    self.output = output
    self.terminal = terminal
    self.guardsFormulas = guardsFormulas
  }

  func begin(columns: [String]) throws {
    columnCount = columns.count
    try writeLine(columns)
  }

  func write(_ values: [FieldValue]) throws {
    precondition(values.count == columnCount, "a record must have a value for each column")
    try writeLine(values.lazy.map { self.guardsFormulas ? Self.guarded($0) : $0.plainText })
  }

  func end() throws {
    try output.flush()
  }

  /// The value as text, with an apostrophe before text that a spreadsheet would run as a formula.
  ///
  /// These characters are those of OWASP's page "CSV Injection". Numbers stay numbers.
  private static func guarded(_ value: FieldValue) -> String? {
    guard let text = value.plainText, !value.isNumber, let first = text.unicodeScalars.first,
      "=+-@\t\r".unicodeScalars.contains(first)
    else { return value.plainText }
    return "'" + text
  }

  private func writeLine(_ fields: some Collection<String?>) throws {
    line.removeAll(keepingCapacity: true)
    var isFirst = true
    for field in fields {
      if !isFirst { line.append(UInt8(ascii: ",")) }
      isFirst = false
      if let field { appendField(terminal.isTerminal ? VisibleText.of(field) : field) }
    }
    // Readers skip empty lines, and therefore a record whose only value is null.
    if line.isEmpty, columnCount == 1 { appendField("") }
    line.append(UInt8(ascii: "\n"))
    try output.write(utf8: line)
  }

  /// Appends the text, quoted if necessary.
  ///
  /// Empty text is quoted too, to distinguish it from null.
  private func appendField(_ text: String) {
    var text = text
    let isPlain = text.withUTF8 { utf8 in
      guard let first = utf8.first, first != UInt8(ascii: ":"), !utf8.contains(where: Self.needsQuotes) else {
        return false
      }
      line.append(contentsOf: utf8)
      return true
    }
    if isPlain { return }
    // A quotation mark before it keeps a line from being a command to the service that logs it, such as `::error::`.
    guard text.isEmpty || text.utf8.contains(where: Self.needsQuotes) || text.hasPrefix("::") else {
      line.append(contentsOf: text.utf8)
      return
    }
    line.append(UInt8(ascii: "\""))
    for byte in text.utf8 {
      if byte == UInt8(ascii: "\"") { line.append(byte) }
      line.append(byte)
    }
    line.append(UInt8(ascii: "\""))
  }

  private static func needsQuotes(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: ",") || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r")
  }
}
