internal import Diagnostics
internal import Expressions
internal import Migration

/// Customises how one entity mapping is carried out.
///
/// A subclass that an app wrote for Core Data is used as it is, except that `@objc(Name)` does not exist here, and that
/// an initializer of its own without arguments must be `required`. An error that it throws ends the migration.
open class NSEntityMigrationPolicy: NSObject {
  private let standard = EntityMigrationPolicy()

  /// Creates a policy.
  public required override init() {}

  /// Begins the work on an entity mapping.
  open func begin(_ mapping: NSEntityMapping, with manager: NSMigrationManager) throws {}

  /// Creates what becomes of a source instance: by default one instance with the values of the attribute mappings.
  open func createDestinationInstances(
    forSource sInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
  ) throws {
    guard let instance = sInstance.instance, let engine = manager.engine else { return }
    try standard.createDestinationInstances(forSource: instance, in: mapping.value, manager: engine)
  }

  /// Ends the creation of instances.
  open func endInstanceCreation(forMapping mapping: NSEntityMapping, manager: NSMigrationManager) throws {}

  /// Connects a destination instance: by default as the relationship mappings say.
  open func createRelationships(
    forDestination dInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
  ) throws {
    guard let instance = dInstance.instance, let engine = manager.engine else { return }
    try standard.createRelationships(forDestination: instance, in: mapping.value, manager: engine)
  }

  /// Ends the creation of relationships.
  open func endRelationshipCreation(forMapping mapping: NSEntityMapping, manager: NSMigrationManager) throws {}

  /// Checks the result.
  open func performCustomValidation(forMapping mapping: NSEntityMapping, manager: NSMigrationManager) throws {}

  /// Ends the work on an entity mapping.
  open func end(_ mapping: NSEntityMapping, manager: NSMigrationManager) throws {}

  /// Answers what an expression calls on `$entityPolicy`, such as `FUNCTION($entityPolicy, "fullName:", $source)`.
  ///
  /// Core Data finds a method of that name at run time. Swift cannot, so a policy overrides this one.
  ///
  /// - Returns: The result, `NSNull` for nil, or `nil` where the policy has no such function.
  open func perform(_ selector: String, with arguments: [Any?], manager: NSMigrationManager) throws -> Any? { nil }
}
