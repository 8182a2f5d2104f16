public import PersistentStore
package import Verification

/// The settings of any migration.
///
/// What migrates has these settings as its own, so that `migration.outputPath` is `migration.settings.outputPath`.
public struct MigrationSettings {
  /// A new file for the result; without one the store is replaced.
  public var outputPath: String?
  /// Whether the old store is kept beside the new one.
  public var keepsBackup = true
  /// Whether anything stops the migration that is lost without the models saying so, or that is doubtful.
  ///
  /// What a new model just does not have any more is not meant: that is for its author to know, and the plan tells it.
  public var isStrict = false
  /// Whether entities that have rows may be removed.
  ///
  /// A mapping model or an inference removes them, or no mapping model speaks of them. Without a backup: also whether
  /// what the store holds besides its model, and the new one does not have, may be gone for good.
  ///
  /// Otherwise that stops the migration, which tells them with the number of their rows. It may mean that the wrong model,
  /// version or mapping model is at work.
  public var allowsLoss = false
  /// Whether what the store holds besides its model may be gone for good; `nil` for what ``allowsLoss`` says.
  package var discardsContents: Bool?
  /// Whether persistent history comes along where every entity that it names keeps its number, and its instances their
  /// keys; otherwise it is left behind, and named.
  ///
  /// The masks of changed properties (`ZCOLUMNS`) stay those of the old version.
  public var keepsHistory = false
  /// Whether old and new store are read anew and compared before the new one appears.
  ///
  /// If anything differs the migration fails.
  public var isVerified = false
  /// The path of the statistics, which are JSON and appear together with the result.
  ///
  /// Without it those of a track library lie beside the result, and of an app's store there are none.
  public var reportPath: String?
  /// The number of threads that prepare rows for policies that work in batches; `nil` for as many as there are
  /// processors, or one for a small store.
  ///
  /// The result is the same for any number.
  public var threadCount: Int?
  /// The time to wait for other programs.
  public var waiting = WaitPolicy()
  /// Whether a disk that seems too small stops the migration before it begins.
  public var checksSpace = true
  /// Files besides the store that the result comes from, such as a feed or decisions: new files that are made are not
  /// open to more people than these.
  package var contentPaths: [String] = []
  /// The options of the migration in its caller's words, for the statistics and the rejects.
  package var options: [String] = []
  /// The store's files before they are opened, for the statistics; `nil` if they will not be reported.
  package var sourceFiles: [SourceFile]?
  /// The digest of what decides, besides the store, what is made of it; `nil` if it will not be reported.
  package var choices: String?
  /// The means by which another thread can stop the migration.
  public var cancellation = MigrationCancellation()
  /// Called now and then with how far the migration is.
  public var onProgress: ((MigrationProgress) -> Void)?
  /// Called now and then with the number of rows that are compared, and of all.
  public var onVerificationProgress: ((_ completedCount: Int, _ totalCount: Int) -> Void)?
  /// Called with the first differences that a verification finds.
  package var onDifference: ((Difference) -> Void)?
  /// Called with what may be in the app's way in a store that has the wanted version already, or gets rows, as a sentence.
  public var onRemark: ((String) -> Void)?
  /// Called with what is done, step by step; a text may have several lines.
  public var log: ((String) -> Void)?

  /// The settings of a migration in place that keeps a backup.
  public init() {}
}

/// A type that shares the settings of a migration.
@dynamicMemberLookup
package protocol MigrationConfigurable {
  /// The settings of the migration.
  var settings: MigrationSettings { get set }
}

extension MigrationConfigurable {
  /// One of the settings.
  package subscript<Value>(dynamicMember setting: WritableKeyPath<MigrationSettings, Value>) -> Value {
    get { settings[keyPath: setting] }
    set { settings[keyPath: setting] = newValue }
  }
}
