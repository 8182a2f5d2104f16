/// Writes each record as a JSON object on a line of its own.
final class NDJSONWriter: RecordWriter {
  private let output: any TextOutput
  private var encoder = JSONObjectEncoder()
  // Kept from record to record, so that a million of them need one allocation.
  private var line: [UInt8] = []

  init(to output: any TextOutput) {
    self.output = output
  }

  func begin(columns: [String]) {
    encoder = JSONObjectEncoder(columns: columns)
  }

  func write(_ values: [FieldValue]) throws {
    line.removeAll(keepingCapacity: true)
    encoder.append(values, to: &line)
    line.append(UInt8(ascii: "\n"))
    try output.write(utf8: line)
  }

  func end() throws {
    try output.flush()
  }
}
