import TerminalOutput
import Testing

@Suite struct StreamingTests {
  private let row: [FieldValue] = [.integer(1), .string("Roygbiv"), .real(4.5), .null]

  @Test(arguments: [OutputFormat.json, .ndjson, .csv])
  func `Each record is passed on at once`(format: OutputFormat) throws {
    let output = CountingOutput()
    let writer = format.makeWriter(to: output, terminal: Terminal())
    try writer.begin(columns: ["id", "title", "rating", "note"])
    var before = output.bytes
    for _ in 0..<100 {
      try writer.write(row)
      #expect(output.bytes > before)
      before = output.bytes
    }
    try writer.end()
    #expect(output.flushes == 1)
  }

  @Test(.timeLimit(.minutes(1))) func `A million records take only seconds`() throws {
    let output = CountingOutput()
    let writer = OutputFormat.ndjson.makeWriter(to: output, terminal: Terminal())
    try writer.begin(columns: ["id", "title", "rating", "note"])
    for _ in 0..<1_000_000 { try writer.write(row) }
    try writer.end()
    #expect(output.lines == 1_000_000)
    #expect(output.bytes == 1_000_000 * (#"{"id":1,"title":"Roygbiv","rating":4.5,"note":null}"#.utf8.count + 1))
  }
}
