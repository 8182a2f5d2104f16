import CoreData
import Testing

/// Apple's list of codes, by the numbers that its header gives them.
struct ErrorCodeTests {
  @Test(arguments: [
    (NSManagedObjectValidationError, CocoaError.Code.managedObjectValidation, 1550),
    (NSManagedObjectConstraintValidationError, .managedObjectConstraintValidation, 1551),
    (NSValidationMultipleErrorsError, .validationMultipleErrors, 1560),
    (NSValidationMissingMandatoryPropertyError, .validationMissingMandatoryProperty, 1570),
    (NSValidationRelationshipLacksMinimumCountError, .validationRelationshipLacksMinimumCount, 1580),
    (NSValidationRelationshipExceedsMaximumCountError, .validationRelationshipExceedsMaximumCount, 1590),
    (NSValidationRelationshipDeniedDeleteError, .validationRelationshipDeniedDelete, 1600),
    (NSValidationNumberTooLargeError, .validationNumberTooLarge, 1610),
    (NSValidationNumberTooSmallError, .validationNumberTooSmall, 1620),
    (NSValidationDateTooLateError, .validationDateTooLate, 1630),
    (NSValidationDateTooSoonError, .validationDateTooSoon, 1640),
    (NSValidationInvalidDateError, .validationInvalidDate, 1650),
    (NSValidationStringTooLongError, .validationStringTooLong, 1660),
    (NSValidationStringTooShortError, .validationStringTooShort, 1670),
    (NSValidationStringPatternMatchingError, .validationStringPatternMatching, 1680),
    (NSManagedObjectContextLockingError, .managedObjectContextLocking, 132000),
    (NSPersistentStoreCoordinatorLockingError, .persistentStoreCoordinatorLocking, 132010),
    (NSManagedObjectReferentialIntegrityError, .managedObjectReferentialIntegrity, 133000),
    (NSManagedObjectExternalRelationshipError, .managedObjectExternalRelationship, 133010),
    (NSManagedObjectMergeError, .managedObjectMerge, 133020),
    (NSManagedObjectConstraintMergeError, .managedObjectConstraintMerge, 133021),
    (NSPersistentStoreInvalidTypeError, .persistentStoreInvalidType, 134000),
    (NSPersistentStoreTypeMismatchError, .persistentStoreTypeMismatch, 134010),
    (NSPersistentStoreIncompatibleSchemaError, .persistentStoreIncompatibleSchema, 134020),
    (NSPersistentStoreSaveError, .persistentStoreSave, 134030),
    (NSPersistentStoreIncompleteSaveError, .persistentStoreIncompleteSave, 134040),
    (NSPersistentStoreSaveConflictsError, .persistentStoreSaveConflicts, 134050),
    (NSCoreDataError, .coreData, 134060),
    (NSPersistentStoreOperationError, .persistentStoreOperation, 134070),
    (NSPersistentStoreOpenError, .persistentStoreOpen, 134080),
    (NSPersistentStoreTimeoutError, .persistentStoreTimeout, 134090),
    (NSPersistentStoreUnsupportedRequestTypeError, .persistentStoreUnsupportedRequestType, 134091),
    (NSPersistentStoreIncompatibleVersionHashError, .persistentStoreIncompatibleVersionHash, 134100),
    (NSMigrationError, .migration, 134110),
    (NSMigrationCancelledError, .migrationCancelled, 134120),
    (NSMigrationMissingSourceModelError, .migrationMissingSourceModel, 134130),
    (NSMigrationMissingMappingModelError, .migrationMissingMappingModel, 134140),
    (NSMigrationManagerSourceStoreError, .migrationManagerSourceStore, 134150),
    (NSMigrationManagerDestinationStoreError, .migrationManagerDestinationStore, 134160),
    (NSEntityMigrationPolicyError, .entityMigrationPolicy, 134170),
    (NSSQLiteError, .sqlite, 134180),
    (NSInferredMappingModelError, .inferredMappingModel, 134190),
    (NSExternalRecordImportError, .externalRecordImport, 134200),
    (NSPersistentHistoryTokenExpiredError, .persistentHistoryTokenExpired, 134301),
  ])
  func `A code has the number of Apple's`(constant: Int, code: CocoaError.Code, number: Int) {
    #expect(constant == number && code.rawValue == number)
    // A thrown error is caught by its name.
    #expect(throws: CocoaError(code)) { throw CocoaError(code) }
  }

  @Test func `A code that only Objective-C names has the number of Apple's`() {
    #expect(NSValidationInvalidURIError == 1690 && NSMigrationConstraintViolationError == 134111)
    #expect(NSManagedObjectModelReferenceNotFoundError == 134504)
    #expect(NSStagedMigrationFrameworkVersionMismatchError == 134505)
    #expect(NSStagedMigrationBackwardMigrationError == 134506)
  }

  @Test func `The facts of a validation error are found by their keys and their properties`() throws {
    let entity = NSEntityDescription()
    entity.name = "Note"
    let title = NSAttributeDescription()
    (title.name, title.attributeType, title.isOptional) = ("title", .stringAttributeType, false)
    entity.properties = [title]
    let model = NSManagedObjectModel()
    model.entities = [entity]
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    try coordinator.addPersistentStore(type: .inMemory, at: URL(filePath: "/dev/null"))
    let context = NSManagedObjectContext(.mainQueue)
    context.persistentStoreCoordinator = coordinator
    let note = NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)
    let error = try #require(throws: CocoaError.self) { try note.validateForInsert() }
    #expect(
      error.code == .validationMissingMandatoryProperty && error.code == CocoaError.validationMissingMandatoryProperty)
    #expect(error.validationKey == "title" && error.validationObject as? NSManagedObject === note)
    #expect(error.userInfo[NSValidationValueErrorKey] is NSNull && error.validationPredicate == nil)
    #expect(error.affectedStores == nil && error.affectedObjects == nil)
  }
}
