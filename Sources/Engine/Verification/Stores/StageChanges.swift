package import DataModel

/// The changes that code of an app's stage has made to the instances that a hop has made.
///
/// They cannot be derived. What they do not touch is compared as ever.
package struct StageChanges: Sendable, Hashable {
  /// A property of an entity.
  package struct Property: Sendable, Hashable {
    /// The name of the entity.
    package let entity: String
    /// The name of the attribute or relationship.
    package let name: String

    /// Names a property.
    package init(entity: String, name: String) { (self.entity, self.name) = (entity, name) }
  }

  /// The entities of which instances were inserted or deleted.
  package var entities: Set<String> = []
  /// The properties that were set in other instances.
  package var properties: Set<Property> = []

  /// No changes.
  package static let none = StageChanges()

  /// The changes of code that has not told them: any.
  package static func any(in model: ManagedObjectModel) -> StageChanges {
    var changes = StageChanges()
    changes.entities = Set(model.entities.map(\.name))
    return changes
  }

  /// The reason why something cannot be derived, as a clause.
  static let reason = "code of the app's migration plan changes them"
}
