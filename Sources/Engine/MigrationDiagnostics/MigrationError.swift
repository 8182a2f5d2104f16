/// An error for a person to read: what happened, to what, and why.
///
/// An error holds only facts. The sentences, and what to do next, are written in one place: `ErrorMessage`.
public struct MigrationError: Error, Sendable {
  /// The kind of the error.
  public let code: Code
  /// The subject of the error.
  public var subject: Subject
  /// Facts specific to this error, such as the message of SQLite or of the operating system.
  public var detail: String?
  /// The advice, if only the code that found the error knows it; otherwise it is derived from the error's code.
  public var advice: Advice?

  /// The rule of a table that a row breaks, in SQLite's words: a constraint, mostly of the app's own.
  package var brokenRule: String?

  /// The table that it is about, if it is one of Core Data's own.
  package var table: String?

  /// Further facts, each a clause, such as what could not be undone.
  public var remarks: [String] = []

  /// The lines of another program, such as a compiler, that say what is wrong in its own words.
  public var report: [String] = []

  /// Creates an error.
  public init(_ code: Code, _ subject: Subject = Subject(), detail: String? = nil) {
    self.code = code
    self.subject = subject
    self.detail = detail
  }

  /// The subject of an error.
  ///
  /// Everything known is filled in.
  public struct Subject: Sendable, Hashable {
    /// The file, as the user named it.
    public var path: String?
    /// The entity, as its model names it.
    public var entity: String?
    /// The attribute or relationship.
    public var property: String?
    /// The primary key of the row.
    public var row: Int64?
    /// The name of the entity mapping or of the model version.
    public var name: String?

    /// Creates a subject.
    public init(
      path: String? = nil, entity: String? = nil, property: String? = nil, row: Int64? = nil, name: String? = nil
    ) {
      self.path = path
      self.entity = entity
      self.property = property
      self.row = row
      self.name = name
    }
  }
}

extension MigrationError {
  /// Creates an error about a file.
  public init(_ code: Code, path: String, detail: String? = nil) {
    self.init(code, Subject(path: path), detail: detail)
  }

  /// Restates an error in terms of a file that the user knows.
  package func about(_ path: String, as code: Code? = nil) -> MigrationError {
    var error = MigrationError(code ?? self.code, subject, detail: detail)
    error.subject.path = path
    (error.advice, error.remarks, error.brokenRule, error.table) = (advice, remarks, brokenRule, table)
    error.report = report
    return error
  }

  // MARK: - Code

  /// A stable name for what happened, for scripts and for looking it up.
  ///
  /// A minor version may add codes, so a `switch` in your code needs a `default`.
  public enum Code: String, Sendable, CaseIterable {
    // The library cannot be read.
    /// There is no such file.
    case missing
    /// There is no backup of the library.
    case noBackup = "no-backup"
    /// It is a folder.
    case isDirectory = "is-directory"
    /// It is a pipe, a device or a similar file.
    case notAFile = "not-a-file"
    /// It is not readable.
    case unreadable
    /// It is not a SQLite file.
    case notADatabase = "not-a-database"
    /// It is a SQLite file of another kind.
    case notACoreDataStore = "not-a-core-data-store"
    /// It is damaged.
    case damaged
    /// It has a journal that can be rolled back only by writing.
    case unfinishedTransaction = "unfinished-transaction"
    /// Its write-ahead log cannot be read.
    case unreadableWriteAheadLog = "unreadable-write-ahead-log"

    // Its model is not the required one. Core Data's own error codes come first.
    /// 134130: no known model has the store's version hashes.
    case unknownVersion = "unknown-version"
    /// It was written by a newer version than is known here.
    case newerVersion = "newer-version"
    /// 134100: the model and the store have different version hashes.
    case migrationRequired = "migration-required"
    /// The mapping model does not match its models, or requests something impossible.
    case invalidMappingModel = "invalid-mapping-model"
    /// 134190: no mapping model can be inferred from the two models.
    case inferenceFailed = "inference-failed"

    /// 134140: no chain of mapping models and inferences leads to the requested version.
    case noMigrationPath = "no-migration-path"
    /// 134504: no stage of a staged migration passes the store's version, or there is no model for one of its versions.
    case unknownStage = "unknown-stage"
    /// It is not a mapping model, or is damaged.
    case unusableMappingModel = "unusable-mapping-model"
    /// A folder has no mapping models.
    case noMappingModels = "no-mapping-models"
    /// An external data file is missing.
    case missingExternalFile = "missing-external-file"
    /// A mapping model names a policy class that is not registered.
    case missingPolicy = "missing-policy"
    /// The relationship given for a join table cannot name one.
    case invalidJoinTable = "invalid-join-table"
    /// Several mapping models cover the same step.
    case ambiguousMappingModel = "ambiguous-mapping-model"

    /// There is no such file or folder with a model.
    case missingModel = "missing-model"
    /// A model or a bundle of models cannot be used.
    case unusableModel = "unusable-model"
    /// A bundle of models has no version with this name, or does not record which one is current.
    case unknownModelVersion = "unknown-model-version"
    /// The store does not contain a copy of its model.
    case noModelCache = "no-model-cache"
    /// The store's copy of its model has parts that are not known here, or is damaged; its rows may be healthy.
    case unreadableModelCache = "unreadable-model-cache"

    // The result cannot be written.
    /// The name of the result is taken.
    case outputExists = "output-exists"
    /// The result cannot be created.
    case cannotCreate = "cannot-create"
    /// The library cannot be replaced.
    case cannotReplace = "cannot-replace"
    /// File locks are not supported where the library is, or where the result is to be written.
    case noLocks = "no-locks"
    /// The operating system reported an error.
    case inputOutput = "input-output"

    // Try again later.
    /// Another program is writing to the library.
    case locked
    /// Another program has the library open.
    case openElsewhere = "open-elsewhere"
    /// Another program wrote to the library during the migration.
    case changedMeanwhile = "changed-meanwhile"
    /// Another migration of the library is running.
    case alreadyRunning = "already-running"
    /// There is not enough space for the result, as found before any work began.
    case notEnoughSpace = "not-enough-space"
    /// The disk is full.
    case diskFull = "disk-full"
    /// The process that migrated a library of a batch has ended.
    case workerEnded = "worker-ended"
    /// There is not enough memory.
    case outOfMemory = "out-of-memory"
    /// The system allows no more processes.
    case processLimit = "process-limit"
    /// 134120: the migration was cancelled.
    case interrupted

    // The migration itself failed.
    /// 134110: the migration failed.
    case migrationFailed = "migration-failed"
    /// 134170: a policy failed.
    case policyFailed = "policy-failed"
    /// 1550 to 1680: instances of the result violate rules of their model.
    case validationFailed = "validation-failed"
    /// A feed cannot be imported.
    case unusableFeed = "unusable-feed"
    /// No store can be assembled from what a manifest lists.
    case unusableManifest = "unusable-manifest"
    /// The migration found problems, and was told to be strict.
    case strictFindings = "strict-findings"
    /// Most JSON was not recognised, and no backup of it was to be kept.
    case unmatchedJSON = "unmatched-json"
    /// A decision is about an artist that the library does not have.
    case unusedDecision = "unused-decision"
    /// A decision cannot be carried out, because several artists have the name that it leads to.
    case unclearDecision = "unclear-decision"

    /// Entities that have rows would be removed, without permission.
    case rowsWouldBeLost = "rows-would-be-lost"
    /// What a library holds besides its model would be gone for good, without permission.
    case contentWouldBeLost = "content-would-be-lost"

    /// A condition refers to something that the entity does not have, or cannot be evaluated.
    case invalidCondition = "invalid-condition"
    /// The model has no such attribute.
    case unknownAttribute = "unknown-attribute"

    // Verification failed.
    /// Only a track library can be compared with its source.
    case notATrackLibrary = "not-a-track-library"
    /// There is no old library to compare the new one with.
    case noSource = "no-source"
    /// The new library is not the correct result of migrating the old one.
    case verificationFailed = "verification-failed"
    /// A redacted copy still had words of its store, and was discarded.
    case redactionIncomplete = "redaction-incomplete"

    // Warnings: something could not be confirmed after the result was put in place.
    /// A program may still be writing to the old file.
    case oldFileInUse = "old-file-in-use"
    /// The disk did not confirm that the new names were written.
    case notSynchronized = "not-synchronized"
    /// A file could not be given the owner or the permissions that the old library received during the migration.
    case permissionsNotKept = "permissions-not-kept"

    // A query without a result.
    /// No artist matches.
    case noSuchArtist = "no-such-artist"
    /// There is no report of a migration.
    case noStatistics = "no-statistics"
    /// The file of the statistics cannot be read.
    case unreadableStatistics = "unreadable-statistics"
    /// Several artists match.
    case ambiguousArtist = "ambiguous-artist"
  }

  // MARK: - Exit status

  /// The kinds of trouble that an error can tell of.
  private enum Concern {
    /// A file cannot be read as a store, so that nothing is said about what was to be done with it.
    case reading
    /// The machine has refused something, so that nothing is said about what was asked: a disk, memory, a folder, a lock,
    /// or a request to end.
    case machine
    /// The request does not fit, or something was found.
    case request
  }

  /// The exit status that this error gives the process, following sysexits.h.
  ///
  /// Scripts may retry after 73, 74 and 75; the others persist until something is changed.
  public var exitStatus: Int32 { traits.exitStatus }

  /// Whether a file cannot be read as a store.
  package var isAboutReading: Bool { traits.concern == .reading }

  /// Whether the machine has refused something.
  package var isAboutMachine: Bool { traits.concern == .machine }

  private var traits: (exitStatus: Int32, concern: Concern) {
    switch code {
    case .missing, .isDirectory, .notAFile, .unreadable: (66, .reading)
    case .noBackup, .missingExternalFile, .noMappingModels, .missingModel, .unreadableStatistics: (66, .request)
    case .notADatabase, .notACoreDataStore, .damaged, .unfinishedTransaction, .unreadableWriteAheadLog: (65, .reading)
    case .notATrackLibrary, .unusableModel, .noModelCache, .unreadableModelCache, .migrationRequired, .strictFindings,
      .unmatchedJSON, .rowsWouldBeLost, .contentWouldBeLost, .migrationFailed, .policyFailed, .validationFailed,
      .unusableFeed, .unusableManifest, .unusedDecision, .unclearDecision, .noStatistics:
      (65, .request)
    case .unknownVersion, .unknownModelVersion, .inferenceFailed, .noMigrationPath, .unknownStage: (69, .request)
    case .newerVersion: (76, .request)
    case .invalidMappingModel, .unusableMappingModel, .ambiguousMappingModel, .missingPolicy: (78, .request)
    case .cannotCreate: (73, .machine)
    case .outputExists, .cannotReplace: (73, .request)
    case .inputOutput, .noLocks, .notSynchronized: (74, .machine)
    case .diskFull, .notEnoughSpace, .outOfMemory, .processLimit, .interrupted: (75, .machine)
    case .locked, .openElsewhere, .changedMeanwhile, .alreadyRunning: (75, .request)
    case .invalidCondition, .unknownAttribute, .invalidJoinTable, .noSource: (64, .request)
    case .verificationFailed: (3, .request)
    case .noSuchArtist, .ambiguousArtist: (1, .request)
    // Our own fault, or warnings, which do not end anything.
    case .oldFileInUse, .permissionsNotKept, .workerEnded, .redactionIncomplete: (70, .request)
    }
  }
}
