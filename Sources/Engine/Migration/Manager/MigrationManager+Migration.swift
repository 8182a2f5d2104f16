internal import DataModel
package import MigrationDiagnostics
internal import PersistentStore
internal import SQLiteDatabase

extension MigrationManager {
  /// The counter of instances that a policy created and never associated with a source instance.
  package static let unassociatedCounter = "unassociated_instances"

  /// Runs the three passes and completes the destination store.
  ///
  /// - Returns: What was counted.
  /// - Throws: `MigrationError`. The source is as it was, and the destination is to be thrown away.
  package func migrate() throws(MigrationError) -> MigrationStatistics {
    defer { close() }
    do {
      try runPasses()
      try copyTables()
      try saveInsertedInstances()
      countRepairedTexts()
      statistics.linkCounts.merge(try destinationStore.writeLinks(), uniquingKeysWith: +)
      try checkCancellation()
      migrationProgress = 1
      // What is carried over as it is was checked before.
      if carriedRows == nil { try validateDestination() }
      try requireConservation()
      var metadata = source.metadata.migrated(to: destinationModel)
      metadata.uuid = options.uuid?() ?? metadata.uuid
      try destinationStore.writer.finish(
        metadata: metadata, greatestKeys: allGreatestKeys(),
        modelCache: modelCache(), historyKeys: historyKeys)
      return statistics
    } catch let error as MigrationError {
      throw error
    } catch let error as SQLiteError {
      let isSource = FileSystem.areSame(error.path, source.file.resolvedPath)
      throw MigrationError(error, path: isSource ? source.file.path : error.path)
    } catch {
      throw MigrationError(
        .policyFailed, MigrationError.Subject(path: source.file.path, name: currentEntityMapping?.name),
        detail: "\(error)")
    }
  }

  /// Policies end with the passes: the statements that they hold must be gone when the store is closed.
  private func runPasses() throws {
    if let carriedRows, strategy?.choice != .growingCopy { return try count(carriedRows) }
    let runs = try mappingModels.map { model in
      PolicyRun(mappingModel: model, policies: try model.entityMappings.map { ($0, try makePolicy(for: $0)) })
    }
    try openConnections(for: runs)
    try destinationStore.writer.attach(source, sourceConnections)
    destinationStore.writer.onProgress { [cancellation = options.cancellation] in cancellation.isCancelled }
    if let carriedRows { return try runGrowth(carriedRows, runs) }
    if let plan = try bulkPlan(runs) { return try runBulk(plan, runs) }
    if threadCount > 1 { destinationStore.rows.start() }
    for run in runs {
      mappingModel = run.mappingModel
      // An earlier mapping model may have mappings of the same names.
      let known = run.policies.map { associations.count(mapping: $0.0.name) }
      try createInstances(run.policies)
      try createRelationships(run.policies, after: known)
      try validate(run.policies)
    }
    try destinationStore.keepRowsInStep()
    (currentEntityMapping, currentPolicy) = (nil, nil)
    try options.finishing?(destinationContext)
    try checkCancellation()
  }

  /// The entity mappings of a mapping model, each with its policy.
  struct PolicyRun {
    let mappingModel: MappingModel
    let policies: [(EntityMapping, EntityMigrationPolicy)]
  }

  /// Lets go of all that instances, policies and statements hold, whether the migration went well or not.
  private func close() {
    (currentPolicy, plan, expressionContext) = (nil, nil, nil)
    sourceConnections = []
    destinationObjects.close()
    sourceObjects.close()
  }

  /// Opens a connection for each thread, where rows are prepared by several, or one where a policy takes them one by
  /// one and they can be read ahead.
  private func openConnections(for runs: [PolicyRun]) throws {
    let policies = runs.flatMap(\.policies).map(\.1)
    let isInBatches = policies.contains { $0 is any BatchMigrationPolicy }
    guard isInBatches || policies.contains(where: { type(of: $0) != EntityMigrationPolicy.self }) else { return }
    guard threadCount > 1 else { return }
    for _ in 0..<(isInBatches ? threadCount : 1) { sourceConnections.append(try source.openConnection()) }
  }

  private func makePolicy(for mapping: EntityMapping) throws -> EntityMigrationPolicy {
    guard let className = mapping.entityMigrationPolicyClassName else { return EntityMigrationPolicy() }
    guard let policy = options.policies.makePolicy(named: className) else {
      throw MigrationError(
        .missingPolicy, MigrationError.Subject(path: source.file.path, name: className),
        detail: "mapping '\(mapping.name)'")
    }
    return policy
  }

  /// Pass 1.
  private func createInstances(_ policies: [(EntityMapping, EntityMigrationPolicy)]) throws {
    for (mapping, policy) in policies {
      (currentEntityMapping, currentPolicy) = (mapping, policy)
      try policy.begin(mapping, with: self)
      try checkCancellation()
      if mapping.mappingType != .add, mapping.mappingType != .remove, let name = mapping.sourceEntityName {
        try runPerInstance(policy, mapping, sourceEntity: name)
      }
      try policy.endInstanceCreation(forMapping: mapping, manager: self)
      try checkCancellation()
      let count = associations.count(mapping: mapping.name)
      log("\(mapping.name): \(count.counting("instance")) \(count == 1 ? "was" : "were") made")
    }
  }

  /// Pass 2.
  private func createRelationships(
    _ policies: [(EntityMapping, EntityMigrationPolicy)], after known: [Int]
  ) throws {
    for ((mapping, policy), known) in zip(policies, known) {
      (currentEntityMapping, currentPolicy) = (mapping, policy)
      let places = known..<associations.count(mapping: mapping.name)
      try associations.forEachDestination(mapping: mapping.name, in: places) { id in
        guard let instance = destinationContext.object(with: id) else { return }
        do {
          try policy.createRelationships(forDestination: instance, in: mapping, manager: self)
          try checkCancellation()
        } catch {
          throw Self.placed(error, instance, mapping)
        }
        try destinationObjects.flushIfNeeded()
      }
      try policy.endRelationshipCreation(forMapping: mapping, manager: self)
      try checkCancellation()
      log("\(mapping.name): relationships were made")
    }
  }

  /// Pass 3.
  func validate(_ policies: [(EntityMapping, EntityMigrationPolicy)]) throws {
    for (mapping, policy) in policies {
      (currentEntityMapping, currentPolicy) = (mapping, policy)
      try policy.performCustomValidation(forMapping: mapping, manager: self)
      try checkCancellation()
      try policy.end(mapping, manager: self)
      try checkCancellation()
    }
  }

  /// Keys of rows that were deleted are not used again, where an entity lives on under its name or its rows moved.
  func allGreatestKeys() -> [String: Int64] {
    let named = source.primaryKeys.filter { $0.superentityNumber == 0 }.map { ($0.entityName, $0.greatestKey) }
    return greatestKeys.merging(named, uniquingKeysWith: { max($0, $1) })
  }

  /// Returns the new store's copy of its model, if the old store had one.
  ///
  /// Core Data can do without; so a model with a part that cannot be archived for certain has none, rather than a wrong
  /// one.
  private func modelCache() -> [UInt8]? {
    guard source.metadata.hasModelCache else { return nil }
    return try? destinationModel.modelCache()
  }

  // MARK: - Validation

  /// The prefix of the counters of broken rules, before the kind of the failure.
  package static let validationCounter = "validation."

  /// Checks what has been written against the rules of the destination model, before the store is completed.
  private func validateDestination() throws {
    guard options.validation != .none else { return }
    log("checking the result")
    let validator = StoreValidator(destinationStore.writer)
    let failures = try validator.failures() + validator.emptyComposites().filter(isNewRule)
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
    case .missingValue, .missingDestination, .danglingKey, .tooFewDestinations, .tooManyDestinations, .numberTooSmall,
      .numberTooLarge, .dateTooSoon, .dateTooLate, .stringTooShort, .stringTooLong:
      return options.validation == .all || isNewRule(failure)
    }
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
    if let new = destination.requiredComposites.first(where: { $0.composite.name == failure.property }) {
      let keys = mapping.attributeMappings.filter { item in new.elements.contains { $0.name == item.name } }
        .compactMap { $0.valueExpression?.copiedSourceKey.flatMap { source.attribute(named: $0)?.declaredName } }
      return !source.requiredComposites.contains { keys.contains($0.composite.name) }
    }
    guard let new = destination.relationship(named: failure.property),
      let old = source.relationship(named: failure.property)
        ?? source.relationships.first(where: { $0.name == new.renamingIdentifier })
    else { return true }
    return old.isOptional != new.isOptional || old.minCount != new.minCount || old.maxCount != new.maxCount
  }
}
