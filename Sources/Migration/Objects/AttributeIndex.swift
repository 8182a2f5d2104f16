internal import DataModel
internal import Expressions

/// Finds the instances of an entity by the value of an attribute, for policies that look for each instance whether it is
/// there already.
///
/// It may name instances whose value has changed since; whoever asks looks at the value itself.
final class AttributeIndex {
  let layout: EntityLayout
  let attribute: String
  private var instances: [ExpressionValue: [ManagedObjectID]] = [:]

  init(_ layout: EntityLayout, _ attribute: String) {
    self.layout = layout
    self.attribute = attribute
  }

  /// Whether the index holds instances of an entity.
  func covers(_ other: EntityLayout) -> Bool { layout.family.contains(other.number) }

  /// Adds an instance under its present value.
  func add(_ object: ManagedObject) {
    guard let index = object.layout.attributeIndex(attribute) else { return }
    add(object, changedAttribute: index)
  }

  /// Adds an instance, if the attribute that was changed is the one of this index.
  func add(_ object: ManagedObject, changedAttribute index: Int) {
    guard object.layout.attributes[index].description.name == attribute, let value = object.value(forKey: attribute)
    else { return }
    let id = object.objectID
    if instances[ExpressionValue(value)]?.last != id { instances[ExpressionValue(value), default: []].append(id) }
  }

  /// The instances that have or had a value, in the order of their keys.
  func instances(with value: ExpressionValue) -> [ManagedObjectID] {
    guard let found = instances[value] else { return [] }
    return found.count == 1 ? found : Set(found).sorted()
  }
}

extension Predicate {
  /// An attribute that must equal a value, for the whole predicate to be true.
  func equalAttribute(of layout: EntityLayout) -> (name: String, value: ExpressionValue)? {
    switch self {
    case .and(let parts): return parts.lazy.compactMap { $0.equalAttribute(of: layout) }.first
    case .comparison(let comparison):
      guard comparison.comparisonOperator == .equal, comparison.modifier == .direct, comparison.options.isEmpty else {
        return nil
      }
      return Self.equality(comparison.left, comparison.right, layout)
        ?? Self.equality(comparison.right, comparison.left, layout)
    default: return nil
    }
  }

  private static func equality(
    _ left: Expression, _ right: Expression, _ layout: EntityLayout
  ) -> (name: String, value: ExpressionValue)? {
    guard case .keyPath(.evaluatedObject, let path) = left, path.count == 1, case .key(let name) = path[0],
      layout.attributeIndex(name) != nil, right.isIndependent,
      let value = try? right.value(in: EvaluationContext()), !value.isNull
    else { return nil }
    return (name, value)
  }
}
