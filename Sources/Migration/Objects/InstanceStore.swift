internal import DataModel
internal import Diagnostics
internal import PersistentStore

/// Where the instances of a context come from and go to.
protocol InstanceStore: AnyObject {
  var kind: ManagedObjectID.Store { get }
  var schema: StoreSchema { get }
  /// The file, as the user named it.
  var path: String { get }
  var layouts: EntityLayouts { get }

  /// Makes a new instance.
  func insert(_ layout: EntityLayout, in context: ManagedObjectContext) throws(MigrationError) -> ManagedObject

  /// Deletes an instance that was inserted.
  func delete(_ object: ManagedObject)

  /// Whether an instance was deleted.
  func isDeleted(_ objectID: ManagedObjectID) -> Bool

  /// Reads the values of an instance.
  func load(_ object: ManagedObject) throws

  /// Takes notice of a new value.
  func attributeChanged(_ object: ManagedObject, _ index: Int, from old: AttributeValue?, to new: AttributeValue?)

  /// What a relationship leads to.
  func destinations(of object: ManagedObject, _ relationship: EntityLayout.Relationship) throws -> [ManagedObjectID]

  /// Sets what a relationship leads to.
  func setDestinations(
    _ destinations: [ManagedObject], of object: ManagedObject, _ relationship: EntityLayout.Relationship
  ) throws

  /// The instances that satisfy a request, in the order of their keys; order, offset and limit are the caller's.
  func fetch(
    _ request: FetchRequest, _ layout: EntityLayout, in context: ManagedObjectContext
  ) throws -> [ManagedObject]
}
