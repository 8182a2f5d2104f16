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

  /// Carries a plan out, and lets the policies that only add to it do so.
  func runBulk(_ plan: BulkPlan, _ runs: [PolicyRun]) throws {
    let isInterleaved = isInterleavable(plan, runs)
    if !isInterleaved { try copy(plan) }
    for run in runs {
      mappingModel = run.mappingModel
      for (mapping, policy) in run.policies {
        (currentEntityMapping, currentPolicy) = (mapping, policy)
        try policy.begin(mapping, with: self)
        try checkCancellation()
        if let policy = policy as? any BatchMigrationPolicy, let name = mapping.sourceEntityName {
          try apply(policy, mapping, sourceEntity: name, copying: isInterleaved ? plan : nil)
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

  /// Whether a plan is one copy for one policy, so that rows can be copied while others are prepared.
  private func isInterleavable(_ plan: BulkPlan, _ runs: [PolicyRun]) -> Bool {
    let policies = runs.flatMap(\.policies).filter { $0.1 is any BatchMigrationPolicy }
    return plan.copies.count == 1 && plan.steps.isEmpty && plan.joins.isEmpty && policies.count == 1
      && policies.first?.0.name == plan.copies.first?.mappingName
  }

  private func apply<Policy: BatchMigrationPolicy>(
    _ policy: Policy, _ mapping: EntityMapping, sourceEntity: String, copying plan: BulkPlan?
  ) throws {
    let pump = try makePump(policy, mapping, sourceEntity: sourceEntity)
    defer { pump.stop() }
    if let plan, let copy = plan.copies.first {
      // New instances get keys of their own before all others are there.
      try reserveKeys(of: plan)
      if let root = destinationStore.schema.table(forEntityNamed: copy.destinationEntity)?.entityNames.first {
        destinationStore.primaryKeys.reserve(upTo: pump.ranges.greatest, forRootEntityNamed: root)
      }
      let total = try rowEstimate(copy, pump.ranges)
      // Rows are copied while others are prepared; in what order, and so which page of the file is whose, does not
      // depend on how fast that goes.
      try self.copy(plan, slices: pump.ranges.slices) { [self] slice in
        try checkCancellation()
        try pump.applyRanges(before: (slice + 1) * KeyRanges.rangesPerSlice, self)
        report(pump.rowCount, of: total, entity: sourceEntity)
      }
    }
    try finish(pump, sourceEntity: sourceEntity)
  }

  /// How many rows there are, for the progress.
  private func rowEstimate(_ copy: BulkPlan.Copy, _ ranges: KeyRanges) throws -> Int {
    // Counting means to read the whole file. Where the rows would be small if there were one for each key, there are
    // gaps, or it is soon done.
    if ranges.keyCount <= max(1, source.file.size / 200) { return Int(ranges.keyCount) }
    return try source.connection.integer("SELECT count(*) FROM \(copy.sourceTable.quotedIdentifier)").map { Int($0) }
      ?? 0
  }

  /// Copies what the plan copies.
  private func copy(
    _ plan: BulkPlan, slices: [ClosedRange<Int64>]? = nil, didSlice: ((Int) throws -> Void)? = nil
  ) throws {
    let result = try destinationStore.writer.run(plan, slices: slices, didSlice: didSlice) { [self] count in
      try checkCancellation()
      statistics.sourceInstanceCounts[count.sourceEntity, default: 0] += count.sourceInstances
      passages[count.mappingName, default: .init()].add(copied: count.destinationInstances)
      statistics.addInstances(count.destinationInstances, ofEntityNamed: count.destinationEntity)
      if slices == nil { report(count.sourceInstances, of: count.sourceInstances, entity: count.sourceEntity) }
      let instances = count.sourceInstances.counting("instance")
      log("\(count.mappingName): \(instances), of which \(count.destinationInstances) go on")
    }
    statistics.linkCounts = result.joinTableRows
    try reserveKeys(of: plan)
  }

  /// Makes sure that new instances get keys that no copied one has, nor one that was deleted.
  private func reserveKeys(of plan: BulkPlan) throws {
    greatestKeys = plan.greatestKeys(source.primaryKeys)
    for table in destinationStore.schema.tables {
      guard let root = table.entityNames.first else { continue }
      let inUse = try destinationStore.writer.greatestKey(ofEntity: root)
      destinationStore.primaryKeys.reserve(upTo: max(inUse, greatestKeys[root] ?? 0), forRootEntityNamed: root)
    }
  }
}
