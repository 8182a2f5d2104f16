internal import DataModel
internal import Diagnostics
internal import PersistentStore

extension MigrationManager {
  /// What the counters of broken rules begin with; the kind of the failure follows.
  public static let validationCounter = "validation."

  /// Checks what has been written against the rules of the destination model, before the store is completed.
  func validateDestination() throws {
    guard options.validation != .none else { return }
    log("checking the result")
    let failures = try StoreValidator(destinationStore.writer).failures()
    try checkCancellation()
    let ending = failures.filter(endsMigration)
    if let error = MigrationError(ending, path: source.file.path) { throw error }
    for failure in failures {
      let counter = Self.validationCounter + failure.kind.rawValue
      statistics.count(counter, by: failure.count)
      statistics.addExample("\(failure.entity).\(failure.property): \(failure)", to: counter)
    }
  }

  private func endsMigration(_ failure: ValidationFailure) -> Bool {
    switch failure.kind {
    // Those are in the source already, and come over as they are.
    case .unfitStorageClass, .wrongEntity: return false
    // The index could not be built.
    case .notUnique: return true
    default: break
    }
    return options.validation == .all || isNewRule(failure)
  }

  /// Whether the source's entity had no such rule: only then is it the migration that breaks it.
  private func isNewRule(_ failure: ValidationFailure) -> Bool {
    let mapping = mappingModels.lazy.flatMap(\.entityMappings).first { $0.destinationEntityName == failure.entity }
    guard let mapping, let source = mapping.sourceEntityName.flatMap({ sourceModel.entity(named: $0) }),
      let destination = destinationModel.entity(named: failure.entity)
    else { return true }
    if let new = destination.attribute(named: failure.property) {
      let key = mapping.attributeMappings.first { $0.name == new.name }?.valueExpression?.copiedSourceKey ?? new.name
      guard let old = source.attribute(named: key) else { return true }
      return old.isOptional && !new.isOptional || old.validation != new.validation && failure.kind != .missingValue
    }
    guard let new = destination.relationship(named: failure.property),
      let old = source.relationship(named: failure.property)
        ?? source.relationships.first(where: { $0.name == new.renamingIdentifier })
    else { return true }
    return old.isOptional != new.isOptional || old.minCount != new.minCount || old.maxCount != new.maxCount
  }
}
