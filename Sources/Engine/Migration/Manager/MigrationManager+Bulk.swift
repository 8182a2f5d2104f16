internal import DataModel
public import MigrationDiagnostics
internal import PersistentStore
internal import SQLiteDatabase

extension MigrationManager {
  /// Statements on whole tables that do all of this migration; `nil` where only instances will do.
  func bulkPlan(_ runs: [PolicyRun]) throws -> BulkPlan? {
    let policies = runs.flatMap(\.policies)
    do {
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
        let inFiles = try plan.valuesInFiles(destinationStore.writer.connection)
        if !inFiles.isEmpty { strategy = try strategy.withInstances(inFiles) }
      }
      self.strategy = strategy
      log("carrying out the mapping model \(strategy.choice)")
      return strategy.statements
    } catch let refusal as StrategyRefusal {
      throw refusal.error
    }
  }

  /// Carries a plan out, and lets the policies that only add to it do so.
  func runBulk(_ plan: BulkPlan, _ runs: [PolicyRun]) throws {
    let isInterleaved = isInterleavable(plan, runs)
    /// The source rows of each mapping that were copied beforehand.
    var readCounts: [String: Int] = [:]
    if !isInterleaved {
      for copy in plan.copies {
        var rows = try RowCopy(copy, to: destinationStore.writer)
        try rows.run()
        let total = try count(rows)
        readCounts[copy.mappingName] = total
        report(total, of: total, entity: copy.sourceEntity)
      }
      try completeCopy(of: plan)
    }
    try callPolicies(of: runs) { policy, mapping in
      guard let policy = policy as? any BatchMigrationPolicy, let name = mapping.sourceEntityName else { return }
      try apply(
        policy, mapping, sourceEntity: name, copying: isInterleaved ? plan : nil,
        readCount: readCounts[mapping.name] ?? 0)
    }
  }

  /// Lets policies add rows to a copy that has all rows of the source.
  func runGrowth(_ rows: CopiedRows, _ runs: [PolicyRun]) throws {
    try count(rows)
    greatestKeys = allGreatestKeys()
    try reserveKeys()
    try callPolicies(of: runs) { _, _ in }
  }

  /// Calls the methods of policies that see no instances.
  ///
  /// - Parameter apply: Called for each policy, between the beginning and the end of its instances.
  private func callPolicies(
    of runs: [PolicyRun], _ apply: (EntityMigrationPolicy, EntityMapping) throws -> Void
  ) throws {
    for run in runs {
      mappingModel = run.mappingModel
      for (mapping, policy) in run.policies {
        (currentEntityMapping, currentPolicy) = (mapping, policy)
        try policy.begin(mapping, with: self)
        try checkCancellation()
        try apply(policy, mapping)
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

  /// Applies the rows of a mapping, and copies them if that has not been done.
  ///
  /// - Parameter readCount: The source rows that were read, if they have been copied.
  private func apply<Policy: BatchMigrationPolicy>(
    _ policy: Policy, _ mapping: EntityMapping, sourceEntity: String, copying plan: BulkPlan?, readCount: Int
  ) throws {
    let pages = policy.readsCopiedRows ? nil : try plan?.copies.first.flatMap { try rowPages(for: $0) }
    let batches = try prepareRows(of: mapping, sourceEntity: sourceEntity, for: policy, pages?.layout)
    defer { batches.stop() }
    let ranges = batches.ranges
    var (total, readCount) = (readCount, readCount)
    var rows: RowCopy?
    if let plan, let copy = plan.copies.first {
      // New instances get keys of their own before all others are there.
      try reserveKeys(of: plan)
      if let root = destinationStore.schema.table(forEntityNamed: copy.destinationEntity)?.entityNames.first {
        destinationStore.primaryKeys.reserve(upTo: ranges.greatest, forRootEntityNamed: root)
      }
      total = try rowEstimate(copy, ranges)
      rows = try RowCopy(copy, to: destinationStore.writer, inRanges: true)
    }
    var rowCount = 0
    for slice in ranges.slices {
      // Rows are copied while others are prepared; in what order, and so which page of the file is whose, does not
      // depend on how fast that goes.
      if pages == nil { try rows?.run(ranges[slice]) }
      try checkCancellation()
      while let batch = try batches.next(before: slice.upperBound) {
        try policy.apply(batch.content, in: mapping, manager: self)
        try checkCancellation()
        try destinationObjects.flushIfNeeded()
        if let cells = batch.cells { try pages?.append(cells) }
        rowCount += batch.rowCount
      }
      report(rowCount, of: total, entity: sourceEntity)
    }
    if let plan, var rows {
      if let pages {
        try pages.finish()
        try rows.run(keys: pages.leftKeys, besides: pages.count)
      }
      readCount = try count(rows)
      try completeCopy(of: plan)
      // The readers have counted what they were given; to count again would be to read the whole file again.
      sourceCounts[sourceEntity] = rowCount
    }
    // No row was missed.
    guard rowCount == readCount else {
      throw MigrationError(.changedMeanwhile, path: source.file.path)
    }
  }

  /// Pages for the rows of a copy; `nil` if SQLite has to write them.
  private func rowPages(for copy: BulkPlan.Copy) throws -> RowPages? {
    let schema = destinationStore.schema
    guard let columns = copy.plainColumns, let table = schema.table(forEntityNamed: copy.destinationEntity),
      table.entityNames.count == 1, copy.count == nil
    else { return nil }
    return try RowPages(
      destinationStore.writer, table, entityNumber: schema.entityNumber(copy.destinationEntity), version: "Z_OPT",
      columns: columns)
  }

  /// Returns the approximate number of rows, for the progress.
  private func rowEstimate(_ copy: BulkPlan.Copy, _ ranges: KeyRanges) throws -> Int {
    // Counting means to read the whole file. Where the rows would be small if there were one for each key, there are
    // gaps, or it is soon done.
    if ranges.keyCount <= max(1, source.file.size / 200) { return Int(ranges.keyCount) }
    return try source.connection.integer("SELECT count(*) FROM \(copy.sourceTable.quotedIdentifier)").map { Int($0) }
      ?? 0
  }

  /// - Returns: The number of source rows.
  private func count(_ rows: RowCopy) throws -> Int {
    try checkCancellation()
    let (copy, total) = (rows.copy, try rows.readCount)
    countCopied(
      rows.writtenCount, of: total, by: copy.mappingName, from: copy.sourceEntity, to: copy.destinationEntity)
    return total
  }

  /// Counts the instances that a mapping has carried over as a whole.
  func countCopied(_ count: Int, of total: Int, by mapping: String, from source: String, to destination: String) {
    statistics.sourceInstanceCounts[source, default: 0] += total
    passages[mapping, default: .init()].add(copied: count)
    statistics.addInstances(count, ofEntityNamed: destination)
    log("\(mapping): \(total.counting("instance")), \(count) migrated")
  }

  /// Connects the rows that were copied, and makes room for others.
  private func completeCopy(of plan: BulkPlan) throws {
    statistics.linkCounts = try destinationStore.writer.completeLinks(of: plan)
    // A policy may have looked for instances before.
    destinationObjects.rowsWereAdded()
    try reserveKeys(of: plan)
  }

  /// Makes sure that new instances get keys that no copied one has, nor one that was deleted.
  private func reserveKeys(of plan: BulkPlan) throws {
    greatestKeys = plan.greatestKeys(source.primaryKeys)
    try reserveKeys()
  }

  private func reserveKeys() throws {
    for table in destinationStore.schema.tables {
      guard let root = table.entityNames.first else { continue }
      let inUse = try destinationStore.writer.greatestKey(ofEntity: root)
      destinationStore.primaryKeys.reserve(upTo: max(inUse, greatestKeys[root] ?? 0), forRootEntityNamed: root)
    }
  }

  /// Begins to read the rows of a mapping for its policy.
  private func prepareRows<Policy: BatchMigrationPolicy>(
    of mapping: EntityMapping, sourceEntity: String, for policy: Policy, _ layout: RowLayout?
  ) throws -> PreparedBatches<Policy.Preparer> {
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
    let ranges = try KeyRanges([source.connection.keyRange(ofTable: table.name)])
    var connections = sourceConnections
    // A single range is not worth a thread.
    if ranges.count <= 1 || connections.isEmpty { connections = [source.sourceConnection] }
    for connection in connections { try connection.connection.keepPagesOfRange() }
    return PreparedBatches(
      ranges,
      try connections.map { connection in
        BatchReader(
          try SourceRowCursor(
            connection, table: table.name, columns: columns, copied: layout?.columnNames ?? [], filter: filter),
          try policy.makePreparer(for: mapping, manager: self), layout)
      })
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
