internal import CoreDataExpressions
package import DataModel
package import MappingModels
internal import PersistentStore

/// One hop of a migration, as its mapping models describe it.
package struct MappedHop {
  /// The version before.
  package let source: ManagedObjectModel
  /// The version after.
  package let destination: ManagedObjectModel
  /// The entity mappings of all of its mapping models, in their order.
  let mappings: [EntityMapping]
  /// The changes that code of a stage has made to what the mappings make.
  let changes: StageChanges

  /// Describes a hop by its two versions and the mapping models that carry it out, in their order.
  package init(
    source: ManagedObjectModel, destination: ManagedObjectModel, mappingModels: [MappingModel],
    changes: StageChanges = .none
  ) {
    (self.source, self.destination, self.changes) = (source, destination, changes)
    mappings = mappingModels.flatMap(\.entityMappings)
  }

  /// The first policy that a mapping names.
  var policyName: String? { mappings.lazy.compactMap(\.entityMigrationPolicyClassName).first }
}

extension EntityMapping {
  /// Whether instances of one entity become those of another.
  var movesInstances: Bool {
    mappingType != .add && mappingType != .remove && sourceEntityName != nil && destinationEntityName != nil
  }
}

/// A route of the rows of one entity of the old store to an entity of the new one, through all hops.
package struct RowRoute {
  /// The entity of the old store.
  package let source: String
  /// The entity of the rows after the hops so far.
  package private(set) var destination: String
  /// The origins of the destination's attribute values.
  private(set) var values: [String: ValueOrigin]
  /// The attributes of the old store whose values derived ones of the destination take over, by the names of those.
  private(set) var derivedSources: [String: String]
  /// Which rows are left out; `nil` if the columns do not show that.
  private(set) var filters: [RowFilter]? = []
  /// Whether the rows have to keep their primary keys.
  private(set) var keepsKeys = true
  /// The positions of the mappings that the rows have gone by, the latest first.
  private(set) var mappings: [Int] = []

  /// The rows of an entity before the first hop.
  package init(_ entity: EntityDescription) {
    (source, destination) = (entity.name, entity.name)
    values = Dictionary(
      entity.attributes.filter { !$0.isTransient }.map { ($0.name, .copied($0.name, fallback: nil)) },
      uniquingKeysWith: { first, _ in first })
    derivedSources = Dictionary(
      entity.attributes.filter(\.isDerived).map { ($0.name, $0.name) }, uniquingKeysWith: { first, _ in first })
  }

  /// Forgets the origin of an attribute's values.
  mutating func forget(_ attribute: String, _ reason: String) {
    if values[attribute] != nil { values[attribute] = .unknown(reason) }
  }

  /// Extends the route by a mapping.
  ///
  /// - Parameters:
  ///   - position: The mapping's position in the hop.
  ///   - keepsKeys: Whether the hop is one in which every row keeps its primary key.
  func extended(by mapping: EntityMapping, at position: Int, in hop: MappedHop, keepsKeys: Bool) -> RowRoute? {
    guard let from = hop.source.entity(named: destination),
      let to = mapping.destinationEntityName.flatMap({ hop.destination.entity(named: $0) })
    else { return nil }
    var route = self
    route.destination = to.name
    route.mappings.insert(position, at: 0)
    let hasFilter = mapping.filterPredicate.map { $0 != .everything } ?? false
    // A filter leaves gaps in rows that an earlier hop has numbered again.
    route.keepsKeys = self.keepsKeys && keepsKeys && (!hasFilter || hop.source.entity(named: source) == from)
    if hasFilter, let predicate = mapping.filterPredicate {
      let filter = RowFilter(predicate, values)
      route.filters = filter.flatMap { filter in filters.map { $0 + [filter] } }
    }
    (route.values, route.derivedSources) = ([:], [:])
    for attribute in to.attributes where !attribute.isTransient {
      route.values[attribute.name] = origin(of: attribute, by: mapping, from, to, in: hop)
      guard attribute.isDerived else { continue }
      let expression = mapping.attributeMappings.last { $0.name == attribute.name }?.valueExpression
      route.derivedSources[attribute.name] = expression?.copiedSourceKey.flatMap { key in
        if let name = derivedSources[key] { return name }
        if case .copied(let name, _)? = values[key] { return name }
        return nil
      }
    }
    return route
  }

  private func origin(
    of attribute: AttributeDescription, by mapping: EntityMapping, _ from: EntityDescription, _ to: EntityDescription,
    in hop: MappedHop
  ) -> ValueOrigin {
    // Whatever a mapping gives it.
    let expressions = mapping.attributeMappings.filter { $0.name == attribute.name }.compactMap(\.valueExpression)
    if attribute.isDerived {
      // Where the store does not compute it, it keeps what the app stored itself until the app saves.
      if expressions.count == 1, let key = expressions[0].copiedSourceKey,
        from.attribute(named: key)?.isDerived == false,
        !StoreSchema(hop.destination).computesValues(of: attribute, to)
      {
        return copy(key, to: attribute, from)
      }
      return .unknown(
        expressions.isEmpty ? "they are empty until Core Data derives them" : "Core Data derives it when the app saves")
    }
    guard let expression = expressions.last else { return .constant(attribute.defaultValue) }
    guard expressions.count == 1 else { return .unknown("several mappings are for it") }
    if let key = expression.copiedSourceKey { return copy(key, to: attribute, from) }
    if let value = expression.constant(for: attribute.type) { return .constant(value) }
    // The expression that inference makes for an attribute that becomes required.
    if case .ternary(let test, let other, let copied) = expression, let key = copied.copiedSourceKey,
      test == .compare(copied, .equal, .null), let fallback = other.constant(for: attribute.type)
    {
      return copy(key, to: attribute, from).with(fallback: fallback)
    }
    return .unknown("'\(expression)' computes it")
  }

  /// Returns the origin of a copied value.
  private func copy(_ key: String, to attribute: AttributeDescription, _ from: EntityDescription) -> ValueOrigin {
    guard let original = from.attribute(named: key), let origin = values[key] else {
      return .unknown("'$source.\(key)' is not a stored attribute")
    }
    guard original.type.keepsValues(as: attribute.type) else {
      return .unknown("\(original.type.xmlName) becomes \(attribute.type.xmlName)")
    }
    guard original.allowsExternalBinaryDataStorage == attribute.allowsExternalBinaryDataStorage else {
      return .unknown("its values may lie in files on one side only")
    }
    return origin
  }
}

/// The origin of a value of the new store.
enum ValueOrigin: Equatable {
  /// An attribute of the old store; rows without a value get the fallback, if there is one.
  case copied(String, fallback: AttributeValue?)
  /// The same for all rows.
  case constant(AttributeValue?)
  /// It is unknown, for this reason.
  case unknown(String)

  func with(fallback: AttributeValue?) -> ValueOrigin {
    switch self {
    case .copied(let name, let known): .copied(name, fallback: known ?? fallback)
    case .constant(let value): .constant(value ?? fallback)
    case .unknown: self
    }
  }
}

/// A filter predicate that only asks whether an attribute has a value.
enum RowFilter: Equatable {
  /// The rows with a value in an attribute of the old store, or those without.
  case attribute(String, hasValue: Bool)
  /// All rows, or none.
  case constant(Bool)

  /// Recognises `key != nil` and `key == nil`; `nil` for everything else.
  init?(_ predicate: Predicate, _ values: [String: ValueOrigin]) {
    guard case .comparison(let comparison) = predicate, comparison.right == .null, comparison.modifier == .direct,
      [.equal, .notEqual].contains(comparison.comparisonOperator), let key = comparison.left.plainKey
    else { return nil }
    let wantsValue = comparison.comparisonOperator == .notEqual
    switch values[key] {
    case .copied(let name, fallback: nil): self = .attribute(name, hasValue: wantsValue)
    case .copied: self = .constant(wantsValue)
    case .constant(let value): self = .constant((value != nil) == wantsValue)
    case .unknown, nil: return nil
    }
  }
}

extension Expression {
  /// `key` or `$source.key`.
  fileprivate var plainKey: String? {
    if case .keyPath(.evaluatedObject, let path) = self, path.count == 1, case .key(let key) = path[0] { return key }
    return copiedSourceKey
  }

  /// The value that it gives an attribute of a type in every row; `nil` if that is not one value of this type.
  fileprivate func constant(for type: AttributeType) -> AttributeValue?? {
    guard isIndependent, let value = try? value(in: EvaluationContext()) else { return nil }
    switch (value, type) {
    case (.null, _): return .some(nil)
    case (.boolean(let boolean), .boolean): return .boolean(boolean)
    case (.integer(let integer), .integer16), (.integer(let integer), .integer32), (.integer(let integer), .integer64),
      (.integer(let integer), .double):
      return .integer(integer)
    case (.real(let real), .double): return .double(real)
    case (.string(let text), .string): return .string(text)
    case (.date(let seconds), .date): return .date(seconds)
    default: return nil
    }
  }
}

extension AttributeType {
  /// Whether a column of another type keeps values of this one, apart from whole numbers that become real ones.
  fileprivate func keepsValues(as other: AttributeType) -> Bool {
    switch (self, other) {
    case (.boolean, .integer16), (.boolean, .integer32), (.boolean, .integer64): true
    case (.integer16, .integer32), (.integer16, .integer64), (.integer32, .integer64): true
    case (.integer16, .double), (.integer32, .double), (.integer64, .double), (.float, .double): true
    case (.binaryData, .transformable), (.transformable, .binaryData): true
    default: self == other && self != .undefined && self != .composite
    }
  }
}
