import CommandLineKit

/// Facts and tables that belong to the line above them.
enum IndentedText {
  /// Writes facts, their values in one column.
  static func write(_ facts: [EntityFacts.Fact], indent: String, to output: any TextOutput) throws {
    let width = facts.map(\.name.count).max() ?? 0
    for (name, value) in facts {
      let gap = String(repeating: " ", count: width - name.count)
      try output.writeLine("\(indent)\(name)\(gap)  \(value.visible)")
    }
  }

  /// Writes a table of which nothing is cut off.
  static func write(_ columns: [String], _ rows: [[FieldValue]], to output: any TextOutput) throws {
    let memory = MemoryOutput()
    let writer = OutputFormat.table.makeWriter(to: memory, terminal: Terminal())
    try writer.begin(columns: columns)
    for row in rows { try writer.write(row) }
    try writer.end()
    for line in memory.text.split(separator: "\n") { try output.writeLine("  \(line)") }
  }
}
