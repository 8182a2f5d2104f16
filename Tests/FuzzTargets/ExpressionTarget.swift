internal import CoreDataExpressions
internal import DataModel
internal import Migration
internal import PersistentStore
internal import SQLiteDatabase
internal import TestSupport

/// Formats: what is read can be printed and read again, evaluated, and run as SQL or refused.
enum ExpressionTarget {
  static func read(_ bytes: [UInt8]) throws {
    let format = String(decoding: bytes, as: UTF8.self)
    switch Result(catching: { () throws(FormatError) in try Predicate(format: format, "a.b", 1, "c") }) {
    case .success(let predicate): try use(predicate)
    case .failure(let error):
      try promise((0...format.utf8.count).contains(error.offset), "an error beyond the end")
      try promise(!error.description.isEmpty, "an error without words")
    }
    guard let expression = try? Expression(format: format) else { return }
    try promise(
      (try? Expression(format: expression.description)) == expression, "\(expression) reads as another")
    _ = try? expression.value(in: context)
    if let value = try? expression.sql(on: table, naming: naming) { try run("SELECT \(value) FROM ZA AS t0") }
  }
}

extension ExpressionTarget {
  private static func use(_ predicate: Predicate) throws {
    try promise((try? Predicate(format: predicate.description)) == predicate, "\(predicate) reads as another")
    _ = try? predicate.evaluate(in: context)
    if let condition = try? predicate.sql(on: table, naming: naming) {
      try run("SELECT count(*) FROM ZA AS t0 WHERE \(condition)")
    }
  }

  private static let model = TrackModels.model([
    EntityDescription(
      "A",
      attributes: [
        AttributeDescription("a", .string), AttributeDescription("b", .integer32), AttributeDescription("c", .date),
        AttributeDescription("d", .double), AttributeDescription("e", .boolean), AttributeDescription("f", .uuid),
        AttributeDescription("g", .decimal), AttributeDescription("h", .binaryData),
      ],
      relationships: [
        RelationshipDescription("x", to: "B", inverse: "z", maxCount: 1),
        RelationshipDescription("y", to: "B", inverse: "y"),
      ]),
    EntityDescription(
      "B", attributes: [AttributeDescription("a", .string), AttributeDescription("b", .integer64)],
      relationships: [
        RelationshipDescription("z", to: "A", inverse: "x"), RelationshipDescription("y", to: "A", inverse: "y"),
      ]),
  ])
  private static var naming: StoreSQLSchema { StoreSQLSchema(schema) }
  private static let schema = StoreSchema(model)
  private static let table = SQLTable(entity: "A", name: "ZA")

  private static var context: EvaluationContext {
    EvaluationContext(object: .object(Sample()), variables: ["x": 1])
  }

  /// Whatever the engine writes is SQL, and neither longer nor deeper than SQLite takes.
  private static func run(_ query: SQLFragment) throws {
    let folder = try TemporaryFolder(isInMemory: true)
    let connection = try Connection(path: folder.file("t"), access: .create)
    try connection.execute("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF")
    for statement in schema.tableStatements { try connection.execute(statement) }
    try connection.execute(
      "INSERT INTO ZA (Z_PK, ZA, ZB, ZX) VALUES (1, 'a', 1, 1), (2, NULL, NULL, NULL); INSERT INTO ZB (Z_PK) VALUES (1)"
    )
    do {
      _ = try connection.prepare(fragment: query).step()
    } catch {
      throw BrokenPromise("\(error) for \(query.sql)")
    }
  }

  /// An object with values of several kinds.
  private final class Sample: KeyValueObject {
    func value(forKey key: String) throws -> ExpressionValue {
      switch key {
      case "a": "text"
      case "b": 3
      case "c": .null
      case "d": 2.5
      case "x": .object(self)
      case "y": .collection(.array, [.object(self), 1, "b"])
      default: throw UnknownKey()
      }
    }
  }

  private struct UnknownKey: Error {}
}
