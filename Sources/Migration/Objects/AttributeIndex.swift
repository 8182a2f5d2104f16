internal import DataModel
internal import Expressions

/// Finds the instances of an entity by the value of an attribute, for policies that look for each instance whether it is
/// there already.
///
/// It may name instances whose value has changed since; whoever asks looks at the value itself.
final class AttributeIndex {
  let layout: EntityLayout
  /// The place of the attribute in the layout.
  let attribute: Int
  private let name: String
  private var instances: [ExpressionValue: [ManagedObjectID]] = [:]

  init(_ layout: EntityLayout, _ attribute: Int) {
    self.layout = layout
    self.attribute = attribute
    name = layout.attributes[attribute].description.name
  }

  /// Whether the index holds instances of an entity.
  func covers(_ other: EntityLayout) -> Bool { layout.family.contains(other.number) }

  /// Adds an instance under a value; nothing is found by nil.
  func add(_ id: ManagedObjectID, _ value: AttributeValue?) {
    guard let value else { return }
    let key = ExpressionValue(value)
    if instances[key]?.last != id { instances[key, default: []].append(id) }
  }

  /// Adds an instance under its present value.
  func add(_ object: ManagedObject) {
    guard let index = object.layout.attributeIndex(name) else { return }
    add(object.objectID, object.value(at: index))
  }

  /// Adds an instance, if the attribute that was changed is the one of this index.
  func add(_ object: ManagedObject, changedAttribute index: Int) {
    guard object.layout.attributes[index].description.name == name else { return }
    add(object.objectID, object.value(at: index))
  }

  /// The instances that have or had a value, in the order of their keys.
  func instances(with value: ExpressionValue) -> [ManagedObjectID] {
    guard let found = instances[value] else { return [] }
    return found.count == 1 ? found : Set(found).sorted()
  }
}

extension Predicate {
  /// The place of an attribute that must equal a value, for the whole predicate to be true.
  func equalAttribute(
    of layout: EntityLayout, _ variables: [String: ExpressionValue]
  ) -> (attribute: Int, value: ExpressionValue)? {
    switch self {
    case .and(let parts): return parts.lazy.compactMap { $0.equalAttribute(of: layout, variables) }.first
    case .comparison(let comparison):
      guard comparison.comparisonOperator == .equal, comparison.modifier == .direct, comparison.options.isEmpty else {
        return nil
      }
      return Self.equality(comparison.left, comparison.right, layout, variables)
        ?? Self.equality(comparison.right, comparison.left, layout, variables)
    default: return nil
    }
  }

  /// Only what has a column of its own can be found in rows; data may lie elsewhere.
  private static func equality(
    _ left: Expression, _ right: Expression, _ layout: EntityLayout, _ variables: [String: ExpressionValue]
  ) -> (attribute: Int, value: ExpressionValue)? {
    guard case .keyPath(.evaluatedObject, let path) = left, path.count == 1, case .key(let name) = path[0],
      let index = layout.attributeIndex(name), layout.attributes[index].column != nil,
      !layout.attributes[index].isExternal, let value = value(of: right, variables), !value.isNull
    else { return nil }
    return (index, value)
  }

  private static func value(of expression: Expression, _ variables: [String: ExpressionValue]) -> ExpressionValue? {
    if case .variable(let name) = expression { return variables[name] }
    if case .constant(.string(let text)) = expression { return .string(text) }
    return expression.isIndependent ? try? expression.value(in: EvaluationContext()) : nil
  }
}
