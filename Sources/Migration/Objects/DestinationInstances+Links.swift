internal import Diagnostics

extension DestinationInstances {
  func destinations(
    of object: ManagedObject, _ relationship: EntityLayout.Relationship
  ) -> [ManagedObjectID] {
    existing(relationship.end.map { links.destinations($0, of: object.objectID.primaryKey) } ?? [])
  }

  /// Leaves out what was deleted: something without an inverse may still lead there.
  func existing(_ destinations: [ManagedObjectID]) -> [ManagedObjectID] {
    deleted.isEmpty ? destinations : destinations.filter { !deleted.contains($0) }
  }

  func setDestinations(
    _ destinations: [ManagedObject], of object: ManagedObject, _ relationship: EntityLayout.Relationship
  ) throws {
    try setDestinations(destinations.map(\.objectID), of: object.objectID, object.layout, relationship)
  }

  /// Sets what a relationship leads to; what was deleted, on either side, has no part in it.
  func setDestinations(
    _ destinations: [ManagedObjectID], of owner: ManagedObjectID, _ layout: EntityLayout,
    _ relationship: EntityLayout.Relationship
  ) throws(MigrationError) {
    guard let end = relationship.end, !isDeleted(owner) else { return }
    let description = relationship.description
    func refusal(_ detail: String) -> MigrationError {
      MigrationError(
        .policyFailed,
        MigrationError.Subject(entity: layout.entity.name, property: description.name, row: owner.primaryKey),
        detail: detail)
    }
    let family = layouts[description.destinationEntityName]?.family ?? []
    for destination in destinations {
      guard destination.store == .destination else {
        throw refusal("it is given an instance of the source, not of the destination")
      }
      guard family.contains(destination.entityNumber) else {
        let name = layouts[destination.entityNumber]?.entity.name ?? ""
        throw refusal("instances of \(description.destinationEntityName) are wanted, not of \(name)")
      }
    }
    let distinct = existing(destinations.count < 2 ? destinations : destinations.distinct)
    guard description.isToMany || distinct.count <= 1 else {
      throw refusal("it is to-one, and is given \(distinct.count) instances")
    }
    links.set(end, of: owner, to: distinct)
  }
}

extension [ManagedObjectID] {
  /// Each once, where it comes first.
  fileprivate var distinct: [ManagedObjectID] {
    // A set costs more than a look at a few.
    if count <= 8, indices.dropFirst().allSatisfy({ !self[..<$0].contains(self[$0]) }) { return self }
    var seen: Set<ManagedObjectID> = []
    return filter { seen.insert($0).inserted }
  }
}
