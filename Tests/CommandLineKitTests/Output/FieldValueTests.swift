import CommandLineKit
import Testing

@Suite struct FieldValueTests {
  private static let values: [(value: FieldValue, expected: FieldValue)] = [
    (FieldValue("x"), .string("x")), (FieldValue(String?.none), .null), (FieldValue(5), .integer(5)),
    (FieldValue(UInt64.max), .integer(.max)), (FieldValue(Int?.none), .null), (FieldValue(4.5), .real(4.5)),
    (FieldValue(Double?.none), .null),
  ]

  @Test(arguments: values) func optionalsBecomeNull(value: FieldValue, expected: FieldValue) {
    #expect(value == expected)
  }

  @Test func formatsAreNamedAsUsersTypeThem() {
    #expect(OutputFormat.allCases.map(\.rawValue) == ["table", "json", "ndjson", "csv"])
    #expect(OutputFormat.allCases.filter(\.isForMachines) == [.json, .ndjson, .csv])
  }
}
