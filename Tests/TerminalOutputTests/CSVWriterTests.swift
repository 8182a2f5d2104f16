import TerminalOutput
import Testing

@Suite struct CSVWriterTests {
  @Test func `The header and the records end in line feeds`() throws {
    let text = try RecordSample.text(
      .csv, ["title", "plays", "rating", "genres"],
      [
        [.string("Roygbiv"), .integer(12), .real(4.5), .strings(["IDM", "Ambient"])],
        [.null, .null, .real(.nan), .null],
      ])
    #expect(text == "title,plays,rating,genres\nRoygbiv,12,4.5,IDM; Ambient\n,,,\n")
  }

  @Test func `A table without records is only a header`() throws {
    #expect(try RecordSample.text(.csv, ["a", "b,c"], []) == "a,\"b,c\"\n")
  }

  @Test func `A single null is not an empty line`() throws {
    #expect(try RecordSample.text(.csv, ["a"], [[.null], [.string("x")]]) == "a\n\"\"\nx\n")
  }

  private static let fields: [(value: FieldValue, field: String)] = [
    (.null, ""),
    (.string(""), "\"\""),
    (.strings([]), "\"\""),
    (.strings(["a,b", "c"]), "\"a,b; c\""),
    (.string("a b"), "a b"),
    (.string(" a "), " a "),
    (.string("a,b"), "\"a,b\""),
    (.string("a\"b"), "\"a\"\"b\""),
    (.string("\""), "\"\"\"\""),
    (.string("a\nb"), "\"a\nb\""),
    (.string("a\r\nb"), "\"a\r\nb\""),
    (.string("a\rb"), "\"a\rb\""),
    (.string("a\tb\u{1B}"), "a\tb\u{1B}"),
    (.string("日本"), "日本"),
    (.integer(.min), "-9223372036854775808"),
    (.real(1e-7), "1e-07"),
    (.real(.infinity), ""),
  ]

  @Test(arguments: fields) func `Fields are quoted where needed`(value: FieldValue, field: String) throws {
    let text = try RecordSample.text(.csv, ["a", "b"], [[value, .integer(1)]])
    #expect(text == "a,b\n\(field),1\n")
  }

  private static let formulas: [(value: FieldValue, field: String)] = [
    (.string("=1+1"), "'=1+1"),
    (.string("+a,b"), "\"'+a,b\""),
    (.string("-\"x"), "\"'-\"\"x\""),
    (.string("@"), "'@"),
    (.string("\t="), "'\t="),
    (.string("\r="), "\"'\r=\""),
    (.string("=\u{301}"), "'=\u{301}"),
    (.strings(["=a", "b"]), "'=a; b"),
    (.string("a=b"), "a=b"),
    (.string(" =b"), " =b"),
    (.string(""), "\"\""),
    (.null, ""),
    (.integer(-1), "-1"),
    (.real(-1.5), "-1.5"),
  ]

  @Test(arguments: formulas)
  func `Formulas are guarded, but numbers are not changed`(value: FieldValue, field: String) throws {
    let output = MemoryOutput()
    let writer = OutputFormat.csv.makeWriter(to: output, terminal: Terminal(), guardsFormulas: true)
    try writer.begin(columns: ["-a", "b"])
    try writer.write([value, .integer(1)])
    #expect(output.text == "-a,b\n\(field),1\n")
  }

  @Test func `Control characters are visible on a terminal`() throws {
    let text = try RecordSample.text(.csv, ["a"], [[.string("\u{1B}[2J\n,")]], terminal: Terminal(isTerminal: true))
    #expect(text == "a\n\"\\u{1B}[2J\\n,\"\n")
  }
}
