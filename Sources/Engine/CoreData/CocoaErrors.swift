// A file that imports CoreData also gets Foundation, as on Apple's platforms.
@_exported public import Foundation
internal import MigrationDiagnostics

extension MigrationError {
  /// The error in the form that apps know, with the sentence and advice that the command line would print.
  var cocoaError: NSError { cocoaError(cocoaCode) }

  /// The error of a save, which has a code of its own for instances that break rules.
  var savingError: NSError { cocoaError(code == .validationFailed ? NSValidationMultipleErrorsError : cocoaCode) }

  private func cocoaError(_ code: Int) -> NSError {
    let message = ErrorMessage(self)
    return NSError(
      domain: NSCocoaErrorDomain, code: code,
      userInfo: [
        NSLocalizedDescriptionKey: message.problem, NSLocalizedRecoverySuggestionErrorKey: message.advice,
        NSUnderlyingErrorKey: self,
      ])
  }

  private var cocoaCode: Int {
    switch code {
    case .migrationRequired: NSPersistentStoreIncompatibleVersionHashError
    case .unknownVersion, .newerVersion, .missingModel, .unusableModel, .unknownModelVersion:
      NSMigrationMissingSourceModelError
    case .inferenceFailed: NSInferredMappingModelError
    case .unknownStage: NSManagedObjectModelReferenceNotFoundError
    case .invalidMappingModel, .noMigrationPath, .ambiguousMappingModel, .missingPolicy:
      NSMigrationMissingMappingModelError
    case .missing, .isDirectory, .notAFile, .unreadable, .notADatabase, .notACoreDataStore, .damaged,
      .unfinishedTransaction, .unreadableWriteAheadLog, .locked:
      NSMigrationManagerSourceStoreError
    case .outputExists, .cannotCreate, .cannotReplace, .inputOutput, .diskFull: NSMigrationManagerDestinationStoreError
    case .interrupted: NSMigrationCancelledError
    case .policyFailed: NSEntityMigrationPolicyError
    case .noBackup, .unusableMappingModel, .noMappingModels, .missingExternalFile, .invalidJoinTable, .noModelCache,
      .unreadableModelCache, .noLocks, .openElsewhere, .changedMeanwhile, .alreadyRunning, .notEnoughSpace,
      .workerEnded, .outOfMemory, .processLimit, .migrationFailed, .validationFailed, .unusableFeed, .unusableManifest,
      .strictFindings, .unmatchedJSON, .unusedDecision, .unclearDecision, .rowsWouldBeLost, .contentWouldBeLost,
      .invalidCondition, .unknownAttribute, .notATrackLibrary, .noSource, .verificationFailed, .redactionIncomplete,
      .oldFileInUse, .notSynchronized, .permissionsNotKept, .noSuchArtist, .noStatistics, .unreadableStatistics,
      .ambiguousArtist:
      NSMigrationError
    }
  }
}
