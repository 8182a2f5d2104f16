extension EvaluationError: CustomStringConvertible {
  /// A sentence without a full stop.
  public var description: String {
    switch self {
    case .unknownVariable(let name): "the variable $\(name) has no value"
    case .unknownKey(let key, let kind): "\(kind) has no key '\(key)'"
    case .unknownSelector(let selector):
      "the function '\(selector)' is unknown; known without an invoker are " + Selector.all.joined(separator: " ")
    case .wrongArguments(let selector, let expected, let found): "\(selector) takes \(expected), not \(found)"
    case .notOrdered(let left, let right, let operation): "\(left) \(operation) \(right): these have no order"
    case .wrongKind(let operation, let expected, let found): "\(operation) works on \(expected), not on \(found)"
    case .overflow(let operation): "the result of \(operation) does not fit into 64 bits"
    case .divisionByZero: "division by zero"
    case .notFinite(let operation): "the result of \(operation) is no finite number"
    case .indexOutOfRange(let index, let count): "there is no element \(index) in a collection of \(count)"
    case .invalidPattern(let pattern): "'\(pattern)' is no regular expression"
    case .patternTooSlow(let pattern): "the regular expression '\(pattern)' takes too much time or memory on this text"
    case .cannotCast(let kind, let type): "\(kind) cannot be cast to \(type)"
    case .tooDeep(let limit): "the expression is nested more than \(limit) levels deep"
    case .noClock: "now() needs a clock, and the context has none"
    case .noFetcher: "FETCH needs something to fetch from, and the context has none"
    }
  }
}
