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
  /// SQLite evaluates what SQL can express with the same result; the rest is evaluated on the rows that are left.
  func application(
    toEntityNamed entity: String, alias: String, in library: TrackLibraryReader
  ) throws -> Application {
    let naming = StoreSQLSchema(library.schema, reading: library.store)
    guard let table = naming.table(forEntityNamed: entity) else { return Application() }
    let split = try fitted(toEntityNamed: entity, in: library).split(on: table, alias: alias, naming: naming)
    for function in SQLFunction.allCases { try? library.store.connection.create(function) }
    // Evaluated on objects, this would be a collection that equals nothing, and silently match no rows.
    if let error = split.obstacles.first(where: { $0.reason == .toMany }) {
      throw library.invalidCondition(
        "in '\(error.part)' a to-many relationship is used where one value is needed "
          + "(write ANY, ALL or @count; two of them need SUBQUERY)")
    }
    var application = Application(condition: split.sql)
    if let predicate = split.rest {
      let objects = try ManagedObjectContext(reading: library.store, library.model)
      // One context for all rows, because it caches compiled patterns.
      var context = EvaluationContext()
      application.matches = { key in
        guard let object = objects.object(ofEntityNamed: entity, primaryKey: key) else { return false }
        context.object = .object(ManagedObjectValues(object))
        do {
          let isMatch = try predicate.evaluate(in: context)
          try objects.requireNoFailure()
          return isMatch
        } catch let error as EvaluationError {
          throw library.invalidCondition("\(error)")
        } catch let error as MigrationError {
          guard error.code == .invalidMappingModel, let key = error.subject.property else { throw error }
          throw library.invalidCondition("the entity \(error.subject.entity ?? entity) has no key '\(key)'")
        }
      }
    }
    return application
  }

  /// The condition with dates where text is compared with them.
  private func fitted(
    toEntityNamed entity: String, in library: TrackLibraryReader
  ) throws(MigrationError) -> CoreDataExpressions.Predicate {
    do throws(MigrationError) {
      return try AskedCondition(
        predicate, onEntityNamed: entity, of: library.model, now: Date.now.timeIntervalSinceReferenceDate
      ).predicate
    } catch {
      throw error.about(library.store.file.path)
    }
  }

  /// The application of a condition.
  struct Application {
    /// The part of the condition that SQL can express.
    var condition: SQLFragment?
    /// Returns whether a row satisfies the rest; `nil` if there is none.
    var matches: ((_ primaryKey: Int64) throws -> Bool)?
  }
}

/// A field of a query's results; its raw value is its key in JSON.
public protocol QueryField: RawRepresentable<String>, CaseIterable, Hashable, Sendable {
  /// Whether results start with the greatest value of this field, unless the direction is given.
  var isDescendingByDefault: Bool { get }
}

/// A field to sort by, with a direction.
///
/// Results without a value come last in both directions.
public struct QuerySort<Field: QueryField>: Hashable, Sendable {
  /// The field.
  public let field: Field
  /// Whether results start with the least value.
  public let isAscending: Bool

  /// Creates a sort order; without a direction, the field's own.
  public init(_ field: Field, isAscending: Bool? = nil) {
    self.field = field
    self.isAscending = isAscending ?? !field.isDescendingByDefault
  }
}

/// A query for rows of a library, with a condition that SQL or the expression engine applies.
protocol LibraryQuery {
  /// The fields of the results.
  associatedtype Field: QueryField
  /// The entity of the rows.
  static var entityName: String { get }
  /// The table of the rows in the statement.
  static var alias: String { get }
  /// A condition in Core Data's predicate format.
  var filter: LibraryFilter? { get }
  /// The greatest number of answers; `nil` for all.
  var limit: Int64? { get }
  /// The texts that the statement compares with, in the order of its parameters.
  var arguments: [String?] { get }
  /// The order of the results.
  var order: [QuerySort<Field>] { get }
  /// The statement, up to its conditions, with the primary key in the first column.
  func selection(_ names: TrackLibraryNames) -> (select: String, conditions: [String])
  /// The SQL expressions that sort results by a field.
  func sortKeys(_ field: Field, _ names: TrackLibraryNames) -> [String]
  /// The SQL terms that sort results that are equal in the fields; the last is the primary key.
  func tieBreakers(_ names: TrackLibraryNames) -> [String]
}

extension LibraryQuery {
  /// Calls a closure with each matching row, in order.
  func forEachRow(in library: TrackLibraryReader, _ body: (Statement, TrackLibraryNames) throws -> Void) throws {
    let connection = library.store.connection
    do {
      try TextFolding.install(in: connection)
      let names = try library.names()
      let application = try filter?.application(toEntityNamed: Self.entityName, alias: Self.alias, in: library)
      var (select, conditions) = selection(names)
      let order = order.flatMap { sort in
        sortKeys(sort.field, names).map { "\($0) \(sort.isAscending ? "ASC" : "DESC") NULLS LAST" }
      }
      let terms = (order + tieBreakers(names)).joined(separator: ", ")
      if let condition = application?.condition { conditions.append("(\(condition.sql))") }
      let filter = conditions.isEmpty ? "" : "WHERE \(conditions.joined(separator: " AND "))"
      // If SQL can express the condition, it also limits the results.
      var rest = application?.matches == nil ? .max : limit ?? .max
      // With a limit, even one of -1, SQLite sorts rows in a tree of those that count, and without one in runs.
      let limits = application?.matches == nil ? limit.map { " LIMIT \($0)" } ?? "" : ""
      let statement = try connection.prepare("\(select) \(filter) ORDER BY \(terms)\(limits)")
      let texts = arguments.compactMap { $0.map { SQLArgument.text($0) } }
      let arguments = texts + (application?.condition?.arguments ?? [])
      for (index, argument) in zip(Int32(1)..., arguments) { try argument.bind(to: statement, at: index) }
      while rest > 0, try statement.step() {
        guard try application?.matches?(statement.integer(0)) != false else { continue }
        rest -= 1
        try body(statement, names)
      }
    } catch let error as SQLiteError {
      // Errors of the closure are rethrown unchanged: a reader that went away is not an error of the library.
      throw MigrationError(error, path: library.store.file.path)
    }
  }
}
