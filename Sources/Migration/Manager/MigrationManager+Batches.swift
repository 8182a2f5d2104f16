internal import Diagnostics
internal import PersistentStore
internal import SQLite

extension MigrationManager {
  /// Moves the instances of a mapping in bulk, then lets the policy read the rows and add to them.
  func runInBatches<Policy: BatchMigrationPolicy>(
    _ policy: Policy, _ mapping: EntityMapping, sourceEntity: String
  ) throws {
    guard let destinationEntity = mapping.destinationEntityName,
      let table = sourceSchema.table(forEntityNamed: sourceEntity),
      let root = destinationStore.schema.table(forEntityNamed: destinationEntity)?.entityNames.first
    else {
      throw MigrationError(.invalidMappingModel, detail: "mapping '\(mapping.name)' has no source or destination")
    }
    try destinationObjects.flush()
    let total = try destinationStore.writer.copyInstances(
      ofEntity: sourceEntity, in: sourceSchema, toEntity: destinationEntity,
      attributes: try copiedAttributes(of: mapping))
    destinationObjects.rowsWereAdded()
    passages[mapping.name, default: .init()].add(copied: total)
    statistics.sourceInstanceCounts[sourceEntity, default: 0] += total
    statistics.destinationInstanceCounts[destinationEntity, default: 0] += total
    let rootNumber = table.entityNames.first.map { Int64(sourceSchema.entityNumber($0)) }
    let greatestKey = source.primaryKeys.first { $0.entityNumber == rootNumber }?.greatestKey ?? 0
    let greatestCopied = try destinationStore.writer.greatestKey(ofEntity: destinationEntity)
    destinationStore.primaryKeys.reserve(upTo: max(greatestKey, greatestCopied), forRootEntityNamed: root)
    try applyBatches(policy, mapping, sourceEntity: sourceEntity)
  }

  /// Lets the policy read the rows of a mapping, whose instances have been moved, and add to them.
  private func applyBatches<Policy: BatchMigrationPolicy>(
    _ policy: Policy, _ mapping: EntityMapping, sourceEntity: String
  ) throws {
    let pump = try makePump(policy, mapping, sourceEntity: sourceEntity)
    defer { pump.stop() }
    try finish(pump, sourceEntity: sourceEntity)
  }

  /// Begins to read the rows of a mapping for its policy.
  func makePump<Policy: BatchMigrationPolicy>(
    _ policy: Policy, _ mapping: EntityMapping, sourceEntity: String
  ) throws -> BatchPump<Policy> {
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
      return BatchPump(policy, mapping, ranges, SerialBatchFeed(ranges, try reader(source.sourceConnection)))
    }
    return BatchPump(policy, mapping, ranges, ParallelBatchFeed(ranges, try sourceConnections.map(reader)))
  }

  /// The keys of a source table, in pieces.
  func keyRanges(ofTable table: String) throws -> KeyRanges {
    // Two queries: SQLite would read the whole table for both at once.
    guard let least = try source.connection.integer("SELECT min(Z_PK) FROM \(table.quotedIdentifier)"),
      let greatest = try source.connection.integer("SELECT max(Z_PK) FROM \(table.quotedIdentifier)")
    else { return KeyRanges(least: 1, greatest: 0) }
    return KeyRanges(least: least, greatest: greatest)
  }

  /// Applies what is left, and makes sure that no row was missed.
  func finish(_ pump: BatchPump<some BatchMigrationPolicy>, sourceEntity: String) throws {
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

  /// What a mapping copies as it is.
  ///
  /// A mapping that does more cannot be moved in bulk.
  private func copiedAttributes(of mapping: EntityMapping) throws -> [StoreWriter.CopiedAttribute] {
    try mapping.attributeMappings.compactMap { attribute in
      guard let expression = attribute.valueExpression else { return nil }
      guard let key = expression.copiedSourceKey else {
        throw MigrationError(
          .invalidMappingModel, MigrationError.Subject(property: attribute.name),
          detail: "mapping '\(mapping.name)' computes it, but its policy moves attributes in bulk")
      }
      guard isCopied(key, of: mapping.sourceEntityName, to: attribute.name, of: mapping.destinationEntityName) else {
        throw MigrationError(
          .invalidMappingModel, MigrationError.Subject(entity: mapping.destinationEntityName, property: attribute.name),
          detail: "mapping '\(mapping.name)' converts '\(key)', but its policy moves attributes in bulk")
      }
      return StoreWriter.CopiedAttribute(source: key, destination: attribute.name)
    }
  }

  /// Whether a column can be taken for another as it is; what is unknown is for others to tell.
  private func isCopied(_ key: String, of source: String?, to name: String, of destination: String?) -> Bool {
    guard let old = source.flatMap({ sourceModel.entity(named: $0) })?.attribute(named: key),
      let new = destination.flatMap({ destinationModel.entity(named: $0) })?.attribute(named: name)
    else { return true }
    return old.type.isStoredAlike(as: new.type)
      && old.allowsExternalBinaryDataStorage == new.allowsExternalBinaryDataStorage
  }
}
