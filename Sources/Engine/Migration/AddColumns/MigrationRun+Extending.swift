internal import CoreDataExpressions
internal import DataModel
internal import MigrationDiagnostics
internal import PersistentStore

extension MigrationRun {
  /// Begins the result of a hop in the way that fits it: as a copy of the source, or empty.
  ///
  /// - Parameters:
  ///   - appTables: The tables of the app's own that are carried over.
  ///   - naming: How the tables of many-to-many relationships are named.
  /// - Returns: The new store, how the rest is carried out, and the rows that it has already; `nil` where it is empty.
  func beginDestination(
    of step: MigrationStep, from source: StoreReader, at path: String, appTables: [String],
    joinTables naming: JoinTableNaming
  ) throws(MigrationError) -> (StoreWriter, HopStrategy, CopiedRows?) {
    let layout = (schema: try StoreSchema(step.source.model, introspecting: source), size: source.file.size)
    if migration.hooks.growsCopy {
      guard let obstacle = try source.obstacle(toRowsOf: layout.schema) else {
        migration.log?("adding rows to a copy of the store")
        try source.copy(to: path)
        let writer = try StoreWriter(growingCopyAt: path, schema: layout.schema)
        return (writer, .ofGrowth, try CopiedRows(source, layout.schema))
      }
      migration.log?("rewriting the store instead of adding rows to a copy, because \(obstacle)")
    }
    var strategy = try migration.strategy(of: step, from: layout, naming)
    if let columns = strategy.columns {
      switch try extend(source, by: columns, at: path, appTables: appTables) {
      case .success(let (writer, rows)):
        migration.log?("adding columns to a copy of the store")
        return (writer, strategy, rows)
      case .failure(let obstacle):
        migration.log?("rewriting the store instead of adding columns to a copy, because \(obstacle)")
        strategy = try migration.strategy(of: step, from: layout, naming, obstacle: .store(obstacle.description))
      }
    }
    let schema = StoreSchema(step.destination.model, joinTables: naming)
    return (try StoreWriter(path: path, schema: schema, layout: source.layout), strategy, nil)
  }

  /// Copies a store, adds columns to the copy, and makes sure meanwhile that its rows can go on as they are.
  private func extend(
    _ source: StoreReader, by columns: AddedColumns, at path: String, appTables: [String]
  ) throws(MigrationError) -> Result<(StoreWriter, CopiedRows), ExtensionObstacle> {
    let snapshot = try StoreSnapshot(source)
    if let obstacle = try snapshot.obstacle(to: columns, appTables: appTables) {
      try snapshot.release()
      return .failure(obstacle)
    }
    let cancellation = migration.cancellation
    let copy = try snapshot.copy(to: path) { cancellation.isCancelled }
    snapshot.connection.onProgress(every: 100_000) { cancellation.isCancelled }
    do throws(MigrationError) {
      let check = CopiedStoreCheck(
        connection: snapshot.connection, schema: columns.source, path: source.file.path)
      var rows = try check.run()
      if case .success = rows {
        try copy.finish()
        if try !snapshot.isUnchanged() { rows = .failure(.changed) }
      }
      switch rows {
      case .success(let rows):
        return .success((try StoreWriter(copyAt: path, adding: columns), rows))
      case .failure(let obstacle):
        try copy.discard()
        try snapshot.release()
        return .failure(obstacle)
      }
    } catch {
      copy.stop()
      throw error
    }
  }
}

extension MigrationManager {
  /// Counts what the destination has from the beginning, which is all there is to do.
  func count(_ rows: CopiedRows) throws {
    destinationStore.writer.onProgress { [cancellation = options.cancellation] in cancellation.isCancelled }
    for mapping in mappingModels.flatMap(\.entityMappings) {
      guard let source = mapping.sourceEntityName, let destination = mapping.destinationEntityName else { continue }
      let count = rows.instances[source] ?? 0
      countCopied(count, of: count, by: mapping.name, from: source, to: destination)
      report(count, of: count, entity: source)
    }
    statistics.linkCounts = rows.links
    try checkCancellation()
  }
}

extension MigrationStep {
  /// The columns to be added, where this hop does nothing else; otherwise `nil`.
  ///
  /// - Parameter naming: How the tables of many-to-many relationships are named.
  func addedColumns(joinTables naming: JoinTableNaming) -> AddedColumns? {
    guard case .inferred(let inferred) = method else { return nil }
    let (source, destination) = (source.model, destination.model)
    let mappings = inferred.mappingModel.entityMappings
    let mapped = Set(mappings.compactMap(\.destinationEntityName))
    guard destination.entities.allSatisfy({ $0.isAbstract || mapped.contains($0.name) }),
      mapped.count == mappings.count,
      mappings.allSatisfy({ $0.keepsAll(of: source) })
    else { return nil }
    return AddedColumns(
      from: StoreSchema(source, joinTables: naming), to: StoreSchema(destination, joinTables: naming))
  }
}

extension EntityMapping {
  /// Whether every instance of a source entity goes on, with the values and links that it has, under their names.
  ///
  /// An inferred mapping has neither a policy nor a filter.
  fileprivate func keepsAll(of source: ManagedObjectModel) -> Bool {
    guard sourceEntityName == destinationEntityName, let entity = source.entity(named: sourceEntityName ?? "")
    else { return false }
    let copied = attributeMappings.filter { $0.valueExpression != nil }
    let linked = relationshipMappings.filter { $0.valueExpression != nil }
    return Set(copied.map(\.name)) == Set(entity.attributes.filter { !$0.isTransient }.map(\.name))
      && copied.allSatisfy { $0.valueExpression == .source($0.name) }
      && Set(linked.map(\.name)) == Set(entity.relationships.map(\.name))
      && linked.allSatisfy {
        $0.valueExpression
          == .destinationInstances(sourceRelationshipNamed: $0.name, sourceInstances: .source($0.name))
      }
  }
}
