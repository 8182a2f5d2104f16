internal import Expressions
internal import Migration

/// An expression of a mapping model, or of a policy.
///
/// Foundation declares a class of this name on Linux, which can do nothing. So a file that imports Foundation besides
/// CoreData and writes `NSExpression` out must leave one out: CoreData has all of Foundation.
open class NSExpression: NSObject {
  enum Content {
    /// An expression, with the values of its variables.
    case parsed(Expressions.Expression, [String: ExpressionValue])
    /// A format that cannot be read, with the reason.
    case invalid(String)
  }

  let content: Content

  init(_ expression: Expressions.Expression) {
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
        try Expressions.Expression(format: expressionFormat, arguments: arguments.arguments), arguments.variables)
    } catch {
      content = .invalid("\(error)")
    }
  }

  /// Creates an expression that gives a value.
  public convenience init(forConstantValue value: Any?) {
    self.init(format: "%@", argumentArray: [value ?? NSNull()])
  }

  /// Creates an expression that follows a key path.
  public convenience init(forKeyPath keyPath: String) {
    self.init(format: "%K", argumentArray: [keyPath])
  }

  /// Creates an expression that gives the value of a variable.
  public convenience init(forVariable name: String) {
    self.init(.variable(name))
  }

  /// Creates an expression that gives the object that it is evaluated with.
  public class func expressionForEvaluatedObject() -> NSExpression { NSExpression(.evaluatedObject) }

  /// Evaluates the expression.
  ///
  /// With a migration manager under the key `manager` in the context, all of its functions can be called.
  ///
  /// - Parameters:
  ///   - object: What plain keys are asked of.
  ///   - context: The values of variables, such as `source`.
  /// - Returns: The value. One that cannot be had is nil, and ends the migration if it was asked of an instance.
  open func expressionValue(with object: Any?, context: NSMutableDictionary?) -> Any? {
    let source = context?["source"] as? NSManagedObject ?? object as? NSManagedObject
    do {
      switch content {
      case .invalid(let reason): throw ExpressionFailure(description: reason)
      case .parsed(let expression, let values):
        // As key-value coding gives it: a transformable attribute as its object.
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

  /// The expression in the format language.
  open override var description: String {
    switch content {
    case .parsed(let expression, _): "\(expression)"
    case .invalid(let reason): reason
    }
  }
}

extension Expressions.Expression {
  /// The path of an expression that only follows keys, from `$source` or from the object.
  fileprivate var plainPath: (isOfSource: Bool, keyPath: String)? {
    guard case .keyPath(let operand, let path) = self, operand == .variable("source") || operand == .evaluatedObject
    else { return nil }
    let keys = path.compactMap { if case .key(let key) = $0 { key } else { nil } }
    return keys.count == path.count ? (operand != .evaluatedObject, keys.joined(separator: ".")) : nil
  }
}

/// Why an expression cannot be used.
private struct ExpressionFailure: Error, CustomStringConvertible {
  let description: String
}
