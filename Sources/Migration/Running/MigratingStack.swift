internal import DataModel
public import MigrationDiagnostics
internal import PersistentStore

/// Opens an app's store, and migrates it first where that is needed and allowed.
///
/// It is what an app does before anything reads its store: compare the store with the wanted version, migrate it by as
/// many hops as it takes, and only then hand it out.
///
///     let bundle = try ModelBundle(path: "Notes.xcdatamodeld")
///     var migration = StoreMigration(path: "Notes.sqlite", versions: try LoadedModelVersion.all(in: bundle))
///     migration.destinationVersionName = try bundle.currentVersion().name
///     let store = try MigratingStack(migration, enablesMigrations: true).open()
///     let notes = try store.context.fetch(FetchRequest(entityName: "Note"))
public struct MigratingStack {
  /// The store, its versions and mapping models, and how it would be migrated.
  ///
  /// With an `outputPath` the store itself is left alone, and the migrated one is opened.
  public var migration: StoreMigration
  /// Whether a store of another version is migrated; otherwise it is refused.
  public var enablesMigrations: Bool

  /// Creates a stack.
  public init(_ migration: StoreMigration, enablesMigrations: Bool = false) {
    self.migration = migration
    self.enablesMigrations = enablesMigrations
  }

  /// Opens the store for reading.
  ///
  /// - Throws: `MigrationError`, with `migrationRequired` for a store of another version where migrations are not
  ///   enabled, which tells the entities that differ. A store that is not there is `missing`: none is made.
  public func open() throws(MigrationError) -> OpenedStore {
    let destination = try migration.destination()
    if !enablesMigrations { try requireVersion(destination) }
    let outcome = try migration.run()
    var path = migration.path
    if case .migrated(let result) = outcome { path = result.path }
    return try OpenedStore(path: path, version: destination, outcome: outcome, LockRetry(migration.patience))
  }

  private func requireVersion(_ destination: LoadedModelVersion) throws(MigrationError) {
    let store = try LockRetry(migration.patience).open(migration.path)
    let hashes = store.metadata.versionHashes
    try store.close()
    guard !destination.model.isCompatible(withVersionHashes: hashes) else { return }
    let version = migration.versions.version(withHashes: hashes)
    let wanted = destination.model.entityVersionHashesByName
    let differences = Set(hashes.keys).union(wanted.keys).sorted().compactMap { name -> String? in
      switch (hashes[name], wanted[name]) {
      case (_, nil): "'\(name)' is only in the store"
      case (nil, _): "'\(name)' is not in the store"
      case (let found, let wanted): found == wanted ? nil : "'\(name)' is different"
      }
    }
    var error = MigrationError(
      .migrationRequired, MigrationError.Subject(path: migration.path, name: version?.name ?? "different"),
      detail: "Core Data's error 134100: it is not of the version '\(destination.name)', since "
        + differences.joined(separator: ", "))
    error.advice = "Migrate it first, or enable migrations."
    throw error
  }
}

/// A store of the wanted version that is open for reading.
public final class OpenedStore {
  /// The store, as the user named it.
  public let path: String
  /// The version that it has.
  public let version: LoadedModelVersion
  /// What had to be done to it.
  public let outcome: StoreMigration.Outcome
  /// Its instances, which can only be read.
  public let context: ManagedObjectContext

  private let reader: StoreReader
  private let instances: SourceInstances

  init(
    path: String, version: LoadedModelVersion, outcome: StoreMigration.Outcome, _ waiting: LockRetry
  ) throws(MigrationError) {
    self.path = path
    self.version = version
    self.outcome = outcome
    reader = try waiting.open(path)
    instances = SourceInstances(reader, schema: try StoreSchema(version.model, introspecting: reader))
    context = ManagedObjectContext(instances)
    context.readExternalData = ExternalDataFolder(ofStoreAt: reader.file.resolvedPath).reading
  }

  deinit {
    instances.close()
  }

  /// Throws what went wrong since the last call where nothing could be thrown: while values were read, or because
  /// something was to be changed.
  public func requireNoFailure() throws(MigrationError) {
    do {
      try context.rethrow()
    } catch let error as MigrationError {
      throw error
    } catch {
      throw MigrationError(.unreadable, path: path, detail: "\(error)")
    }
  }

  /// Closes the store; the context must not be used any more.
  public func close() throws(MigrationError) {
    instances.close()
    try reader.close()
  }
}
