internal import Diagnostics
internal import Expressions
internal import Foundation
internal import Migration
internal import PersistentStore
internal import SQLite

/// A condition in Core Data's predicate format, such as `name BEGINSWITH[cd] "a" AND tracks.@count > 3`.
public struct LibraryFilter: Sendable {
  private let predicate: Expressions.Predicate

  /// Reads a condition.
  ///
  /// - Throws: An error whose description shows the place where the format is wrong.
  public init(_ format: String) throws {
    predicate = try Expressions.Predicate(format: format)
  }

  /// Finds out how the condition is applied to the rows of an entity.
  ///
  /// What SQL can do with the same result is done by SQLite; the rest is evaluated row by row.
  func application(
    toEntityNamed entity: String, alias: String, in library: TrackLibraryReader
  ) throws -> Application {
    let naming = SchemaNaming(library.schema)
    guard let table = naming.table(forEntityNamed: entity) else { return Application() }
    let connection = library.store.connection
    do throws(SQLRefusal) {
      let fragment = try predicate.sql(on: table, alias: alias, naming: naming)
      for function in SQLFunction.allCases { try? connection.create(function) }
      return Application(condition: fragment)
    } catch {
      // Evaluated on objects this would be a collection that equals nothing, and find nothing without a word.
      if error.reason == .toMany {
        throw library.invalidCondition(
          "in '\(error.part)' a to-many relationship stands where one value is needed "
            + "(write ANY, ALL or @count; two of them need SUBQUERY)")
      }
      let objects = LibraryObjects(library, naming: naming)
      let predicate = predicate
      // One context for all rows: it keeps compiled patterns.
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
    /// The condition in SQL, if it can be done so.
    var condition: SQLFragment?
    /// Tells whether a row satisfies the condition, if SQL cannot.
    var matches: ((_ primaryKey: Int64) throws -> Bool)?

    init(condition: SQLFragment? = nil, matches: ((Int64) throws -> Bool)? = nil) {
      self.condition = condition
      self.matches = matches
    }
  }
}
