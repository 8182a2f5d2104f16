import TerminalOutput
import Testing

@Suite struct FieldValueTests {
  private static let values: [(value: FieldValue, expected: FieldValue)] = [
    (FieldValue("x"), .string("x")), (FieldValue(String?.none), .null), (FieldValue(5), .integer(5)),
    (FieldValue(UInt64.max), .integer(.max)), (FieldValue(Int?.none), .null), (FieldValue(4.5), .real(4.5)),
    (FieldValue(Double?.none), .null),
  ]

  @Test(arguments: values) func `A missing optional becomes null`(value: FieldValue, expected: FieldValue) {
    #expect(value == expected)
  }

  @Test(
    arguments: [
      (.table, "A      B\ntrue   1\nfalse\n"), (.csv, "a,b\ntrue,1\nfalse,\n"),
      (.json, "[\n{\"a\":true,\"b\":1},\n{\"a\":false,\"b\":null}\n]\n"),
      (.ndjson, "{\"a\":true,\"b\":1}\n{\"a\":false,\"b\":null}\n"),
    ] as [(OutputFormat, String)])
  func `Booleans are words in every format`(format: OutputFormat, expected: String) throws {
    #expect(
      try RecordSample.text(format, ["a", "b"], [[.boolean(true), .integer(1)], [.boolean(false), .null]]) == expected)
  }

  @Test func `An object can contain booleans`() {
    #expect(JSONObject { $0.add("a", .boolean(false)) }.text == #"{"a":false}"#)
  }

  @Test func `The formats have the names that users type`() {
    #expect(OutputFormat.allCases.map(\.rawValue) == ["table", "json", "ndjson", "csv"])
    #expect(OutputFormat.allCases.filter(\.isForMachines) == [.json, .ndjson, .csv])
  }
}
