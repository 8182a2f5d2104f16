extension MigrationManager {
  /// How a migration runs.
  public struct Options {
    /// The custom policies.
    public var policies: PolicyRegistry
    /// A request to stop.
    public var cancellation: MigrationCancellation
    /// Called as instances are migrated.
    public var onProgress: ((MigrationProgress) -> Void)?
    /// Called with what is done, line by line.
    public var log: ((String) -> Void)?
    /// Whether every instance goes through its policy, even where statements on whole tables would do the same.
    public var migratesPerInstance = false
    /// How many threads prepare rows for policies that work in batches.
    ///
    /// The result is the same for any number. Without one, there are as many as the process may use processors, or
    /// one for a small store.
    public var threadCount: Int?
    /// What is done about instances that break a rule of the new model.
    public var validation = Validation.all

    /// What is done about instances that break a rule of the new model.
    public enum Validation: Sendable {
      /// They end the migration.
      case all
      /// They end the migration where the rule is new; what was wrong before is counted.
      ///
      /// Core Data is as lenient with lightweight migrations.
      case newRules
      /// Nothing is checked: whoever made the mapping model knows that no rule can be broken.
      case none
    }

    /// Creates options.
    public init(
      policies: PolicyRegistry = PolicyRegistry(), cancellation: MigrationCancellation = MigrationCancellation(),
      onProgress: ((MigrationProgress) -> Void)? = nil
    ) {
      self.policies = policies
      self.cancellation = cancellation
      self.onProgress = onProgress
    }
  }
}
