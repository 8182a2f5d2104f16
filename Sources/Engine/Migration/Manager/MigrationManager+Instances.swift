public import CoreDataExpressions
internal import DataModel
public import MigrationDiagnostics
internal import PersistentStore
internal import SQLiteDatabase

extension MigrationManager {
  /// Reads the instances of a source entity one by one and hands each to the policy.
  func runPerInstance(_ policy: EntityMigrationPolicy, _ mapping: EntityMapping, sourceEntity: String) throws {
    guard let layout = sourceContext.layouts[sourceEntity] else {
      throw MigrationError(.invalidMappingModel, detail: "the source model has no entity '\(sourceEntity)'")
    }
    let total = try count(layout, mapping.filterPredicate)
    var completed = 0
    let connection = total < SourceRowPrefetcher.leastRowCount ? nil : sourceConnections.first
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

  /// Returns the number of instances for a policy.
  ///
  /// To count them means to read the whole table, so it is not done again in the end, when all rows are to be accounted
  /// for.
  private func count(_ layout: EntityLayout, _ predicate: Predicate?) throws -> Int {
    guard predicate == nil, layout.table.entityNames.count == 1 else {
      return try sourceObjects.count(layout, predicate)
    }
    let name = layout.entity.name
    let count = try sourceCounts[name] ?? RowCensus(source.connection, sourceSchema, of: [name])[name]
    sourceCounts[name] = count
    return count
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
    for layout in destinationContext.layouts.all.sorted(by: { $0.number < $1.number }) {
      let (name, keys) = (layout.entity.name, destinationObjects.insertedKeys(of: layout))
      guard keys.count > 0 else { continue }
      statistics.addInstances(keys.count, ofEntityNamed: name)
      // Code of a stage has no source instances to associate with what it makes.
      guard options.finishing == nil else { continue }
      var unassociated = 0
      keys.forEach { key in
        let id = ManagedObjectID(store: .destination, entityNumber: layout.number, primaryKey: key)
        guard !associations.contains(id), !destinationObjects.isDeleted(id) else { return }
        unassociated += 1
        guard unassociated <= MigrationStatistics.exampleLimit else { return }
        statistics.addExample("\(name) \(key)", to: Self.unassociatedCounter)
      }
      if unassociated > 0 { statistics.count(Self.unassociatedCounter, by: unassociated) }
    }
    for id in destinationObjects.deleted {
      guard let name = destinationContext.layouts[id.entityNumber]?.entity.name else { continue }
      statistics.addInstances(-1, ofEntityNamed: name)
    }
    sourceObjects.close()
  }

  /// The counter of texts that are not valid UTF-8 and that a policy or an expression has read.
  ///
  /// Both see U+FFFD in the place of the invalid bytes. Texts that are only copied keep their bytes, and are not counted.
  package static let repairedTextCounter = "repaired_texts"

  /// Names the rows whose texts were not read as they are.
  func countRepairedTexts() {
    let texts =
      sourceContext.repairedTexts.map { ($0, sourceContext) }
      + destinationContext.repairedTexts.map { ($0, destinationContext) }
    for (text, context) in texts.sorted(by: {
      ($0.0.objectID, $0.0.attributeIndex) < ($1.0.objectID, $1.0.attributeIndex)
    }) {
      guard let layout = context.layouts[text.objectID.entityNumber] else { continue }
      let name = layout.attributeNames[text.attributeIndex]
      statistics.count(Self.repairedTextCounter)
      statistics.addExample(
        "\(layout.entity.name) \(text.objectID.primaryKey).\(name)", to: Self.repairedTextCounter)
    }
    // Statements on whole tables do not tell the row.
    let arguments = destinationStore.writer.connection.repairedArguments
    if arguments.count > 0 { statistics.count(Self.repairedTextCounter, by: arguments.count) }
    for text in arguments.examples { statistics.addExample("'\(text)'", to: Self.repairedTextCounter) }
  }

  // MARK: - Association

  /// The lookup table of this name in `userInfo`, which is made on first use and kept for the whole migration.
  public func lookup(withKey key: String) -> LookupTable {
    if let table = userInfo[key] as? LookupTable { return table }
    let table = LookupTable()
    userInfo[key] = table
    return table
  }

  /// Records which destination instance a source instance has become under a mapping.
  public func associate(
    sourceInstance: ManagedObject, withDestinationInstance destinationInstance: ManagedObject,
    for mapping: EntityMapping
  ) {
    associate(sourceInstance, destinationInstance, mappingName: mapping.name)
  }

  /// Does the same without a copy of the mapping.
  package func associate(
    _ sourceInstance: ManagedObject, _ destinationInstance: ManagedObject, mappingName: String
  ) {
    guard sourceInstance.objectID.store == .source, destinationInstance.objectID.store == .destination else {
      return destinationContext.record(
        MigrationError(
          .policyFailed,
          MigrationError.Subject(
            entity: destinationInstance.entity.name, row: destinationInstance.objectID.primaryKey, name: mappingName),
          detail: "of two associated instances, the first must be a source instance, the second a destination instance"
        ))
    }
    associations.add(sourceInstance.objectID, destinationInstance.objectID, mappingName)
  }

  /// The instances that source instances have become under a mapping; all of the mapping's when no sources are named.
  public func destinationInstances(
    forEntityMappingName name: String, sourceInstances: [ManagedObject]? = nil
  ) -> [ManagedObject] {
    guard let sourceInstances else {
      return associations.destinations(mapping: name).compactMap { destinationContext.object(with: $0) }
    }
    var found: [ManagedObject] = []
    for source in sourceInstances {
      associations.forEachDestination(of: source.objectID, mapping: name) { id in
        if let object = destinationContext.object(with: id) { found.append(object) }
      }
    }
    return found
  }

  /// The instances that destination instances were made from under a mapping; all of the mapping's when none are named.
  public func sourceInstances(
    forEntityMappingName name: String, destinationInstances: [ManagedObject]? = nil
  ) -> [ManagedObject] {
    let found =
      destinationInstances.map { $0.flatMap { associations.sources(of: $0.objectID, mapping: name) } }
      ?? associations.sources(mapping: name)
    return found.compactMap { sourceContext.object(with: $0) }
  }

  /// The instances that the destinations of a source relationship have become, under all mappings that migrate them.
  ///
  /// - Parameters:
  ///   - name: A relationship of the source entity of the mapping at work.
  ///   - sourceInstances: The source instances that the relationship leads to.
  public func destinationInstances(
    forSourceRelationshipNamed name: String, sourceInstances: [ManagedObject]
  ) throws(MigrationError) -> [ManagedObject] {
    guard let names = entityMappingNames(forSourceRelationship: name, of: currentEntityMapping?.sourceEntityName) else {
      throw MigrationError(
        .invalidMappingModel, MigrationError.Subject(entity: currentEntityMapping?.sourceEntityName, property: name),
        detail: "the source entity has no such relationship")
    }
    return associations.destinations(of: sourceInstances.map(\.objectID), mappings: names)
      .compactMap { destinationContext.object(with: $0) }
  }

  /// The names of the mappings that migrate what a source relationship leads to; `nil` without such a relationship.
  func entityMappingNames(forSourceRelationship name: String, of entity: String?) -> [String]? {
    guard let entity, let relationship = sourceContext.layouts[entity]?.relationship(name)?.description else {
      return nil
    }
    let family = sourceContext.layouts[relationship.destinationEntityName]?.family ?? []
    let names = mappingModels.flatMap(\.entityMappings).filter { mapping in
      mapping.sourceEntityName.flatMap { sourceContext.layouts[$0] }.map { family.contains($0.number) } ?? false
    }.map(\.name)
    var seen: Set<String> = []
    return names.filter { seen.insert($0).inserted }
  }

  func hasEntityMapping(named name: String) -> Bool {
    mappingModels.contains { $0.entityMapping(named: name) != nil }
  }

  /// The counter of to-one relationships that an expression gave several instances, of which the first was taken.
  package static let ambiguousDestinationCounter = "ambiguous_to_one_destinations"

  /// Sets a relationship to what an expression gave.
  ///
  /// A source instance may have become instances of several entities; those that the relationship cannot lead to are
  /// other mappings' business. Only where a mapping is named and none of its instances fit, the name is wrong. Of several
  /// for a to-one relationship the first is taken, as Core Data takes any, and the case is counted.
  func connect(
    _ instance: ManagedObject, _ relationship: EntityLayout.Relationship, to destinations: [ManagedObjectID],
    isByMapping: Bool
  ) throws(MigrationError) {
    let description = relationship.description
    let fitting = destinations.filter { $0.store == .destination && relationship.accepts($0.entityNumber) }
    var chosen = fitting.isEmpty && isByMapping ? destinations : fitting
    if !description.isToMany, let first = chosen.first, chosen.contains(where: { $0 != first }) {
      statistics.count(Self.ambiguousDestinationCounter)
      statistics.addExample(
        "\(instance.entity.name) \(instance.objectID.primaryKey).\(description.name)",
        to: Self.ambiguousDestinationCounter)
      chosen = [first]
    }
    try destinationObjects.setDestinations(chosen, of: instance.objectID, instance.layout, relationship)
  }
}

extension MigrationManager {
  /// Evaluates a value expression with the variables that Core Data gives it: `$source`, `$manager`, `$entityMapping`,
  /// `$entityPolicy`, and `$destination` where there is one already; plain keys are the source's.
  public func value(
    of expression: Expression, source: ManagedObject, destination: ManagedObject? = nil
  ) throws -> ExpressionValue {
    var context = expressionContext ?? makeExpressionContext()
    // Kept while a policy is at work, and for no longer: it holds the manager.
    expressionContext = currentPolicy == nil ? nil : context
    context.object = .object(ManagedObjectValues(source))
    context.variables["source"] = context.object
    context.variables["destination"] = destination.map { .object(ManagedObjectValues($0)) }
    do {
      return try expression.value(in: context)
    } catch let error as EvaluationError {
      throw MigrationError(
        .invalidMappingModel, MigrationError.Subject(entity: source.entity.name, row: source.objectID.primaryKey),
        detail: "'\(expression)': \(error)")
    }
  }

  private func makeExpressionContext() -> EvaluationContext {
    var context = EvaluationContext(
      variables: ["manager": .object(MigrationFunctions(self)), "entityPolicy": .object(PolicyFunctions(self))],
      invoker: { target, selector, arguments in
        switch target {
        case .object(let object as MigrationFunctions): try object.call(selector, arguments)
        case .object(let object as PolicyFunctions): try object.call(selector, arguments)
        default: throw MigrationError(.invalidMappingModel, detail: "there is no function '\(selector)'")
        }
      })
    context.variables["entityMapping"] = currentEntityMapping.map { .dictionary($0.expressionValues) }
    context.fetcher = { request, _, countOnly in
      guard case .object(let request as FetchRequestValues) = request else {
        throw MigrationError(.invalidMappingModel, detail: "FETCH needs a fetch request of $manager")
      }
      let found = try self.sourceContext.fetch(request.request)
      return countOnly
        ? .integer(Int64(found.count)) : .collection(.array, found.map { .object(ManagedObjectValues($0)) })
    }
    return context
  }
}

extension EntityMapping {
  /// The mapping as expressions see it: `$entityMapping.userInfo.modelVersion`.
  fileprivate var expressionValues: [String: ExpressionValue] {
    var values: [String: ExpressionValue] = [
      "name": .string(name), "userInfo": .dictionary(userInfo.mapValues { .string($0) }),
    ]
    values["sourceEntityName"] = sourceEntityName.map { .string($0) }
    values["destinationEntityName"] = destinationEntityName.map { .string($0) }
    return values
  }
}

/// Hands out primary keys, in order and each once.
final class PrimaryKeyAllocator {
  private var keys: [String: PrimaryKeys] = [:]

  /// The keys of a root entity, for callers that take many.
  func keys(forRootEntityNamed name: String) -> PrimaryKeys {
    if let known = keys[name] { return known }
    let made = PrimaryKeys(name)
    keys[name] = made
    return made
  }

  func next(forRootEntityNamed name: String) throws(MigrationError) -> Int64 {
    try keys(forRootEntityNamed: name).next()
  }

  /// Makes sure that keys up to this one are not handed out.
  func reserve(upTo key: Int64, forRootEntityNamed name: String) { keys(forRootEntityNamed: name).reserve(upTo: key) }
}

/// The primary keys of the instances in one table.
package final class PrimaryKeys {
  private let rootEntityName: String
  // One thread has it, and nothing happens between reading and writing.
  @exclusivity(unchecked) private var greatest: Int64 = 0

  fileprivate init(_ rootEntityName: String) { self.rootEntityName = rootEntityName }

  /// Returns the next free one.
  package func next() throws(MigrationError) -> Int64 {
    let (next, isBeyond) = greatest.addingReportingOverflow(1)
    guard !isBeyond else {
      throw MigrationError(
        .migrationFailed, MigrationError.Subject(entity: rootEntityName), detail: "there are no primary keys left")
    }
    greatest = next
    return next
  }

  /// Makes sure that keys up to one that was chosen elsewhere are not handed out.
  package func reserve(upTo key: Int64) { greatest = max(greatest, key) }
}
