import DataModel
import Testing

@Suite("Limits of attributes")
struct LimitFaultTests {
  private static let edge: Int64 = 1 << 53

  @Test(
    arguments: [
      (AttributeValue.integer(.max - 7), AttributeValue.integer(.max), Int64.max - 7...Int64.max),
      (.integer(edge + 1), .integer(edge + 3), edge + 1...edge + 3),
      (.integer(.min), .integer(.min + 2), Int64.min...(Int64.min + 2)),
      (.double(1.5), .double(3.5), 2...3), (.double(-1e300), .double(1e300), Int64.min...Int64.max),
    ] as [(AttributeValue, AttributeValue, ClosedRange<Int64>)])
  func `Whole limits are exact`(_ least: AttributeValue, _ most: AttributeValue, _ range: ClosedRange<Int64>) {
    let attribute = attribute(least, most)
    #expect(attribute.wholeRange == range)
    #expect(!attribute.limitFaults.contains { $0.isImpossible })
  }

  @Test(
    arguments: [
      (AttributeValue.integer(edge + 1), AttributeValue.integer(edge)), (.integer(.max), .integer(.max - 1)),
      (.double(0x1p63), .double(1e300)), (.double(-1e300), .double(-1e299)), (.double(1.2), .double(1.8)),
    ] as [(AttributeValue, AttributeValue)])
  func `Limits that no whole number keeps are found`(_ least: AttributeValue, _ most: AttributeValue) {
    #expect(attribute(least, most).limitFaults.map(\.id) == ["unreachable-limits"])
  }

  private func attribute(_ least: AttributeValue, _ most: AttributeValue) -> AttributeDescription {
    AttributeDescription("n", .integer64, validation: AttributeValidation(minimum: least, maximum: most))
  }
}
