import TerminalOutput
import Testing

@Suite struct JSONWriterTests {
  @Test func `An array has one object on each line`() throws {
    let text = try RecordSample.text(
      .json, ["title", "plays", "rating", "genres", "note"],
      [
        [.string("Roygbiv"), .integer(12), .real(4.5), .strings(["IDM", "Ambient"]), .null],
        [.string(""), .integer(-1), .real(1), .strings([]), .string("x")],
      ])
    #expect(
      text == """
        [
        {"title":"Roygbiv","plays":12,"rating":4.5,"genres":["IDM","Ambient"],"note":null},
        {"title":"","plays":-1,"rating":1.0,"genres":[],"note":"x"}
        ]

        """)
  }

  @Test func `An array of one object has no comma`() throws {
    #expect(try RecordSample.text(.json, ["a"], [[.null]]) == "[\n{\"a\":null}\n]\n")
  }

  @Test func `An empty list of records is an empty array`() throws {
    #expect(try RecordSample.text(.json, ["a"], []) == "[]\n")
  }

  @Test func `NDJSON lines have no array around them`() throws {
    let text = try RecordSample.text(.ndjson, ["b", "a"], [[.integer(1), .null], [.integer(2), .string("x")]])
    #expect(text == "{\"b\":1,\"a\":null}\n{\"b\":2,\"a\":\"x\"}\n")
  }

  @Test func `An empty list of records has no lines`() throws {
    #expect(try RecordSample.text(.ndjson, ["a"], []) == "")
  }

  @Test func `Records without columns are empty objects`() throws {
    #expect(try RecordSample.text(.ndjson, [], [[], []]) == "{}\n{}\n")
  }

  @Test func `Column names are escaped`() throws {
    #expect(try RecordSample.text(.ndjson, ["a\"\n"], [[.integer(1)]]) == #"{"a\"\n":1}"# + "\n")
  }

  private static let strings: [(text: String, json: String)] = [
    ("", #""""#),
    ("plain", #""plain""#),
    ("\"", #""\"""#),
    ("\\", #""\\""#),
    ("a/b", #""a/b""#),
    ("\n\r\t\u{8}\u{C}", #""\n\r\t\b\f""#),
    ("\r\n", #""\r\n""#),
    ("\u{0}\u{1}\u{1F}", #""\u0000\u0001\u001F""#),
    ("\u{1B}[2J", #""\u001B[2J""#),
    ("\u{7F}\u{80}\u{9B}", #""\u007F\u0080\u009B""#),
    ("\u{A0}é", "\"\u{A0}é\""),
    ("\u{2028}\u{2029}\u{202E}\u{2066}", #""\u2028\u2029\u202E\u2066""#),
    ("\u{FEFF}a", #""\uFEFFa""#),
    ("’“”…", "\"’“”…\""),
    ("日本 🇫🇷 👩‍👩‍👧", "\"日本 🇫🇷 👩‍👩‍👧\""),
    ("e\u{301}", "\"e\u{301}\""),
    ("\u{FFFF}\u{10FFFF}", "\"\u{FFFF}\u{10FFFF}\""),
  ]

  @Test(arguments: strings) func `Strings are escaped`(text: String, json: String) throws {
    let written = try RecordSample.text(.ndjson, ["a"], [[.string(text)]])
    #expect(written.unicodeScalars.elementsEqual("{\"a\":\(json)}\n".unicodeScalars))
    let list = try RecordSample.text(.ndjson, ["a"], [[.strings([text, text])]])
    #expect(list.unicodeScalars.elementsEqual("{\"a\":[\(json),\(json)]}\n".unicodeScalars))
  }

  private static let numbers: [(value: FieldValue, json: String)] = [
    (.integer(.min), "-9223372036854775808"),
    (.integer(.max), "9223372036854775807"),
    (.real(0), "0.0"),
    (.real(-0.0), "-0.0"),
    (.real(0.1), "0.1"),
    (.real(0.1 + 0.2), "0.30000000000000004"),
    (.real(1e16), "1e+16"),
    (.real(.leastNonzeroMagnitude), "5e-324"),
    (.real(.greatestFiniteMagnitude), "1.7976931348623157e+308"),
    (.real(.nan), "null"),
    (.real(.infinity), "null"),
    (.real(-.infinity), "null"),
  ]

  @Test(arguments: numbers) func `Numbers are written in their shortest form`(value: FieldValue, json: String) throws {
    #expect(try RecordSample.text(.ndjson, ["a"], [[value]]) == "{\"a\":\(json)}\n")
  }
}
