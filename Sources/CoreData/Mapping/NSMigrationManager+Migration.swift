internal import Diagnostics
internal import Migration
internal import PersistentStore

extension NSMigrationManager {
  /// Migrates a store into a new file.
  ///
  /// The source is only read. The destination must not exist; on any failure there is none. As in Core Data, entities may
  /// be dropped with their instances, which ``removedInstancesCountByEntity`` tells afterwards.
  ///
  /// - Parameters:
  ///   - sourceURL: The store.
  ///   - sStoreType: `NSSQLiteStoreType`, the only one there is.
  ///   - sOptions: Nothing is taken from them.
  ///   - mappings: What is to be done.
  ///   - dURL: The new file.
  ///   - dStoreType: `NSSQLiteStoreType`, the only one there is.
  ///   - dOptions: Nothing is taken from them.
  /// - Throws: An `NSError` of `NSCocoaErrorDomain` with Core Data's code, and the engine's `MigrationError` under it.
  public func migrateStore(
    from sourceURL: URL, sourceType sStoreType: String, options sOptions: [AnyHashable: Any]? = nil,
    with mappings: NSMappingModel?, toDestinationURL dURL: URL, destinationType dStoreType: String,
    destinationOptions dOptions: [AnyHashable: Any]? = nil
  ) throws {
    do {
      try requireSQLite(sStoreType, sourceURL)
      try requireSQLite(dStoreType, dURL)
      guard let mappings else {
        throw MigrationError(.invalidMappingModel, path: sourceURL.exactPath, detail: "there is no mapping model")
      }
      try migrate(sourceURL.exactPath, dURL.exactPath, mappings)
    } catch let error as MigrationError {
      throw error.cocoaError
    }
  }

  private func requireSQLite(_ type: String, _ url: URL) throws(MigrationError) {
    guard type == NSSQLiteStoreType else {
      throw MigrationError(
        .notACoreDataStore, path: url.exactPath, detail: "stores of type '\(type)' are not known here")
    }
  }

  private func migrate(_ source: String, _ destination: String, _ mappings: NSMappingModel) throws(MigrationError) {
    guard let sourceModel = sourceModel.model, let destinationModel = destinationModel.model else {
      throw MigrationError(.unknownVersion, path: source, detail: "a model without entities is given")
    }
    guard !FileSystem.exists(destination) else {
      throw MigrationError(.outputExists, path: destination)
    }
    let reader = try StoreReader(path: source)
    guard sourceModel.isCompatible(withVersionHashes: reader.metadata.versionHashes) else {
      throw MigrationError(.unknownVersion, path: source, detail: "it is not of the source model's version")
    }
    do {
      let naming = JoinTableNaming(foundIn: try StoreSchema(sourceModel, asFoundIn: reader))
      let manager = try MigrationManager(
        source: reader, sourceModel: sourceModel, mappingModel: mappings.value,
        destination: StoreWriter(
          path: destination, schema: StoreSchema(destinationModel, joinTables: naming), layout: reader.layout),
        options: MigrationManager.Options(policies: policies(for: mappings)))
      use(manager, mappings.mappings)
      defer { endUse() }
      removedInstancesCountByEntity = try manager.migrate().removedInstanceCounts
      try reader.close()
    } catch {
      for suffix in ["", "-journal", "-wal", "-shm"] {
        FileSystem.remove(destination + suffix)
      }
      throw error
    }
  }

  /// The registered policies, and those whose classes are found by the names in the mappings: `Module.Class`.
  private func policies(for mappings: NSMappingModel) -> PolicyRegistry {
    var registry = PolicyRegistry()
    for name in mappings.mappings.compactMap(\.entityMigrationPolicyClassName) {
      guard let policyClass = NamedClass.find(name) as? NSEntityMigrationPolicy.Type else { continue }
      registry.register(policyClass, as: name)
    }
    return registry.merging(policies)
  }
}
