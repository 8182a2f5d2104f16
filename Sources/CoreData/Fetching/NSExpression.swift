internal import CoreDataExpressions
internal import Migration
internal import Synchronization

/// An expression of a mapping model, or of a policy.
///
/// Foundation declares a class of this name on Linux, which can do nothing. So a file that imports Foundation besides
/// CoreData and writes `NSExpression` out must leave one out: CoreData has all of Foundation.
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

extension CoreDataExpressions.Expression {
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

/// The arguments of a format as the parser takes them, with what it has no literals for as variables.
struct FormatArguments {
  private(set) var arguments: [FormatArgument] = []
  private(set) var variables: [String: ExpressionValue] = [:]
  /// The first argument that means nothing to a format.
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

/// Names of variables that no format can contain, and no two predicates share: predicates may be joined.
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

// A policy makes a predicate for every instance that it looks for, always of the same few formats. To read a format
// takes several times as long as the fetch.

/// Formats such as `name == %@`, which are read once.
enum FormatTemplates {
  /// No format can contain this name.
  private static let placeholder = CoreDataExpressions.Expression.variable("argument 0")

  /// Some apps write values into their formats: there is no end to those.
  private static let limit = 64

  /// What formats say with the placeholder, or `nil` for those that must be read each time.
  private static let table = Mutex<[String: Comparison?]>([:])

  /// The predicate of a format whose only argument is a text, if it says that something equals the text.
  static func predicate(_ format: String, _ text: String) -> CoreDataExpressions.Predicate? {
    let known = table.withLock { table in
      if let known = table[format] { return known }
      guard table.count < limit else { return nil }
      // What says something else of this text, such as %d, is not for texts.
      let made = template(format).flatMap { made in
        (try? CoreDataExpressions.Predicate(format: format, .string(text))) == predicate(made, text) ? made : nil
      }
      table[format] = .some(made)
      return made
    }
    return known.map { predicate($0, text) }
  }

  private static func predicate(_ template: Comparison, _ text: String) -> CoreDataExpressions.Predicate {
    .compare(template.left, .equal, .constant(.string(text)), options: template.options, modifier: template.modifier)
  }

  private static func template(_ format: String) -> Comparison? {
    guard
      case .comparison(let comparison)? = try? CoreDataExpressions.Predicate(
        format: format, arguments: [.expression(placeholder)]), comparison.comparisonOperator == .equal,
      comparison.right == placeholder
    else { return nil }
    return comparison
  }
}
