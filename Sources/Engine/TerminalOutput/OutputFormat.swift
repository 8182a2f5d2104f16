internal import SystemC

/// The formats in which a command prints its records.
package enum OutputFormat: String, CaseIterable, Sendable {
  /// Aligned columns, for people.
  case table
  /// One JSON array, with one object on each line.
  case json
  /// One JSON object on each line, without an enclosing array.
  case ndjson
  /// Comma-separated values with a header, according to RFC 4180.
  case csv

  /// Whether the format is for programs, so that there are no notes and no progress.
  package var isForMachines: Bool { self != .table }
}

extension OutputFormat {
  /// Creates the writer for this format.
  ///
  /// - Parameters:
  ///   - output: Where the records are written.
  ///   - terminal: The properties of that stream; text is cut or escaped for a screen only if it is a terminal.
  ///   - guardsFormulas: Whether CSV marks text that a spreadsheet would run as a formula.
  ///   - styledColumn: The column of a table whose words give a row its colour: "added", "removed", "error", "warning".
  /// - Returns: A writer for one series of records.
  package func makeWriter(
    to output: any TextOutput, terminal: Terminal, guardsFormulas: Bool = false, styledColumn: String? = nil
  ) -> any RecordWriter {
    switch self {
    case .table: TableWriter(to: output, terminal: terminal, styledColumn: styledColumn)
    case .json: JSONWriter(to: output)
    case .ndjson: NDJSONWriter(to: output)
    case .csv: CSVWriter(to: output, terminal: terminal, guardsFormulas: guardsFormulas)
    }
  }
}

/// Prints a series of records that have the same columns, one at a time.
///
/// ```swift
/// let writer = format.makeWriter(to: output, terminal: .standardOutput)
/// try writer.begin(columns: ["title", "plays"])
/// try writer.write([.string("Roygbiv"), .integer(12)])
/// try writer.end()
/// ```
package protocol RecordWriter: AnyObject {
  /// Starts the series; called once, first.
  func begin(columns: [String]) throws

  /// Prints one record, whose values are in the order of the columns.
  func write(_ values: [FieldValue]) throws

  /// Prints buffered records and flushes the output; called once, last, even if there were no records.
  func end() throws
}

/// One value of a record.
package enum FieldValue: Sendable, Hashable {
  /// No value.
  case null
  /// Text.
  case string(String)
  /// An integer.
  case integer(Int64)
  /// A number; one that is not finite is printed as ``null``.
  case real(Double)
  /// A Boolean: `true` or `false` in every format.
  case boolean(Bool)
  /// Several strings: an array in JSON, joined by "; " elsewhere.
  case strings([String])
}

extension FieldValue {
  /// A path, or its absence: text in which the bytes that are not UTF-8 can be read, such as `\xE9`.
  package static func path(_ path: String?) -> FieldValue { FieldValue(path?.spellingPathBytes) }

  /// Wraps text, or its absence.
  package init(_ text: String?) {
    self = text.map(FieldValue.string) ?? .null
  }

  /// Wraps an integer, or its absence.
  package init<Integer: BinaryInteger>(_ integer: Integer?) {
    self = integer.map { .integer(Int64(clamping: $0)) } ?? .null
  }

  /// Wraps a real number, or its absence.
  package init(_ real: Double?) {
    self = real.map(FieldValue.real) ?? .null
  }

  /// Whether tables align the value right.
  var isNumber: Bool {
    switch self {
    case .integer, .real: true
    case .null, .string, .boolean, .strings: false
    }
  }

  /// The value as text for tables and CSV, or nil if there is none.
  package var plainText: String? {
    switch self {
    case .null: nil
    case .string(let text): text
    case .integer(let integer): String(integer)
    // The description is the shortest text that reads back as the same number.
    case .real(let real): real.isFinite ? real.description : nil
    case .boolean(let boolean): boolean ? "true" : "false"
    case .strings(let texts): texts.joined(separator: "; ")
    }
  }
}
