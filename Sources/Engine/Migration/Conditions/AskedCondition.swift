package import CoreDataExpressions
package import DataModel
internal import MappingModels
package import MigrationDiagnostics
internal import SystemC

/// A condition on the rows of an entity as a person writes it, fitted to the entity's model.
///
/// An app passes dates as arguments of a format. A person writes them as text, so text that is compared with a date is
/// read as one: `lastPlayedAt > '2023-01-01'`. Seconds can be added to a date and subtracted from it, as in
/// `now() - 86400`, which in Core Data's language is `CAST(CAST(now(), "NSNumber") - 86400, "NSDate")`, or
/// `FUNCTION(now(), "dateByAddingTimeInterval:", -86400)`. And `now()` is the same moment for all rows.
package struct AskedCondition: Sendable, Hashable {
  /// The condition, which needs no clock and has dates where it is about dates.
  package let predicate: Predicate

  /// Fits a condition to an entity.
  ///
  /// - Parameters:
  ///   - predicate: The condition.
  ///   - entityName: The entity of the rows.
  ///   - model: The model of the entity.
  ///   - now: The value of `now()`, in seconds since 2001.
  /// - Throws: `MigrationError` with `invalidCondition` and no path, for a key that the entity does not have and for what
  ///   is compared with a date and is none.
  package init(
    _ predicate: Predicate, onEntityNamed entityName: String, of model: ManagedObjectModel, now: Double
  ) throws(MigrationError) {
    var keys = SourceKeys(model)
    if let unknown = keys.unknown(in: predicate, of: entityName) {
      throw MigrationError(unknown, in: predicate, of: model)
    }
    let fitting = DateFitting(model: model, now: now)
    self.predicate = try fitting.fitted(predicate, DateFitting.Scope(entityName: entityName))
  }
}

extension MigrationError {
  /// The error for a key that an entity does not have.
  fileprivate init(_ unknown: SourceKeys.Unknown, in predicate: Predicate, of model: ManagedObjectModel) {
    self.init(
      .invalidCondition, Subject(entity: unknown.entity, property: unknown.key),
      detail: "the entity '\(unknown.entity)' has no attribute '\(unknown.key)'")
    let near = unknown.nearest.map { "Did you mean '\($0)'?" }
    let quoted = predicate.hasBareWord(unknown.key) ? "Text needs quotes: '\(unknown.key)'." : nil
    let symbol = CollectionOperator(rawValue: unknown.key).map { "Did you mean '@\($0.rawValue)'?" }
    let names = model.entity(named: unknown.entity).map { $0.attributes.map(\.name) + $0.relationships.map(\.name) }
    let known = "Its attributes and relationships are \((names ?? []).sorted().joined(separator: ", "))."
    let advice = [quoted, symbol ?? near].compactMap(\.self).joined(separator: " ")
    self.advice = advice.isEmpty ? "\(known)" : "\(advice)"
  }
}

extension Predicate {
  /// Whether a name alone is compared with something that has names, too, as in `title == Hello`: most likely text whose
  /// quotes were forgotten.
  fileprivate func hasBareWord(_ word: String) -> Bool {
    switch self {
    case .constant: false
    case .comparison(let comparison): comparison.right.isBareWord(word) && !comparison.left.isIndependent
    case .and(let parts), .or(let parts): parts.contains { $0.hasBareWord(word) }
    case .not(let part): part.hasBareWord(word)
    }
  }
}

extension Expression {
  /// Whether the expression is a name alone, or a list with it.
  fileprivate func isBareWord(_ word: String) -> Bool {
    switch self {
    case .keyPath(.evaluatedObject, let path): path == [.key(word)]
    case .aggregate(let elements): elements.contains { $0.isBareWord(word) }
    case .constant, .evaluatedObject, .variable, .keyPath, .element, .function, .arithmetic, .negative, .subquery,
      .cast, .ternary, .fetch:
      false
    }
  }
}

/// Puts dates where a condition is about dates.
private struct DateFitting {
  let model: ManagedObjectModel
  let now: Double

  /// The meaning of names at a place in a condition.
  struct Scope {
    /// The entity of SELF.
    var entityName: String
    /// The entities of the variables of the enclosing SUBQUERY expressions.
    var variables: [String: String] = [:]
  }

  /// The values of an expression, as far as they matter here.
  private enum Kind {
    case date
    /// Instances of an entity, one or many.
    case instances(String)
    case other
  }

  private static let (dateType, numberType) = ("NSDate", "NSNumber")

  func fitted(_ predicate: Predicate, _ scope: Scope) throws(MigrationError) -> Predicate {
    switch predicate {
    case .constant: return predicate
    case .comparison(let comparison): return .comparison(try fitted(comparison, scope))
    case .and(let parts): return .and(try all(parts) { part throws(MigrationError) in try fitted(part, scope) })
    case .or(let parts): return .or(try all(parts) { part throws(MigrationError) in try fitted(part, scope) })
    case .not(let part): return .not(try fitted(part, scope))
    }
  }

  private func fitted(_ comparison: Comparison, _ scope: Scope) throws(MigrationError) -> Comparison {
    var (left, right) = (try fitted(comparison.left, scope), try fitted(comparison.right, scope))
    switch comparison.comparisonOperator {
    case .equal, .notEqual, .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual, .between, .in:
      if isDate(left, scope) || right.elements.contains(where: { isDate($0, scope) }) {
        (left, right) = (try date(left, scope), try date(right, scope))
      }
    case .contains, .beginsWith, .endsWith, .like, .matches: break
    }
    return Comparison(
      left, comparison.comparisonOperator, right, options: comparison.options, modifier: comparison.modifier)
  }

  private func fitted(_ expression: Expression, _ scope: Scope) throws(MigrationError) -> Expression {
    func part(_ expression: Expression) throws(MigrationError) -> Expression { try fitted(expression, scope) }
    switch expression {
    case .constant, .evaluatedObject, .variable: return expression
    case .keyPath(let operand, let path): return .keyPath(try part(operand), path)
    case .element(let collection, let index):
      guard case .position(let position) = index else { return .element(of: try part(collection), at: index) }
      return .element(of: try part(collection), at: .position(try part(position)))
    case .function(nil, "now", _): return Self.date(now)
    case .function(let target, let selector, let arguments):
      let target = try target.map { target throws(MigrationError) in try part(target) }
      let arguments = try all(arguments, part)
      if let target, selector == "dateByAddingTimeInterval:", arguments.count == 1, isDate(target, scope) {
        return moved(target, .add, arguments[0])
      }
      return .function(target: target, selector: selector, arguments: arguments)
    case .aggregate(let elements): return .aggregate(try all(elements, part))
    case .arithmetic(let symbol, let left, let right):
      return try arithmetic(symbol, try part(left), try part(right), scope)
    case .negative(let operand): return .negative(try part(operand))
    case .subquery(let collection, let variable, let condition):
      let collection = try part(collection)
      var inner = scope
      inner.variables[variable] = if case .instances(let name) = kind(of: collection, scope) { name } else { nil }
      return .subquery(collection, variable: variable, try fitted(condition, inner))
    case .cast(let operand, let type): return .cast(try part(operand), type: type)
    case .ternary(let condition, let yes, let no):
      return .ternary(try fitted(condition, scope), try part(yes), try part(no))
    case .fetch(let request, let source, let countOnly):
      return .fetch(request: try part(request), context: try part(source), countOnly: countOnly)
    }
  }

  private func all<Element>(
    _ elements: [Element], _ work: (Element) throws(MigrationError) -> Element
  ) throws(MigrationError) -> [Element] {
    var results: [Element] = []
    for element in elements { results.append(try work(element)) }
    return results
  }

  // MARK: - Dates

  private static func date(_ seconds: Double) -> Expression { .cast(.constant(.real(seconds)), type: dateType) }

  /// The seconds from one date to another, or a date that is so many seconds from another.
  private func arithmetic(
    _ symbol: ArithmeticOperator, _ left: Expression, _ right: Expression, _ scope: Scope
  ) throws(MigrationError) -> Expression {
    switch (symbol, isDate(left, scope), isDate(right, scope)) {
    case (.subtract, true, true): return .arithmetic(.subtract, Self.number(left), Self.number(right))
    case (.subtract, true, false):
      guard case .constant(.string) = right else { return moved(left, .subtract, right) }
      return .arithmetic(.subtract, Self.number(left), Self.number(try date(right, scope)))
    case (.subtract, false, true):
      guard case .constant(.string) = left else { break }
      return .arithmetic(.subtract, Self.number(try date(left, scope)), Self.number(right))
    case (.add, true, false): return moved(left, .add, right)
    case (.add, false, true): return moved(right, .add, left)
    case (.add, _, _), (.subtract, _, _), (.multiply, _, _), (.divide, _, _), (.power, _, _): break
    }
    return .arithmetic(symbol, left, right)
  }

  /// A date that is so many seconds later, or earlier.
  private func moved(_ date: Expression, _ symbol: ArithmeticOperator, _ seconds: Expression) -> Expression {
    .cast(.arithmetic(symbol, Self.number(date), seconds), type: Self.dateType)
  }

  /// A date as seconds since 2001.
  private static func number(_ date: Expression) -> Expression { .cast(date, type: numberType) }

  /// The other side of a comparison with a date, as a date.
  private func date(_ expression: Expression, _ scope: Scope) throws(MigrationError) -> Expression {
    switch expression {
    case .constant(.null): return expression
    case .constant(.string(let text)):
      guard let seconds = DateText.secondsSince2001(text) else { throw Self.noDate("'\(text)' is not a date") }
      return Self.date(seconds)
    case .aggregate(let elements):
      return .aggregate(try all(elements) { element throws(MigrationError) in try date(element, scope) })
    case .arithmetic(let symbol, .constant(.string(let text)), let seconds) where symbol == .add || symbol == .subtract:
      return moved(try date(.constant(.string(text)), scope), symbol, seconds)
    case _ where expression.isIndependent && !isDate(expression, scope):
      // A number is one of seconds or of days, from 1970 or from 2001: only its author knows.
      throw Self.noDate("\(expression) is not a date")
    case .constant, .evaluatedObject, .variable, .keyPath, .element, .function, .arithmetic, .negative, .subquery,
      .cast, .ternary, .fetch:
      return expression
    }
  }

  private static func noDate(_ detail: String) -> MigrationError {
    var error = MigrationError(.invalidCondition, detail: detail)
    error.advice =
      "Write a date in quotes, such as '2023-01-31' or '2023-01-31T18:30:00+01:00', or as now() - 86400, in seconds."
    return error
  }

  private func isDate(_ expression: Expression, _ scope: Scope) -> Bool {
    if case .date = kind(of: expression, scope) { true } else { false }
  }

  private func kind(of expression: Expression, _ scope: Scope) -> Kind {
    switch expression {
    case .evaluatedObject: .instances(scope.entityName)
    case .variable(let name): scope.variables[name].map { .instances($0) } ?? .other
    case .keyPath(let operand, let path):
      if case .instances(let name) = kind(of: operand, scope) { kind(of: path[...], in: name) } else { .other }
    case .element(let collection, .first), .element(let collection, .last), .element(let collection, .position),
      .subquery(let collection, _, _):
      kind(of: collection, scope)
    case .function(nil, "min:", let arguments), .function(nil, "max:", let arguments):
      arguments.first.map { kind(of: $0, scope) } ?? .other
    case .cast(_, Self.dateType): .date
    case .ternary(_, let yes, let no): isDate(yes, scope) || isDate(no, scope) ? .date : .other
    case .constant, .element, .function, .aggregate, .arithmetic, .negative, .cast, .fetch: .other
    }
  }

  private func kind(of path: ArraySlice<KeyPathComponent>, in entityName: String) -> Kind {
    guard let component = path.first else { return .instances(entityName) }
    switch component {
    case .collectionOperator(let symbol):
      switch symbol {
      case .minimum, .maximum, .unionOfObjects, .distinctUnionOfObjects:
        return kind(of: path.dropFirst(), in: entityName)
      case .count, .sum, .average, .unionOfArrays, .distinctUnionOfArrays, .unionOfSets, .distinctUnionOfSets:
        return .other
      }
    case .key(let key):
      if let relationship = entities(entityName).lazy.compactMap({ $0.relationship(named: key) }).first {
        return kind(of: path.dropFirst(), in: relationship.destinationEntityName)
      }
      // The elements of a composite attribute have key paths as their names.
      let name = path.map { if case .key(let key) = $0 { key } else { "" } }.joined(separator: ".")
      let attribute = entities(entityName).lazy.compactMap { $0.attribute(named: name) }.first
      return attribute?.type == .date ? .date : .other
    }
  }

  /// The entity, and those below it: an instance may be one of these.
  private func entities(_ name: String) -> [EntityDescription] {
    guard let entity = model.entity(named: name) else { return [] }
    return [entity] + entity.subentityNames.flatMap(entities)
  }
}

extension Expression {
  /// The elements of a list; of anything else, itself.
  fileprivate var elements: [Expression] {
    if case .aggregate(let elements) = self { elements } else { [self] }
  }
}
