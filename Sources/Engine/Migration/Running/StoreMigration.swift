internal import MappingModels
public import MigrationDiagnostics
package import PersistentStore
internal import TerminalOutput
package import Verification

/// Migrates the store of any app to a version of its model: by as many hops as it takes, of which only the last result
/// replaces the store.
///
///     let bundle = try ModelBundle(path: "App.xcdatamodeld")
///     var migration = StoreMigration(path: "App.sqlite", versions: try LoadedModelVersion.all(in: bundle))
///     migration.destinationVersionName = try bundle.currentVersion().name
///     let outcome = try migration.run()
public struct StoreMigration: MigrationConfigurable {
  /// The store, as the user named it.
  public var path: String
  /// The settings of the migration.
  public var settings = MigrationSettings()
  /// The versions that are known, in the order of their bundle.
  public var versions: [LoadedModelVersion]
  /// The versions that could not be read; they are told where one of them may be the one that is missing.
  package var unreadableVersions: [UnreadableVersion] = []
  /// The mapping models that fit, and in whose place others are used.
  package var displacedMappings: [LoadedMappingModel] = []
  /// The remarks for people on mapping models that cannot be used.
  package var mappingRemarks: [String] = []
  /// The bounds of the search for mapping models.
  package var mappingBounds = SearchBounds()
  /// The version that is wanted; without one the last.
  public var destinationVersionName: String?
  /// The version that the bundle marks as its current one.
  package var currentVersionName: String?
  /// Whether the wanted version is the bundle's current one because no other was named, so that no store is meant
  /// to go back.
  package var takesCurrentVersion = false
  /// The mapping models that are known, in the order in which those for the same two versions are carried out.
  public var mappings: [LoadedMappingModel] = []
  /// Whether mapping models may be inferred.
  public var allowsInference = true
  /// The custom policies.
  public var policies = PolicyRegistry()
  /// The stages of a staged migration, in order; without any, the way is planned among the versions.
  ///
  /// Verification compares what hops have copied, but not what the code of a stage has changed.
  public var stages: [MigrationStage] = []
  /// SwiftData's plan that the stages are of.
  package var appStages: AppStages?
  /// The relationships that name the tables of many-to-many relationships, as `Entity.relationship`.
  ///
  /// Where an entity is linked with itself, either of the two relationships may name their table. The table keeps the
  /// name that it has as long as the entity's properties stay the same; otherwise a rule decides of which not every
  /// detail is known. Where those matter, the plan names the table among its `doubtfulJoinTables`.
  public var joinTableRelationships: [String] = []
  /// The size from which on a store is copied as it is where columns are all that it lacks.
  ///
  /// A smaller one is written anew all the same, which takes no time, and gets its columns in the order of a fresh store.
  package var leastSizeOfCopies: Int64 = 1 << 20
  /// The parts that differ from the migration of an app's store.
  package var hooks: any MigrationHooks = AppStoreHooks()

  /// Prepares the migration of a store.
  public init(path: String, versions: [LoadedModelVersion]) {
    self.path = path
    self.versions = versions
  }

  /// Finds the hops, without changing anything.
  ///
  /// - Throws: `MigrationError` when the store's version is not known, no way leads to the one that is wanted, or a policy
  ///   is missing.
  public func plan() throws(MigrationError) -> MigrationPlan {
    let store = try LockRetry(settings.waiting).open(path)
    let plan = try detailedPlan(for: store)
    try store.close()
    return plan
  }

  /// The facts that are known before a migration begins.
  package struct Survey {
    /// The hops.
    package let plan: MigrationPlan
    /// The contents of the store besides its instances; `nil` if there is nothing to do.
    package fileprivate(set) var surroundings: NonModelContent?
    /// The app's own contents that would not be carried over, as far as the schema of the store shows.
    package fileprivate(set) var uncopied: [DroppedContent] = []
  }

  /// Finds the hops that are needed, and what the store holds besides its instances, without changing anything.
  package func survey() throws(MigrationError) -> Survey {
    let store = try LockRetry(settings.waiting).open(path)
    var survey = Survey(plan: try detailedPlan(for: store))
    if !survey.plan.steps.isEmpty {
      try store.requireBoundedTables()
      let surroundings = try NonModelContent(
        store, model: survey.plan.source.model, keepsHistory: settings.keepsHistory)
      survey.surroundings = surroundings
      survey.uncopied = surroundings.uncopied
      let naming = try joinTableNaming(for: survey.plan, of: store)
      for step in survey.plan.steps {
        // What could not be copied in one hop is not there in the next.
        let missing = Set(survey.uncopied.map(\.name))
        let tables = surroundings.appTables.filter { !missing.contains($0) }
        let schema = StoreSchema(step.destination.model, joinTables: naming)
        survey.uncopied += try store.uncopiableTables(among: tables, to: schema).filter { !missing.contains($0.name) }
      }
    }
    try store.close()
    return survey
  }

  /// Migrates the store.
  ///
  /// One store must not be migrated twice at the same time within one process: its locks belong to the process.
  ///
  /// - Throws: `MigrationError`. Then the store holds what it held, and nothing is left beside it.
  public func run() throws(MigrationError) -> Outcome { try run(isDryRun: false) }

  /// Migrates the store, or does all but the last step and removes what it has made.
  ///
  /// The store may be in use during a dry run.
  ///
  /// - Parameter plan: The plan for the store's version, if there is one.
  package func run(isDryRun: Bool, following plan: MigrationPlan? = nil) throws(MigrationError) -> Outcome {
    let started = ContinuousClock.now
    let waiting = LockRetry(settings.waiting)
    var look = try lookFirst(waiting, plan)
    let plan = look?.plan
    if let store = look?.store, let plan {
      guard !plan.steps.isEmpty else {
        try store.close()
        // Of a run that died just after it was done.
        if settings.outputPath == nil, !isDryRun { UndoLog.recover(libraryAt: store.file.resolvedPath) }
        return alreadyCurrent(plan)
      }
      if settings.outputPath == nil && !isDryRun || hooks.locksSource {
        // It is locked before it is read again. Until then this may wait for another run, which could not replace the
        // store while it is open here.
        try store.close()
        look = nil
      }
    }
    let run = try MigrationRun(self, isDryRun: isDryRun, started: started, waiting)
    do throws(MigrationError) {
      return try run.migrate(look?.store, following: plan)
    } catch {
      throw run.discard(after: error)
    }
  }

  /// Looking needs no right to write: a store that is current already needs nothing else.
  private func lookFirst(
    _ waiting: LockRetry, _ known: MigrationPlan?
  ) throws(MigrationError) -> (store: StoreReader, plan: MigrationPlan)? {
    do throws(MigrationError) {
      let store = try waiting.open(path)
      return (store, try plan(for: store, known))
    } catch let error where error.code == .unfinishedTransaction && settings.outputPath == nil {
      // A run that was killed while it took the store over has left a journal. It is rolled back as soon as the store
      // is locked for writing.
      return nil
    }
  }

  /// Plans the migration of a store, unless a known plan is for the version that it has.
  ///
  /// - Throws: `MigrationError`, with `damaged` if the store has the wanted version hashes, but not their tables.
  func plan(for store: StoreReader, _ known: MigrationPlan? = nil) throws(MigrationError) -> MigrationPlan {
    let isKnown = known?.source.model.isCompatible(withVersionHashes: store.metadata.versionHashes) == true
    var plan = if let known, isKnown { known } else { try hooks.plan(self, of: store) }
    if plan.steps.isEmpty {
      plan.remarks = try store.requireLayout(of: plan.destination.model)
      // Nothing will read the rows.
      try store.requireWholePages()
    }
    return plan
  }

  /// The outcome for a store that has the wanted version.
  func alreadyCurrent(_ plan: MigrationPlan) -> Outcome {
    plan.remarks.forEach { settings.onRemark?($0) }
    return .alreadyCurrent(plan.destination)
  }

  /// The plan, with what it removes and how each hop would be carried out.
  private func detailedPlan(for store: StoreReader) throws(MigrationError) -> MigrationPlan {
    var plan = try plan(for: store)
    plan.removals = try removals(from: store, plan)
    plan.droppedValues = try droppedValues(from: store, plan.steps)
    let others = mappings.filter { mapping in
      !plan.steps.contains { $0.isMade(by: mapping) }
    }
    plan.unusedMappings = (others + displacedMappings).filter { mapping in
      plan.steps.contains { $0.source.name == mapping.sourceVersionName }
    }
    plan.strategies = try strategies(of: plan, store)
    return plan
  }

  /// Finds the hops between the store's version and the wanted one.
  package func planAmongVersions(for store: StoreReader) throws(MigrationError) -> MigrationPlan {
    var planner = MigrationPlanner(
      versions: versions, mappings: mappings, allowsInference: allowsInference, currentVersionName: currentVersionName)
    let hashes = store.metadata.versionHashes
    if versions.version(withHashes: hashes) == nil,
      let restricted = planner.restricted(toConfigurationWithHashes: hashes)
    {
      planner = restricted
    }
    do throws(MigrationError) {
      let (source, destination) = (try version(of: store, planner), try destination(planner.versions))
      var plan =
        stages.isEmpty && appStages == nil
        ? try planner.plan(from: source, to: destination)
        : try StagePlanner(stages: stages, versions: planner.versions, plan: appStages)
          .plan(from: source, to: destination)
      for step in plan.steps {
        try requirePolicies(of: step)
        try requireSourceKeys(of: step)
      }
      guard !plan.steps.isEmpty else { return plan }
      plan.rivals = plan.rivals(among: displacedMappings, of: mappings)
      try requireNotNewer(store, plan)
      if let error = unreadableVersions.lazy.compactMap({ $0.refusal(of: plan, among: versions) }).first { throw error }
      try plan.destination.requireDerivations(at: plan.destination.name)
      try requireJoinTables(in: plan.destination)
      // What a store has may settle a doubt, but never raises one.
      if !StoreSchema(plan.destination.model).doubtfulJoinTables.isEmpty {
        let naming = try joinTableNaming(for: plan, of: store)
        plan.doubtfulJoinTables = StoreSchema(plan.destination.model, joinTables: naming).doubtfulJoinTables
      }
      return plan
    } catch {
      var error = error
      error.subject.path = error.subject.path ?? path
      throw [.unknownVersion, .noMigrationPath].contains(error.code) ? unreadableVersions.inUserTerms(error) : error
    }
  }

  /// Returns the entities that the plan would remove from a store.
  func removals(from store: StoreReader, _ plan: MigrationPlan) throws(MigrationError) -> [EntityRemoval] {
    guard plan.steps.contains(where: { !$0.removedEntityNames.isEmpty }) else { return [] }
    try store.requireBoundedTables()
    let schema = try StoreSchema(plan.source.model, introspecting: store)
    return try reporting(path: store.file.path) {
      plan.removals(of: try RowCensus(store.connection, schema).counts)
    }
  }

  /// Returns the values and links of a store that inferred hops would drop.
  func droppedValues(from store: StoreReader, _ steps: [MigrationStep]) throws(MigrationError) -> [DroppedValues] {
    guard let source = steps.first?.source.model else { return [] }
    var dropped = try DroppedValues.all(
      in: steps, of: store, try StoreSchema(source, introspecting: store),
      appStages == nil ? mappingBounds : SearchBounds())
    for index in dropped.indices { dropped[index].isPlanned = appStages != nil }
    return dropped
  }

  /// Makes sure that a store of a version after the current one loses nothing: the current version was most likely not
  /// chosen when that one was made, as `models lint` tells too.
  private func requireNotNewer(_ store: StoreReader, _ plan: MigrationPlan) throws(MigrationError) {
    let (version, current) = (plan.source.name, plan.destination.name)
    guard takesCurrentVersion, !settings.allowsLoss,
      VersionOrder.isLater(version, than: current, among: versions.map(\.name))
    else { return }
    // Entities that are removed with their rows need the user's consent in any case.
    let losses = try droppedValues(from: store, plan.steps).map { found in
      let noun = found.dropped.content == .links ? "link" : found.dropped.content == .rows ? "row" : "value"
      return "\(found.count.counting(noun)) of '\(found.dropped.name)'"
    }
    guard !losses.isEmpty else { return }
    let shown = losses.prefix(3).joined(separator: ", ") + (losses.count > 3 ? " and more" : "")
    var error = MigrationError(
      .newerVersion, path: path,
      detail:
        "it has the version '\(version)', which comes after the current version '\(current)', where it would lose "
        + shown)
    error.advice =
      "Nothing was changed. Make '\(version)' the current version of the model, "
      + "or choose '\(current)' with \(.version) to go back."
    throw error
  }

  /// Makes sure that what is removed may be.
  func requireNoLoss(_ removals: [EntityRemoval]) throws(MigrationError) {
    guard !settings.allowsLoss, !removals.isEmpty else { return }
    let hops = Dictionary(grouping: removals) { "from '\($0.sourceVersion)' to '\($0.destinationVersion)'" }
    let texts = hops.sorted { $0.key < $1.key }.map { hop, removals in
      let entities = removals.map { "'\($0.entity)' (\($0.count.counting("row")))" }
      return entities.joined(separator: ", ") + ", \(hop)"
    }
    throw MigrationError(.rowsWouldBeLost, path: path, detail: texts.joined(separator: "; "))
  }

  private func version(of store: StoreReader, _ planner: MigrationPlanner) throws(MigrationError) -> LoadedModelVersion
  {
    let hashes = store.metadata.versionHashes
    let isKnown = versions.version(withHashes: hashes) != nil
    // A store's copy of its model that cannot be read is as good as none: nothing else depends on it.
    let cachedModel = isKnown || appStages != nil ? nil : (try? store.cachedModel()) ?? nil
    do throws(MigrationError) {
      return try planner.version(withHashes: hashes, cachedModel: cachedModel)
    } catch {
      guard let appStages else { throw error }
      var error = error
      error.detail =
        "SwiftData's error 134504: it has no version of the plan '\(appStages.plan.name)'"
        + (error.detail.map { "; \($0)" } ?? "")
      throw error
    }
  }

  /// Returns the naming of the tables of many-to-many relationships in all hops.
  func joinTableNaming(for plan: MigrationPlan, of store: StoreReader) throws(MigrationError) -> JoinTableNaming {
    JoinTableNaming(
      chosen: joinTableRelationships, foundIn: try StoreSchema(plan.source.model, introspecting: store))
  }

  /// A relationship that cannot name a table is a mistake of the caller that named it.
  private func requireJoinTables(in version: LoadedModelVersion) throws(MigrationError) {
    guard !joinTableRelationships.isEmpty else { return }
    if let (name, naming) = StoreSchema(version.model).contradiction(among: joinTableRelationships) {
      throw MigrationError(
        .invalidJoinTable, MigrationError.Subject(path: path, name: name),
        detail: "in '\(version.name)' Core Data names it after '\(naming)'")
    }
    let unfit = StoreSchema(
      version.model, joinTables: JoinTableNaming(chosen: joinTableRelationships)
    ).relationshipsWithoutJoinTable(among: joinTableRelationships).first
    guard let unfit else { return }
    throw MigrationError(
      .invalidJoinTable, MigrationError.Subject(path: path, name: unfit),
      detail: "in '\(version.name)' it is not a many-to-many relationship, or its inverse is named too")
  }

  /// A policy that is not here is told before any work, not after the hops that can do without it.
  private func requirePolicies(of step: MigrationStep) throws(MigrationError) {
    for mapping in step.mappingModels.flatMap(\.entityMappings) {
      guard let className = mapping.entityMigrationPolicyClassName, !policies.hasPolicy(named: className) else {
        continue
      }
      throw MigrationError(
        .missingPolicy, MigrationError.Subject(path: path, name: className),
        detail: "mapping '\(mapping.name)' from '\(step.source.name)' to '\(step.destination.name)' names it; "
          + "the registered ones are \(policies.classNames.isEmpty ? "none" : policies.classNames.joined(separator: ", "))"
      )
    }
  }

  /// A key that no source instance has is reported before any work, too.
  private func requireSourceKeys(of step: MigrationStep) throws(MigrationError) {
    guard case .mapping = step.method else { return }
    var keys = SourceKeys(step.source.model)
    for mapping in step.mappingModels.flatMap(\.entityMappings) where mapping.takesInstances {
      guard let entity = mapping.sourceEntityName else { continue }
      // A policy may leave expressions alone.
      let properties =
        mapping.entityMigrationPolicyClassName == nil ? mapping.attributeMappings + mapping.relationshipMappings : []
      var unknown = mapping.filterPredicate.flatMap { keys.unknown(in: $0, of: entity) }.map { ("the filter", $0) }
      for property in properties where unknown == nil {
        unknown = property.valueExpression.flatMap { keys.unknown(in: $0, of: entity) }.map {
          ("the expression of '\(property.name)'", $0)
        }
      }
      guard let (place, key) = unknown else { continue }
      throw MigrationError(
        .invalidMappingModel, MigrationError.Subject(path: path, entity: key.entity, property: key.key),
        detail: "\(place) in mapping '\(mapping.name)' asks for it, but the entity has no such property"
          + NearestNames.hint(key.nearest))
    }
  }

  /// The version that is wanted, among those that are known or those that fit the store's configuration.
  func destination(_ restricted: [LoadedModelVersion]? = nil) throws(MigrationError) -> LoadedModelVersion {
    let versions = restricted ?? versions
    let found = destinationVersionName.map { name in versions.first { $0.name == name } } ?? versions.last
    guard let found else {
      throw MigrationError(
        .noMigrationPath, MigrationError.Subject(name: destinationVersionName),
        detail: "there is no version '\(destinationVersionName ?? "")'; the versions are "
          + versions.map { "'\($0.name)'" }.joined(separator: ", "))
    }
    return found
  }
}

extension StoreMigration {
  /// The outcomes of a migration.
  public enum Outcome: Sendable {
    /// The store has the wanted version; nothing was changed.
    case alreadyCurrent(LoadedModelVersion)
    /// The store was migrated.
    case migrated(Result)
  }

  /// A migration that was carried out.
  public struct Result: Sendable {
    /// The store that was migrated.
    package let origin: MigrationOrigin
    /// The plan that was carried out.
    public let plan: MigrationPlan
    /// The results of the hops.
    public let steps: [StepResult]
    /// The new store.
    public let path: String
    /// The path of the old store, if it was kept.
    public let backupPath: String?
    /// The number of other names (hard links) of the old store, which still lead to it.
    package let otherNamesCount: Int
    /// The path of the values that policies could not read, if there are any.
    public let rejectsPath: String?
    /// The number of rejects.
    public let rejectsCount: Int
    /// The path of the statistics, if there are any.
    package let reportPath: String?
    /// The attributes of the old store's file that the new one cannot have, as text for people.
    package internal(set) var lostAttributes: [String] = []
    /// The findings of the verification before the new store appeared; `nil` if there was none.
    package internal(set) var verified: StoreVerification.Findings?
    /// The contents of the store's file besides its instances.
    package let surroundings: NonModelContent
    /// The app's own contents that could not be carried over: tables, indexes, views, triggers.
    package let uncopied: [DroppedContent]
    /// The size of the old store's file in bytes.
    package let sourceSize: Int64
    /// The size of the new store's file in bytes.
    package let destinationSize: Int64
    /// The duration of the migration.
    public let duration: Duration
    /// Its parts, as far as the statistics have them.
    package let phases: [MigrationPhase]
    /// The problems that remained once the new store was in place.
    public internal(set) var warnings: [MigrationError] = []

    /// The parts that Core Data would have added to the new store, in a form that is not known here.
    package var omissions: [StoreSchema.Omission] { StoreSchema(plan.destination.model).omissions }

    /// The values and links that inferred hops have dropped.
    package var droppedValues: [DroppedValues] { steps.flatMap(\.droppedValues) }

    /// The warnings for people: mapping models that were passed over for others, and what was dropped.
    package var cautions: [Advice] { plan.rivals.map(\.warning) + droppedValues.map(\.warning) }

    /// The app's own tables that the new store has as the old one had them.
    package var keptTables: [String] {
      let lost = Set(uncopied.map(\.name))
      return surroundings.appTables.filter { !lost.contains($0) }
    }
  }

  /// The result of one hop.
  public struct StepResult: Sendable {
    /// The version before.
    public let sourceName: String
    /// The version after.
    public let destinationName: String
    /// The method of the hop.
    package let method: MigrationStep.Method
    /// The strategy for the hop, and its reason.
    package let strategy: MigrationStrategy
    /// The counts of the hop.
    public let statistics: MigrationStatistics
    /// The losses and possible problems, as text for people.
    public let remarks: [String]
    /// The values and links that the hop dropped, although no mapping model says so.
    package let droppedValues: [DroppedValues]
    /// The changes that code of a stage has made; `nil` if it has not told them.
    package let stageChanges: StageChanges?
  }
}
