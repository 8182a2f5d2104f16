internal import DataModel
internal import Diagnostics

// What objects ask of their context, which cannot throw.
extension ManagedObjectContext {
  func load(_ object: ManagedObject) {
    attempt { try instances.load(object) }
  }

  func externalValue(named name: String, of object: ManagedObject, _ index: Int) -> AttributeValue? {
    attempt {
      guard let bytes = try readExternalData?(name) else {
        throw MigrationError(
          .missingExternalFile,
          MigrationError.Subject(
            entity: object.entity.name, property: object.layout.attributes[index].description.name,
            row: object.objectID.primaryKey),
          detail: "its data lies in the file '\(name)' beside the store, which is not there")
      }
      return .data(bytes)
    }
  }

  func attributeChanged(_ object: ManagedObject, _ index: Int, from old: AttributeValue?, to new: AttributeValue?) {
    instances.attributeChanged(object, index, from: old, to: new)
  }

  func destinations(of object: ManagedObject, _ relationship: EntityLayout.Relationship) -> [ManagedObject] {
    attempt { try instances.destinations(of: object, relationship).compactMap { self.object(with: $0) } } ?? []
  }

  func setDestinations(
    _ destinations: [ManagedObject], of object: ManagedObject, _ relationship: EntityLayout.Relationship
  ) {
    attempt { try instances.setDestinations(destinations, of: object, relationship) }
  }
}
