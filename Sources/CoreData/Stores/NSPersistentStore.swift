internal import DataModel
internal import Migration
internal import MigrationDiagnostics
internal import PersistentStore
internal import PropertyListFormat

/// A store that a coordinator has opened, or made.
open class NSPersistentStore: NSObject {
  /// A kind of stores.
  public struct StoreType: RawRepresentable, Sendable, Hashable {
    /// The name of the kind, as in `NSSQLiteStoreType`.
    public let rawValue: String

    /// Creates a kind from its name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// SQLite files.
    public static let sqlite = StoreType(rawValue: NSSQLiteStoreType)
    /// Stores that are in memory only.
    public static let inMemory = StoreType(rawValue: NSInMemoryStoreType)
  }

  /// Where the instances are.
  enum Content {
    /// A file that can only be read; each context reads it on its own.
    case file(ManagedObjectModel)
    /// A new store, which all contexts share.
    case new(NewStore)
    case closed
  }

  /// The coordinator that has the store.
  public internal(set) weak var persistentStoreCoordinator: NSPersistentStoreCoordinator?
  /// The file; nil for a store in memory.
  public let url: URL?
  /// `NSSQLiteStoreType` or `NSInMemoryStoreType`.
  public let type: String
  /// The name of the configuration.
  public let configurationName: String
  /// The options that the store was added with.
  public let options: [AnyHashable: Any]?
  private(set) var content: Content
  private var ownMetadata: [String: Any]
  private var isMetadataChanged = false

  private init(
    _ type: String, _ configuration: String?, _ url: URL?, _ options: [AnyHashable: Any], _ content: Content,
    _ metadata: StoreMetadata
  ) {
    (self.type, self.url, self.options, self.content) = (type, url, options, content)
    configurationName = configuration ?? "PF_DEFAULT_CONFIGURATION_NAME"
    ownMetadata = metadata.foundationValue
  }

  /// The UUID.
  open var identifier: String { ownMetadata[NSStoreUUIDKey] as? String ?? "" }
  /// Whether the store cannot be changed: all that existed when they were added.
  open var isReadOnly: Bool { if case .new = content { false } else { true } }

  /// The metadata; those of a new store can be set, and are written by the next save.
  open var metadata: [String: Any] {
    get { ownMetadata }
    set {
      // What Core Data writes itself stays.
      ownMetadata.merge(newValue) { old, _ in old }
      for (key, value) in newValue where !Self.ownKeys.contains(key) { ownMetadata[key] = value }
      isMetadataChanged = true
    }
  }

  private static let ownKeys: Set<String> = [NSStoreUUIDKey, NSStoreTypeKey, NSStoreModelVersionHashesKey]

  func close() { content = .closed }

  /// The engine's instances for a context; those of a file are opened anew for each.
  func makeContext() throws(MigrationError) -> ManagedObjectContext? {
    switch content {
    case .file(let model):
      try ManagedObjectContext(reading: try StoreReader(path: url?.exactPath ?? ""), model)
    case .new(let store): store.context
    case .closed: nil
    }
  }

  /// Writes a new store.
  func save(_ hasChanges: Bool) throws(MigrationError) {
    switch content {
    case .new(let store):
      for (key, value) in ownMetadata where !Self.ownKeys.contains(key) {
        if let value = PropertyList(foundationValue: value) { store.metadata.properties[key] = value }
      }
      isMetadataChanged = false
      if let url, type == NSSQLiteStoreType { try store.write(to: url.exactPath) }
    case .file, .closed:
      guard hasChanges || isMetadataChanged else { return }
      var error = MigrationError(
        .cannotReplace, path: url?.exactPath ?? "",
        detail: "changes of a store that existed when it was added cannot be saved here")
      error.advice = "Make a new store, or change this one with a migration and its policies."
      throw error
    }
  }

  // MARK: - Opening

  static func open(
    _ type: String, _ configuration: String?, _ url: URL?, _ options: [AnyHashable: Any],
    for model: NSManagedObjectModel
  ) throws(MigrationError) -> NSPersistentStore {
    guard let wanted = model.model else {
      throw MigrationError(.unusableModel, path: url?.exactPath ?? "", detail: "it has no entities")
    }
    let isInMemory = type == NSInMemoryStoreType || url?.path == "/dev/null"
    guard type == NSSQLiteStoreType || isInMemory, url != nil || isInMemory else {
      throw MigrationError(
        .notACoreDataStore, path: url?.exactPath ?? "",
        detail: "stores of type '\(type)' without a place are not known here")
    }
    guard let path = isInMemory ? nil : url?.exactPath, try FileSystem.isThere(path) else {
      let store = try NewStore(model: wanted)
      let made = NSPersistentStore(
        isInMemory ? NSInMemoryStoreType : type, configuration, url, options, .new(store), store.metadata)
      // As in Core Data, there is a file as soon as the store is added.
      try made.save(false)
      return made
    }
    try AutomaticMigration(path: path, model: model, options: options).run()
    let reader = try StoreReader(path: path)
    let metadata = reader.metadata
    try reader.close()
    return NSPersistentStore(type, configuration, url, options, .file(wanted), metadata)
  }
}

/// What an app asks for with the options of a store: that it is migrated if it has to be.
private struct AutomaticMigration {
  let path: String
  let model: NSManagedObjectModel
  let options: [AnyHashable: Any]

  private func isSet(_ option: String) -> Bool {
    (options[option] as? NSNumber)?.boolValue ?? (options[option] as? Bool) ?? false
  }

  func run() throws(MigrationError) {
    guard let wanted = model.model else { return }
    let reader = try StoreReader(path: path)
    let hashes = reader.metadata.versionHashes
    try reader.close()
    guard !wanted.isCompatible(withVersionHashes: hashes) else { return }
    var migration = try prepared(for: wanted)
    migration.allowsInference = isSet(NSInferMappingModelAutomaticallyOption)
    // As in Core Data, which leaves no backup, and applies a mapping model that drops entities.
    migration.settings.keepsBackup = false
    migration.settings.allowsLoss = true
    _ = try migration.open(migrating: isSet(NSMigratePersistentStoresAutomaticallyOption))
  }

  /// The migration with the versions of the model's bundle, and the mapping models beside it.
  private func prepared(for wanted: ManagedObjectModel) throws(MigrationError) -> StoreMigration {
    guard let bundle = model.bundlePath else {
      var migration = StoreMigration(path: path, versions: [LoadedModelVersion(name: "model", model: wanted)])
      migration.destinationVersionName = "model"
      migration.policies = NSPersistentStoreCoordinator.policies
      return migration
    }
    var tool = MigrationTool(modelPath: bundle)
    tool.destinationVersionName = model.versionName
    var policies = PolicyRegistry()
    for name in try tool.unregisteredPolicyNames() {
      guard let policyClass = NamedClass.find(name) as? NSEntityMigrationPolicy.Type else { continue }
      policies.register(policyClass, as: name)
    }
    tool.policies = policies.merging(NSPersistentStoreCoordinator.policies)
    return try tool.migration(ofStoreAt: path)
  }
}
