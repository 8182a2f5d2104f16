public import Foundation

// Apple's list, CoreDataErrors.h. What the engine itself throws is in CocoaErrors.swift; the other codes are there for
// files that name them.

// MARK: - Validation

/// An instance breaks a rule of its model.
public let NSManagedObjectValidationError = 1550
/// An instance has the values of another one that a uniqueness constraint names.
public let NSManagedObjectConstraintValidationError = 1551
/// Several properties are wrong.
public let NSValidationMultipleErrorsError = 1560
/// A required property has no value.
public let NSValidationMissingMandatoryPropertyError = 1570
/// A relationship has too few destinations.
public let NSValidationRelationshipLacksMinimumCountError = 1580
/// A relationship has too many destinations.
public let NSValidationRelationshipExceedsMaximumCountError = 1590
/// A relationship whose delete rule is "deny" has destinations.
public let NSValidationRelationshipDeniedDeleteError = 1600
/// A number is too large.
public let NSValidationNumberTooLargeError = 1610
/// A number is too small.
public let NSValidationNumberTooSmallError = 1620
/// A date is too late.
public let NSValidationDateTooLateError = 1630
/// A date is too soon.
public let NSValidationDateTooSoonError = 1640
/// A date is not valid.
public let NSValidationInvalidDateError = 1650
/// A text is too long.
public let NSValidationStringTooLongError = 1660
/// A text is too short.
public let NSValidationStringTooShortError = 1670
/// A text does not match its pattern.
public let NSValidationStringPatternMatchingError = 1680
/// A value is not a valid URI.
public let NSValidationInvalidURIError = 1690

// MARK: - Contexts and stores

/// A context cannot be locked.
public let NSManagedObjectContextLockingError = 132000
/// A coordinator cannot be locked.
public let NSPersistentStoreCoordinatorLockingError = 132010
/// An instance refers to one that does not exist.
public let NSManagedObjectReferentialIntegrityError = 133000
/// An instance refers to one of another store.
public let NSManagedObjectExternalRelationshipError = 133010
/// Two contexts have changed the same instance.
public let NSManagedObjectMergeError = 133020
/// Saved instances have values that a uniqueness constraint forbids.
public let NSManagedObjectConstraintMergeError = 133021
/// The type of a store is not known.
public let NSPersistentStoreInvalidTypeError = 134000
/// A store is not of the type that was named.
public let NSPersistentStoreTypeMismatchError = 134010
/// The tables of a store do not fit the model.
public let NSPersistentStoreIncompatibleSchemaError = 134020
/// A save failed.
public let NSPersistentStoreSaveError = 134030
/// Some of the stores could not be saved.
public let NSPersistentStoreIncompleteSaveError = 134040
/// A save has unresolved merge conflicts.
public let NSPersistentStoreSaveConflictsError = 134050
/// Something else failed in Core Data.
public let NSCoreDataError = 134060
/// An operation on a store failed.
public let NSPersistentStoreOperationError = 134070
/// A store cannot be opened.
public let NSPersistentStoreOpenError = 134080
/// A store did not answer in time.
public let NSPersistentStoreTimeoutError = 134090
/// A store does not support a request.
public let NSPersistentStoreUnsupportedRequestTypeError = 134091
/// SQLite failed.
public let NSSQLiteError = 134180
/// An external record cannot be imported.
public let NSExternalRecordImportError = 134200
/// A persistent history token is older than the history.
public let NSPersistentHistoryTokenExpiredError = 134301

// MARK: - Migration

/// The version hashes of the store and the model differ.
public let NSPersistentStoreIncompatibleVersionHashError = 134100
/// A migration failed.
public let NSMigrationError = 134110
/// A migrated store has values that a uniqueness constraint forbids.
public let NSMigrationConstraintViolationError = 134111
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

// MARK: - What the information of an error holds

/// The key of several errors in one.
public let NSDetailedErrorsKey = "NSDetailedErrors"
/// The key of the instance that breaks a rule.
public let NSValidationObjectErrorKey = "NSValidationErrorObject"
/// The key of the property that breaks a rule.
public let NSValidationKeyErrorKey = "NSValidationErrorKey"
/// The key of the predicate that a value does not match.
public let NSValidationPredicateErrorKey = "NSValidationErrorPredicate"
/// The key of the value that breaks a rule.
public let NSValidationValueErrorKey = "NSValidationErrorValue"
/// The key of the stores that an error is about.
public let NSAffectedStoresErrorKey = "NSAffectedStoresErrorKey"
/// The key of the instances that an error is about.
public let NSAffectedObjectsErrorKey = "NSAffectedObjectsErrorKey"
/// The key of the merge conflicts of a save.
public let NSPersistentStoreSaveConflictsErrorKey = "conflictList"
/// The domain of SQLite's own codes; in the information of an error, the key of such a code.
public let NSSQLiteErrorDomain = "NSSQLiteErrorDomain"

extension CocoaError {
  /// The instance that breaks a rule.
  public var validationObject: Any? { userInfo[NSValidationObjectErrorKey] }
  /// The property that breaks a rule.
  public var validationKey: String? { userInfo[NSValidationKeyErrorKey] as? String }
  /// The predicate that a value does not match.
  public var validationPredicate: NSPredicate? { userInfo[NSValidationPredicateErrorKey] as? NSPredicate }
  /// The value that breaks a rule.
  public var validationValue: Any? { userInfo[NSValidationValueErrorKey] }
  /// The stores that the error is about.
  public var affectedStores: [AnyObject]? { userInfo[NSAffectedStoresErrorKey] as? [AnyObject] }
  /// The instances that the error is about.
  public var affectedObjects: [AnyObject]? { userInfo[NSAffectedObjectsErrorKey] as? [AnyObject] }
}

extension CocoaError.Code {
  /// An instance breaks a rule of its model.
  public static var managedObjectValidation: Self { Self(rawValue: NSManagedObjectValidationError) }
  /// An instance has the values of another one that a uniqueness constraint names.
  public static var managedObjectConstraintValidation: Self { Self(rawValue: NSManagedObjectConstraintValidationError) }
  /// Several properties are wrong.
  public static var validationMultipleErrors: Self { Self(rawValue: NSValidationMultipleErrorsError) }
  /// A required property has no value.
  public static var validationMissingMandatoryProperty: Self {
    Self(rawValue: NSValidationMissingMandatoryPropertyError)
  }
  /// A relationship has too few destinations.
  public static var validationRelationshipLacksMinimumCount: Self {
    Self(rawValue: NSValidationRelationshipLacksMinimumCountError)
  }
  /// A relationship has too many destinations.
  public static var validationRelationshipExceedsMaximumCount: Self {
    Self(rawValue: NSValidationRelationshipExceedsMaximumCountError)
  }
  /// A relationship whose delete rule is "deny" has destinations.
  public static var validationRelationshipDeniedDelete: Self {
    Self(rawValue: NSValidationRelationshipDeniedDeleteError)
  }
  /// A number is too large.
  public static var validationNumberTooLarge: Self { Self(rawValue: NSValidationNumberTooLargeError) }
  /// A number is too small.
  public static var validationNumberTooSmall: Self { Self(rawValue: NSValidationNumberTooSmallError) }
  /// A date is too late.
  public static var validationDateTooLate: Self { Self(rawValue: NSValidationDateTooLateError) }
  /// A date is too soon.
  public static var validationDateTooSoon: Self { Self(rawValue: NSValidationDateTooSoonError) }
  /// A date is not valid.
  public static var validationInvalidDate: Self { Self(rawValue: NSValidationInvalidDateError) }
  /// A text is too long.
  public static var validationStringTooLong: Self { Self(rawValue: NSValidationStringTooLongError) }
  /// A text is too short.
  public static var validationStringTooShort: Self { Self(rawValue: NSValidationStringTooShortError) }
  /// A text does not match its pattern.
  public static var validationStringPatternMatching: Self { Self(rawValue: NSValidationStringPatternMatchingError) }
  /// A context cannot be locked.
  public static var managedObjectContextLocking: Self { Self(rawValue: NSManagedObjectContextLockingError) }
  /// A coordinator cannot be locked.
  public static var persistentStoreCoordinatorLocking: Self { Self(rawValue: NSPersistentStoreCoordinatorLockingError) }
  /// An instance refers to one that does not exist.
  public static var managedObjectReferentialIntegrity: Self { Self(rawValue: NSManagedObjectReferentialIntegrityError) }
  /// An instance refers to one of another store.
  public static var managedObjectExternalRelationship: Self { Self(rawValue: NSManagedObjectExternalRelationshipError) }
  /// Two contexts have changed the same instance.
  public static var managedObjectMerge: Self { Self(rawValue: NSManagedObjectMergeError) }
  /// Saved instances have values that a uniqueness constraint forbids.
  public static var managedObjectConstraintMerge: Self { Self(rawValue: NSManagedObjectConstraintMergeError) }
  /// The type of a store is not known.
  public static var persistentStoreInvalidType: Self { Self(rawValue: NSPersistentStoreInvalidTypeError) }
  /// A store is not of the type that was named.
  public static var persistentStoreTypeMismatch: Self { Self(rawValue: NSPersistentStoreTypeMismatchError) }
  /// The tables of a store do not fit the model.
  public static var persistentStoreIncompatibleSchema: Self { Self(rawValue: NSPersistentStoreIncompatibleSchemaError) }
  /// A save failed.
  public static var persistentStoreSave: Self { Self(rawValue: NSPersistentStoreSaveError) }
  /// Some of the stores could not be saved.
  public static var persistentStoreIncompleteSave: Self { Self(rawValue: NSPersistentStoreIncompleteSaveError) }
  /// A save has unresolved merge conflicts.
  public static var persistentStoreSaveConflicts: Self { Self(rawValue: NSPersistentStoreSaveConflictsError) }
  /// Something else failed in Core Data.
  public static var coreData: Self { Self(rawValue: NSCoreDataError) }
  /// An operation on a store failed.
  public static var persistentStoreOperation: Self { Self(rawValue: NSPersistentStoreOperationError) }
  /// A store cannot be opened.
  public static var persistentStoreOpen: Self { Self(rawValue: NSPersistentStoreOpenError) }
  /// A store did not answer in time.
  public static var persistentStoreTimeout: Self { Self(rawValue: NSPersistentStoreTimeoutError) }
  /// A store does not support a request.
  public static var persistentStoreUnsupportedRequestType: Self {
    Self(rawValue: NSPersistentStoreUnsupportedRequestTypeError)
  }
  /// SQLite failed.
  public static var sqlite: Self { Self(rawValue: NSSQLiteError) }
  /// An external record cannot be imported.
  public static var externalRecordImport: Self { Self(rawValue: NSExternalRecordImportError) }
  /// A persistent history token is older than the history.
  public static var persistentHistoryTokenExpired: Self { Self(rawValue: NSPersistentHistoryTokenExpiredError) }
  /// The version hashes of the store and the model differ.
  public static var persistentStoreIncompatibleVersionHash: Self {
    Self(rawValue: NSPersistentStoreIncompatibleVersionHashError)
  }
  /// A migration failed.
  public static var migration: Self { Self(rawValue: NSMigrationError) }
  /// A migration was cancelled.
  public static var migrationCancelled: Self { Self(rawValue: NSMigrationCancelledError) }
  /// There is no model for the source of a migration.
  public static var migrationMissingSourceModel: Self { Self(rawValue: NSMigrationMissingSourceModelError) }
  /// There is no mapping model for a migration.
  public static var migrationMissingMappingModel: Self { Self(rawValue: NSMigrationMissingMappingModelError) }
  /// The source of a migration cannot be read.
  public static var migrationManagerSourceStore: Self { Self(rawValue: NSMigrationManagerSourceStoreError) }
  /// The destination of a migration cannot be written.
  public static var migrationManagerDestinationStore: Self { Self(rawValue: NSMigrationManagerDestinationStoreError) }
  /// A policy failed.
  public static var entityMigrationPolicy: Self { Self(rawValue: NSEntityMigrationPolicyError) }
  /// A mapping model cannot be inferred.
  public static var inferredMappingModel: Self { Self(rawValue: NSInferredMappingModelError) }
}

extension CocoaError {
  /// An instance breaks a rule of its model.
  public static var managedObjectValidation: Code { .managedObjectValidation }
  /// An instance has the values of another one that a uniqueness constraint names.
  public static var managedObjectConstraintValidation: Code { .managedObjectConstraintValidation }
  /// Several properties are wrong.
  public static var validationMultipleErrors: Code { .validationMultipleErrors }
  /// A required property has no value.
  public static var validationMissingMandatoryProperty: Code { .validationMissingMandatoryProperty }
  /// A relationship has too few destinations.
  public static var validationRelationshipLacksMinimumCount: Code { .validationRelationshipLacksMinimumCount }
  /// A relationship has too many destinations.
  public static var validationRelationshipExceedsMaximumCount: Code { .validationRelationshipExceedsMaximumCount }
  /// A relationship whose delete rule is "deny" has destinations.
  public static var validationRelationshipDeniedDelete: Code { .validationRelationshipDeniedDelete }
  /// A number is too large.
  public static var validationNumberTooLarge: Code { .validationNumberTooLarge }
  /// A number is too small.
  public static var validationNumberTooSmall: Code { .validationNumberTooSmall }
  /// A date is too late.
  public static var validationDateTooLate: Code { .validationDateTooLate }
  /// A date is too soon.
  public static var validationDateTooSoon: Code { .validationDateTooSoon }
  /// A date is not valid.
  public static var validationInvalidDate: Code { .validationInvalidDate }
  /// A text is too long.
  public static var validationStringTooLong: Code { .validationStringTooLong }
  /// A text is too short.
  public static var validationStringTooShort: Code { .validationStringTooShort }
  /// A text does not match its pattern.
  public static var validationStringPatternMatching: Code { .validationStringPatternMatching }
  /// A context cannot be locked.
  public static var managedObjectContextLocking: Code { .managedObjectContextLocking }
  /// A coordinator cannot be locked.
  public static var persistentStoreCoordinatorLocking: Code { .persistentStoreCoordinatorLocking }
  /// An instance refers to one that does not exist.
  public static var managedObjectReferentialIntegrity: Code { .managedObjectReferentialIntegrity }
  /// An instance refers to one of another store.
  public static var managedObjectExternalRelationship: Code { .managedObjectExternalRelationship }
  /// Two contexts have changed the same instance.
  public static var managedObjectMerge: Code { .managedObjectMerge }
  /// Saved instances have values that a uniqueness constraint forbids.
  public static var managedObjectConstraintMerge: Code { .managedObjectConstraintMerge }
  /// The type of a store is not known.
  public static var persistentStoreInvalidType: Code { .persistentStoreInvalidType }
  /// A store is not of the type that was named.
  public static var persistentStoreTypeMismatch: Code { .persistentStoreTypeMismatch }
  /// The tables of a store do not fit the model.
  public static var persistentStoreIncompatibleSchema: Code { .persistentStoreIncompatibleSchema }
  /// A save failed.
  public static var persistentStoreSave: Code { .persistentStoreSave }
  /// Some of the stores could not be saved.
  public static var persistentStoreIncompleteSave: Code { .persistentStoreIncompleteSave }
  /// A save has unresolved merge conflicts.
  public static var persistentStoreSaveConflicts: Code { .persistentStoreSaveConflicts }
  /// Something else failed in Core Data.
  public static var coreData: Code { .coreData }
  /// An operation on a store failed.
  public static var persistentStoreOperation: Code { .persistentStoreOperation }
  /// A store cannot be opened.
  public static var persistentStoreOpen: Code { .persistentStoreOpen }
  /// A store did not answer in time.
  public static var persistentStoreTimeout: Code { .persistentStoreTimeout }
  /// A store does not support a request.
  public static var persistentStoreUnsupportedRequestType: Code { .persistentStoreUnsupportedRequestType }
  /// SQLite failed.
  public static var sqlite: Code { .sqlite }
  /// An external record cannot be imported.
  public static var externalRecordImport: Code { .externalRecordImport }
  /// A persistent history token is older than the history.
  public static var persistentHistoryTokenExpired: Code { .persistentHistoryTokenExpired }
  /// The version hashes of the store and the model differ.
  public static var persistentStoreIncompatibleVersionHash: Code { .persistentStoreIncompatibleVersionHash }
  /// A migration failed.
  public static var migration: Code { .migration }
  /// A migration was cancelled.
  public static var migrationCancelled: Code { .migrationCancelled }
  /// There is no model for the source of a migration.
  public static var migrationMissingSourceModel: Code { .migrationMissingSourceModel }
  /// There is no mapping model for a migration.
  public static var migrationMissingMappingModel: Code { .migrationMissingMappingModel }
  /// The source of a migration cannot be read.
  public static var migrationManagerSourceStore: Code { .migrationManagerSourceStore }
  /// The destination of a migration cannot be written.
  public static var migrationManagerDestinationStore: Code { .migrationManagerDestinationStore }
  /// A policy failed.
  public static var entityMigrationPolicy: Code { .entityMigrationPolicy }
  /// A mapping model cannot be inferred.
  public static var inferredMappingModel: Code { .inferredMappingModel }
}
