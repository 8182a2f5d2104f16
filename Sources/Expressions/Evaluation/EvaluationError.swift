/// Why an expression has no value.
///
/// Holds facts; `description` makes a sentence of them.
public enum EvaluationError: Error, Sendable, Hashable {
  case unknownVariable(String)
  /// A value has no such key.
  case unknownKey(String, kind: String)
  /// A function that is neither built in nor known to an invoker.
  case unknownSelector(String)
  /// A built-in function with arguments that it does not take.
  case wrongArguments(selector: String, expected: String, found: String)
  /// `<` and the like between values that have no order.
  case notOrdered(String, String, operation: String)
  /// A value of another kind than an operator works on.
  case wrongKind(operation: String, expected: String, found: String)
  /// The result does not fit into 64 bits.
  case overflow(operation: String)
  case divisionByZero
  /// The result is infinite or no number at all.
  case notFinite(operation: String)
  case indexOutOfRange(Int64, count: Int)
  case invalidPattern(String)
  /// A regular expression that tries too many ways to match a text, or keeps too many in mind.
  case patternTooSlow(String)
  case cannotCast(kind: String, type: String)
  case tooDeep(limit: Int)
  case noClock
  case noFetcher
}
