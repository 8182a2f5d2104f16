public import Diagnostics
public import PersistentStore

/// Migrates the store of any app to a version of its model: by as many hops as it takes, of which only the last result
/// replaces the store.
///
///     let bundle = try ModelBundle(path: "App.xcdatamodeld")
///     var migration = StoreMigration(path: "App.sqlite", versions: try KnownVersion.all(in: bundle))
///     migration.destinationVersionName = try bundle.currentVersion().name
///     let outcome = try migration.run()
public struct StoreMigration {
  /// The store, as the user named it.
  public var path: String
  /// A new file for the result; without one the store is replaced.
  public var outputPath: String?
  /// Whether the old store is kept beside the new one.
  public var keepsBackup = true
  /// The versions that are known, in the order of their bundle.
  public var versions: [KnownVersion]
  /// The version that is wanted; without one the last.
  public var destinationVersionName: String?
  /// The mapping models that are known, in the order in which those for the same two versions are carried out.
  public var mappings: [KnownMapping] = []
  /// Whether mapping models may be inferred.
  public var allowsInference = true
  /// The custom policies.
  public var policies = PolicyRegistry()
  /// Whether anything that is lost or doubtful stops the migration.
  public var isStrict = false
  /// How somebody else can stop the migration.
  public var cancellation = MigrationCancellation()
  /// Called now and then with how far the migration is.
  public var onProgress: ((MigrationProgress) -> Void)?
  /// Called with what is done, line by line.
  public var log: ((String) -> Void)?
  /// How long to wait for other programs, in milliseconds.
  public var busyTimeout: Int32 = 2000

  /// Prepares the migration of a store.
  public init(path: String, versions: [KnownVersion]) {
    self.path = path
    self.versions = versions
  }

  /// What came of it.
  public enum Outcome: Sendable {
    /// The store has the wanted version; nothing was changed.
    case alreadyCurrent(KnownVersion)
    case migrated(Result)
  }

  /// A migration that was carried out.
  public struct Result: Sendable {
    /// What was done.
    public let plan: MigrationPlan
    /// What each hop counted.
    public let steps: [StepResult]
    /// The new store.
    public let path: String
    /// Where the old store is, if it was kept.
    public let backupPath: String?
    /// Where policies have put what could not be read, if there is any.
    public let rejectsPath: String?
    /// The number of rejects.
    public let rejectsCount: Int
    /// What the store's file held besides its instances.
    public let surroundings: StoreSurroundings
    /// What of the app's own tables could not be carried over.
    public let uncopied: [UncopiedContent]
  }

  /// What one hop did.
  public struct StepResult: Sendable {
    /// The version before.
    public let sourceName: String
    /// The version after.
    public let destinationName: String
    /// How it was done: the names of mapping models, or that it was inferred.
    public let method: String
    /// What was counted.
    public let statistics: MigrationStatistics
    /// What may be wrong or is lost, for people.
    public let remarks: [String]
  }

  /// Finds the hops, without changing anything.
  ///
  /// - Throws: `MigrationError` when the store's version is not known, or no way leads to the one that is wanted.
  public func plan() throws(MigrationError) -> MigrationPlan {
    let store = try StoreReader(path: path, busyTimeout: busyTimeout)
    let plan = try self.plan(for: store)
    try store.close()
    return plan
  }

  /// Migrates the store.
  ///
  /// One store must not be migrated twice at the same time within one process: its locks belong to the process.
  ///
  /// - Throws: `MigrationError`. Then the store holds what it held, and nothing is left beside it.
  public func run() throws(MigrationError) -> Outcome {
    // Looking first needs no right to write: a store that is current already needs nothing else.
    if let outcome = try outcomeIfCurrent() { return outcome }
    let rewrite = try StoreRewrite(
      path: path, outputPath: outputPath, target: try StoreRewrite.target(path: path, outputPath: outputPath),
      busyTimeout: busyTimeout)
    do throws(MigrationError) {
      return try StoreMigrationRun(self, rewrite).migrate()
    } catch {
      rewrite.discard()
      throw rewrite.explained(error)
    }
  }

  private func outcomeIfCurrent() throws(MigrationError) -> Outcome? {
    do throws(MigrationError) {
      let plan = try plan()
      return plan.steps.isEmpty ? .alreadyCurrent(plan.destination) : nil
    } catch let error where error.code == .unfinishedTransaction && outputPath == nil {
      // A run that was killed while it took the store over has left a journal. It is rolled back as soon as the store
      // is locked for writing.
      return nil
    }
  }

  func plan(for store: StoreReader) throws(MigrationError) -> MigrationPlan {
    let planner = MigrationPlanner(versions: versions, mappings: mappings, allowsInference: allowsInference)
    do throws(MigrationError) {
      let source = try planner.version(withHashes: store.metadata.versionHashes, cachedModel: store.cachedModel())
      return try planner.plan(from: source, to: try destination())
    } catch {
      var subject = error.subject
      subject.path = subject.path ?? path
      throw MigrationError(error.code, subject, detail: error.detail)
    }
  }

  private func destination() throws(MigrationError) -> KnownVersion {
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
