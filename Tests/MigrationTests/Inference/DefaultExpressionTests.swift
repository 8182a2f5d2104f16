import CoreDataExpressions
import DataModel
import Migration
import PersistentStore
import TestSupport
import Testing

struct DefaultExpressionTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let type: AttributeType
    let value: AttributeValue
    let text: String
    var testDescription: String { "\(type) \(value)" }
  }

  static let cases = [
    Case(type: .integer16, value: .integer(-7), text: "-7"),
    Case(type: .integer64, value: .integer(.min), text: "-9223372036854775808"),
    Case(type: .boolean, value: .boolean(true), text: "YES"),
    Case(type: .double, value: .double(0), text: "0.0"),
    Case(type: .double, value: .integer(3), text: "3.0"),
    Case(type: .float, value: .double(1.5), text: "1.5"),
    Case(type: .decimal, value: .double(12.5), text: "12.5"),
    Case(type: .string, value: .string("a\"\\'\n%@ü"), text: #""a\"\\'\n%@ü""#),
    Case(type: .date, value: .date(-978_321_600), text: #"CAST(-978321600.000000, "NSDate")"#),
    Case(type: .binaryData, value: .data([0, 255]), text: #"CAST("00ff", "NSData")"#),
    Case(
      type: .uuid, value: .uuid(Array(0..<16)), text: #"CAST("00010203-0405-0607-0809-0A0B0C0D0E0F", "NSUUID")"#),
    Case(type: .uri, value: .uri("https://a.b/c?d"), text: #"CAST("https://a.b/c?d", "NSURL")"#),
  ]

  private final class Source: KeyValueObject {
    let value: ExpressionValue
    init(_ value: ExpressionValue) { self.value = value }
    func value(forKey key: String) -> ExpressionValue { value }
  }

  private func model(_ type: AttributeType, _ value: AttributeValue?) -> ManagedObjectModel {
    let attribute = AttributeDescription("x", type, isOptional: value == nil, defaultValue: value)
    return TrackModels.model([EntityDescription("E", attributes: [attribute])])
  }

  private func expression(_ one: Case) throws -> CoreDataExpressions.Expression {
    let inferred = try MappingModel.inferred(from: model(one.type, nil), to: model(one.type, one.value))
    return try #require(inferred.entityMappings.first?.attributeMappings.first?.valueExpression)
  }

  @Test(arguments: cases)
  func `A default of every type is written as text that reads back`(one: Case) throws {
    let expression = try expression(one)
    #expect("\(expression)" == "TERNARY($source.x == nil, \(one.text), $source.x)")
    #expect(try CoreDataExpressions.Expression(format: "\(expression)") == expression)
  }

  @Test(arguments: cases)
  func `The default replaces only nil`(one: Case) throws {
    let expression = try expression(one)
    func value(_ source: ExpressionValue) throws -> ExpressionValue {
      try expression.value(in: EvaluationContext(variables: ["source": .object(Source(source))]))
    }
    #expect(try value(.string("there")) == .string("there"))
    let expected: ExpressionValue =
      switch one.value {
      case .integer(let value): .integer(value)
      case .double(let value): .real(value)
      case .boolean(let value): .boolean(value)
      case .string(let value): .string(value)
      case .date(let value): .date(value)
      case .data(let value): .data(value)
      case .uuid(let value): try .uuid(#require(UUIDValue(bytes: value)))
      case .uri(let value): .url(value)
      }
    #expect(try value(.null) == expected)
  }

  @Test(arguments: cases.filter { $0.type != .decimal })
  func `SQL can compute the default`(one: Case) throws {
    let naming = StoreSQLSchema(StoreSchema(model(one.type, nil)))
    let table = try #require(naming.table(forEntityNamed: "E"))
    let row = try expression(one).substituting(["source": .evaluatedObject])
    let sql = try row.sql(on: table, naming: naming)
    #expect(!sql.arguments.isEmpty)
  }

  @Test func `A widened number has a default of its old type if that is exact`() throws {
    let old = AttributeDescription("x", .integer16)
    let new = AttributeDescription("x", .double, isOptional: false, defaultValue: .double(2))
    #expect(try Inference.value(old, new) == "TERNARY($source.x == nil, 2, $source.x)")
    let half = AttributeDescription("x", .double, isOptional: false, defaultValue: .double(0.5))
    #expect(try Inference.value(old, half) == "TERNARY($source.x == nil, 0.5, $source.x)")
  }

  @Test(arguments: [
    (AttributeType.double, AttributeValue.double(.nan)), (.float, .double(.infinity)), (.date, .date(-.infinity)),
    (.uuid, .uuid([1, 2])),
  ])
  func `A default that is not a valid value is refused`(type: AttributeType, value: AttributeValue) {
    let error = #expect(throws: InferenceError.self) {
      try MappingModel.inferred(from: model(type, nil), to: model(type, value))
    }
    #expect(error?.reasons.map(\.kind) == [.defaultNotExpressible])
  }
}
