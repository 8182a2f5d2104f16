internal import DataModel

extension ManagedObjectModel {
  /// A model that is written in this package: its errors are ours, and every test meets them.
  static func example(_ entities: EntityDescription...) -> ManagedObjectModel {
    do {
      return try ManagedObjectModel(entities: entities)
    } catch {
      preconditionFailure("\(error)")
    }
  }

  /// An entity that an example is known to have.
  func exampleEntity(_ name: String) -> EntityDescription {
    guard let entity = entity(named: name) else { preconditionFailure("the example has no entity '\(name)'") }
    return entity
  }
}
