import DataModel
import PersistentStore
import Testing

struct ColumnValueTests {
  @Test(arguments: [
    (AttributeType.boolean, ColumnValue.integer(1), AttributeValue.boolean(true)),
    (.boolean, .integer(0), .boolean(false)), (.integer16, .integer(-7), .integer(-7)),
    (.date, .real(0.5), .date(0.5)), (.date, .integer(7), .date(7)), (.double, .integer(3), .double(3)),
    (.decimal, .real(1.25), .double(1.25)), (.string, .text("x"), .string("x")), (.uri, .text("a:b"), .uri("a:b")),
    (.uuid, .blob([1, 2]), .uuid([1, 2])), (.binaryData, .blob([]), .data([])),
    // Values that do not suit the type are kept unchanged.
    (.string, .integer(7), .integer(7)), (.string, .blob([7]), .data([7])), (.integer64, .text("x"), .string("x")),
    (.decimal, .integer(9_007_199_254_740_993), .integer(9_007_199_254_740_993)),
    (.date, .integer(.max), .integer(.max)),
  ])
  func `A column value converts to an attribute value`(type: AttributeType, column: ColumnValue, value: AttributeValue)
  {
    #expect(column.attributeValue(type) == value)
  }

  @Test(
    arguments: [
      (AttributeValue.integer(.min), ColumnValue.integer(.min)), (.double(0.5), .real(0.5)), (.date(0.5), .real(0.5)),
      (.string(""), .text("")), (.uri("a:b"), .text("a:b")), (.boolean(true), .integer(1)),
      (.boolean(false), .integer(0)), (.data([]), .blob([])), (.uuid([1]), .blob([1])), (nil, .null),
    ] as [(AttributeValue?, ColumnValue)])
  func `An attribute value converts to a column value`(value: AttributeValue?, column: ColumnValue) {
    #expect(ColumnValue(value) == column)
  }

  @Test(arguments: AttributeType.allCases) func `NULL converts to nil`(type: AttributeType) {
    #expect(ColumnValue.null.attributeValue(type) == nil)
  }
}
