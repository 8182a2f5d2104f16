internal import DataModel
internal import Diagnostics
internal import PersistentStore

extension MigrationManager {
  /// How this migration can be done with statements on whole tables, or `nil` where only instances will do.
  ///
  /// That is so where no custom policy wants to see instances, and SQL gives every value.
  func bulkPlan(_ runs: [PolicyRun]) throws -> BulkPlan? {
    guard !options.migratesPerInstance else { return nil }
    let policies = runs.flatMap(\.policies)
    let batchMappings = policies.filter { $0.1 is any BatchMigrationPolicy }.map(\.0.name)
    do throws(BulkRefusal) {
      let plan = try BulkPlan(
        MappingModel(entityMappings: policies.map(\.0)), source: sourceSchema, destination: destinationStore.schema,
        batchMappings: Set(batchMappings))
      let obstacles = obstacles(to: plan)
      guard obstacles.isEmpty else {
        log("carrying out the mapping model instance by instance, since " + obstacles.joined(separator: "; "))
        return nil
      }
      log("carrying out the mapping model with statements on whole tables")
      return plan
    } catch {
      log("carrying out the mapping model instance by instance, since\n\(error)")
      return nil
    }
  }

  /// What the store itself has against a plan; that it cannot be asked shows again when the plan is carried out.
  private func obstacles(to plan: BulkPlan) -> [String] {
    (try? destinationStore.writer.obstacles(to: plan)) ?? []
  }

  /// Carries a plan out, then lets the policies that only add to it do so.
  func runBulk(_ plan: BulkPlan, _ runs: [PolicyRun]) throws {
    let result = try destinationStore.writer.run(plan) { [self] count in
      try checkCancellation()
      statistics.sourceInstanceCounts[count.sourceEntity, default: 0] += count.sourceInstances
      statistics.addInstances(count.destinationInstances, ofEntityNamed: count.destinationEntity)
      report(count.sourceInstances, of: count.sourceInstances, entity: count.sourceEntity)
      log("\(count.mappingName): \(count.sourceInstances) instances, of which \(count.destinationInstances) go on")
    }
    statistics.linkCounts = result.joinTableRows
    greatestKeys = plan.greatestKeys(source.primaryKeys)
    for table in destinationStore.schema.tables {
      guard let root = table.entityNames.first else { continue }
      let inUse = try destinationStore.writer.greatestKey(ofEntity: root)
      destinationStore.primaryKeys.reserve(upTo: max(inUse, greatestKeys[root] ?? 0), forRootEntityNamed: root)
    }
    for run in runs {
      mappingModel = run.mappingModel
      for (mapping, policy) in run.policies {
        (currentEntityMapping, currentPolicy) = (mapping, policy)
        try policy.begin(mapping, with: self)
        try checkCancellation()
        if let policy = policy as? any BatchMigrationPolicy, let name = mapping.sourceEntityName {
          try applyBatches(policy, mapping, sourceEntity: name)
        }
        try policy.endInstanceCreation(forMapping: mapping, manager: self)
        try checkCancellation()
      }
      for (mapping, policy) in run.policies {
        (currentEntityMapping, currentPolicy) = (mapping, policy)
        try policy.endRelationshipCreation(forMapping: mapping, manager: self)
        try checkCancellation()
      }
      try validate(run.policies)
    }
    (currentEntityMapping, currentPolicy) = (nil, nil)
  }
}
