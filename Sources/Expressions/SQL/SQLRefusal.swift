/// Why something cannot be done in SQL with the result that evaluation on objects has.
///
/// This is no fault of the predicate: the caller evaluates it on objects instead.
public struct SQLRefusal: Error, Sendable, Hashable {
  /// Why.
  public let reason: Reason
  /// The part of the predicate that it is about.
  public let part: String

  /// What stands in the way.
  public enum Reason: Sendable, Hashable {
    case unknownKey(String, entity: String)
    /// A variable without a value.
    case unboundVariable(String)
    /// A to-many relationship where one value is needed, or two of them in one path.
    case toMany
    /// Something that has no counterpart in SQL.
    case unsupported
    /// Values of kinds that an operator does not compare in the same way in SQL.
    case kinds
    /// SQLite would go on with a real number.
    case mayOverflow
    /// SQLite would go on with NULL.
    case mayDivideByZero
    /// A pattern that is not constant, or that SQLite would take too long for.
    case pattern
    /// A part that does not depend on the row cannot be evaluated.
    case evaluation(EvaluationError)
    case tooManyArguments
    /// SQLite's own parser does not nest as deep.
    case tooDeep
  }

  init(_ reason: Reason, _ part: String) {
    self.reason = reason
    self.part = part
  }
}

extension SQLRefusal: CustomStringConvertible {
  /// A sentence without a full stop.
  public var description: String {
    let cause =
      switch reason {
      case .unknownKey(let key, let entity): "the entity \(entity) has no key '\(key)'"
      case .unboundVariable(let name): "the variable $\(name) has no value"
      case .toMany: "a to-many relationship stands where SQL has one value"
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
