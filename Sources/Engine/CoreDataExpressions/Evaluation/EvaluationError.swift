/// A reason why an expression has no value.
///
/// The cases hold facts; the sentences are in `description`.
package enum EvaluationError: Error, Sendable, Hashable {
  case unknownVariable(String)
  /// A value has no such key.
  case unknownKey(String, kind: String)
  /// A function that is neither built in nor known to an invoker.
  case unknownSelector(String)
  /// A function of Foundation that is not evaluated here.
  case unsupportedSelector(String)
  /// A built-in function with arguments that it does not accept.
  case wrongArguments(selector: String, expected: String, found: String)
  /// `<` and the like between values that have no order.
  case notOrdered(String, String, operation: String)
  /// A value of a kind that an operator does not support.
  case wrongKind(operation: String, expected: String, found: String)
  /// The result does not fit into 64 bits.
  case overflow(operation: String)
  case divisionByZero
  /// The result is infinite or not-a-number.
  case notFinite(operation: String)
  case indexOutOfRange(Int64, count: Int)
  case invalidPattern(String)
  /// A regular expression that needs too many steps or too much memory for a text.
  case patternTooSlow(String)
  case cannotCast(kind: String, type: String)
  case tooDeep(limit: Int)
  case noClock
  case noFetcher
}

extension EvaluationError: CustomStringConvertible {
  /// A sentence without a full stop.
  package var description: String {
    switch self {
    case .unknownVariable(let name): "the variable $\(name) has no value"
    case .unknownKey(let key, let kind): "\(kind) has no key '\(key)'"
    case .unknownSelector(let selector):
      "the function '\(selector)' is unknown; known without an invoker are " + Selector.all.joined(separator: " ")
    case .unsupportedSelector(let selector): "the function '\(selector)' is not supported here"
    case .wrongArguments(let selector, let expected, let found): "\(selector) takes \(expected), not \(found)"
    case .notOrdered(let left, let right, let operation): "\(left) \(operation) \(right): these have no order"
    case .wrongKind(let operation, let expected, let found): "\(operation) works on \(expected), not on \(found)"
    case .overflow(let operation): "the result of \(operation) does not fit into 64 bits"
    case .divisionByZero: "division by zero"
    case .notFinite(let operation): "the result of \(operation) is not a finite number"
    case .indexOutOfRange(let index, let count): "there is no element \(index) in a collection of \(count)"
    case .invalidPattern(let pattern): "'\(pattern)' is not a regular expression"
    case .patternTooSlow(let pattern): "the regular expression '\(pattern)' takes too much time or memory on this text"
    case .cannotCast(let kind, let type): "\(kind) cannot be cast to \(type)"
    case .tooDeep(let limit): "the expression is nested more than \(limit) levels deep"
    case .noClock: "now() needs a clock, and the context has none"
    case .noFetcher: "FETCH needs something to fetch from, and the context has none"
    }
  }
}
