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
    /// Binary files; they are not supported here.
    public static let binary = StoreType(rawValue: NSBinaryStoreType)
    /// XML files; they are not supported here.
    public static let xml = StoreType(rawValue: NSXMLStoreType)
  }

  /// The source of the instances.
  enum Content {
    /// A file that can only be read; each context reads it on its own.
    case file(ManagedObjectModel)
    /// A new store, which all contexts share.
    case new(NewStore)
    /// The instances of a hop of a staged migration, which is written when its handler has returned.
    case migrating(ManagedObjectContext)
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
  /// The keys of the metadata that Core Data itself has written.
  private let coreDataKeys: Set<String>
  private var isMetadataChanged = false
  private var savedChangeCount = 0

  private init(
    _ type: String, _ configuration: String?, _ url: URL?, _ options: [AnyHashable: Any], _ content: Content,
    _ metadata: StoreMetadata
  ) {
    (self.type, self.url, self.options, self.content) = (type, url, options, content)
    configurationName = configuration ?? "PF_DEFAULT_CONFIGURATION_NAME"
    ownMetadata = metadata.foundationValue
    coreDataKeys = Set(ownMetadata.keys)
  }

  /// The store that a handler of a staged migration sees.
  init(migrating engine: ManagedObjectContext) {
    (type, url, options, content) = (NSSQLiteStoreType, nil, nil, .migrating(engine))
    configurationName = "PF_DEFAULT_CONFIGURATION_NAME"
    (ownMetadata, coreDataKeys) = ([:], [])
  }

  /// The UUID.
  open var identifier: String { ownMetadata[NSStoreUUIDKey] as? String ?? "" }
  /// Whether the store cannot be changed.
  ///
  /// A store that existed when it was added cannot be changed in any case.
  open var isReadOnly: Bool {
    get {
      switch content {
      case .new, .migrating: isMarkedReadOnly
      case .file, .closed: true
      }
    }
    set { isMarkedReadOnly = newValue }
  }
  private var isMarkedReadOnly = false

  /// Whether all instances are checked against the rules of the model when they are saved.
  var isCheckedWhenWritten: Bool {
    switch content {
    case .new: type == NSSQLiteStoreType
    // A lightweight migration carries over what was wrong before.
    case .migrating: false
    case .file, .closed: true
    }
  }

  /// The metadata; those of a new store can be set, and are written by the next save.
  ///
  /// What Core Data writes itself stays.
  open var metadata: [String: Any] {
    get { ownMetadata }
    set {
      ownMetadata = newValue.merging(ownMetadata.filter { coreDataKeys.contains($0.key) }) { _, written in written }
      isMetadataChanged = true
    }
  }

  func close() { content = .closed }

  /// The engine's instances for a context; those of a file are opened anew for each.
  func makeContext() throws(MigrationError) -> ManagedObjectContext? {
    let context: ManagedObjectContext
    switch content {
    case .file(let model):
      context = try ManagedObjectContext(reading: try StoreReader(path: url?.exactPath ?? ""), model)
    case .new(let store): context = store.context
    case .migrating(let engine): context = engine
    case .closed: return nil
    }
    context.changes = context.changes ?? ContextChanges()
    return context
  }

  /// Whether there is something to save in a context of the store.
  func hasChanges(_ context: ManagedObjectContext) -> Bool {
    if case .new(let store) = content { store.hasChanges } else { context.changeCount > savedChangeCount }
  }

  /// Writes a new store.
  ///
  /// - Parameter hasChanges: Whether instances of a store that existed were changed.
  func save(_ hasChanges: Bool) throws(MigrationError) {
    switch content {
    case _ where isMarkedReadOnly:
      guard hasChanges || isMetadataChanged else { return }
      var error = MigrationError(.cannotReplace, path: url?.exactPath ?? "", detail: "the store is read-only")
      error.advice = "Set 'isReadOnly' to false before saving."
      throw error
    case .new(let store):
      store.metadata.properties = try writtenMetadata(store.metadata.properties)
      if let url, type == NSSQLiteStoreType { try store.write(to: url.exactPath) } else { store.markSaved() }
      isMetadataChanged = false
      store.context.changes = ContextChanges()
    case .migrating(let engine):
      try engine.requireNoFailure()
      engine.changes = ContextChanges()
      savedChangeCount = engine.changeCount
    case .file, .closed:
      guard hasChanges || isMetadataChanged else { return }
      var error = MigrationError(
        .cannotReplace, path: url?.exactPath ?? "",
        detail: "changes to a store that existed when it was added cannot be saved here")
      error.advice = "Make a new store, or change this one with a migration and its policies."
      throw error
    }
  }

  private func writtenMetadata(_ old: PropertyListDictionary) throws(MigrationError) -> PropertyListDictionary {
    var written: PropertyListDictionary = [:]
    for pair in old.pairs where coreDataKeys.contains(pair.key) { written[pair.key] = pair.value }
    for (key, value) in ownMetadata.sorted(by: { $0.key < $1.key }) where !coreDataKeys.contains(key) {
      guard let list = PropertyList(foundationValue: value) else {
        var error = MigrationError(
          .cannotCreate, path: url?.exactPath ?? "", detail: "its metadata '\(key)' is \(Unwrapping.kindName(value))")
        error.advice = "Metadata hold texts, numbers, dates, data, arrays and dictionaries of these."
        throw error
      }
      written[key] = list
    }
    return written
  }

  // MARK: - Opening

  static func open(
    _ type: String, _ configuration: String?, _ url: URL?, _ options: [AnyHashable: Any],
    for model: NSManagedObjectModel
  ) throws(MigrationError) -> NSPersistentStore {
    guard let wanted = model.model else {
      throw MigrationError(
        .unusableModel, path: model.bundlePath ?? "", detail: model.contradiction ?? "it has no entities")
    }
    let isInMemory = type == NSInMemoryStoreType || url?.path == "/dev/null"
    guard type == NSSQLiteStoreType || isInMemory else { throw unknown(type, url) }
    guard let url = isInMemory ? url ?? URL(filePath: "/dev/null") : url else {
      var error = MigrationError(.unreadable, detail: "a SQLite store needs a URL")
      error.advice = "Name its file, or use NSInMemoryStoreType."
      throw error
    }
    let path = url.exactPath
    let isThere = try isInMemory ? false : FileSystem.isThere(path)
    if isInMemory || !isThere && !options.isSet(NSReadOnlyPersistentStoreOption) {
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

  private static func unknown(_ type: String, _ url: URL?) -> MigrationError {
    var error = MigrationError(
      .unreadable, path: url?.exactPath ?? "", detail: "stores of type '\(type)' are not supported here")
    error.advice = "Use NSSQLiteStoreType or NSInMemoryStoreType."
    return error
  }
}

extension [AnyHashable: Any] {
  /// Whether an option of a store is on.
  fileprivate func isSet(_ option: String) -> Bool { (self[option] as? NSNumber)?.boolValue ?? false }
}

/// The migration that an app requests by the options of a store, if one is needed.
private struct AutomaticMigration {
  let path: String
  let model: NSManagedObjectModel
  let options: [AnyHashable: Any]

  func run() throws(MigrationError) {
    guard let wanted = model.model else { return }
    let stages = options[NSPersistentStoreStagedMigrationManagerOptionKey] as? NSStagedMigrationManager
    let reader = try StoreReader(path: path)
    let hashes = reader.metadata.versionHashes
    let isCurrent = wanted.isCompatible(withVersionHashes: hashes)
    // Version hashes are metadata: the tables may be others.
    if isCurrent { try reader.requireLayout(of: wanted) }
    try reader.close()
    guard !isCurrent else { return }
    var migration = try prepared(for: wanted)
    migration.allowsInference = options.isSet(NSInferMappingModelAutomaticallyOption)
    // As in Core Data, which leaves no backup, and applies a mapping model that drops entities.
    migration.settings.keepsBackup = false
    migration.settings.allowsLoss = true
    if let stages {
      migration.stages = stages.engineStages
      let bundled = NSManagedObjectModel.versions(in: .main).compactMap { model in
        model.model.map { LoadedModelVersion(name: model.versionName ?? "", model: $0) }
      }
      for version in stages.versions + bundled
      where !migration.versions.contains(where: { $0.checksum == version.checksum }) {
        migration.versions.insert(version, at: 0)
      }
    }
    // As in Core Data, a store that may only be read is not migrated.
    let isMigrating =
      options.isSet(NSMigratePersistentStoresAutomaticallyOption) && !options.isSet(NSReadOnlyPersistentStoreOption)
    _ = try migration.open(migrating: isMigrating)
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
