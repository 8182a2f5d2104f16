public import DataModel
internal import Foundation
public import MigrationDiagnostics
package import PersistentStore
internal import SystemC

/// A store that is filled by hand: a fixture for the tests of a migration, of any version of a model.
///
///     let store = try NewStore(model: version1)
///     let note = try store.context.insertNewObject(forEntityName: "Note")
///     note.setValue(.string("First"), forKey: "title")
///     try store.write(to: "Notes-v1.sqlite")
///
/// All instances are kept in memory.
public final class NewStore {
  /// The instances.
  public let context: ManagedObjectContext
  /// The metadata besides those that Core Data writes.
  package var metadata: StoreMetadata
  /// Files that the instances come from, which limit the permissions of the new file.
  package var contentPaths: [String] = []
  private let instances: DestinationInstances
  /// The file that was written last, which may be written again.
  private var ownFile: FileStatus?
  private var writtenChangeCount = 0

  /// Creates a store without instances.
  public init(model: ManagedObjectModel) throws(MigrationError) {
    instances = DestinationInstances(DestinationStore(try StoreWriter(temporaryWith: StoreSchema(model))))
    context = ManagedObjectContext(instances)
    metadata = .new(for: model, uuid: UUID().uuidString)
  }

  /// Whether instances were inserted, changed or deleted since they were written last.
  public var hasChanges: Bool { context.changeCount != writtenChangeCount }

  /// Writes all instances into a new file.
  ///
  /// The file appears when it is complete. It can be written again with what has been changed since; a file of others is
  /// never replaced.
  ///
  /// - Throws: `MigrationError`, such as `validationFailed` if an instance breaks a rule of the model, `outputExists` if
  ///   there is another file, and `openElsewhere` if another program has it open. Then the file is what it was.
  public func write(to path: String) throws(MigrationError) {
    try context.requireNoFailure()
    let target = FileSystem.sibling(
      of: try FileSystem.resolvedFolder(of: path, else: .cannotCreate) + "/x", named: FileSystem.split(path).name)
    let count = context.changeCount
    if let ownFile, try FileSystem.isThere(target) {
      try rewrite(target, ownFile, named: path)
    } else {
      try writeFirst(to: path)
    }
    (ownFile, writtenChangeCount) = (FileStatus(target), count)
  }

  /// Inserts an instance with a key that is greater than those of all others of its table.
  package func insert(_ entityName: String, primaryKey: Int64) throws(MigrationError) {
    let layout = try context.layout(named: entityName)
    instances.store.primaryKeys.reserve(upTo: primaryKey - 1, forRootEntityNamed: layout.rootEntityName)
    _ = try context.insertNewObject(layout)
  }

  /// Becomes the next state of another new store, so that it may write the same file.
  package func takeOver(_ other: NewStore) { (ownFile, metadata) = (other.ownFile, other.metadata) }

  /// Takes all changes for saved, without a file.
  package func markSaved() { writtenChangeCount = context.changeCount }

  private func writeFirst(to path: String) throws(MigrationError) {
    let file = try NewStoreFile(path: path, access: NewFileAccess(from: contentPaths))
    do throws(MigrationError) {
      try copy(to: file.stagedPath, named: path)
      try file.publish()
    } catch {
      throw file.discard(after: error)
    }
  }

  private func rewrite(_ target: String, _ ownFile: FileStatus, named path: String) throws(MigrationError) {
    // Changed by another program, it is not ours any more; and a commit in its log is a change, too.
    func requireOwn() throws(MigrationError) {
      guard FileStatus(target) == ownFile else { throw MigrationError(.outputExists, path: path) }
      for suffix in ["-wal", "-journal"] where FileStatus(target + suffix).map({ $0.size > 0 }) ?? false {
        throw MigrationError(.outputExists, path: path + suffix)
      }
    }
    try requireOwn()
    let session = try ReplacementSession(path: path, outputPath: nil, target: target)
    do throws(MigrationError) {
      let store = try session.open()
      // From here on no other program can write to it.
      try requireOwn()
      try store.reader.close()
      try copy(to: session.staging.path, named: path)
      try session.publish(store, companions: [], backupPath: nil)
    } catch {
      session.discard()
      throw session.inUserTerms(error)
    }
  }

  private func copy(to path: String, named name: String) throws(MigrationError) {
    do {
      let model = context.managedObjectModel
      let writer = try StoreWriter(path: path, schema: StoreSchema(model), layout: .coreData)
      writer.onProgress { EndRequest.isMade }
      let copies = DestinationInstances(DestinationStore(writer))
      try copy(to: copies, ManagedObjectContext(copies))
      copies.links = instances.links
      try copies.save()
      _ = try copies.store.writeLinks()
      let failures = try StoreValidator(writer).failures()
      if let error = MigrationError(failures, path: name) { throw error }
      try writer.finish(metadata: metadata, modelCache: try? model.modelCache())
      // A small store is written as a whole when it is finished, and no statement runs then that could be interrupted.
      if EndRequest.isMade { throw MigrationError(.interrupted) }
    } catch let error as MigrationError {
      throw error
    } catch {
      throw MigrationError(.cannotCreate, path: name, detail: "\(error)")
    }
  }

  /// Copies the instances with their keys: links refer to them.
  private func copy(to copies: DestinationInstances, _ target: ManagedObjectContext) throws {
    var keys: [(key: Int64, layout: EntityLayout)] = []
    for layout in instances.layouts.all {
      instances.insertedKeys(of: layout).forEach { keys.append(($0, layout)) }
    }
    // Entities of one table share their keys.
    for (key, layout) in keys.sorted(by: { $0.key < $1.key }) {
      if EndRequest.isMade { throw MigrationError(.interrupted) }
      let id = ManagedObjectID(store: .destination, entityNumber: layout.number, primaryKey: key)
      guard let object = context.object(with: id), let place = copies.layouts[layout.number] else { continue }
      copies.store.primaryKeys.reserve(upTo: key - 1, forRootEntityNamed: layout.rootEntityName)
      let copy = try target.insertNewObject(place)
      copy.attributeValues = object.attributeValues
      try copies.flushIfNeeded()
    }
  }
}
