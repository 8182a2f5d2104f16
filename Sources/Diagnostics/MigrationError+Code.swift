extension MigrationError {
  /// A stable name for what happened, for scripts and for looking it up.
  ///
  /// A structure rather than an enumeration, so that a new code breaks nobody's `switch`.
  public struct Code: RawRepresentable, Sendable, Hashable {
    public let rawValue: String

    public init(rawValue: String) {
      self.rawValue = rawValue
    }

    private init(_ rawValue: String) {
      self.rawValue = rawValue
    }

    // The library cannot be read.
    public static let missing = Self("missing")
    public static let isDirectory = Self("is-directory")
    public static let notAFile = Self("not-a-file")
    public static let unreadable = Self("unreadable")
    public static let notADatabase = Self("not-a-database")
    public static let notACoreDataStore = Self("not-a-core-data-store")
    public static let damaged = Self("damaged")
    public static let unfinishedTransaction = Self("unfinished-transaction")
    public static let unreadableWriteAheadLog = Self("unreadable-write-ahead-log")

    // Its model is not the one that is needed. In brackets: Core Data's own code.
    /// 134130: no known model has the store's version hashes.
    public static let unknownVersion = Self("unknown-version")
    public static let newerVersion = Self("newer-version")
    /// 134100: the model and the store have different version hashes.
    public static let migrationRequired = Self("migration-required")
    /// 134140: no mapping model leads from the store's version to the wanted one.
    public static let noMappingModel = Self("no-mapping-model")
    public static let invalidMappingModel = Self("invalid-mapping-model")

    // The result cannot be written.
    public static let outputExists = Self("output-exists")
    public static let cannotCreate = Self("cannot-create")
    public static let cannotReplace = Self("cannot-replace")
    public static let inputOutput = Self("input-output")

    // Try again later.
    public static let locked = Self("locked")
    public static let openElsewhere = Self("open-elsewhere")
    public static let changedMeanwhile = Self("changed-meanwhile")
    public static let alreadyRunning = Self("already-running")
    public static let diskFull = Self("disk-full")
    public static let outOfMemory = Self("out-of-memory")
    /// 134120: the migration was cancelled.
    public static let interrupted = Self("interrupted")

    // The migration itself failed.
    /// 134110: the migration failed.
    public static let migrationFailed = Self("migration-failed")
    /// 134170: a policy failed.
    public static let policyFailed = Self("policy-failed")
    public static let strictFindings = Self("strict-findings")
    /// 1570 to 1600: the result is not valid.
    public static let validationFailed = Self("validation-failed")

    // A question without an answer.
    public static let noSuchArtist = Self("no-such-artist")
    public static let noStatistics = Self("no-statistics")
    public static let ambiguousArtist = Self("ambiguous-artist")
  }
}
