internal import DataModel
public import Migration
internal import MigrationDiagnostics
internal import PersistentStore

/// Opens stores for contexts, and migrates them first if the options say so.
///
/// A store that exists can be read, and is migrated as `StoreMigration` does it: it is replaced at once by the complete
/// result. A store that does not exist is made, so that tests can make fixtures of any version: contexts insert instances,
/// and each `save()` writes the whole file. Changes of a store that exists cannot be saved.
open class NSPersistentStoreCoordinator: NSObject {
  /// The custom policies that automatic migrations use, besides those whose classes mapping models name with their module.
  nonisolated(unsafe) public static var policies = PolicyRegistry()

  /// The model of the stores.
  public let managedObjectModel: NSManagedObjectModel
  /// The stores that were added.
  open private(set) var persistentStores: [NSPersistentStore] = []
  /// The name, for people.
  open var name: String?

  /// Creates a coordinator without stores.
  public init(managedObjectModel model: NSManagedObjectModel) {
    managedObjectModel = model
  }

  // MARK: Adding stores

  /// Adds a store: opens it, migrates it if it is of another version and the options say so, or makes a new one.
  ///
  /// - Throws: An `NSError` of `NSCocoaErrorDomain`: 134100 for a store of another version that is not to be migrated,
  ///   134130 if no model of the bundle has its version, 134140 or 134190 if there is no way to the model.
  @discardableResult
  open func addPersistentStore(
    ofType storeType: String, configurationName configuration: String?, at storeURL: URL?,
    options: [AnyHashable: Any]? = nil
  ) throws -> NSPersistentStore {
    do throws(MigrationError) {
      let store = try NSPersistentStore.open(
        storeType, configuration, storeURL, options ?? [:], for: managedObjectModel)
      adopt(store)
      return store
    } catch {
      throw error.cocoaError
    }
  }

  func adopt(_ store: NSPersistentStore) {
    store.persistentStoreCoordinator = self
    persistentStores.append(store)
    post(.NSPersistentStoreCoordinatorStoresDidChange, [NSAddedPersistentStoresKey: [store]])
  }

  private func post(_ name: NSNotification.Name, _ information: [String: Any] = [:]) {
    NotificationCenter.default.post(name: name, object: self, userInfo: information)
  }

  /// Adds a store of a type.
  @discardableResult
  public func addPersistentStore(
    type: NSPersistentStore.StoreType, configuration: String? = nil, at storeURL: URL,
    options: [AnyHashable: Any]? = nil
  ) throws -> NSPersistentStore {
    try addPersistentStore(
      ofType: type.rawValue, configurationName: configuration, at: storeURL, options: options)
  }

  /// Adds the store that is described, and then calls a block.
  open func addPersistentStore(
    with storeDescription: NSPersistentStoreDescription,
    completionHandler block: @escaping (NSPersistentStoreDescription, (any Error)?) -> Void
  ) {
    do {
      try addPersistentStore(
        ofType: storeDescription.type, configurationName: storeDescription.configuration, at: storeDescription.url,
        options: storeDescription.options)
      block(storeDescription, nil)
    } catch {
      block(storeDescription, error)
    }
  }

  /// Removes a store; its file stays.
  open func remove(_ store: NSPersistentStore) throws {
    post(.NSPersistentStoreCoordinatorWillRemoveStore)
    persistentStores.removeAll { $0 === store }
    store.close()
    post(.NSPersistentStoreCoordinatorStoresDidChange, [NSRemovedPersistentStoresKey: [store]])
  }

  /// The store at a URL.
  open func persistentStore(for url: URL) -> NSPersistentStore? {
    persistentStores.first { $0.url?.standardizedFileURL == url.standardizedFileURL }
  }

  /// The URL of a store.
  open func url(for store: NSPersistentStore) -> URL { store.url ?? URL(filePath: "/dev/null") }

  // MARK: Metadata

  /// The metadata of a store.
  open func metadata(for store: NSPersistentStore) -> [String: Any] { store.metadata }

  /// Sets the metadata of a new store, which the next save writes.
  open func setMetadata(_ metadata: [String: Any]?, for store: NSPersistentStore) {
    store.metadata = metadata ?? [:]
  }

  /// The metadata of a store.
  ///
  /// - Throws: An `NSError` of `NSCocoaErrorDomain` if there is no readable store.
  open class func metadataForPersistentStore(
    ofType storeType: String, at url: URL, options: [AnyHashable: Any]? = nil
  ) throws -> [String: Any] {
    do throws(MigrationError) {
      let reader = try StoreReader(path: url.exactPath)
      let metadata = reader.metadata
      try reader.close()
      return metadata.foundationValue
    } catch {
      throw error.cocoaError
    }
  }

  /// The metadata of a store.
  public class func metadataForPersistentStore(
    type: NSPersistentStore.StoreType, at storeURL: URL, options: [AnyHashable: Any]? = nil
  ) throws -> [String: Any] {
    try metadataForPersistentStore(ofType: type.rawValue, at: storeURL, options: options)
  }

  // MARK: Whole stores

  /// Removes a store, with its log and the files of its large values.
  ///
  /// - Throws: An `NSError` of `NSCocoaErrorDomain` for a file that is not a Core Data store, and for a store that a
  ///   program has open; both are left alone.
  open func destroyPersistentStore(
    at url: URL, ofType storeType: String, options: [AnyHashable: Any]? = nil
  ) throws {
    guard storeType != NSInMemoryStoreType else { return }
    do throws(MigrationError) {
      try StorePlace(url.exactPath).clear()
    } catch {
      throw error.cocoaError
    }
  }

  /// Removes a store of a type.
  public func destroyPersistentStore(
    at url: URL, type: NSPersistentStore.StoreType, options: [AnyHashable: Any]? = nil
  ) throws {
    try destroyPersistentStore(at: url, ofType: type.rawValue, options: options)
  }

  /// Replaces a store with a copy of another one, or makes a new one of it.
  ///
  /// - Throws: An `NSError` of `NSCocoaErrorDomain`, also if a program has the store open that is to be replaced. Then
  ///   it is what it was.
  open func replacePersistentStore(
    at destinationURL: URL, destinationOptions: [AnyHashable: Any]? = nil,
    withPersistentStoreFrom sourceURL: URL, sourceOptions: [AnyHashable: Any]? = nil, ofType storeType: String
  ) throws {
    guard storeType != NSInMemoryStoreType else { return }
    do throws(MigrationError) {
      try StorePlace(destinationURL.exactPath).put(copyOf: sourceURL.exactPath)
    } catch {
      throw error.cocoaError
    }
  }

  /// Replaces a store of a type with a copy of another one.
  public func replacePersistentStore(
    at destinationURL: URL, destinationOptions: [AnyHashable: Any]? = nil,
    withPersistentStoreFrom sourceURL: URL, sourceOptions: [AnyHashable: Any]? = nil,
    type: NSPersistentStore.StoreType
  ) throws {
    try replacePersistentStore(
      at: destinationURL, destinationOptions: destinationOptions, withPersistentStoreFrom: sourceURL,
      sourceOptions: sourceOptions, ofType: type.rawValue)
  }

  /// Runs a block.
  open func performAndWait(_ block: () -> Void) { block() }

  /// Runs a block and returns its result.
  public func performAndWait<Result>(_ block: () throws -> Result) rethrows -> Result { try block() }

  /// Runs a block immediately.
  open func perform(_ block: @escaping () -> Void) { block() }
}
