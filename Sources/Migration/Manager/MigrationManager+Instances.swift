internal import DataModel
internal import Diagnostics
internal import PersistentStore
internal import SQLite

extension MigrationManager {
  /// Reads the instances of a source entity one by one and hands each to the policy.
  func runPerInstance(_ policy: EntityMigrationPolicy, _ mapping: EntityMapping, sourceEntity: String) throws {
    guard let layout = sourceContext.layouts[sourceEntity] else {
      throw MigrationError(.invalidMappingModel, detail: "the source model has no entity '\(sourceEntity)'")
    }
    let total = try sourceObjects.count(layout, mapping.filterPredicate)
    var completed = 0
    let connection = total < RowsAhead.leastRowCount ? nil : sourceConnections.first
    try sourceObjects.forEach(layout, mapping.filterPredicate, ahead: connection, in: sourceContext) { instance in
      do {
        try policy.createDestinationInstances(forSource: instance, in: mapping, manager: self)
        try checkCancellation()
      } catch {
        throw Self.placed(error, instance, mapping)
      }
      try destinationObjects.flushIfNeeded()
      completed += 1
      report(completed, of: total, entity: sourceEntity)
    }
    statistics.sourceInstanceCounts[sourceEntity, default: 0] += completed
    passages[mapping.name, default: .init()].handedOver += completed
  }

  /// An error of a policy with the instance that it was at work on.
  static func placed(_ error: any Error, _ instance: ManagedObject, _ mapping: EntityMapping) -> any Error {
    if error is SQLiteError { return error }
    if var error = error as? MigrationError {
      // What a person can look up and correct is the source's row; the new one is thrown away.
      guard [.policyFailed, .invalidMappingModel].contains(error.code), instance.objectID.store == .source,
        error.subject.row != nil
      else { return error }
      error.subject.entity = instance.entity.name
      error.subject.row = instance.objectID.primaryKey
      return error
    }
    return MigrationError(
      .policyFailed,
      MigrationError.Subject(
        entity: instance.entity.name, row: instance.objectID.primaryKey, name: mapping.name),
      detail: "\(error)")
  }

  /// Writes what policies inserted into the destination context, and counts it.
  func saveInsertedInstances() throws {
    try destinationObjects.save()
    for (number, keys) in destinationObjects.inserted.sorted(by: { $0.key < $1.key }) {
      guard let name = destinationContext.layouts[number]?.entity.name else { continue }
      statistics.addInstances(keys.count, ofEntityNamed: name)
      keys.forEach { key in
        let id = ManagedObjectID(store: .destination, entityNumber: number, primaryKey: key)
        guard !associations.contains(id), !destinationObjects.isDeleted(id) else { return }
        statistics.count(Self.unassociatedCounter)
        statistics.addExample("\(name) \(key)", to: Self.unassociatedCounter)
      }
    }
    for id in destinationObjects.deleted {
      guard let name = destinationContext.layouts[id.entityNumber]?.entity.name else { continue }
      statistics.addInstances(-1, ofEntityNamed: name)
    }
    sourceObjects.close()
  }
}
