public import Expressions

/// Customises how one entity mapping is carried out.
///
/// A migration makes one policy for each entity mapping and calls it in three passes over all mappings, in their order:
///
/// 1. `begin`, then `createDestinationInstances` for each source instance, then `endInstanceCreation`;
/// 2. `createRelationships` for each destination instance, then `endRelationshipCreation`;
/// 3. `performCustomValidation`, then `end`.
///
/// The methods have Apple's names and defaults. An error thrown from any of them ends the migration, and the source
/// stays as it was.
open class EntityMigrationPolicy {
  /// Creates a policy.
  public init() {}

  /// Begins the work on an entity mapping.
  open func begin(_ mapping: EntityMapping, with manager: MigrationManager) throws {}

  /// Creates what becomes of a source instance: by default one instance with the values of the attribute mappings.
  ///
  /// An override that does not call `super` must call `associate` itself; what is created and never associated is
  /// reported.
  open func createDestinationInstances(
    forSource sInstance: ManagedObject, in mapping: EntityMapping, manager: MigrationManager
  ) throws {
    guard let plan = try manager.plan(for: mapping, source: sInstance.layout) else { return }
    let dInstance = try manager.createDestinationInstance(of: sInstance, plan)
    manager.associate(sourceInstance: sInstance, withDestinationInstance: dInstance, for: mapping)
  }

  /// Ends the creation of instances.
  open func endInstanceCreation(forMapping mapping: EntityMapping, manager: MigrationManager) throws {}

  /// Connects a destination instance: by default as the relationship mappings say.
  open func createRelationships(
    forDestination dInstance: ManagedObject, in mapping: EntityMapping, manager: MigrationManager
  ) throws {
    let sources = manager.associations.sources(of: dInstance.objectID, mapping: mapping.name)
    guard !mapping.relationshipMappings.isEmpty, let source = sources.first.flatMap(manager.sourceContext.object),
      let plan = try manager.plan(for: mapping, source: source.layout)
    else { return }
    try manager.createRelationships(of: dInstance, madeOf: source, plan)
  }

  /// Ends the creation of relationships.
  open func endRelationshipCreation(forMapping mapping: EntityMapping, manager: MigrationManager) throws {}

  /// Checks the result.
  open func performCustomValidation(forMapping mapping: EntityMapping, manager: MigrationManager) throws {}

  /// Answers what an expression calls on `$entityPolicy`, such as `FUNCTION($entityPolicy, "fullName:", $source)`.
  ///
  /// Core Data finds a method of that name at run time. Swift cannot, so a policy overrides this one.
  ///
  /// - Returns: The result, or `nil` where the policy has no such function.
  open func perform(
    _ selector: String, with arguments: [ExpressionValue], manager: MigrationManager
  ) throws -> ExpressionValue? { nil }

  /// Ends the work on an entity mapping.
  open func end(_ mapping: EntityMapping, manager: MigrationManager) throws {}
}
