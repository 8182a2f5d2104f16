/// An error that a person has to read: what happened, to which thing, and why.
///
/// An error holds facts only. The sentences, and what to do next, are written in one place: `ErrorMessage`.
public struct MigrationError: Error, Sendable {
  /// What happened.
  public let code: Code
  /// What it happened to.
  public var subject: Subject
  /// Facts that only this case has, such as the words of SQLite or of the operating system.
  public var detail: String?
  /// What to do next, where only the one who found the error can tell; otherwise its code tells.
  public var advice: Advice?

  /// Further facts, each a clause: such as what could not be taken back.
  public var remarks: [String] = []

  /// Creates an error.
  public init(_ code: Code, _ subject: Subject = Subject(), detail: String? = nil) {
    self.code = code
    self.subject = subject
    self.detail = detail
  }

  /// What an error is about.
  ///
  /// All that is known is filled in.
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

  /// What an error means for a file that the user knows.
  package func about(_ path: String, as code: Code? = nil) -> MigrationError {
    var error = MigrationError(code ?? self.code, path: path, detail: detail)
    error.advice = advice
    error.remarks = remarks
    return error
  }

  // MARK: - Code

  /// A stable name for what happened, for scripts and for looking it up.
  ///
  /// A minor version may add codes: a `switch` of yours needs a `default`.
  public enum Code: String, Sendable, CaseIterable {
    // The library cannot be read.
    /// There is no such file.
    case missing
    /// There is no backup of it.
    case noBackup = "no-backup"
    /// It is a folder.
    case isDirectory = "is-directory"
    /// It is a pipe, a device or the like.
    case notAFile = "not-a-file"
    /// It may not be read.
    case unreadable
    /// It is no SQLite file.
    case notADatabase = "not-a-database"
    /// It is a SQLite file of another kind.
    case notACoreDataStore = "not-a-core-data-store"
    /// It is damaged.
    case damaged
    /// A journal is beside it that only writing could roll back.
    case unfinishedTransaction = "unfinished-transaction"
    /// Its write-ahead log cannot be read.
    case unreadableWriteAheadLog = "unreadable-write-ahead-log"

    // Its model is not the one that is needed. In brackets: Core Data's own code.
    /// 134130: no known model has the store's version hashes.
    case unknownVersion = "unknown-version"
    /// A newer version than is known here wrote it.
    case newerVersion = "newer-version"
    /// 134100: the model and the store have different version hashes.
    case migrationRequired = "migration-required"
    /// The mapping model does not fit its models, or asks for what cannot be done.
    case invalidMappingModel = "invalid-mapping-model"
    /// 134190: no mapping model can be inferred from the two models.
    case inferenceFailed = "inference-failed"

    /// 134140: no chain of mapping models and inferences leads to the wanted version.
    case noMigrationPath = "no-migration-path"
    /// It is no mapping model, or a damaged one.
    case unusableMappingModel = "unusable-mapping-model"
    /// A folder has no mapping models.
    case noMappingModels = "no-mapping-models"
    /// A value lies in a file beside the store that is not there.
    case missingExternalFile = "missing-external-file"
    /// A mapping model names the class of a policy that is not here.
    case missingPolicy = "missing-policy"
    /// A relationship that was named cannot name a join table.
    case invalidJoinTable = "invalid-join-table"
    /// Several mapping models do the same.
    case ambiguousMappingModel = "ambiguous-mapping-model"

    /// There is no such file or folder with a model.
    case missingModel = "missing-model"
    /// A model or a bundle of models cannot be used.
    case unusableModel = "unusable-model"
    /// A bundle of models has no version of this name, or does not say which is current.
    case unknownModelVersion = "unknown-model-version"
    /// The store keeps no copy of its model.
    case noModelCache = "no-model-cache"

    // The result cannot be written.
    /// The name for the result is taken.
    case outputExists = "output-exists"
    /// The result cannot be created.
    case cannotCreate = "cannot-create"
    /// The library cannot be replaced.
    case cannotReplace = "cannot-replace"
    /// Nobody can lock files where the library lies, or where the result is to be.
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
    /// There is not enough space for the result, which was found out before any work.
    case notEnoughSpace = "not-enough-space"
    /// The disk is full.
    case diskFull = "disk-full"
    /// There is not enough memory.
    case outOfMemory = "out-of-memory"
    /// 134120: the migration was cancelled.
    case interrupted

    // The migration itself failed.
    /// 134110: the migration failed.
    case migrationFailed = "migration-failed"
    /// 134170: a policy failed.
    case policyFailed = "policy-failed"
    /// 1550 to 1680: instances of the result break rules of their model.
    case validationFailed = "validation-failed"
    /// Something was not as it should be, and the migration was told to be strict.
    case strictFindings = "strict-findings"
    /// Most JSON was not understood, and no backup was to be kept of it.
    case unmatchedJSON = "unmatched-json"

    /// Entities that have rows would be removed, and nobody has allowed it.
    case rowsWouldBeLost = "rows-would-be-lost"

    /// A condition asks for what the entity does not have, or cannot be evaluated.
    case invalidCondition = "invalid-condition"

    // What was made is not what it had to be.
    /// Only a track library can be compared with the one that it was made from.
    case notATrackLibrary = "not-a-track-library"
    /// There is no old library to compare the new one with.
    case noSource = "no-source"
    /// The new library is not what the migration of the old one had to make of it.
    case verificationFailed = "verification-failed"

    // What could not be made sure of once the result was in place: a warning.
    /// Somebody may go on writing to the old file.
    case oldFileInUse = "old-file-in-use"
    /// The disk does not say that the new names are on it.
    case notSynchronized = "not-synchronized"
    /// A file could not be given the owner or the permissions that the old library got during the work.
    case permissionsNotKept = "permissions-not-kept"

    // A question without an answer.
    /// No artist is the one that was asked for.
    case noSuchArtist = "no-such-artist"
    /// There is no report of a migration.
    case noStatistics = "no-statistics"
    /// The file of the statistics cannot be read.
    case unreadableStatistics = "unreadable-statistics"
    /// Several artists may be the one that was asked for.
    case ambiguousArtist = "ambiguous-artist"
  }

  // MARK: - Exit status

  /// The exit status that this error gives the process, after the tradition of sysexits.h.
  ///
  /// Scripts may try again after 73, 74 and 75; the others stay as they are until somebody changes something.
  public var exitStatus: Int32 {
    switch code {
    case .missing, .noBackup, .missingExternalFile, .noMappingModels, .isDirectory, .notAFile, .unreadable,
      .missingModel:
      66
    case .notADatabase, .notACoreDataStore, .damaged, .unfinishedTransaction, .unreadableWriteAheadLog: 65
    case .notATrackLibrary: 65
    case .unusableModel, .noModelCache: 65
    case .unknownVersion, .unknownModelVersion, .inferenceFailed, .noMigrationPath: 69
    case .migrationRequired, .strictFindings, .unmatchedJSON, .rowsWouldBeLost: 65
    case .migrationFailed, .policyFailed, .validationFailed: 65
    case .newerVersion: 76
    case .invalidMappingModel, .unusableMappingModel, .ambiguousMappingModel, .missingPolicy: 78
    case .outputExists, .cannotCreate, .cannotReplace: 73
    case .inputOutput, .noLocks: 74
    case .locked, .openElsewhere, .changedMeanwhile, .alreadyRunning: 75
    case .diskFull, .notEnoughSpace, .outOfMemory, .interrupted: 75
    case .invalidCondition, .invalidJoinTable, .noSource: 64
    case .verificationFailed: 3
    case .noStatistics: 65
    case .unreadableStatistics: 66
    case .noSuchArtist, .ambiguousArtist: 1
    // Warnings: they end nothing.
    case .oldFileInUse, .notSynchronized, .permissionsNotKept: 70
    }
  }
}
