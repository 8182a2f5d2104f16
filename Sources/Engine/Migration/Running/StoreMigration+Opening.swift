package import DataModel
public import MigrationDiagnostics
package import PersistentStore
internal import SQLiteDatabase

extension StoreMigration {
  /// Opens the store for reading, and migrates it first where that is needed and allowed.
  ///
  /// It is what an app does before anything reads its store: compare the store with the wanted version, migrate it by as
  /// many hops as it takes, and only then hand it out. With an `outputPath` the store itself is left alone, and the
  /// migrated one is opened.
  ///
  ///     let bundle = try ModelBundle(path: "Notes.xcdatamodeld")
  ///     var migration = StoreMigration(path: "Notes.sqlite", versions: try LoadedModelVersion.all(in: bundle))
  ///     migration.destinationVersionName = try bundle.currentVersion().name
  ///     let notes = try migration.open(migrating: true).fetch(FetchRequest(entityName: "Note"))
  ///
  /// - Parameter isMigrating: Whether a store of another version is migrated; otherwise it is refused.
  /// - Returns: The instances of the store, which can only be read. The store is closed when they are released.
  /// - Throws: `MigrationError`, with `migrationRequired` for a store of another version where migrations are not
  ///   enabled, which tells the entities that differ. A store that is not there is `missing`: none is made.
  public func open(migrating isMigrating: Bool = false) throws(MigrationError) -> ManagedObjectContext {
    let destination = try destination()
    if !isMigrating { try requireVersion(destination) }
    var path = path
    if case .migrated(let result) = try run() { path = result.path }
    return try ManagedObjectContext(reading: try LockRetry(settings.waiting).open(path), destination.model)
  }

  private func requireVersion(_ destination: LoadedModelVersion) throws(MigrationError) {
    let store = try LockRetry(settings.waiting).open(path)
    let hashes = store.metadata.versionHashes
    try store.close()
    guard !destination.model.isCompatible(withVersionHashes: hashes) else { return }
    let version = versions.version(withHashes: hashes)
    let wanted = destination.model.entityVersionHashesByName
    let differences = Set(hashes.keys).union(wanted.keys).sorted().compactMap { name -> String? in
      switch (hashes[name], wanted[name]) {
      case (_, nil): "'\(name)' is only in the store"
      case (nil, _): "'\(name)' is not in the store"
      case (let found, let wanted): found == wanted ? nil : "'\(name)' is different"
      }
    }
    var error = MigrationError(
      .migrationRequired, MigrationError.Subject(path: path, name: version?.name ?? "different"),
      detail: "Core Data's error 134100: it is not of the version '\(destination.name)', since "
        + differences.joined(separator: ", "))
    error.advice = "Migrate it first, or enable migrations."
    throw error
  }
}

extension ManagedObjectContext {
  /// The instances of a store, which can only be read.
  ///
  /// Large values are read from the files beside it.
  package convenience init(reading store: StoreReader, _ model: ManagedObjectModel) throws(MigrationError) {
    self.init(SourceInstances(store, schema: try StoreSchema(model, introspecting: store)))
    readExternalData = ExternalDataFolder(ofStoreAt: store.file.resolvedPath).reading
  }

  /// Throws what went wrong since the last call where nothing could be thrown: while values were read, or because
  /// something was to be changed that can only be read.
  public func requireNoFailure() throws(MigrationError) {
    try reporting(path: instances.path) {
      do {
        try rethrow()
      } catch let error where !(error is MigrationError || error is SQLiteError) {
        throw MigrationError(.unreadable, path: instances.path, detail: "\(error)")
      }
    }
  }
}
