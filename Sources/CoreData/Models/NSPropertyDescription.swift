internal import DataModel

/// What attributes and relationships of an entity have in common.
open class NSPropertyDescription: NSObject {
  private let property: any PropertyDescription
  /// The entity that was asked for the property.
  public internal(set) weak var entity: NSEntityDescription?

  init(_ property: any PropertyDescription, of entity: NSEntityDescription) {
    self.property = property
    self.entity = entity
  }

  /// The name.
  open var name: String { property.name }
  /// Whether the property may be without a value.
  open var isOptional: Bool { property.isOptional }
  /// Whether the property is never stored.
  open var isTransient: Bool { property.isTransient }
  /// The notes of the model's author.
  open var userInfo: [AnyHashable: Any]? { property.userInfo }
  /// The name in an earlier model, where it was changed; otherwise the name.
  open var renamingIdentifier: String? { property.renamingIdentifier }
  /// Text that changes the version hash where nothing else does.
  open var versionHashModifier: String? { property.versionHashModifier }
}
