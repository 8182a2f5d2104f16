// A file that imports CoreData also gets Foundation, as on Apple's platforms.
@_exported public import Foundation
internal import MigrationDiagnostics

/// The version hashes of the store and the model differ.
public let NSPersistentStoreIncompatibleVersionHashError = 134100
/// A migration failed.
public let NSMigrationError = 134110
/// A migration was cancelled.
public let NSMigrationCancelledError = 134120
/// There is no model for the source of a migration.
public let NSMigrationMissingSourceModelError = 134130
/// There is no mapping model for a migration.
public let NSMigrationMissingMappingModelError = 134140
/// The source of a migration cannot be read.
public let NSMigrationManagerSourceStoreError = 134150
/// The destination of a migration cannot be written.
public let NSMigrationManagerDestinationStoreError = 134160
/// A policy failed.
public let NSEntityMigrationPolicyError = 134170
/// A mapping model cannot be inferred.
public let NSInferredMappingModelError = 134190

/// A staged migration has no stage for the store's version, or no model for that of a stage.
public let NSManagedObjectModelReferenceNotFoundError = 134504
/// A staged migration was made with another version of the framework; it does not happen here.
public let NSStagedMigrationFrameworkVersionMismatchError = 134505
/// The stages of a staged migration lead away from the wanted model; here, that is `NSMigrationMissingMappingModelError`.
public let NSStagedMigrationBackwardMigrationError = 134506

/// Several properties are wrong.
public let NSValidationMultipleErrorsError = 1560
/// A required property has no value.
public let NSValidationMissingMandatoryPropertyError = 1570
/// A relationship has too few destinations.
public let NSValidationRelationshipLacksMinimumCountError = 1580
/// A relationship has too many destinations.
public let NSValidationRelationshipExceedsMaximumCountError = 1590
/// A number is too large.
public let NSValidationNumberTooLargeError = 1610
/// A number is too small.
public let NSValidationNumberTooSmallError = 1620
/// A date is too late.
public let NSValidationDateTooLateError = 1630
/// A date is too soon.
public let NSValidationDateTooSoonError = 1640
/// A text is too long.
public let NSValidationStringTooLongError = 1660
/// A text is too short.
public let NSValidationStringTooShortError = 1670

/// The key of several errors in one.
public let NSDetailedErrorsKey = "NSDetailedErrors"
/// The key of the instance that breaks a rule.
public let NSValidationObjectErrorKey = "NSValidationErrorObject"
/// The key of the property that breaks a rule.
public let NSValidationKeyErrorKey = "NSValidationErrorKey"

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
    default: NSMigrationError
    }
  }
}
