extension MigrationError {
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
    case .noSuchArtist, .ambiguousArtist, .noStatistics: 1
    default: 70
    }
  }
}
