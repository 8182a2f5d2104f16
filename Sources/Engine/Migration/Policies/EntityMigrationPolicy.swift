public import CoreDataExpressions
public import MigrationDiagnostics

/// Customises how one entity mapping is performed.
///
/// A migration creates one policy for each entity mapping and calls it in three passes over all mappings, in their
/// order:
///
/// 1. `begin`, then `createDestinationInstances` for each source instance, then `endInstanceCreation`;
/// 2. `createRelationships` for each destination instance, then `endRelationshipCreation`;
/// 3. `performCustomValidation`, then `end`.
///
/// The methods have Apple's names and defaults. An error thrown from any of them ends the migration, and the source is
/// left unchanged.
open class EntityMigrationPolicy {
  /// Creates a policy.
  public init() {}

  /// Begins the work on an entity mapping.
  open func begin(_ mapping: EntityMapping, with manager: MigrationManager) throws {}

  /// Creates the destination instances for a source instance; by default, one with the values of the attribute
  /// mappings.
  ///
  /// An override that does not call `super` must call `associate` itself. Instances that are created but never
  /// associated are reported.
  open func createDestinationInstances(
    forSource sInstance: ManagedObject, in mapping: EntityMapping, manager: MigrationManager
  ) throws {
    guard let plan = try manager.plan(for: mapping, source: sInstance.layout) else { return }
    let dInstance = try manager.createDestinationInstance(of: sInstance, plan)
    manager.associate(sourceInstance: sInstance, withDestinationInstance: dInstance, for: mapping)
  }

  /// Ends the creation of instances.
  open func endInstanceCreation(forMapping mapping: EntityMapping, manager: MigrationManager) throws {}

  /// Connects a destination instance; by default, according to the relationship mappings.
  open func createRelationships(
    forDestination dInstance: ManagedObject, in mapping: EntityMapping, manager: MigrationManager
  ) throws {
    guard !mapping.relationshipMappings.isEmpty else { return }
    let sources = manager.associations.sources(of: dInstance.objectID, mapping: mapping.name)
    guard let source = sources.first.flatMap(manager.sourceContext.object),
      let plan = try manager.plan(for: mapping, source: source.layout)
    else { return }
    try manager.createRelationships(of: dInstance, madeOf: source, plan)
  }

  /// Ends the creation of relationships.
  open func endRelationshipCreation(forMapping mapping: EntityMapping, manager: MigrationManager) throws {}

  /// Checks the result.
  open func performCustomValidation(forMapping mapping: EntityMapping, manager: MigrationManager) throws {}

  /// Performs a function that an expression calls on `$entityPolicy`, such as `FUNCTION($entityPolicy, "fullName:",
  /// $source)`.
  ///
  /// Core Data finds the method with that name at run time. Swift cannot, so a policy overrides this one.
  ///
  /// - Returns: The result, or `nil` if the policy does not have this function.
  open func perform(
    _ selector: String, with arguments: [ExpressionValue], manager: MigrationManager
  ) throws -> ExpressionValue? { nil }

  /// Ends the work on an entity mapping.
  open func end(_ mapping: EntityMapping, manager: MigrationManager) throws {}
}

/// A policy that only adds to the plain copy of attributes, and that does so in two steps.
///
/// The engine moves the instances of the mapping with one statement that keeps their primary keys. Source and
/// destination instance therefore have the same key, and no association table is needed. `createDestinationInstances`
/// is not called. Instead, the engine passes the source rows to a *preparer*, which does the work that does not depend
/// on order and accesses only the row, and passes the resulting batches to `apply` in the order of the rows. Only
/// `apply` accesses the manager, lookup tables and the destination.
public protocol BatchMigrationPolicy: EntityMigrationPolicy {
  /// The type that prepares rows. Every thread has its own preparer.
  associatedtype Preparer: RowPreparer

  /// The attributes of the source entity that the preparer reads, in the order of the columns of its rows.
  var preparedAttributes: [String] { get }

  /// Creates a preparer.
  func makePreparer(for mapping: EntityMapping, manager: MigrationManager) throws -> Preparer

  /// Whether `apply` looks at the rows of the destination that the engine copies.
  ///
  /// If not, these may be written later. By default it may do so.
  var readsCopiedRows: Bool { get }

  /// Applies the results prepared from a run of source rows.
  func apply(_ batch: Preparer.Batch, in mapping: EntityMapping, manager: MigrationManager) throws
}

extension BatchMigrationPolicy {
  /// True.
  public var readsCopiedRows: Bool { true }
}

/// Does the pure part of a policy's work: reads one source row after the other and collects the results.
public protocol RowPreparer {
  /// The results from a run of rows.
  associatedtype Batch: Sendable

  /// Reads a row.
  mutating func prepare(_ row: SourceRow) throws(MigrationError)

  /// The approximate size of the collected results in bytes; a batch ends early if it is large.
  var byteCount: Int { get }

  /// Returns what was collected since the last call, and starts over.
  mutating func takeBatch() -> Batch
}

/// The custom policies that a migration may need, by the class names used in mapping models.
public struct PolicyRegistry {
  private var factories: [String: () -> EntityMigrationPolicy] = [:]

  /// Creates a registry without policies.
  public init() {}

  /// Registers a policy.
  ///
  /// One instance is created for each entity mapping that names it.
  public mutating func register(_ className: String, _ make: @escaping () -> EntityMigrationPolicy) {
    factories[className] = make
  }

  /// The policies of both registries; the other's take precedence.
  public func merging(_ other: PolicyRegistry) -> PolicyRegistry {
    var merged = self
    merged.factories.merge(other.factories) { _, other in other }
    return merged
  }

  /// Registers another name for a registered policy.
  ///
  /// - Returns: Whether there is such a policy.
  public mutating func alias(_ className: String, for registered: String) -> Bool {
    guard let make = factory(registered) else { return false }
    factories[className] = make
    return true
  }

  /// The names of all policies, sorted.
  public var classNames: [String] { factories.keys.sorted() }

  /// Creates the policy of a class.
  ///
  /// The name may include a module, as Xcode writes it for Swift classes.
  package func makePolicy(named className: String) -> EntityMigrationPolicy? { factory(className)?() }

  /// Whether a policy is registered for a class.
  package func hasPolicy(named className: String) -> Bool { factory(className) != nil }

  private func factory(_ className: String) -> (() -> EntityMigrationPolicy)? {
    if let make = factories[className] { return make }
    guard let dot = className.lastIndex(of: ".") else { return nil }
    return factories[String(className[className.index(after: dot)...])]
  }
}
