/// The effect of an instance's deletion on the destinations of a relationship.
///
/// The raw values are those of `NSDeleteRule`.
public enum DeleteRule: Int, Sendable, Hashable, CaseIterable {
  case noAction = 0
  case nullify = 1
  case cascade = 2
  case deny = 3
}

/// One relationship of an entity.
///
/// The destination is given by name, so models are plain values without reference cycles.
public struct RelationshipDescription: PropertyDescription, Hashable {
  /// The name of the property.
  public var name: String
  /// The name of the destination entity, as declared.
  public var destinationEntityName: String
  /// The name of the inverse relationship, if there is one.
  public var inverseName: String?
  /// The minimum number of destinations; 0 means no minimum.
  public var minCount: Int32
  /// The maximum number of destinations: 1 makes the relationship to-one, 0 means no limit.
  public var maxCount: Int32
  /// Whether the destinations have an order.
  public var isOrdered: Bool
  /// The effect of an instance's deletion on the destinations.
  public var deleteRule: DeleteRule
  /// Whether the property may have no value.
  public var isOptional: Bool
  /// Whether the property is never stored.
  public var isTransient: Bool
  /// The name in an earlier model if it was changed; otherwise the name.
  public var renamingIdentifier: String
  /// Text that changes the version hash even if nothing else changes.
  public var versionHashModifier: String?
  /// The information that the model's author added.
  ///
  /// It does not affect the version hash.
  public var userInfo: [String: String]
  /// The entity that Xcode names as the owner of the inverse, if it is not the destination.
  package var inverseEntityName: String?
  /// Other attributes that Xcode wrote, such as whether to synchronise.
  ///
  /// It affects neither store nor version hash.
  package var editorAttributes: [String: String] = [:]

  /// Whether an instance may have several destinations.
  public var isToMany: Bool { maxCount != 1 }

  /// Creates a relationship; by default, it is to-many without a limit.
  package init(
    _ name: String,
    to destinationEntityName: String,
    inverse inverseName: String? = nil,
    minCount: Int32 = 0,
    maxCount: Int32 = 0,
    isOrdered: Bool = false,
    deleteRule: DeleteRule = .nullify,
    isOptional: Bool = true,
    isTransient: Bool = false,
    renamingIdentifier: String? = nil,
    versionHashModifier: String? = nil,
    userInfo: [String: String] = [:]
  ) {
    self.name = name
    self.destinationEntityName = destinationEntityName
    self.inverseName = inverseName
    self.minCount = minCount
    self.maxCount = maxCount
    self.isOrdered = isOrdered
    self.deleteRule = deleteRule
    self.isOptional = isOptional
    self.isTransient = isTransient
    self.renamingIdentifier = renamingIdentifier ?? name
    self.versionHashModifier = versionHashModifier
    self.userInfo = userInfo
  }
}

/// The part that attributes and relationships share.
public protocol PropertyDescription: Sendable {
  /// The property's name.
  var name: String { get set }
  /// Whether the property may have no value.
  var isOptional: Bool { get set }
  /// Whether the property is never stored.
  ///
  /// Transient properties have no column and do not affect the version hash.
  var isTransient: Bool { get }
  /// The name that this property had in an earlier model if it was renamed; otherwise its name.
  var renamingIdentifier: String { get set }
  /// Text that changes the version hash even if nothing else changes.
  var versionHashModifier: String? { get set }
  /// The information that the model's author added.
  ///
  /// It does not affect the version hash.
  var userInfo: [String: String] { get set }
}
