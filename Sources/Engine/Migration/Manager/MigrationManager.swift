internal import CoreDataExpressions
public import DataModel
// A file that imports Migration has mapping models with it.
@_exported public import MappingModels
package import MigrationDiagnostics
package import PersistentStore
internal import Synchronization

/// Carries out a mapping model: reads a source store, lets policies create and connect instances, and writes the
/// destination store.
///
/// What policies need is here as in Core Data: the models, the contexts, `userInfo` and the associations between source
/// and destination instances.
public final class MigrationManager {
  /// The model of the source.
  public let sourceModel: ManagedObjectModel
  /// The model of the destination.
  public let destinationModel: ManagedObjectModel
  /// The mapping model at work, if there are several.
  public internal(set) var mappingModel: MappingModel
  /// All that is done, in order: several mapping models may fill one destination.
  package let mappingModels: [MappingModel]
  /// Whatever policies want to share, for as long as the migration lasts.
  public var userInfo: [String: Any] = [:]
  /// The counts so far.
  public var statistics = MigrationStatistics()
  /// The entity mapping at work.
  public internal(set) var currentEntityMapping: EntityMapping? {
    didSet {
      expressionContext = nil
      onChange?()
    }
  }
  /// The progress, from 0 to 1.
  public internal(set) var migrationProgress: Float = 0 {
    didSet { onChange?() }
  }
  /// Called when the mapping at work or the progress has changed.
  package var onChange: (() -> Void)?

  /// The source's instances.
  public let sourceContext: ManagedObjectContext
  /// The destination's instances.
  public let destinationContext: ManagedObjectContext
  /// The destination, for policies that work in bulk.
  public let destinationStore: DestinationStore
  /// The file to which policies write values that could not be read.
  package let rejects: RejectsFile?
  /// Tables of the app's own that are carried over as they are.
  package var copiedTables: [String] = []
  /// The rows that the destination has already, for it began as a copy of the source.
  var carriedRows: CopiedRows?
  /// The strategy for the hop; without it the manager chooses one itself.
  var strategy: HopStrategy?
  /// The tables of persistent history that came along.
  private var keptHistory: [String] = []
  /// The parts of those tables that could not be copied.
  package private(set) var droppedContent: [DroppedContent] = []
  let source: StoreReader
  /// More connections to the source, one for each thread that reads it.
  var sourceConnections: [SourceConnection] = []
  /// The rows of the source, by entity, as far as they have been counted.
  var sourceCounts: [String: Int] = [:]
  package let sourceSchema: StoreSchema
  let sourceObjects: SourceInstances
  let destinationObjects: DestinationInstances
  package var options: Options
  @exclusivity(unchecked) var associations = AssociationTable()
  /// The fates of the mappings' sources, by the mappings' names.
  var passages: [String: ConservationCheck.Passage] = [:]
  /// The greatest primary keys that the destination counts as used, by root entity.
  var greatestKeys: [String: Int64] = [:]
  /// The policy at work.
  @exclusivity(unchecked) var currentPolicy: EntityMigrationPolicy?
  /// The object of the module CoreData that stands for this one.
  package weak var facade: AnyObject?
  /// The plan that the default policy used last.
  @exclusivity(unchecked) var plan: CompiledEntityMapping?
  /// The context for evaluating expressions of the mapping at work.
  @exclusivity(unchecked) var expressionContext: EvaluationContext?
  @exclusivity(unchecked) private var cancellationError: (any Error)?

  /// Prepares a migration by mapping models, which fill one destination in their order.
  ///
  /// - Parameters:
  ///   - source: The store to read. Its version hashes are those of `sourceModel`.
  ///   - sourceModel: The model of the source.
  ///   - mappingModels: What is to be done. Each covers a part of the entities.
  ///   - destination: The new store, laid out with the destination model.
  ///   - rejects: Where policies put what could not be read.
  ///   - options: How the migration runs.
  /// - Throws: `MigrationError` when a mapping model was made for other models.
  package init(
    source: StoreReader, sourceModel: ManagedObjectModel, mappingModels: [MappingModel], destination: StoreWriter,
    rejects: RejectsFile? = nil, options: Options = Options()
  ) throws(MigrationError) {
    for mappingModel in mappingModels
    where !mappingModel.isCompatible(withSource: sourceModel, destination: destination.schema.model) {
      throw MigrationError(
        .invalidMappingModel, path: source.file.path, detail: "it was made for other versions of the models")
    }
    self.source = source
    self.sourceModel = sourceModel
    self.mappingModels = mappingModels
    mappingModel = mappingModels.first ?? MappingModel(entityMappings: [])
    self.rejects = rejects
    self.options = options
    destinationModel = destination.schema.model
    sourceSchema = try StoreSchema(sourceModel, introspecting: source)
    sourceObjects = SourceInstances(source, schema: sourceSchema)
    sourceContext = ManagedObjectContext(sourceObjects)
    destinationStore = DestinationStore(destination)
    destinationObjects = DestinationInstances(destinationStore)
    destinationContext = ManagedObjectContext(destinationObjects)
  }

  /// Reads a file beside the source that holds the data of an attribute; `nil` where there is none of this name.
  package var readExternalData: ((_ name: String) throws -> [UInt8]?)? {
    get { sourceContext.readExternalData }
    set {
      sourceContext.readExternalData = newValue
      // What was moved in bulk still leads there.
      destinationContext.readExternalData = newValue
    }
  }

  /// The path of the source store as the user named it, for messages.
  package var sourcePath: String { source.file.path }

  /// Makes the migration end with an error, as soon as the policy that calls this returns.
  public func cancelMigrationWithError(_ error: any Error) {
    cancellationError = error
  }

  /// The number of threads that a policy may use for work that does not read the source.
  package var processorCount: Int { options.threadCount ?? ProcessUsage.processorCount }

  /// The number of threads that read, work and write.
  private(set) lazy var threadCount =
    options.threadCount ?? (source.usedSize < Self.leastSizeForThreads ? 1 : ProcessUsage.processorCount)

  /// All rows of a smaller store would be read before the threads have begun, in bytes.
  private static let leastSizeForThreads: Int64 = 2 << 20

  func copyTables() throws(MigrationError) {
    guard !copiedTables.isEmpty, carriedRows == nil else { return }
    let history = copiedTables.filter(TableKinds.isHistory)
    let keepsHistory = history.isEmpty ? false : try keepsWhatHistoryNames()
    droppedContent = try destinationStore.writer.copyForeignTables(
      copiedTables.filter { keepsHistory || !history.contains($0) })
    if keepsHistory {
      keptHistory = history
    } else {
      droppedContent += history.map { DroppedContent(name: $0, reason: .otherKeys) }
    }
  }

  /// Whether every entity that history names has the same number in the destination, and its instances their keys.
  private func keepsWhatHistoryNames() throws(MigrationError) -> Bool {
    switch strategy?.choice {
    case .statements, .statementsBesideBatches, .addingColumns, .growingCopy: break
    case .instances, nil: return false
    }
    let mappings = mappingModels.flatMap(\.entityMappings)
    let numbers = try source.entityNumbersInHistory()
    return numbers.allSatisfy { number in
      guard let name = sourceSchema.entityNames.first(where: { sourceSchema.entityNumber($0) == number }) else {
        return false
      }
      let heirs = mappings.filter { $0.sourceEntityName == name }.compactMap(\.destinationEntityName)
      return heirs.count == 1 && destinationStore.schema.entityNumber(heirs[0]) == number
    }
  }

  /// The rows of `Z_PRIMARYKEY` that belong to persistent history, where it came along.
  var historyKeys: [PrimaryKeyRow] { keptHistory.isEmpty ? [] : source.primaryKeys.filter(\.isOfHistory) }

  func log(_ line: @autoclosure () -> String) { options.log?(line()) }

  /// Ends a call of a policy: throws what it could not, and what others want.
  func checkCancellation() throws {
    try sourceContext.rethrow()
    try destinationContext.rethrow()
    if let cancellationError { throw cancellationError }
    if options.cancellation.isCancelled { throw MigrationError(.interrupted, path: source.file.path) }
  }
}

extension MigrationManager {
  /// The options of a migration.
  package struct Options {
    /// The custom policies.
    package var policies: PolicyRegistry
    /// A request to stop.
    package var cancellation: MigrationCancellation
    /// Called as instances are migrated.
    package var onProgress: ((MigrationProgress) -> Void)?
    /// Called with what is done, line by line.
    package var log: ((String) -> Void)?
    /// Whether every instance goes through its policy, even where statements on whole tables would do the same.
    package var migratesPerInstance = false
    /// The number of threads that prepare rows for policies that work in batches.
    ///
    /// The result is the same for any number. Without one, there are as many as the process may use processors, or
    /// one for a small store.
    package var threadCount: Int?
    /// The treatment of instances that break a rule of the new model.
    package var validation = Validation.all
    /// Gives the destination a UUID of its own when all is read; `nil` if it has the source's.
    package var uuid: (() -> String)?
    /// Works on the destination's instances when the passes are done.
    package var finishing: MigrationStage.Handler?

    /// The treatments of instances that break a rule of the new model.
    package enum Validation: Sendable {
      /// They end the migration.
      case all
      /// They end the migration where the rule is new; what was wrong before is counted.
      ///
      /// Core Data is as lenient with lightweight migrations.
      case newRules
      /// Nothing is checked: the author of the mapping model knows that no rule can be broken.
      case none
    }

    /// Creates options.
    package init(
      policies: PolicyRegistry = PolicyRegistry(), cancellation: MigrationCancellation = MigrationCancellation(),
      onProgress: ((MigrationProgress) -> Void)? = nil
    ) {
      self.policies = policies
      self.cancellation = cancellation
      self.onProgress = onProgress
    }
  }
}

/// A request to stop, which any thread or signal handler may make.
public final class MigrationCancellation: Sendable {
  private let flag = Atomic(false)

  /// Creates a request that has not been made.
  public init() {}

  /// Asks the migration to stop.
  ///
  /// It does so soon, and leaves the library as it was.
  public func cancel() { flag.store(true, ordering: .relaxed) }

  /// Whether the migration has been asked to stop.
  public var isCancelled: Bool { flag.load(ordering: .relaxed) }
}

/// The progress of a migration.
public struct MigrationProgress: Sendable, Hashable {
  /// The entity whose instances are being migrated.
  public let entityName: String
  /// The number of instances that have been migrated.
  public let completedCount: Int
  /// The number of instances that there are.
  public let totalCount: Int
  /// The hop that is being made, from 1.
  public private(set) var step = 1
  /// The number of hops.
  public private(set) var stepCount = 1

  func placed(inStep step: Int, of stepCount: Int) -> MigrationProgress {
    var progress = self
    (progress.step, progress.stepCount) = (step, stepCount)
    return progress
  }
}

/// The counts of a migration.
///
/// The engine counts instances and links. Policies add counters of their own, and examples of what a person may want to
/// look at.
public struct MigrationStatistics: Sendable, Hashable {
  /// The instances that were read, by source entity; those that several mappings read count for each.
  public internal(set) var sourceInstanceCounts: [String: Int] = [:]
  /// The instances that were written, by destination entity.
  public internal(set) var destinationInstanceCounts: [String: Int] = [:]
  /// The instances of entities that no mapping takes over, by entity: they are not in the destination.
  public internal(set) var removedInstanceCounts: [String: Int] = [:]
  /// The instances that the filter of a mapping left out, by the name of the mapping, where no other mapping takes over all
  /// of the entity.
  public internal(set) var filteredInstanceCounts: [String: Int] = [:]
  /// The instances with which a policy associated no destination instance, by the name of the mapping, likewise.
  public internal(set) var sourcesWithoutDestinationCounts: [String: Int] = [:]
  /// The instances that policies made besides those that mappings of the same entity carry over, by destination entity.
  public internal(set) var addedInstanceCounts: [String: Int] = [:]
  /// The rows that were written, by join table.
  public internal(set) var linkCounts: [String: Int] = [:]
  /// The counters of policies, by their names.
  public private(set) var counters: [String: Int] = [:]
  /// The first few examples for each counter.
  public private(set) var examples: [String: [String]] = [:]

  /// The number of examples that are kept for each counter.
  public static let exampleLimit = 20

  package init() {}

  /// Adds to a counter.
  public mutating func count(_ name: String, by amount: Int = 1) {
    counters[name, default: 0] += amount
  }

  /// Keeps an example for a counter, as long as there are few.
  public mutating func addExample(_ text: @autoclosure () -> String, to name: String) {
    if examples[name, default: []].count < Self.exampleLimit { examples[name, default: []].append(text()) }
  }

  /// Counts destination instances that a policy wrote itself.
  public mutating func addInstances(_ amount: Int, ofEntityNamed name: String) {
    destinationInstanceCounts[name, default: 0] += amount
  }

  /// The value of a counter; 0 when nothing was counted.
  public subscript(name: String) -> Int { counters[name] ?? 0 }
}
