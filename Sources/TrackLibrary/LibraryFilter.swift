internal import CoreDataExpressions
internal import Foundation
internal import Migration
internal import MigrationDiagnostics
internal import PersistentStore
internal import SQLiteDatabase

/// A condition in Core Data's predicate format, such as `name BEGINSWITH[cd] "a" AND tracks.@count > 3`.
package struct LibraryFilter: Sendable {
  private let predicate: CoreDataExpressions.Predicate

  /// Parses a condition.
  ///
  /// - Throws: An error whose description shows the place where the format is wrong.
  package init(_ format: String) throws {
    predicate = try CoreDataExpressions.Predicate(format: format)
  }

  /// Determines how the condition is applied to the rows of an entity.
  ///
  /// SQLite evaluates what SQL can express with the same result; the rest is evaluated row by row.
  func application(
    toEntityNamed entity: String, alias: String, in library: TrackLibraryReader
  ) throws -> Application {
    let naming = StoreSQLSchema(library.schema)
    guard let table = naming.table(forEntityNamed: entity) else { return Application() }
    let connection = library.store.connection
    do throws(SQLTranslationError) {
      let fragment = try predicate.sql(on: table, alias: alias, naming: naming)
      for function in SQLFunction.allCases { try? connection.create(function) }
      return Application(condition: fragment)
    } catch {
      // Evaluated on objects, this would be a collection that equals nothing, and silently match no rows.
      if error.reason == .toMany {
        throw library.invalidCondition(
          "in '\(error.part)' a to-many relationship stands where one value is needed "
            + "(write ANY, ALL or @count; two of them need SUBQUERY)")
      }
      let objects = LibraryObjects(library, naming: naming)
      let predicate = predicate
      // One context for all rows, because it caches compiled patterns.
      var context = EvaluationContext(clock: { Date.now.timeIntervalSinceReferenceDate })
      return Application { key in
        do {
          context.object = .object(objects.object(entity, key))
          return try predicate.evaluate(in: context)
        } catch let error as EvaluationError {
          throw library.invalidCondition("\(error)")
        }
      }
    }
  }

  /// How a condition is applied.
  struct Application {
    /// The condition in SQL, if it can be expressed.
    var condition: SQLFragment?
    /// Returns whether a row satisfies the condition, if SQL cannot express it.
    var matches: ((_ primaryKey: Int64) throws -> Bool)?

    init(condition: SQLFragment? = nil, matches: ((Int64) throws -> Bool)? = nil) {
      self.condition = condition
      self.matches = matches
    }
  }
}

/// The rows of a library as objects, for conditions that SQL cannot apply.
///
/// A row is always represented by the same object while the condition is applied, because objects are equal only to
/// themselves.
private final class LibraryObjects {
  let library: TrackLibraryReader
  let naming: StoreSQLSchema
  private var objects: [String: [Int64: LibraryObject]] = [:]

  init(_ library: TrackLibraryReader, naming: StoreSQLSchema) {
    self.library = library
    self.naming = naming
  }

  /// The object for a row of an entity.
  func object(_ entity: String, _ primaryKey: Int64) -> LibraryObject {
    if let object = objects[entity]?[primaryKey] { return object }
    let object = LibraryObject(entity, primaryKey, self)
    objects[entity, default: [:]][primaryKey] = object
    return object
  }
}

/// One row, whose values are read on demand.
private final class LibraryObject: KeyValueObject {
  private let entity: String
  private let primaryKey: Int64
  private unowned let objects: LibraryObjects

  init(_ entity: String, _ primaryKey: Int64, _ objects: LibraryObjects) {
    self.entity = entity
    self.primaryKey = primaryKey
    self.objects = objects
  }

  func value(forKey key: String) throws -> ExpressionValue {
    guard let property = objects.naming.property(key, of: entity),
      let table = objects.naming.table(forEntityNamed: entity)
    else {
      throw objects.library.invalidCondition("the entity \(entity) has no key '\(key)'")
    }
    switch property {
    case .attribute(let column, let type):
      return try rows("\(column.quotedIdentifier) FROM \(table.name.quotedIdentifier) WHERE Z_PK = ?") {
        Self.value($0, type)
      }.first ?? .null
    case .toOne(let column, let destination):
      return try rows("\(column.quotedIdentifier) FROM \(table.name.quotedIdentifier) WHERE Z_PK = ?") {
        self.object($0, destination)
      }.first ?? .null
    case .toMany(let destination, let link):
      return .collection(.set, try rows(Self.query(destination, link)) { self.object($0, destination) })
    }
  }

  private static func query(_ destination: SQLTable, _ link: SQLLink) -> String {
    switch link {
    case .inverse(let column):
      "Z_PK FROM \(destination.name.quotedIdentifier) WHERE \(column.quotedIdentifier) = ?"
    case .joinTable(let table, let source, let column):
      "\(column.quotedIdentifier) FROM \(table.quotedIdentifier) WHERE \(source.quotedIdentifier) = ?"
    }
  }

  private func rows(_ query: String, _ read: (Statement) -> ExpressionValue) throws -> [ExpressionValue] {
    let statement = try objects.library.store.connection.prepare("SELECT \(query)")
    try statement.bind(primaryKey, at: 1)
    var values: [ExpressionValue] = []
    while try statement.step() { values.append(read(statement)) }
    return values
  }

  private func object(_ statement: Statement, _ destination: SQLTable) -> ExpressionValue {
    statement.isNull(0) ? .null : .object(objects.object(destination.entity, statement.integer(0)))
  }

  private static func value(_ statement: Statement, _ type: SQLValueType) -> ExpressionValue {
    switch (type, statement.storageClass(0)) {
    case (_, .null): .null
    case (.boolean, _): .boolean(statement.integer(0) != 0)
    case (.date, .integer), (.date, .real): .date(statement.real(0))
    case (_, .integer): .integer(statement.integer(0))
    case (_, .real): .real(statement.real(0))
    case (.url, .text): .url(statement.text(0) ?? "")
    case (_, .text): .string(statement.text(0) ?? "")
    case (_, .blob): .data(statement.blob(0) ?? [])
    }
  }
}

/// Counts the results of a query whose condition SQL cannot apply.
struct AnswerCounter {
  private let limit: Int64
  private let matches: ((Int64) throws -> Bool)?
  private var count: Int64 = 0

  init(limit: Int64?, _ application: LibraryFilter.Application?) {
    matches = application?.matches
    // If SQL can express the condition, it also limits the results.
    self.limit = matches == nil ? .max : limit ?? .max
  }

  /// Whether the maximum number of results is reached.
  var isDone: Bool { count >= limit }

  /// Whether a row is a result.
  mutating func accepts(_ primaryKey: Int64) throws -> Bool {
    guard try matches?(primaryKey) != false else { return false }
    count += 1
    return true
  }
}
