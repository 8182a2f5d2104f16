internal import CoreDataExpressions
internal import Migration
internal import Synchronization

/// An expression of a mapping model, or of a policy.
///
/// On Linux, Foundation declares a class with this name that does nothing. A file that imports both Foundation and
/// CoreData and names `NSExpression` must therefore drop one import: CoreData re-exports all of Foundation.
open class NSExpression: NSObject {
  enum Content {
    /// An expression, with the values of its variables.
    case parsed(CoreDataExpressions.Expression, [String: ExpressionValue])
    /// A format that cannot be read, with the reason.
    case invalid(String)
  }

  let content: Content

  init(_ expression: CoreDataExpressions.Expression) {
    content = .parsed(expression, [:])
  }

  init(_ content: Content) {
    self.content = content
  }

  /// Creates an expression from a format, such as `$source.title`.
  public convenience init(format expressionFormat: String, _ arguments: Any...) {
    self.init(format: expressionFormat, argumentArray: arguments)
  }

  /// Creates an expression from a format, with its arguments in an array.
  public init(format expressionFormat: String, argumentArray: [Any]) {
    let arguments = FormatArguments(argumentArray)
    if let kind = arguments.unknownKind {
      content = .invalid("'\(expressionFormat)': an argument is \(kind)")
      return
    }
    do {
      content = .parsed(
        try CoreDataExpressions.Expression(format: expressionFormat, arguments: arguments.arguments),
        arguments.variables)
    } catch {
      content = .invalid("\(error)")
    }
  }

  /// Creates an expression that returns a constant value.
  public convenience init(forConstantValue value: Any?) {
    self.init(format: "%@", argumentArray: [value ?? NSNull()])
  }

  /// Creates an expression that follows a key path.
  public convenience init(forKeyPath keyPath: String) {
    self.init(format: "%K", argumentArray: [keyPath])
  }

  /// Creates an expression that returns the value of a variable.
  public convenience init(forVariable name: String) {
    self.init(.variable(name))
  }

  /// Creates an expression that calls a function, such as `sum:`, or `FUNCTION` of the first of its arguments.
  public convenience init(forFunction name: String, arguments parameters: [Any]) {
    self.init(nil, name, parameters)
  }

  /// Creates an expression that calls a function of an object, such as `$entityPolicy`.
  public convenience init(forFunction target: NSExpression, selectorName name: String, arguments parameters: [Any]?) {
    self.init(target, name, parameters ?? [])
  }

  private convenience init(_ target: NSExpression?, _ name: String, _ parameters: [Any]) {
    let arguments = FormatArguments((target.map { [$0] } ?? []) + parameters)
    let expressions = arguments.arguments.compactMap {
      try? CoreDataExpressions.Expression(format: "%@", arguments: [$0])
    }
    guard arguments.unknownKind == nil, expressions.count == arguments.arguments.count else {
      self.init(.invalid("'\(name)': an argument is \(arguments.unknownKind ?? "of no known kind")"))
      return
    }
    let function = CoreDataExpressions.Expression.function(
      target: target == nil ? nil : expressions.first, selector: name,
      arguments: target == nil ? expressions : Array(expressions.dropFirst()))
    self.init(.parsed(function, arguments.variables))
  }

  /// Creates an expression that returns several values.
  public convenience init(forAggregate subexpressions: [Any]) {
    let arguments = FormatArguments(subexpressions)
    let expressions = arguments.arguments.compactMap {
      try? CoreDataExpressions.Expression(format: "%@", arguments: [$0])
    }
    self.init(
      arguments.unknownKind == nil ? .parsed(.aggregate(expressions), arguments.variables) : .invalid("an aggregate"))
  }

  /// Creates an expression that returns the object that it is evaluated with.
  public class func expressionForEvaluatedObject() -> NSExpression { NSExpression(.evaluatedObject) }

  /// Evaluates the expression.
  ///
  /// If the context holds a migration manager under the key `manager`, all of its functions can be called.
  ///
  /// - Parameters:
  ///   - object: The object that plain keys refer to.
  ///   - context: The values of variables, such as `source`.
  /// - Returns: The value, or nil if it cannot be computed. If it was requested from an instance, the failure ends the
  ///   migration.
  open func expressionValue(with object: Any?, context: NSMutableDictionary?) -> Any? {
    let source = context?["source"] as? NSManagedObject ?? object as? NSManagedObject
    do {
      switch content {
      case .invalid(let reason): throw PolicyFailure(description: reason)
      case .parsed(let expression, let values):
        // As key-value coding returns it: a transformable attribute as its object.
        if let (isOfSource, keyPath) = expression.plainPath,
          let owner = isOfSource ? source : object as? NSManagedObject
        {
          return owner.value(forKeyPath: keyPath)
        }
        if let engine = (context?["manager"] as? NSMigrationManager)?.engine, let instance = source?.instance {
          let destination = (context?["destination"] as? NSManagedObject)?.instance
          return try engine.value(of: expression, source: instance, destination: destination).foundationValue
        }
        var evaluation = EvaluationContext(object: ExpressionValue(any: object) ?? .null, variables: values)
        for case (let name as String, let value) in context ?? [:] {
          evaluation.variables[name] = ExpressionValue(any: value)
        }
        return try expression.value(in: evaluation).foundationValue
      }
    } catch {
      source?.record("an expression has no value: \(error)")
      return nil
    }
  }

  /// The expression in the predicate format syntax.
  open override var description: String {
    switch content {
    case .parsed(let expression, _): "\(expression)"
    case .invalid(let reason): reason
    }
  }
}

extension CoreDataExpressions.Expression {
  /// The path of an expression that only follows keys, from `$source` or from the object.
  fileprivate var plainPath: (isOfSource: Bool, keyPath: String)? {
    guard case .keyPath(let operand, let path) = self, operand == .variable("source") || operand == .evaluatedObject
    else { return nil }
    let keys = path.compactMap { if case .key(let key) = $0 { key } else { nil } }
    return keys.count == path.count ? (operand != .evaluatedObject, keys.joined(separator: ".")) : nil
  }
}

/// The arguments of a format in the parser's form, with those that have no literal form as variables.
struct FormatArguments {
  private(set) var arguments: [FormatArgument] = []
  private(set) var variables: [String: ExpressionValue] = [:]
  /// The first argument of a type that formats do not support.
  private(set) var unknownKind: String?

  init(_ values: [Any]) {
    arguments = values.map { argument($0) }
  }

  private mutating func argument(_ value: Any) -> FormatArgument {
    guard let value = Unwrapping.value(value) else { return .null }
    if let text = value as? String { return .string(text) }
    if let expression = value as? NSExpression { return expressionArgument(expression) }
    guard let converted = ExpressionValue(any: value) else {
      unknownKind = unknownKind ?? Unwrapping.kindName(value)
      return .null
    }
    return converted.literal ?? variable(converted)
  }

  private mutating func expressionArgument(_ expression: NSExpression) -> FormatArgument {
    switch expression.content {
    case .parsed(let parsed, let others):
      variables.merge(others) { first, _ in first }
      return .expression(parsed)
    case .invalid(let reason):
      unknownKind = unknownKind ?? reason
      return .null
    }
  }

  private mutating func variable(_ value: ExpressionValue) -> FormatArgument {
    let name = VariableNames.next()
    variables[name] = value
    return .expression(.variable(name))
  }
}

/// Variable names that no format can contain and no two predicates share, because predicates may be combined.
private enum VariableNames {
  private static let count = Mutex(0)

  static func next() -> String {
    count.withLock { count in
      count += 1
      return "argument \(count)"
    }
  }
}

extension ExpressionValue {
  /// The value as a literal of a format, if there is one.
  fileprivate var literal: FormatArgument? {
    switch self {
    case .null: return .null
    case .boolean(let boolean): return .boolean(boolean)
    case .integer(let integer): return .integer(integer)
    case .real(let real): return .real(real)
    case .decimal(let digits): return .decimal(digits)
    case .string(let text): return .string(text)
    case .date(let seconds): return .date(seconds)
    case .data(let bytes): return .data(bytes)
    case .uuid(let uuid): return .uuid(uuid)
    case .url(let text): return .url(text)
    case .object, .dictionary: return nil
    case .collection(_, let elements):
      let literals = elements.compactMap(\.literal)
      return literals.count == elements.count ? .list(literals) : nil
    }
  }
}
