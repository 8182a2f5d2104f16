public import Foundation

/// The key of the instances that were inserted.
public let NSInsertedObjectsKey = "inserted"
/// The key of the instances that were changed.
public let NSUpdatedObjectsKey = "updated"
/// The key of the instances that were deleted; there is none here.
public let NSDeletedObjectsKey = "deleted"
/// The key of the instances that were read again; there is none here.
public let NSRefreshedObjectsKey = "refreshed"
/// The key of the instances that are no longer valid; there is none here.
public let NSInvalidatedObjectsKey = "invalidated"
/// The key by which all instances are no longer valid; there is none here.
public let NSInvalidatedAllObjectsKey = "invalidatedAll"
/// The key of the version of the store that a context shows; there is none here.
public let NSManagedObjectContextQueryGenerationKey = "newQueryGeneration"

extension NSNotification.Name {
  /// A context is about to save.
  public static let NSManagedObjectContextWillSave = Self("NSManagingContextWillSaveChangesNotification")
  /// A context has saved.
  public static let NSManagedObjectContextDidSave = Self("NSManagingContextDidSaveChangesNotification")
  /// Instances of a context were changed; it is not posted here.
  public static let NSManagedObjectContextObjectsDidChange = Self("NSObjectsChangedInManagingContextNotification")
}

extension NSManagedObjectContext {
  /// The context is about to save.
  public static let willSaveObjectsNotification = NSNotification.Name.NSManagedObjectContextWillSave
  /// The context has saved; the information has what was inserted and changed.
  public static let didSaveObjectsNotification = NSNotification.Name.NSManagedObjectContextDidSave
  /// Instances were changed; it is not posted here.
  public static let didChangeObjectsNotification = NSNotification.Name.NSManagedObjectContextObjectsDidChange

  /// The keys in the information of these notifications.
  public enum NotificationKey: String, Sendable {
    case insertedObjects = "inserted"
    case updatedObjects = "updated"
    case deletedObjects = "deleted"
    case refreshedObjects = "refreshed"
    case invalidatedObjects = "invalidated"
    case invalidatedAllObjects = "invalidatedAll"
    case queryGeneration = "newQueryGeneration"
  }
}
