/// An expression in Core Data's format language, which has a value for an object.
///
/// Expressions are immutable values. `init(format:_:)` parses a text, and `description` returns it.
///
/// The parser returns expressions in normal form: key paths are joined (`a.b.c` is one key path of SELF), arithmetic
/// functions such as `add:to:` are operators, and numbers carry their sign. An expression in normal form prints as text
/// that parses back to an equal one.
public indirect enum Expression: Sendable, Hashable {
  /// A literal value.
  case constant(Literal)
  /// `SELF`, the object that the expression is evaluated for.
  case evaluatedObject
  /// `$name`. The name has no dollar sign.
  case variable(String)
  /// Keys and collection operators, followed from the value of another expression. Plain `name` starts at SELF.
  case keyPath(Expression, [KeyPathComponent])
  /// `collection[FIRST]`, `collection[0]` and the like.
  case element(of: Expression, at: CollectionIndex)
  /// A function: `selector:(arguments)` without a target, `FUNCTION(target, "selector:", arguments)` with one.
  case function(target: Expression?, selector: String, arguments: [Expression])
  /// `{a, b, c}`.
  case aggregate([Expression])
  /// `a + b` and the like.
  case arithmetic(ArithmeticOperator, Expression, Expression)
  /// `-a`, for operands other than number literals.
  case negative(Expression)
  /// `SUBQUERY(collection, $variable, predicate)`: the elements that satisfy the predicate.
  case subquery(Expression, variable: String, Predicate)
  /// `CAST(expression, "NSDate")`. Dates, identifiers, URLs, data and decimals are written as casts of a literal.
  case cast(Expression, type: String)
  /// `TERNARY(predicate, ifTrue, ifFalse)`.
  case ternary(Predicate, Expression, Expression)
  /// `FETCH(request, context, countOnly)`.
  case fetch(request: Expression, context: Expression, countOnly: Bool)
}

extension Expression {
  /// `nil`.
  package static let null = Expression.constant(.null)

  /// Returns a key path that starts at SELF, or at a variable such as `source`.
  package static func key(_ names: String..., of operand: Expression = .evaluatedObject) -> Expression {
    .keyPath(operand, names.map { .key($0) })
  }

  /// The key of the source property that this expression copies unchanged: `title` for `$source.title`.
  package var copiedSourceKey: String? {
    guard case .keyPath(.variable("source"), let path) = self, path.count == 1, case .key(let key) = path[0] else {
      return nil
    }
    return key
  }

  // MARK: - Independence

  /// Whether the value is the same for every object, every variable and every moment.
  package var isIndependent: Bool {
    switch self {
    case .constant: true
    case .evaluatedObject, .variable, .subquery, .fetch: false
    case .keyPath(let operand, _), .negative(let operand), .cast(let operand, _): operand.isIndependent
    case .element(let collection, let index): collection.isIndependent && index.isIndependent
    case .function(let target, let selector, let arguments):
      target == nil && selector != "now" && Selector.all.contains(selector) && arguments.allSatisfy(\.isIndependent)
    case .aggregate(let elements): elements.allSatisfy(\.isIndependent)
    case .arithmetic(_, let left, let right): left.isIndependent && right.isIndependent
    case .ternary(let condition, let yes, let no):
      condition.isIndependent && yes.isIndependent && no.isIndependent
    }
  }
}

extension Predicate {
  /// Whether the predicate has the same value for every object.
  var isIndependent: Bool {
    switch self {
    case .constant: true
    case .comparison(let comparison): comparison.left.isIndependent && comparison.right.isIndependent
    case .and(let parts), .or(let parts): parts.allSatisfy(\.isIndependent)
    case .not(let part): part.isIndependent
    }
  }
}

extension CollectionIndex {
  fileprivate var isIndependent: Bool {
    if case .position(let position) = self { position.isIndependent } else { true }
  }
}

extension Expression {
  /// Replaces variables by expressions.
  ///
  /// Other variables and the variable of a SUBQUERY stay.
  package func substituting(_ values: [String: Expression]) -> Expression {
    func replaced(_ expression: Expression) -> Expression { expression.substituting(values) }
    switch self {
    case .constant, .evaluatedObject: return self
    case .variable(let name): return values[name] ?? self
    case .keyPath(let operand, let path): return replaced(operand).appending(path, to: operand)
    case .element(let collection, let index): return .element(of: replaced(collection), at: index.substituting(values))
    case .function(let target, let selector, let arguments):
      return .function(target: target.map(replaced), selector: selector, arguments: arguments.map(replaced))
    case .aggregate(let elements): return .aggregate(elements.map(replaced))
    case .arithmetic(let symbol, let left, let right): return .arithmetic(symbol, replaced(left), replaced(right))
    case .negative(let operand): return .negative(replaced(operand))
    case .subquery(let collection, let variable, let predicate):
      var inner = values
      inner[variable] = nil
      return .subquery(replaced(collection), variable: variable, predicate.substituting(inner))
    case .cast(let operand, let type): return .cast(replaced(operand), type: type)
    case .ternary(let condition, let yes, let no):
      return .ternary(condition.substituting(values), replaced(yes), replaced(no))
    case .fetch(let request, let context, let countOnly):
      return .fetch(request: replaced(request), context: replaced(context), countOnly: countOnly)
    }
  }

  /// Appends a path to its replaced operand: `$x.b` with `$x` = `SELF.a` is `a.b`, as if it had been written that way.
  private func appending(_ path: [KeyPathComponent], to operand: Expression) -> Expression {
    guard case .variable = operand, case .keyPath(let root, let start) = self,
      !start.contains(where: { if case .collectionOperator = $0 { true } else { false } })
    else { return .keyPath(self, path) }
    return .keyPath(root, start + path)
  }
}

extension CollectionIndex {
  fileprivate func substituting(_ values: [String: Expression]) -> CollectionIndex {
    guard case .position(let position) = self else { return self }
    return .position(position.substituting(values))
  }
}

/// One step of a key path.
public enum KeyPathComponent: Sendable, Hashable {
  /// An attribute, a relationship, or any other key that an object has a value for.
  case key(String)
  /// `@count` and the like. All steps after an operator other than `@count` are its argument.
  case collectionOperator(CollectionOperator)
}

/// The index in the brackets of `collection[…]`.
public indirect enum CollectionIndex: Sendable, Hashable {
  /// `[FIRST]`.
  case first
  /// `[LAST]`.
  case last
  /// `[SIZE]`: the number of elements.
  case size
  /// A position counted from 0, or the key of a dictionary.
  case position(Expression)
}

/// An operator that a key path applies to a whole collection.
public enum CollectionOperator: String, Sendable, Hashable, CaseIterable {
  case count
  case sum
  case average = "avg"
  case minimum = "min"
  case maximum = "max"
  case unionOfObjects
  case distinctUnionOfObjects
  case unionOfArrays
  case distinctUnionOfArrays
  case unionOfSets
  case distinctUnionOfSets

  /// Whether a key path to the values must follow.
  package var needsPath: Bool { self != .count }
}

/// A kind of collection.
public enum CollectionKind: Sendable, Hashable {
  case array
  case orderedSet
  case set
}

/// A value that has a literal in the format language.
public enum Literal: Sendable, Hashable {
  /// `nil`.
  case null
  /// `YES` or `NO`.
  case boolean(Bool)
  /// A whole number.
  case integer(Int64)
  /// A number with a fraction or an exponent.
  case real(Double)
  /// Text in quotes.
  case string(String)

  /// Compares text by its code units: Swift's own comparison treats a composed and a decomposed é as equal.
  public static func == (left: Literal, right: Literal) -> Bool {
    switch (left, right) {
    case (.null, .null): true
    case (.boolean(let left), .boolean(let right)): left == right
    case (.integer(let left), .integer(let right)): left == right
    case (.real(let left), .real(let right)): left == right
    case (.string(let left), .string(let right)): left.utf8.elementsEqual(right.utf8)
    default: false
    }
  }

  /// Hashes the parts that `==` compares.
  public func hash(into hasher: inout Hasher) {
    switch self {
    case .null: hasher.combine(0)
    case .boolean(let value): hasher.combine(value)
    case .integer(let value): hasher.combine(value)
    case .real(let value): hasher.combine(value)
    case .string(let value): value.utf8.forEach { hasher.combine($0) }
    }
  }
}

extension [KeyPathComponent] {
  /// Reads a key path as archives hold it: without the marks that the format language needs.
  package init?(keyPath text: String) {
    self = []
    for name in text.split(separator: ".", omittingEmptySubsequences: false) {
      if name.hasPrefix("@") {
        guard let found = CollectionOperator(rawValue: String(name.dropFirst())) else { return nil }
        append(.collectionOperator(found))
      } else {
        guard !name.isEmpty else { return nil }
        append(.key(String(name)))
      }
    }
    if case .collectionOperator(let last)? = last, last.needsPath { return nil }
  }

  /// The key path as archives hold it, or `nil` if they would hold another one.
  ///
  /// A key with points, which leads to an element of a composite attribute, is read as the keys between them.
  package var keyPathText: String? {
    var keys: [KeyPathComponent] = []
    let text = map { component in
      switch component {
      case .key(let name):
        keys += name.split(separator: ".", omittingEmptySubsequences: false).map { .key(String($0)) }
        return name
      case .collectionOperator(let name):
        keys.append(component)
        return "@" + name.rawValue
      }
    }.joined(separator: ".")
    return [KeyPathComponent](keyPath: text) == keys ? text : nil
  }
}
