/// Writes aligned columns for people to read.
///
/// The first rows are held back, to find out how wide the columns are; all others are written as they come, so that memory
/// does not grow with the table.
final class TableWriter: RecordWriter {
  private let output: any TextOutput
  private let terminal: Terminal
  private let sampleSize: Int
  private var columns: [String] = []
  private var sample: [[TableCell]] = []
  private var layout: TableLayout?
  // Kept from row to row, so that a million of them need one allocation.
  private var line: [UInt8] = []

  init(to output: any TextOutput, terminal: Terminal, sampleSize: Int = 1000) {
    self.output = output
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
    if !header.isEmpty { try writeRow(header, layout, widths: layout.widths) }
    for row in sample { try writeRow(row, layout) }
    sample = []
  }

  /// Whether the column has numbers and nothing else, so that its header is aligned as they are.
  private func hasOnlyNumbers(_ column: Int) -> Bool {
    let cells = sample.lazy.map { $0[column] }.filter { !$0.text.isEmpty }
    return !cells.isEmpty && cells.allSatisfy(\.isNumber)
  }

  private func writeRow(_ row: [TableCell], _ layout: TableLayout, widths: [Int]? = nil) throws {
    let widths = widths ?? layout.widths(for: row)
    line.removeAll(keepingCapacity: true)
    var blanks = 0
    for (column, cell) in row.enumerated() {
      let isCut = cell.width > widths[column]
      let text = isCut ? DisplayWidth.cut(cell.text, to: widths[column]) : cell.text
      let padding = layout.widths[column] - (isCut ? DisplayWidth.of(text) : cell.width)
      if cell.isNumber { blanks += max(0, padding) }
      // Blanks wait for text that follows, so that no line ends in them.
      if !text.isEmpty { appendAfterBlanks(text, &blanks) }
      if !cell.isNumber { blanks += max(0, padding) }
      blanks += TableLayout.gap
    }
    trimBlanks()
    line.append(UInt8(ascii: "\n"))
    try output.write(utf8: line)
  }

  private func appendAfterBlanks(_ text: String, _ blanks: inout Int) {
    line.append(contentsOf: repeatElement(UInt8(ascii: " "), count: blanks))
    line.append(contentsOf: text.utf8)
    blanks = 0
  }

  /// Removes the blanks with which the last text may end itself.
  private func trimBlanks() {
    while line.last == UInt8(ascii: " ") { line.removeLast() }
  }
}
