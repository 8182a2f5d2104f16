internal import Migration

/// Where the value of one destination property comes from.
open class NSPropertyMapping: NSObject {
  /// The entity mapping, which must know of changes.
  weak var owner: NSEntityMapping?

  /// The name of the destination property.
  open var name: String? {
    didSet { owner?.forgetValue() }
  }
  /// The expression that gives the value; without one an attribute has its default and a relationship is empty.
  open var valueExpression: NSExpression? {
    didSet { owner?.forgetValue() }
  }
  /// Free notes for the policy.
  open var userInfo: [AnyHashable: Any]?

  /// Creates a mapping of no property.
  public override init() {}

  init(_ mapping: PropertyMapping) {
    name = mapping.name.isEmpty ? nil : mapping.name
    valueExpression = mapping.valueExpression.map { NSExpression($0) }
  }

  /// The mapping as the engine takes it.
  var value: PropertyMapping? {
    guard let name else { return nil }
    // The variables of a mapping's expression are the migration's, and it has no other arguments.
    guard case .parsed(let expression, _)? = valueExpression?.content else {
      return PropertyMapping(name: name, valueExpression: nil)
    }
    return PropertyMapping(name: name, valueExpression: expression)
  }
}
