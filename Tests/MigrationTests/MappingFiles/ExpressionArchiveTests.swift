import CoreDataExpressions
import DataModel
import PropertyListFormat
import Testing

@testable import MappingModels
@testable import Migration

struct ExpressionArchiveTests {
  @Test(
    arguments: [
      "SELF", "$source", "title", "$source.title", "$source.a.b.c", "$source.countries.@distinctUnionOfSets.moods",
      "items.@count", "nil", "YES", "NO", "0", "-9223372036854775808", "2.0", "0.1", "\"\"", "\"ä\\\"\\n\"", "{}",
      "{1, \"a\", {nil}}", "now()", "count:(items)", "$source.a + 1", "1 - $source.b * 2 ** 3 / 4",
      "uppercase:($source.title)", "CAST($source.date, \"NSNumber\")", "CAST(12.500000, \"NSDate\")",
      "FUNCTION($manager, \"destinationInstancesForEntityMappingNamed:sourceInstances:\", \"AToB\", $source.rel)",
      "FUNCTION($entityPolicy, \"make\")", "FETCH(FUNCTION($manager, \"x:\", 1), $manager.sourceContext, YES)",
      "$source.file.size", "$source.\u{E9}t\u{E9}",
    ])
  func `Expressions and the types of their constants survive archiving`(format: String) throws {
    let expression = try Expression(format: format)
    #expect(try Expression(archive: expression.archive()) == expression)
  }

  @Test(arguments: [
    "$source.items[0]", "-$source.a", "SUBQUERY(items, $x, $x.a == 1)", "TERNARY(a == 1, 2, 3)", "{-a}",
  ])
  func `Expressions whose archived form is unknown are refused`(format: String) throws {
    let expression = try Expression(format: format)
    #expect(throws: UnarchivableExpression.self) { try expression.archive() }
  }

  @Test func `A key that an archive would read differently is refused`() {
    #expect(throws: UnarchivableExpression.self) { try Expression.source("@count").archive() }
    #expect(throws: UnarchivableExpression.self) { try Expression.source("a.@count").archive() }
    #expect(throws: UnarchivableExpression.self) { try Expression.source("").archive() }
  }

  @Test func `The key of an element of a composite attribute is archived as a key path`() throws {
    #expect(try Expression(archive: Expression.source("a.b").archive()) == .key("a", "b", of: .source))
  }

  private func read(
    _ className: String, _ makeFields: (inout KeyedArchiveWriter) -> PropertyListDictionary = { _ in [:] }
  ) throws -> CoreDataExpressions.Expression {
    var writer = KeyedArchiveWriter()
    let root = writer.add([className, "NSExpression"], makeFields: makeFields)
    return try Expression(archive: writer.bytes(root: root))
  }

  @Test func `Constants of other classes are read or refused by class`() throws {
    #expect(try read("NSConstantValueExpression") { ["NSConstantValue": $0.add(["NSNull"]) { _ in [:] }] } == .null)
    #expect(
      try read("NSConstantValueExpression") { ["NSConstantValue": $0.add(["NSDate"]) { _ in ["NS.time": .real(5)] }] }
        == .cast(.constant(.real(5)), type: "NSDate"))
    let number = #expect(throws: ModelFileProblem.self) {
      try read("NSConstantValueExpression") { ["NSConstantValue": $0.add(["NSDecimalNumber"]) { _ in [:] }] }
    }
    #expect(number == .unsupportedExpression(subject: "the expression", className: "NSDecimalNumber"))
    #expect(throws: ModelFileProblem.self) {
      try read("NSConstantValueExpression") { ["NSConstantValueClassName": $0.add("NSDate")] }
    }
    #expect(throws: ModelFileProblem.self) { try read("NSBlockExpression") }
    #expect(throws: ModelFileProblem.self) { try read("NSVariableExpression") }
    #expect(throws: ModelFileProblem.self) {
      try read("NSKeyPathSpecifierExpression") { ["NSKeyPath": $0.add("a..b")] }
    }
    #expect(throws: ModelFileProblem.self) {
      try read("NSKeyPathSpecifierExpression") { ["NSKeyPath": $0.add("@sum")] }
    }
  }

  @Test func `An expression that contains itself throws an error`() {
    #expect(throws: ModelFileProblem.self) { try read("NSAggregateExpression") { _ in ["NSCollection": .uid(1)] } }
    #expect(throws: ModelFileProblem.self) {
      try read("NSFunctionExpression") {
        ["NSSelectorName": $0.add("x"), "NSOperand": .uid(1)]
      }
    }
    // Twice the same part on each of many levels is more than any file means.
    #expect(throws: ModelFileProblem.self) {
      var writer = KeyedArchiveWriter()
      var part = writer.add(["NSSelfExpression"]) { _ in [:] }
      for _ in 0..<60 {
        let list = writer.add(["NSArray"]) { [part] _ in ["NS.objects": .array([part, part])] }
        part = writer.add(["NSAggregateExpression"]) { _ in ["NSCollection": list] }
      }
      _ = try Expression(archive: writer.bytes(root: part))
    }
  }

  @Test(arguments: [
    ("", []), ("QQ==", [65]), ("QUI=", [65, 66]), ("QU\n JD\n", [65, 66, 67]), ("+/8=", [0xFB, 0xFF]),
  ])
  func `Base64 that is broken into lines is read`(text: String, bytes: [UInt8]) {
    #expect([UInt8](base64: text) == bytes)
  }

  @Test(arguments: ["Q", "QQ", "QQ=", "QQ===", "QUI", "QUI==", "=", "QU=I", "QÜ==", "Q-=="])
  func `Text that is not Base64 is rejected`(text: String) {
    #expect([UInt8](base64: text) == nil)
  }
}
