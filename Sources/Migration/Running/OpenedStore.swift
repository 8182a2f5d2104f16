public import Diagnostics
internal import PersistentStore

/// A store of the wanted version that is open for reading.
public final class OpenedStore {
  /// The store, as the user named it.
  public let path: String
  /// The version that it has.
  public let version: KnownVersion
  /// What had to be done to it.
  public let outcome: StoreMigration.Outcome
  /// Its instances, which can only be read.
  public let context: ManagedObjectContext

  private let reader: StoreReader
  private let instances: SourceInstances

  init(
    path: String, version: KnownVersion, outcome: StoreMigration.Outcome, _ waiting: Waiting
  ) throws(MigrationError) {
    self.path = path
    self.version = version
    self.outcome = outcome
    reader = try waiting.open(path)
    instances = SourceInstances(reader, schema: try StoreSchema(version.model, asFoundIn: reader))
    context = ManagedObjectContext(instances)
    context.readExternalData = SupportFolder(ofStoreAt: reader.file.resolvedPath).reading
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
