package import DataModel
package import MigrationDiagnostics
internal import PersistentStore
internal import SQLiteDatabase

/// The strategy for one hop, and its reason.
///
/// The fastest way that comes to the same result is chosen. All ways but the last need that no policy sees instances.
public enum MigrationStrategy: Sendable, Hashable {
  /// Columns are added to a copy of the store: the new version only adds optional attributes without default values.
  case addingColumns
  /// Policies add rows to a copy of the store, which keeps everything else that is in its file.
  case growingCopy
  /// A few statements move whole tables: SQL gives every value.
  case statements(BesideCopy)
  /// Statements move whole tables, and policies that work in batches add to that.
  case statementsBesideBatches(policies: [String])
  /// Every instance goes through its policy.
  case instances(InstanceReason)

  /// A reason why columns are not just added to a copy of the store.
  public enum BesideCopy: Sendable, Hashable {
    /// Columns are not all that the new version changes.
    case moreChanges
    /// The store is so small that writing it anew takes no time.
    case smallStore
    /// Something about the store itself; the text says what.
    case store(String)
  }

  /// A reason why statements on whole tables do not suffice.
  public enum InstanceReason: Sendable, Hashable {
    /// The caller has asked for it.
    case wanted
    /// A policy is to see instances, or SQL does not give what expressions ask for.
    case mappings([BulkPlanError.Reason])
    /// Values lie in files that would have to be read into columns; each text says of which attribute.
    case valuesInFiles([String])
    /// Code of a stage works on them.
    case stage
  }
}

extension MigrationStrategy: CustomStringConvertible {
  /// The strategy and its reason, after "it is carried out".
  public var description: String {
    switch self {
    case .addingColumns:
      "by adding columns to a copy of the store, since it only adds optional attributes without default values"
    case .growingCopy: "by adding rows to a copy of the store, which keeps everything that it has"
    case .statements(let reason):
      "with statements on whole tables, since no policy needs instances and SQL gives every value" + reason.remark
    case .statementsBesideBatches(let policies):
      "with statements on whole tables, beside \(policies.map { "'\($0)'" }.joined(separator: ", ")), "
        + "which \(policies.count == 1 ? "works" : "work") in batches"
    case .instances(let reason): "instance by instance, since \(reason)"
    }
  }
}

extension MigrationStrategy.BesideCopy {
  fileprivate var remark: String {
    switch self {
    case .moreChanges: ""
    case .smallStore: "; the store is too small to be copied and given columns"
    case .store(let obstacle): "; it is not copied and given columns, since \(obstacle)"
    }
  }
}

extension MigrationStrategy.InstanceReason: CustomStringConvertible {
  /// A clause without a full stop.
  public var description: String {
    switch self {
    case .wanted: "that was asked for"
    case .mappings(let reasons): reasons.map(\.description).joined(separator: "; ")
    case .valuesInFiles(let texts): texts.joined(separator: "; ")
    case .stage: "code of a stage works on them"
    }
  }
}

/// A strategy with what it takes, which is made once for each hop.
struct HopStrategy {
  let choice: MigrationStrategy
  /// The columns to be added.
  private(set) var columns: AddedColumns?
  /// The statements.
  private(set) var statements: BulkPlan?
  /// The policies that work in batches, by their class names.
  private let batchPolicies: [String]

  /// Chooses how a hop is carried out.
  ///
  /// - Parameters:
  ///   - source: How the store is laid out.
  ///   - columns: The columns to be added, if the hop does nothing else.
  ///   - obstacle: Why they are not just added all the same.
  ///   - isBatchPolicy: Whether a mapping has a policy that works in batches.
  ///   - wantsInstances: Whether every instance is to go through its policy.
  /// - Throws: `StrategyRefusal` where a policy works in batches and statements will not do.
  init(
    _ mappings: [EntityMapping], from source: StoreSchema, to destination: StoreSchema, columns: AddedColumns? = nil,
    obstacle: MigrationStrategy.BesideCopy? = nil, wantsInstances: Bool = false,
    isBatchPolicy: (EntityMapping) -> Bool
  ) throws(StrategyRefusal) {
    let batches = mappings.filter(isBatchPolicy)
    batchPolicies = Set(batches.compactMap(\.entityMigrationPolicyClassName)).sorted()
    if let columns, obstacle == nil {
      (choice, self.columns) = (.addingColumns, columns)
      return
    }
    do throws(BulkPlanError) {
      guard !wantsInstances else { throw BulkPlanError(reasons: []) }
      statements = try BulkPlan(
        MappingModel(entityMappings: mappings), source: source, destination: destination,
        batchMappings: Set(batches.map(\.name)))
      choice =
        batchPolicies.isEmpty
        ? .statements(obstacle ?? .moreChanges) : .statementsBesideBatches(policies: batchPolicies)
    } catch {
      choice = .instances(wantsInstances ? .wanted : .mappings(error.reasons))
      try requirePossible()
    }
  }

  private init(_ choice: MigrationStrategy, batchPolicies: [String]) {
    (self.choice, self.batchPolicies) = (choice, batchPolicies)
  }

  /// The only strategy with which code of a stage sees instances.
  static let ofStage = HopStrategy(.instances(.stage), batchPolicies: [])

  /// The only strategy for a copy that grows.
  static let ofGrowth = HopStrategy(.growingCopy, batchPolicies: [])

  /// The next best where the store holds values in files that statements cannot read.
  func withInstances(_ valuesInFiles: [String]) throws(StrategyRefusal) -> HopStrategy {
    let strategy = HopStrategy(.instances(.valuesInFiles(valuesInFiles)), batchPolicies: batchPolicies)
    try strategy.requirePossible()
    return strategy
  }

  /// A policy that works in batches adds to rows that statements have moved, and to nothing else.
  private func requirePossible() throws(StrategyRefusal) {
    guard let policy = batchPolicies.first, case .instances(let reason) = choice else { return }
    throw StrategyRefusal(policy: policy, reason: reason)
  }
}

/// The reason why a hop cannot be carried out.
package struct StrategyRefusal: Error {
  /// A policy that works in batches.
  package let policy: String
  /// The reason why statements, beside which it could work, do not suffice.
  package let reason: MigrationStrategy.InstanceReason

  /// The refusal as an error of a migration.
  package var error: MigrationError {
    var subject = MigrationError.Subject()
    if case .mappings(let reasons) = reason { subject.property = reasons.lazy.compactMap(\.property).first }
    return MigrationError(
      .invalidMappingModel, subject,
      detail: "the policy '\(policy)' works in batches, beside statements on whole tables, which will not do: \(reason)"
    )
  }
}

extension PolicyRegistry {
  /// Whether the policy of a mapping only adds to a plain copy, in batches.
  func isBatchPolicy(of mapping: EntityMapping) -> Bool {
    mapping.entityMigrationPolicyClassName.flatMap(makePolicy) is any BatchMigrationPolicy
  }
}

extension MigrationStrategy {
  /// Describes the strategy for a mapping model by the models alone, for a store of which nothing else is known.
  ///
  /// - Returns: The choice, or why there is none, for people.
  package static func summary(
    of mappingModel: MappingModel, from source: ManagedObjectModel, to destination: ManagedObjectModel,
    policies: PolicyRegistry
  ) -> String {
    do throws(StrategyRefusal) {
      let strategy = try HopStrategy(
        mappingModel.entityMappings, from: StoreSchema(source), to: StoreSchema(destination),
        isBatchPolicy: policies.isBatchPolicy)
      return "It is carried out \(strategy.choice)."
    } catch {
      return "It cannot be carried out: \(error.error.detail ?? "")."
    }
  }
}

extension StoreMigration {
  /// Chooses how a hop is carried out.
  ///
  /// - Parameters:
  ///   - source: How the store is laid out that the hop begins with, and its size.
  ///   - naming: How the tables of many-to-many relationships are named.
  ///   - obstacle: Why columns cannot be added to a copy, if that has been tried.
  func strategy(
    of step: MigrationStep, from source: (schema: StoreSchema, size: Int64), _ naming: JoinTableNaming,
    obstacle: MigrationStrategy.BesideCopy? = nil
  ) throws(MigrationError) -> HopStrategy {
    if step.moment != nil { return .ofStage }
    let columns = step.addedColumns(joinTables: naming)
    do throws(StrategyRefusal) {
      return try HopStrategy(
        step.mappingModels.flatMap(\.entityMappings), from: source.schema,
        to: StoreSchema(step.destination.model, joinTables: naming), columns: columns,
        obstacle: obstacle ?? (columns != nil && source.size < leastSizeOfCopies ? .smallStore : nil),
        isBatchPolicy: policies.isBatchPolicy)
    } catch {
      throw hooks.error(for: error)
    }
  }

  /// Returns the strategies for all hops of a plan, as far as they are known before: the results of the first hop are
  /// not.
  func strategies(of plan: MigrationPlan, _ store: StoreReader) throws(MigrationError) -> [MigrationStrategy] {
    let naming = try joinTableNaming(for: plan, of: store)
    var source = try StoreSchema(plan.source.model, introspecting: store)
    var choices: [MigrationStrategy] = []
    for step in plan.steps {
      var chosen = try strategy(of: step, from: (source, store.file.size), naming)
      // The source of a later hop is not there yet.
      if choices.isEmpty, let statements = chosen.statements, !statements.fileChecks.isEmpty {
        let inFiles = try reporting(path: store.file.path) { try store.valuesInFiles(for: statements) }
        do throws(StrategyRefusal) {
          if !inFiles.isEmpty { chosen = try chosen.withInstances(inFiles) }
        } catch {
          throw hooks.error(for: error)
        }
      }
      choices.append(chosen.choice)
      source = StoreSchema(step.destination.model, joinTables: naming)
    }
    return choices
  }
}

extension StoreReader {
  /// Returns the values of the store that statements cannot carry over.
  ///
  /// They expect it to be attached, as it is while it is migrated.
  fileprivate func valuesInFiles(for statements: BulkPlan) throws(SQLiteError) -> [String] {
    let name = StoreWriter.sourceDatabaseName
    try connection.attachReadOnly(path: file.resolvedPath, isImmutable: isImmutable, as: name)
    let values = try statements.valuesInFiles(connection)
    try connection.execute("DETACH \(name.quotedIdentifier)")
    return values
  }
}
