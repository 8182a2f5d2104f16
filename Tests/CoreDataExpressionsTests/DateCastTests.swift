import Testing

@testable import CoreDataExpressions

@Suite("Casts of text to dates")
struct DateCastTests {
  @Test(arguments: [
    ("CAST('2001-01-02', 'NSDate')", 86_400), ("CAST('2001-01-01T00:00:05Z', 'NSDate')", 5),
    ("CAST('2001-01-01T01:00:00+02:00', 'NSDate')", -3600),
  ])
  func `Text with a date is cast to it`(format: String, seconds: Double) throws {
    let expression = try Expression(format: format)
    #expect(try expression.value(in: EvaluationContext()) == .date(seconds))
    // So SQL has it as an argument.
    #expect(expression.isIndependent)
  }

  @Test(arguments: ["CAST('today', 'NSDate')", "CAST('2001-02-30', 'NSDate')", "CAST('', 'NSDate')"])
  func `Other text is not cast to a date`(format: String) throws {
    let expression = try Expression(format: format)
    #expect(throws: EvaluationError.cannotCast(kind: "text", type: "NSDate")) {
      try expression.value(in: EvaluationContext())
    }
  }
}
