public import CoreDataExpressions
public import MigrationDiagnostics

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

/// A policy that only adds to the plain copy of attributes, and that does so in two steps.
///
/// The engine moves the instances of the mapping with one statement, keeping their primary keys; source and destination
/// instance are then one and the same key, and no association table is needed. `createDestinationInstances` is not
/// called. Instead the engine hands the source rows to a *preparer*, which does what needs no order and touches nothing
/// but the row, and hands the batches that it makes to `apply` in the order of the rows. Only `apply` touches the
/// manager, lookup tables and the destination.
public protocol BatchMigrationPolicy: EntityMigrationPolicy {
  /// Prepares rows. Every thread has one of its own.
  associatedtype Preparer: RowPreparer

  /// The attributes of the source entity that the preparer reads, in the order of the columns of its rows.
  var preparedAttributes: [String] { get }

  /// Makes a preparer.
  func makePreparer(for mapping: EntityMapping, manager: MigrationManager) throws -> Preparer

  /// Applies what was prepared of a run of source rows.
  func apply(_ batch: Preparer.Batch, in mapping: EntityMapping, manager: MigrationManager) throws
}

/// Does the part of a policy's work that is pure: it reads one source row after the other and collects what it finds.
public protocol RowPreparer {
  /// What is known of a run of rows.
  associatedtype Batch: Sendable

  /// Reads a row.
  mutating func prepare(_ row: SourceRow) throws(MigrationError)

  /// How many bytes what was collected takes up, about; a batch ends early when these are many.
  var byteCount: Int { get }

  /// Hands out what was collected since the last call, and begins anew.
  mutating func takeBatch() -> Batch
}

/// The custom policies that a migration may need, by the class names that mapping models use.
public struct PolicyRegistry {
  private var factories: [String: () -> EntityMigrationPolicy] = [:]

  /// Creates a registry without policies.
  public init() {}

  /// Adds a policy.
  ///
  /// One instance is made for each entity mapping that names it.
  public mutating func register(_ className: String, _ make: @escaping () -> EntityMigrationPolicy) {
    factories[className] = make
  }

  /// The policies of both, of which the other's are taken where both have one.
  public func merging(_ other: PolicyRegistry) -> PolicyRegistry {
    var merged = self
    merged.factories.merge(other.factories) { _, other in other }
    return merged
  }

  /// Makes a class name stand for a policy that is registered under another.
  ///
  /// - Returns: Whether there is such a policy.
  public mutating func alias(_ className: String, for registered: String) -> Bool {
    guard let make = factory(registered) else { return false }
    factories[className] = make
    return true
  }

  /// The names of all policies, sorted.
  public var classNames: [String] { factories.keys.sorted() }

  /// Makes the policy of a class.
  ///
  /// The name may carry a module, as Xcode writes it for Swift classes.
  package func makePolicy(named className: String) -> EntityMigrationPolicy? { factory(className)?() }

  /// Whether there is a policy of a class.
  package func hasPolicy(named className: String) -> Bool { factory(className) != nil }

  private func factory(_ className: String) -> (() -> EntityMigrationPolicy)? {
    if let make = factories[className] { return make }
    guard let dot = className.lastIndex(of: ".") else { return nil }
    return factories[String(className[className.index(after: dot)...])]
  }
}
