internal import DataModel
public import Diagnostics
internal import PersistentStore
internal import SQLite

/// The instances of one of the two stores of a migration.
///
/// The source's context reads rows one at a time and keeps none. The destination's keeps what policies insert until the
/// migration writes it.
public final class ManagedObjectContext {
  let schema: StoreSchema
  private let primaryKeys: PrimaryKeyAllocator
  private(set) var insertedObjects: [ManagedObject] = []

  init(schema: StoreSchema, primaryKeys: PrimaryKeyAllocator) {
    self.schema = schema
    self.primaryKeys = primaryKeys
  }

  /// Inserts a new instance with its attributes' default values.
  public func insertNewObject(forEntityName name: String) throws(MigrationError) -> ManagedObject {
    guard let entity = schema.model.entity(named: name),
      let root = schema.table(forEntityNamed: name)?.entityNames.first
    else {
      throw MigrationError(.invalidMappingModel, detail: "the model has no entity '\(name)'")
    }
    let defaults = entity.attributes.compactMap { attribute in attribute.defaultValue.map { (attribute.name, $0) } }
    let object = ManagedObject(
      entity, ManagedObjectID(rootEntityName: root, primaryKey: try primaryKeys.next(forRootEntityNamed: root)),
      values: Dictionary(defaults, uniquingKeysWith: { first, _ in first }))
    insertedObjects.append(object)
    return object
  }
}

/// Hands out primary keys, in order and each once.
final class PrimaryKeyAllocator {
  private var greatest: [String: Int64] = [:]

  func next(forRootEntityNamed name: String) throws(MigrationError) -> Int64 {
    let (next, isBeyond) = greatest[name, default: 0].addingReportingOverflow(1)
    guard !isBeyond else {
      throw MigrationError(
        .migrationFailed, MigrationError.Subject(entity: name), detail: "there are no primary keys left")
    }
    greatest[name] = next
    return next
  }

  /// Makes sure that keys up to this one are not handed out.
  func reserve(upTo key: Int64, forRootEntityNamed name: String) {
    greatest[name] = max(greatest[name, default: 0], key)
  }
}
