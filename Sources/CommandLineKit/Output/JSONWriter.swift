/// Writes the records as one JSON array, with one object on each line.
final class JSONWriter: RecordWriter {
  private let output: any TextOutput
  private var encoder = JSONObjectEncoder()
  private var isEmpty = true
  // Kept from record to record, so that a million of them need one allocation.
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
    // The comma ends the line before, which only now turns out not to be the last.
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
