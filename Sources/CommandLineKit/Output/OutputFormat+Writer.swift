extension OutputFormat {
  /// Makes the writer for this format.
  ///
  /// - Parameters:
  ///   - output: Where the records go.
  ///   - terminal: What is known about that stream; nothing is cut or escaped for a screen unless it is a terminal.
  /// - Returns: A writer for one series of records.
  public func makeWriter(to output: any TextOutput, terminal: Terminal) -> any RecordWriter {
    switch self {
    case .table: TableWriter(to: output, terminal: terminal)
    case .json: JSONWriter(to: output)
    case .ndjson: NDJSONWriter(to: output)
    case .csv: CSVWriter(to: output, terminal: terminal)
    }
  }
}
