/// Prints a series of records that have the same columns, one at a time.
///
/// ```swift
/// let writer = format.makeWriter(to: output, terminal: .standardOutput)
/// try writer.begin(columns: ["title", "plays"])
/// try writer.write([.string("Roygbiv"), .integer(12)])
/// try writer.end()
/// ```
public protocol RecordWriter: AnyObject {
  /// Starts the series; called once, first.
  func begin(columns: [String]) throws

  /// Prints one record, whose values are in the order of the columns.
  func write(_ values: [FieldValue]) throws

  /// Prints what is still held back and flushes the output; called once, last, also when there were no records.
  func end() throws
}
