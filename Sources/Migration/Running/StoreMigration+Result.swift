public import Diagnostics
public import PersistentStore

extension StoreMigration {
  /// What came of a migration.
  public enum Outcome: Sendable {
    /// The store has the wanted version; nothing was changed.
    case alreadyCurrent(KnownVersion)
    /// The store was migrated.
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
    /// How many other names (hard links) the old store has, which lead to it still.
    public let otherNamesCount: Int
    /// Where policies have put what could not be read, if there is any.
    public let rejectsPath: String?
    /// The number of rejects.
    public let rejectsCount: Int
    /// What the old store's file has besides its bytes and the new one's cannot have, for people.
    public let lostAttributes: [String]
    /// What the store's file held besides its instances.
    public let surroundings: StoreSurroundings
    /// What of the app's own could not be carried over: tables, indexes, views, triggers.
    public let uncopied: [UncopiedContent]
    /// The size of the old store's file in bytes.
    public let sourceSize: Int64
    /// The size of the new store's file in bytes.
    public let destinationSize: Int64
    /// How long it took.
    public let duration: Duration
    /// What could not be made sure of once the new store was in place.
    public let warnings: [MigrationError]

    /// What Core Data would have written into the new store besides, in a form that is not known here.
    public var omissions: [StoreSchema.Omission] { StoreSchema(plan.destination.model).omissions }

    /// The app's own tables that the new store has as the old one had them.
    public var keptTables: [String] {
      let lost = Set(uncopied.map(\.name))
      return surroundings.appTables.filter { !lost.contains($0) }
    }
  }

  /// What one hop did.
  public struct StepResult: Sendable {
    /// The version before.
    public let sourceName: String
    /// The version after.
    public let destinationName: String
    /// How it was done.
    public let method: MigrationStep.Method
    /// What was counted.
    public let statistics: MigrationStatistics
    /// What may be wrong or is lost, for people.
    public let remarks: [String]
  }
}
