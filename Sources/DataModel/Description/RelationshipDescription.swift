/// What happens to the other end of a relationship when an instance is deleted.
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
/// It names its destination, so that models are plain values without reference cycles.
public struct RelationshipDescription: PropertyDescription, Hashable {
  /// The name of the property.
  public var name: String
  /// The name of the entity at the other end, as declared.
  public var destinationEntityName: String
  /// The name of the relationship that leads back, if there is one.
  public var inverseName: String?
  /// The least number of destinations; 0 means no minimum.
  public var minCount: Int32
  /// The greatest number of destinations: 1 makes the relationship to-one, 0 means no limit.
  public var maxCount: Int32
  /// Whether the destinations have an order.
  public var isOrdered: Bool
  /// What happens to the destinations when an instance is deleted.
  public var deleteRule: DeleteRule
  /// Whether the property may be without a value.
  public var isOptional: Bool
  /// Whether the property is never stored.
  public var isTransient: Bool
  /// The name in an earlier model, where it was changed; otherwise the name.
  public var renamingIdentifier: String
  /// Text that changes the version hash where nothing else does.
  public var versionHashModifier: String?
  /// The notes of the model's author.
  ///
  /// They do not enter the version hash.
  public var userInfo: [String: String]
  /// The entity that Xcode names as the one with the inverse, where that is another than the destination.
  public var inverseEntityName: String?
  /// What Xcode wrote besides, such as whether to synchronise.
  ///
  /// It affects neither store nor version hash.
  public var editorAttributes: [String: String] = [:]

  /// Whether an instance may have several destinations.
  public var isToMany: Bool { maxCount != 1 }

  /// Creates a relationship; without a `maxCount` it is to-many and without limit.
  public init(
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

/// What attributes and relationships have in common.
public protocol PropertyDescription: Sendable {
  /// The property's name.
  var name: String { get }
  /// Whether the property may be without a value.
  var isOptional: Bool { get }
  /// Whether the property is never stored.
  ///
  /// Transient properties have no column and do not enter the version hash.
  var isTransient: Bool { get }
  /// The name that this property had in an earlier model, where it was renamed; otherwise its name.
  var renamingIdentifier: String { get }
  /// Text that changes the version hash where nothing else does.
  var versionHashModifier: String? { get }
  /// Free notes that the model's author attached.
  ///
  /// They do not enter the version hash.
  var userInfo: [String: String] { get }
}
