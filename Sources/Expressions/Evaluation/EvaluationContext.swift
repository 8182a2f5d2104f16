/// What an expression is evaluated with.
///
/// A context is made once and used for many objects: set `object`, then evaluate. Compiled regular expressions are kept.
public struct EvaluationContext {
  /// Calls a function that is not built in: the target of `FUNCTION` (`nil` for a function without one), the selector
  /// and the arguments.
  public typealias Invoker = (ExpressionValue?, String, [ExpressionValue]) throws -> ExpressionValue

  /// Executes `FETCH`: the request, the context and whether only the count is asked for.
  public typealias Fetcher = (ExpressionValue, ExpressionValue, Bool) throws -> ExpressionValue

  /// What SELF is, and what plain keys are asked of.
  public var object: ExpressionValue
  /// The values of `$` variables, by their names without the sign.
  public var variables: [String: ExpressionValue]
  /// Calls functions that are not built in.
  public var invoker: Invoker?
  /// Executes `FETCH`.
  public var fetcher: Fetcher?
  /// Gives `now()`, in seconds since 2001.
  ///
  /// There is no clock by default.
  public var clock: (() -> Double)?
  /// How deep an expression may nest; the parser makes none deeper than 200.
  public var depthLimit = Parser.depthLimit + 100

  let patterns = PatternCache()

  /// Creates a context.
  public init(
    object: ExpressionValue = .null, variables: [String: ExpressionValue] = [:], invoker: Invoker? = nil,
    clock: (() -> Double)? = nil
  ) {
    self.object = object
    self.variables = variables
    self.invoker = invoker
    self.clock = clock
  }
}
