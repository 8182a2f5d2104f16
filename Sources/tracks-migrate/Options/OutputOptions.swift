import CommandLineKit

/// How a list of results is written.
struct OutputOptions: ParsableArguments {
  @Option(help: "Write the results in this format.")
  var format: OutputFormat = .table

  @Option(help: ArgumentHelp("Write no more than this many results.", valueName: "number"))
  var limit: Int64?

  mutating func validate() throws {
    if let limit, limit < 0 { throw ValidationError("'--limit' must not be negative.") }
  }

  /// Writes records to standard output.
  func write(columns: [String], _ body: (([FieldValue]) throws -> Void) throws -> Void) throws {
    let writer = format.makeWriter(to: StandardOutput(), terminal: .standardOutput)
    try writer.begin(columns: columns)
    try body { try writer.write($0) }
    try writer.end()
  }
}
