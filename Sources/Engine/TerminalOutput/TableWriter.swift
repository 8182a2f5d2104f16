/// Writes aligned columns for people to read.
///
/// The first rows are buffered to determine the widths of the columns. All others are written as they arrive, so that
/// memory does not grow with the table.
final class TableWriter: RecordWriter {
  private let output: any TextOutput
  private let terminal: Terminal
  private let sampleSize: Int
  private var columns: [String] = []
  private var sample: [[TableCell]] = []
  private var layout: TableLayout?
  // Reused for every row, so that a million rows need one allocation.
  private var line: [UInt8] = []

  /// The column whose words have colours, such as "added".
  private let styledColumn: String?

  init(to output: any TextOutput, terminal: Terminal, sampleSize: Int = 1000, styledColumn: String? = nil) {
    self.output = output
    self.styledColumn = styledColumn
    self.terminal = terminal
    self.sampleSize = sampleSize
  }

  func begin(columns: [String]) {
    self.columns = columns
  }

  func write(_ values: [FieldValue]) throws {
    precondition(values.count == columns.count, "a record must have a value for each column")
    let row = values.map { TableCell($0) }
    if let layout { return try writeRow(row, layout) }
    sample.append(row)
    if sample.count >= sampleSize { try writeSample() }
  }

  func end() throws {
    if layout == nil { try writeSample() }
    try output.flush()
  }

  private func writeSample() throws {
    let header = columns.enumerated().map { index, column in
      TableCell(header: column, isNumber: hasOnlyNumbers(index))
    }
    let layout = TableLayout(header: header, rows: sample, limit: terminal.isTerminal ? terminal.width : nil)
    self.layout = layout
    if !header.isEmpty { try writeRow(header, layout, widths: layout.widths, style: .heading) }
    for row in sample { try writeRow(row, layout) }
    sample = []
  }

  /// Whether the column holds only numbers, so that its header is aligned like them.
  private func hasOnlyNumbers(_ column: Int) -> Bool {
    let cells = sample.lazy.map { $0[column] }.filter { !$0.text.isEmpty }
    return !cells.isEmpty && cells.allSatisfy(\.isNumber)
  }

  private func writeRow(
    _ row: [TableCell], _ layout: TableLayout, widths: [Int]? = nil, style: TextStyle? = nil
  ) throws {
    let widths = widths ?? layout.widths(for: row)
    line.removeAll(keepingCapacity: true)
    var blanks = 0
    for (column, cell) in row.enumerated() {
      let isCut = cell.width > widths[column]
      let text = isCut ? DisplayWidth.cut(cell.text, to: widths[column]) : cell.text
      let padding = layout.widths[column] - (isCut ? DisplayWidth.of(text) : cell.width)
      if cell.isNumber { blanks += max(0, padding) }
      // Blanks are held back until more text follows, so that no line ends in blanks.
      if !text.isEmpty { appendAfterBlanks(text, &blanks) }
      if !cell.isNumber { blanks += max(0, padding) }
      blanks += TableLayout.gap
    }
    trimBlanks()
    if let style = style ?? styleOfRow(row), terminal.usesColor {
      line = Array(String(decoding: line, as: UTF8.self).styled(style, on: terminal).utf8)
    }
    line.append(UInt8(ascii: "\n"))
    try output.write(utf8: line)
  }

  private func styleOfRow(_ row: [TableCell]) -> TextStyle? {
    guard let styledColumn, let place = columns.firstIndex(of: styledColumn) else { return nil }
    switch row[place].text {
    case "added": return .added
    case "removed", "error": return .removed
    case "warning": return .warning
    case "suggestion", "same": return nil
    default: return styledColumn == "change" ? .changed : nil
    }
  }

  private func appendAfterBlanks(_ text: String, _ blanks: inout Int) {
    line.append(contentsOf: repeatElement(UInt8(ascii: " "), count: blanks))
    line.append(contentsOf: text.utf8)
    blanks = 0
  }

  /// Removes trailing blanks of the last text.
  private func trimBlanks() {
    while line.last == UInt8(ascii: " ") { line.removeLast() }
  }
}

/// Determines the widths of a table's columns, and the maximum widths of a row's cells.
private struct TableLayout {
  /// The number of blanks between two columns.
  static let gap = 2

  /// The widths of the columns, which most rows use.
  let widths: [Int]
  /// The maximum width of a row, or nil if it is unlimited.
  private let limit: Int?

  /// Measures rows.
  ///
  /// - Parameters:
  ///   - header: The header, which is cut before numbers are.
  ///   - rows: The rows available so far.
  ///   - limit: The width of the terminal; nil keeps every cell whole.
  init(header: [TableCell], rows: [[TableCell]], limit: Int?) {
    var wanted = header.map(\.width)
    var least = header.map { min($0.width, 4) }
    for row in rows {
      for (column, cell) in row.enumerated() {
        wanted[column] = max(wanted[column], cell.width)
        least[column] = max(least[column], cell.leastWidth)
      }
    }
    self.limit = limit
    widths = Self.fit(wanted, least: least, limit: limit)
  }

  /// The widths to which the cells of a row are cut.
  ///
  /// Rows that were measured use the widths of the columns. A later row may have wider cells: they are kept whole, out
  /// of alignment, as long as the row fits.
  func widths(for row: [TableCell]) -> [Int] {
    guard zip(row, widths).contains(where: { $0.width > $1 }) else { return widths }
    let wanted = zip(row, widths).map { max($0.width, $1) }
    let least = zip(row, widths).map { cell, width in cell.isNumber ? max(cell.width, width) : width }
    return Self.fit(wanted, least: least, limit: limit)
  }

  /// Narrows the widest columns until all columns fit, or until each has its minimum width.
  private static func fit(_ wanted: [Int], least: [Int], limit: Int?) -> [Int] {
    guard let limit else { return wanted }
    let room = limit - gap * (wanted.count - 1)
    guard total(wanted) > room else { return wanted }
    func capped(at cap: Int) -> [Int] { zip(wanted, least).map { max($1, min($0, cap)) } }

    // Finds the largest cap that fits by bisection, because a hostile file can make one cell arbitrarily long.
    var (fitting, tooWide) = (0, wanted.max() ?? 0)
    while tooWide - fitting > 1 {
      let middle = fitting + (tooWide - fitting) / 2
      if total(capped(at: middle)) <= room { fitting = middle } else { tooWide = middle }
    }
    // The remainder is less than one for each of the capped columns; the first ones get it.
    var widths = capped(at: fitting)
    var spare = room - total(widths)
    for column in widths.indices where spare > 0 && widths[column] == fitting && wanted[column] > fitting {
      widths[column] += 1
      spare -= 1
    }
    return widths
  }

  private static func total(_ widths: [Int]) -> Int { widths.reduce(0, +) }
}

/// One value of a table, ready to print.
private struct TableCell {
  /// The text, without anything that a terminal would interpret.
  let text: String
  let width: Int
  /// Numbers are aligned right and never cut: part of a number is a wrong number.
  let isNumber: Bool

  init(_ value: FieldValue) {
    text = VisibleText.of(value.plainText ?? "")
    width = DisplayWidth.of(text)
    isNumber = value.isNumber && !text.isEmpty
  }

  /// A cell of the header: the words of the column's name, "IMAGE URL" for "imageURL".
  ///
  /// Names of dates lose their last word: "LAST PLAYED" for "lastPlayedAt".
  init(header column: String, isNumber: Bool) {
    let name = column.hasSuffix("dAt") ? String(column.dropLast(2)) : column
    let letters: [Character] = zip(name, " " + name).flatMap { $1.isLowercase && $0.isUppercase ? [" ", $0] : [$0] }
    text = VisibleText.of(String(letters).uppercased())
    width = DisplayWidth.of(text)
    self.isNumber = isNumber
  }

  /// The minimum width of the cell when the row is cut.
  var leastWidth: Int { isNumber ? width : min(width, 4) }
}
