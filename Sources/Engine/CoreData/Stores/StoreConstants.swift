public import Foundation

// MARK: - Types of stores

/// The type of stores that are SQLite files.
public let NSSQLiteStoreType = "SQLite"
/// The type of stores that are in memory only.
public let NSInMemoryStoreType = "InMemory"
/// The type of stores that are one binary file; it is not supported here.
public let NSBinaryStoreType = "Binary"
/// The type of stores that are XML files; it is not supported here.
public let NSXMLStoreType = "XML"

// MARK: - Metadata

/// The key of a store's version hashes in its metadata.
public let NSStoreModelVersionHashesKey = "NSStoreModelVersionHashes"
/// The key of the model version identifiers in a store's metadata.
public let NSStoreModelVersionIdentifiersKey = "NSStoreModelVersionIdentifiers"
/// The key of the checksum of a store's model in its metadata.
public let NSPersistentStoreModelVersionChecksumKey = "NSStoreModelVersionChecksumKey"
/// The key of the systems that can read a store in its metadata.
public let NSPersistentStoreOSCompatibility = "NSPersistentStoreOSCompatibility"
/// The key of a store's type in its metadata.
public let NSStoreTypeKey = "NSStoreType"
/// The key of a store's UUID in its metadata.
public let NSStoreUUIDKey = "NSStoreUUID"

// MARK: - Options

/// The option by which a store of another version is migrated when it is added.
public let NSMigratePersistentStoresAutomaticallyOption = "NSMigratePersistentStoresAutomaticallyOption"
/// The option by which a mapping model may be inferred for that.
public let NSInferMappingModelAutomaticallyOption = "NSInferMappingModelAutomaticallyOption"
/// The option by which a store cannot be changed.
public let NSReadOnlyPersistentStoreOption = "NSReadOnlyPersistentStoreOption"
/// The option by which the version of a store is not looked at; ignored here.
public let NSIgnorePersistentStoreVersioningOption = "NSIgnorePersistentStoreVersioningOption"
/// The option with pragmas of SQLite; ignored here.
public let NSSQLitePragmasOption = "NSSQLitePragmasOption"
/// The option by which a store is analysed; ignored here.
public let NSSQLiteAnalyzeOption = "NSSQLiteAnalyzeOption"
/// The option by which a store is compacted; ignored here.
public let NSSQLiteManualVacuumOption = "NSSQLiteManualVacuumOption"
/// The option that says how long to wait for a lock; ignored here.
public let NSPersistentStoreTimeoutOption = "NSPersistentStoreTimeoutOption"
/// The option by which XML stores are validated; ignored here.
public let NSValidateXMLStoreOption = "NSValidateXMLStoreOption"
/// The option with the classes that a binary store may hold; ignored here.
public let NSBinaryStoreSecureDecodingClasses = "NSBinaryStoreSecureDecodingClasses"
/// The option by which a binary store may hold any class; ignored here.
public let NSBinaryStoreInsecureDecodingCompatibilityOption = "NSBinaryStoreInsecureDecodingCompatibilityOption"
/// The option by which a store is destroyed whatever it is; ignored here.
public let NSPersistentStoreForceDestroyOption = "NSPersistentStoreForceDestroyOption"
/// The option that protects files on Apple's devices; ignored here.
public let NSPersistentStoreFileProtectionKey = "NSPersistentStoreFileProtectionKey"
/// The option with the number of connections; ignored here.
public let NSPersistentStoreConnectionPoolMaxSizeKey = "NSPersistentStoreConnectionPoolMaxSize"
/// The option with what indexes a store for Spotlight; ignored here.
public let NSCoreDataCoreSpotlightExporter = "NSCoreDataCoreSpotlightExporter"
/// The option that turns persistent history on; ignored here, where stores are not changed.
public let NSPersistentHistoryTrackingKey = "NSPersistentHistoryTrackingKey"
/// The option that posts notifications of remote changes; ignored here.
public let NSPersistentStoreRemoteChangeNotificationPostOptionKey =
  "NSPersistentStoreRemoteChangeNotificationOptionKey"

// MARK: - Notifications

/// The key of the stores that were added.
public let NSAddedPersistentStoresKey = "added"
/// The key of the stores that were removed.
public let NSRemovedPersistentStoresKey = "removed"
/// The key of the stores whose UUID was changed; there are none here.
public let NSUUIDChangedPersistentStoresKey = "changed"
/// The key of the URL of a store that another program has changed.
public let NSPersistentStoreURLKey = "storeURL"
/// The key of the history token of such a change.
public let NSPersistentHistoryTokenKey = "historyToken"

extension NSNotification.Name {
  /// A coordinator is about to add or remove a store; it is not posted here.
  public static let NSPersistentStoreCoordinatorStoresWillChange = Self(
    "NSPersistentStoreCoordinatorStoresWillChangeNotification")
  /// A coordinator has added or removed a store.
  public static let NSPersistentStoreCoordinatorStoresDidChange = Self(
    "NSPersistentStoreCoordinatorStoresDidChangeNotification")
  /// A coordinator is about to remove a store.
  public static let NSPersistentStoreCoordinatorWillRemoveStore = Self(
    "NSPersistentStoreCoordinatorWillRemoveStoreNotification")
  /// Another program has changed a store; it is not posted here.
  public static let NSPersistentStoreRemoteChange = Self("NSPersistentStoreRemoteChangeNotification")
}
