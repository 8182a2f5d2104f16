internal import DataModel
internal import Expressions

// Policies that make each instance once look for it by its name first, for every name that they meet. So a look-up must
// not cost more than the hash of the name: what it gives needs no second look, and so no row to be read, as long as no
// instance has left the value.

/// Finds the instances of an entity by the value of an attribute.
final class AttributeIndex {
  /// What is known of a value.
  struct Entry {
    /// The instances that have the value, in the order in which they got it; some may have another one meanwhile.
    fileprivate(set) var instances: [ManagedObjectID] = []
    /// Whether all of them still have it; one that was deleted counts.
    fileprivate(set) var isExact = true

    /// The instances in the order of their keys, each once.
    var sortedInstances: [ManagedObjectID] {
      if instances.count < 2 || zip(instances, instances.dropFirst()).allSatisfy(<) { return instances }
      return Set(instances).sorted()
    }
  }

  let layout: EntityLayout
  /// The place of the attribute in the layout.
  let attribute: Int
  private let name: String
  private var entries: [ExpressionValue: Entry] = [:]

  init(_ layout: EntityLayout, _ attribute: Int) {
    self.layout = layout
    self.attribute = attribute
    name = layout.attributes[attribute].description.name
  }

  /// Whether the index holds instances of an entity.
  func covers(_ other: EntityLayout) -> Bool {
    other === layout || layout.family.count > 1 && layout.family.contains(other.number)
  }

  /// Adds an instance under a value; nothing is found by nil.
  func add(_ id: ManagedObjectID, _ value: AttributeValue?) {
    guard let value else { return }
    entries[ExpressionValue(value), default: Entry()].instances.append(id)
  }

  /// Adds an instance under its present value.
  func add(_ object: ManagedObject) {
    guard let index = object.layout.attributeIndex(name) else { return }
    add(object.objectID, object.value(at: index))
  }

  /// Takes notice of another value of an instance, if the attribute is the one of this index.
  func change(_ object: ManagedObject, _ index: Int, from old: AttributeValue?, to new: AttributeValue?) {
    guard object.layout === layout ? index == attribute : object.layout.attributeIndex(name) == index,
      ExpressionValue(old) != ExpressionValue(new)
    else { return }
    if let old { remove(object.objectID, ExpressionValue(old)) }
    add(object.objectID, new)
  }

  /// Only where it is quick, which it is for an instance that has just got its first values.
  private func remove(_ id: ManagedObjectID, _ value: ExpressionValue) {
    guard var entry = entries.removeValue(forKey: value) else { return }
    if entry.instances.last == id { entry.instances.removeLast() } else { entry.isExact = false }
    if !entry.instances.isEmpty { entries[value] = entry }
  }

  /// What is known of a value.
  func entry(for value: ExpressionValue) -> Entry { entries[value] ?? Entry() }
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
