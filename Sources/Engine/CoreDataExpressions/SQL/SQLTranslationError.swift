/// The reason why SQL cannot give the same result as evaluation on objects.
///
/// This is not an error in the predicate: the caller evaluates it on objects instead.
package struct SQLTranslationError: Error, Sendable, Hashable {
  /// The reason.
  package let reason: Reason
  /// The part of the predicate.
  package let part: String

  /// The obstacle.
  package enum Reason: Sendable, Hashable {
    case unknownKey(String, entity: String)
    /// A key path into a composite attribute that has no such element.
    case unknownElement(String, entity: String)
    /// A variable without a value.
    case unboundVariable(String)
    /// A to-many relationship where one value is needed, or two of them in one path.
    case toMany
    /// Something that has no counterpart in SQL.
    case unsupported
    /// Values of kinds that an operator compares differently in SQL.
    case kinds
    /// SQLite would continue with a real number.
    case mayOverflow
    /// SQLite would continue with NULL.
    case mayDivideByZero
    /// A pattern that is not constant, or that SQLite would take too long for.
    case pattern
    /// A part that does not depend on the row cannot be evaluated.
    case evaluation(EvaluationError)
    case tooManyArguments
    /// SQLite's parser does not support this depth.
    case tooDeep
  }

  init(_ reason: Reason, _ part: String) {
    self.reason = reason
    self.part = part
  }
}

extension SQLTranslationError: CustomStringConvertible {
  /// A sentence without a full stop.
  package var description: String {
    let cause =
      switch reason {
      case .unknownKey(let key, let entity): "the entity \(entity) has no key '\(key)'"
      case .unknownElement(let path, let entity): "the entity \(entity) has no element '\(path)'"
      case .unboundVariable(let name): "the variable $\(name) has no value"
      case .toMany: "a to-many relationship is used where SQL has one value"
      case .unsupported: "SQL has nothing like it"
      case .kinds: "SQL compares values of these kinds in another way"
      case .mayOverflow: "it may overflow, which SQLite does not report"
      case .mayDivideByZero: "it may divide by zero, which SQLite does not report"
      case .pattern: "SQLite cannot match this pattern in reasonable time"
      case .evaluation(let error): "it cannot be evaluated: \(error)"
      case .tooManyArguments: "it has more arguments than SQLite takes"
      case .tooDeep: "it is nested deeper than SQLite reads"
      }
    return "cannot be done in SQL: \(part): \(cause)"
  }
}

extension Predicate {
  /// Translates the predicate into a condition for `WHERE`.
  ///
  /// It selects the rows whose objects satisfy `evaluate(in:)`. Substitute variables first.
  ///
  /// - Parameters:
  ///   - table: The table of the rows.
  ///   - alias: The alias of the table in the query.
  ///   - naming: How properties are stored.
  /// - Throws: `SQLTranslationError` if SQL cannot give the same result.
  package func sql(
    on table: SQLTable, alias: String = "t0", naming: some SQLSchema
  ) throws(SQLTranslationError) -> SQLFragment {
    var writer = SQLWriter(naming)
    let scope = SQLScope(row: SQLRow(table: table, alias: alias))
    return try writer.checked("(\(try writer.condition(self, isNegated: false, scope)))")
  }
}

extension Expression {
  /// Translates the expression into one of SQL, to select or to sort by.
  ///
  /// - Parameters:
  ///   - table: The table of the rows.
  ///   - alias: The alias of the table in the query.
  ///   - naming: How properties are stored.
  /// - Throws: `SQLTranslationError` if SQL cannot give the same values.
  package func sql(
    on table: SQLTable, alias: String = "t0", naming: some SQLSchema
  ) throws(SQLTranslationError) -> SQLFragment {
    var writer = SQLWriter(naming)
    let scope = SQLScope(row: SQLRow(table: table, alias: alias))
    return try writer.checked(try writer.operand(self, scope).sql)
  }
  /// Translates the expression into one of SQL whose values can be stored in a column of an attribute.
  ///
  /// Objects are refused, because SQL would store their primary keys, and so are values of another kind than the
  /// attribute's, which SQL would store unchanged.
  ///
  /// - Parameters:
  ///   - type: The type of the attribute's values.
  ///   - table: The table of the rows.
  ///   - alias: The alias of the table in the query.
  ///   - naming: How properties are stored.
  /// - Throws: `SQLTranslationError` if SQL cannot give the same values.
  package func attributeSQL(
    of type: SQLValueType, on table: SQLTable, alias: String = "t0", naming: some SQLSchema
  ) throws(SQLTranslationError) -> SQLFragment {
    var writer = SQLWriter(naming)
    let operand = try writer.operand(self, SQLScope(row: SQLRow(table: table, alias: alias)))
    guard operand.kind.isStored(as: type) else { throw SQLTranslationError(.kinds, description) }
    return try writer.checked(operand.sql)
  }
}
