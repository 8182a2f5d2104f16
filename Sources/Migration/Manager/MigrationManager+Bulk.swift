internal import DataModel
public import MigrationDiagnostics
internal import PersistentStore
internal import SQLiteDatabase

extension MigrationManager {
  /// Statements on whole tables that do all of this migration; `nil` where only instances will do.
  func bulkPlan(_ runs: [PolicyRun]) throws -> BulkPlan? {
    let policies = runs.flatMap(\.policies)
    do throws(StrategyRefusal) {
      var strategy: HopStrategy
      if let chosen = self.strategy {
        strategy = chosen
      } else {
        let batches = Set(policies.filter { $0.1 is any BatchMigrationPolicy }.map(\.0.name))
        strategy = try HopStrategy(
          policies.map(\.0), from: sourceSchema, to: destinationStore.schema,
          wantsInstances: options.migratesPerInstance
        ) { batches.contains($0.name) }
      }
      if let plan = strategy.statements {
        // That the store cannot be asked shows again when the plan is carried out.
        let inFiles = (try? destinationStore.writer.obstacles(to: plan)) ?? []
        if !inFiles.isEmpty { strategy = try strategy.withInstances(inFiles) }
      }
      self.strategy = strategy
      log("carrying out the mapping model \(strategy.choice)")
      return strategy.statements
    } catch {
      throw error.error
    }
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
    // A policy may have looked for instances before.
    destinationObjects.rowsWereAdded()
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

  // MARK: - Batches

  /// Begins to read the rows of a mapping for its policy.
  private func makePump<Policy: BatchMigrationPolicy>(
    _ policy: Policy, _ mapping: EntityMapping, sourceEntity: String
  ) throws -> BatchApplier<Policy> {
    guard let table = sourceSchema.table(forEntityNamed: sourceEntity) else {
      throw MigrationError(.invalidMappingModel, detail: "mapping '\(mapping.name)' has no source")
    }
    let columns = try policy.preparedAttributes.map { name in
      guard let column = sourceSchema.column(forProperty: name, ofEntityNamed: sourceEntity) else {
        throw MigrationError(
          .invalidMappingModel, MigrationError.Subject(entity: sourceEntity, property: name),
          detail: "policy of mapping '\(mapping.name)' asks for it, but there is no such attribute")
      }
      return column.name
    }
    let filter = table.entityNames.count > 1 ? "Z_ENT = \(sourceSchema.entityNumber(sourceEntity))" : nil
    let rows = BatchRows(table: table.name, columns: columns, filter: filter)
    func reader(_ connection: SourceConnection) throws -> BatchReader<Policy.Preparer> {
      try BatchReader(rows, connection, policy.makePreparer(for: mapping, manager: self))
    }
    let ranges = try keyRanges(ofTable: table.name)
    // A single range is not worth a thread.
    guard ranges.count > 1, !sourceConnections.isEmpty else {
      try source.connection.keepFewPages()
      return BatchApplier(policy, mapping, ranges, SerialBatchFeed(ranges, try reader(source.sourceConnection)))
    }
    return BatchApplier(policy, mapping, ranges, ParallelPreparedBatches(ranges, try sourceConnections.map(reader)))
  }

  /// The keys of a source table, in pieces.
  private func keyRanges(ofTable table: String) throws -> KeyRanges {
    // Two queries: SQLite would read the whole table for both at once.
    guard let least = try source.connection.integer("SELECT min(Z_PK) FROM \(table.quotedIdentifier)"),
      let greatest = try source.connection.integer("SELECT max(Z_PK) FROM \(table.quotedIdentifier)")
    else { return KeyRanges(least: 1, greatest: 0) }
    return KeyRanges(least: least, greatest: greatest)
  }

  /// Applies what is left, and makes sure that no row was missed.
  func finish(_ pump: BatchApplier<some BatchMigrationPolicy>, sourceEntity: String) throws {
    let total = statistics.sourceInstanceCounts[sourceEntity] ?? 0
    try pump.applyRanges(before: pump.ranges.count, self) { [self] in
      report(pump.rowCount, of: total, entity: sourceEntity)
    }
    guard pump.rowCount == total else { throw MigrationError(.changedMeanwhile, path: source.file.path) }
  }

  func report(_ completed: Int, of total: Int, entity: String) {
    migrationProgress = total == 0 ? 1 : Float(completed) / Float(total)
    options.onProgress?(MigrationProgress(entityName: entity, completedCount: completed, totalCount: total))
  }

  // MARK: - Rejects

  /// Keeps the raw text of an attribute that could not be read.
  ///
  /// - Parameters:
  ///   - facts: What is known of it; its primary key says which row it is.
  ///   - attribute: The attribute, of the source entity of the current mapping.
  public func reject(_ facts: RejectsFile.Facts, attribute: String) throws(MigrationError) {
    guard let rejects else { return }
    let (table, column) = try column(of: attribute)
    try rejects.add(
      facts, raw: SourceValueStream(source.sourceConnection, table: table, column: column, row: facts.primaryKey))
  }

  /// The text of an attribute in one source row, for the few rows that need more than was prepared.
  public func sourceText(of attribute: String, row: Int64) throws(MigrationError) -> String? {
    var bytes: [UInt8] = []
    let isThere = try forEachSourcePiece(of: attribute, row: row) { bytes += $0 }
    return isThere ? String(decoding: bytes, as: UTF8.self) : nil
  }

  /// Lends the text of an attribute in one source row piece by piece, however long it is.
  ///
  /// - Returns: Whether there is a text.
  @discardableResult
  public func forEachSourcePiece(
    of attribute: String, row: Int64, _ body: (UnsafeRawBufferPointer) throws(MigrationError) -> Void
  ) throws(MigrationError) -> Bool {
    let (table, column) = try column(of: attribute)
    let stream = try SourceValueStream(source.sourceConnection, table: table, column: column, row: row)
    guard !stream.isNull else { return false }
    try stream.forEachPiece(body)
    return true
  }

  private func column(of attribute: String) throws(MigrationError) -> (table: String, column: String) {
    guard let entity = currentEntityMapping?.sourceEntityName,
      let table = sourceSchema.table(forEntityNamed: entity),
      let column = sourceSchema.column(forProperty: attribute, ofEntityNamed: entity)
    else {
      throw MigrationError(
        .policyFailed, MigrationError.Subject(property: attribute), detail: "the source entity has no such attribute")
    }
    return (table.name, column.name)
  }
}
