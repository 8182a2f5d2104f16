/// The options for opening a store in a container.
open class NSPersistentStoreDescription: NSObject {
  /// The file.
  open var url: URL?
  /// `NSSQLiteStoreType` or `NSInMemoryStoreType`.
  open var type = NSSQLiteStoreType
  /// The name of the configuration.
  open var configuration: String?
  /// Whether the store is migrated if it is of another version.
  open var shouldMigrateStoreAutomatically = true
  /// Whether a mapping model may be inferred for that.
  open var shouldInferMappingModelAutomatically = true
  /// Whether the store is opened later; ignored here, where it is opened at once.
  open var shouldAddStoreAsynchronously = false
  /// Whether the store cannot be changed.
  open var isReadOnly = false
  /// The number of seconds to wait for a lock; ignored here.
  open var timeout: TimeInterval = 240
  private var otherOptions: [AnyHashable: Any] = [:]
  private var pragmas: [String: NSObject] = [:]

  /// Describes a store in the default place.
  public override init() {}

  /// Describes a store in a file.
  public convenience init(url: URL) {
    self.init()
    self.url = url
  }

  /// The options that a coordinator is given.
  open var options: [AnyHashable: Any] {
    otherOptions.merging([
      NSMigratePersistentStoresAutomaticallyOption: shouldMigrateStoreAutomatically,
      NSInferMappingModelAutomaticallyOption: shouldInferMappingModelAutomatically,
      NSReadOnlyPersistentStoreOption: isReadOnly,
    ]) { _, own in own }
  }

  /// Sets an option.
  open func setOption(_ option: NSObject?, forKey key: String) {
    switch key {
    case NSMigratePersistentStoresAutomaticallyOption:
      shouldMigrateStoreAutomatically = (option as? NSNumber)?.boolValue ?? false
    case NSInferMappingModelAutomaticallyOption:
      shouldInferMappingModelAutomatically = (option as? NSNumber)?.boolValue ?? false
    case NSReadOnlyPersistentStoreOption: isReadOnly = (option as? NSNumber)?.boolValue ?? false
    default: otherOptions[key] = option
    }
  }

  /// The pragmas of SQLite, which are ignored here.
  open var sqlitePragmas: [String: NSObject] { pragmas }

  /// Sets a pragma of SQLite.
  open func setValue(_ value: NSObject?, forPragmaNamed name: String) { pragmas[name] = value }
}

/// A model, a coordinator with its stores, and contexts: what most apps set up.
open class NSPersistentContainer: NSObject {
  /// The name, by which the model and the store are found.
  public let name: String
  /// The model.
  public let managedObjectModel: NSManagedObjectModel
  /// The coordinator.
  public let persistentStoreCoordinator: NSPersistentStoreCoordinator
  /// The options for opening the stores.
  open var persistentStoreDescriptions: [NSPersistentStoreDescription]
  /// The context of the main queue.
  public private(set) lazy var viewContext = newContext(.mainQueueConcurrencyType)

  /// Creates a container for a model.
  public init(name: String, managedObjectModel model: NSManagedObjectModel) {
    (self.name, managedObjectModel) = (name, model)
    persistentStoreCoordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    persistentStoreDescriptions = [
      NSPersistentStoreDescription(url: Self.defaultDirectoryURL().appending(path: "\(name).sqlite"))
    ]
  }

  /// Creates a container for the model of this name in the main bundle; a model without entities if there is none.
  public convenience init(name: String) {
    let folder = Bundle.main.resourceURL ?? Bundle.main.bundleURL
    let model = ["momd", "mom", "xcdatamodeld"].lazy.compactMap {
      NSManagedObjectModel(contentsOf: folder.appending(path: "\(name).\($0)"))
    }.first
    self.init(name: name, managedObjectModel: model ?? NSManagedObjectModel())
  }

  /// The folder of stores without a place of their own.
  open class func defaultDirectoryURL() -> URL {
    FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask).first
      ?? URL(filePath: NSTemporaryDirectory())
  }

  /// Opens all stores, and calls a block for each.
  open func loadPersistentStores(
    completionHandler block: @escaping (NSPersistentStoreDescription, (any Error)?) -> Void
  ) {
    for description in persistentStoreDescriptions {
      persistentStoreCoordinator.addPersistentStore(with: description, completionHandler: block)
    }
  }

  /// A context of its own.
  open func newBackgroundContext() -> NSManagedObjectContext { newContext(.privateQueueConcurrencyType) }

  /// Runs a block with a context of its own, at once.
  open func performBackgroundTask(_ block: @escaping (NSManagedObjectContext) -> Void) { block(newBackgroundContext()) }

  private func newContext(_ type: NSManagedObjectContextConcurrencyType) -> NSManagedObjectContext {
    let context = NSManagedObjectContext(concurrencyType: type)
    context.persistentStoreCoordinator = persistentStoreCoordinator
    return context
  }
}
