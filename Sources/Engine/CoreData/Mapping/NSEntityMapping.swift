internal import CoreDataExpressions
internal import DataModel
public import Migration

/// The kinds of entity mapping.
public enum NSEntityMappingType: UInt, Sendable {
  /// Not specified.
  case undefinedEntityMappingType = 0
  /// A policy decides.
  case customEntityMappingType = 1
  /// The entity is new: nothing to migrate.
  case addEntityMappingType = 2
  /// The entity was removed: its instances are dropped.
  case removeEntityMappingType = 3
  /// The instances are copied unchanged.
  case copyEntityMappingType = 4
  /// The instances are copied with property mappings.
  case transformEntityMappingType = 5
}

/// A mapping of the instances of one entity to instances of another.
open class NSEntityMapping: NSObject {
  @exclusivity(unchecked) private var content: EntityMapping
  @exclusivity(unchecked) private var isCurrent = true

  /// Creates a mapping without entities.
  public override init() {
    content = EntityMapping(name: "", mappingType: .undefined, source: nil, destination: nil)
  }

  /// Wraps a mapping of the engine.
  public init(_ mapping: EntityMapping) {
    content = mapping
  }

  func forgetValue() { isCurrent = false }

  /// Whether there is anything that says where relationships lead.
  final var hasRelationshipMappings: Bool {
    isCurrent ? !content.relationshipMappings.isEmpty : !value.relationshipMappings.isEmpty
  }

  /// The name in the engine's form, without a copy of the rest.
  final var engineName: String { content.name }

  /// The mapping in the engine's form.
  var value: EntityMapping {
    if !isCurrent {
      content.attributeMappings = attributes.compactMap(\.value)
      content.relationshipMappings = relationships.compactMap(\.value)
      isCurrent = true
    }
    return content
  }

  private lazy var attributes = adopted(content.attributeMappings.map { NSPropertyMapping($0) })
  private lazy var relationships = adopted(content.relationshipMappings.map { NSPropertyMapping($0) })

  private func adopted(_ mappings: [NSPropertyMapping]) -> [NSPropertyMapping] {
    for mapping in mappings { mapping.owner = self }
    return mappings
  }

  /// The name, by which expressions and policies refer to this mapping.
  // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
  open var name: String! {
    get { content.name }
    set { content.name = newValue ?? "" }
  }
  /// The kind of the mapping.
  open var mappingType: NSEntityMappingType {
    get { NSEntityMappingType(rawValue: UInt(content.mappingType.rawValue)) ?? .undefinedEntityMappingType }
    set { content.mappingType = EntityMapping.MappingType(rawValue: Int(newValue.rawValue)) ?? .undefined }
  }
  /// The source entity; nil if the destination entity is new.
  open var sourceEntityName: String? {
    get { content.sourceEntityName }
    set { content.sourceEntityName = newValue }
  }
  /// The version hash of the source entity that this mapping was made for.
  open var sourceEntityVersionHash: Data? {
    get { content.sourceEntityVersionHash.map { Data($0.bytes) } }
    set { content.sourceEntityVersionHash = newValue.map { VersionHash(bytes: [UInt8]($0)) } }
  }
  /// The destination entity; nil if the source entity is dropped.
  open var destinationEntityName: String? {
    get { content.destinationEntityName }
    set { content.destinationEntityName = newValue }
  }
  /// The version hash of the destination entity that this mapping was made for.
  open var destinationEntityVersionHash: Data? {
    get { content.destinationEntityVersionHash.map { Data($0.bytes) } }
    set { content.destinationEntityVersionHash = newValue.map { VersionHash(bytes: [UInt8]($0)) } }
  }
  /// The mappings of attributes; nil if not specified.
  open var attributeMappings: [NSPropertyMapping]? {
    get { attributes.isEmpty ? nil : attributes }
    set {
      attributes = adopted(newValue ?? [])
      forgetValue()
    }
  }
  /// The mappings of relationships; nil if not specified.
  open var relationshipMappings: [NSPropertyMapping]? {
    get { relationships.isEmpty ? nil : relationships }
    set {
      relationships = adopted(newValue ?? [])
      forgetValue()
    }
  }
  /// The class of the policy, or `nil` for the default one.
  open var entityMigrationPolicyClassName: String? {
    get { content.entityMigrationPolicyClassName }
    set { content.entityMigrationPolicyClassName = newValue }
  }
  /// Selects the source instances to migrate, as the fetch stored in a mapping file.
  ///
  /// It can be set to such a fetch, of this mapping's source entity; nil selects all instances. Any other expression makes
  /// the migration fail.
  open var sourceExpression: NSExpression? {
    get {
      unknownSourceExpression
        ?? content.sourceEntityName.map { .init(.sourceInstances(of: $0, where: content.filterPredicate)) }
    }
    set {
      unknownSourceExpression = nil
      content.filterPredicate = nil
      guard let newValue else { return }
      guard case .parsed(let expression, _) = newValue.content, let fetch = expression.sourceFetch,
        fetch.entity == content.sourceEntityName || content.sourceEntityName == nil
      else { return unknownSourceExpression = newValue }
      content.filterPredicate = fetch.predicate == .everything ? nil : fetch.predicate
    }
  }
  private(set) var unknownSourceExpression: NSExpression?
  /// Arbitrary information for the policy.
  open lazy var userInfo: [AnyHashable: Any]? = content.userInfo.isEmpty ? nil : content.userInfo {
    didSet {
      // Expressions see the entries that are text.
      content.userInfo = (userInfo as? [String: Any])?.compactMapValues { $0 as? String } ?? [:]
    }
  }
}

extension CoreDataExpressions.Expression {
  fileprivate static func sourceInstances(of entity: String, where predicate: CoreDataExpressions.Predicate?) -> Self {
    let manager = Self.variable("manager")
    return .fetch(
      request: .function(
        target: manager, selector: "fetchRequestForSourceEntityNamed:predicateString:",
        arguments: [
          .constant(.string(entity)), .constant(.string((predicate ?? .everything).description)),
        ]),
      context: .key("sourceContext", of: manager), countOnly: false)
  }

  /// The entity and predicate of such a fetch.
  fileprivate var sourceFetch: (entity: String, predicate: CoreDataExpressions.Predicate)? {
    guard case .fetch(request: .function(_, let selector, let arguments), _, countOnly: false) = self,
      selector == "fetchRequestForSourceEntityNamed:predicateString:", arguments.count == 2,
      case .constant(.string(let entity)) = arguments[0], case .constant(.string(let format)) = arguments[1],
      let predicate = try? CoreDataExpressions.Predicate(format: format)
    else { return nil }
    return (entity, predicate)
  }
}

/// A mapping of the value of one destination property.
open class NSPropertyMapping: NSObject {
  /// The entity mapping, which is notified of changes.
  weak var owner: NSEntityMapping?

  /// The name of the destination property.
  open var name: String? {
    didSet { owner?.forgetValue() }
  }
  /// The expression that computes the value.
  ///
  /// Without one, an attribute has its default and a relationship is empty.
  open var valueExpression: NSExpression? {
    didSet { owner?.forgetValue() }
  }
  /// Arbitrary information for the policy.
  open var userInfo: [AnyHashable: Any]?

  /// Creates a mapping without a property.
  public override init() {}

  init(_ mapping: PropertyMapping) {
    name = mapping.name.isEmpty ? nil : mapping.name
    valueExpression = mapping.valueExpression.map { NSExpression($0) }
  }

  /// The mapping in the engine's form.
  var value: PropertyMapping? {
    guard let name else { return nil }
    // The variables of a mapping's expression belong to the migration, and it has no other arguments.
    guard case .parsed(let expression, _)? = valueExpression?.content else {
      return PropertyMapping(name: name, valueExpression: nil)
    }
    return PropertyMapping(name: name, valueExpression: expression)
  }
}
