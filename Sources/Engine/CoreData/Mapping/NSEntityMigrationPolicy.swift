internal import CoreDataExpressions
public import Migration
internal import MigrationDiagnostics

/// Customises how one entity mapping is performed.
///
/// A subclass that an app wrote for Core Data is used unchanged, with two exceptions: `@objc(Name)` does not exist
/// here, and a custom initializer without arguments must be `required`. An error that the policy throws ends the
/// migration.
open class NSEntityMigrationPolicy: NSObject {
  private let standard = EntityMigrationPolicy()

  /// Creates a policy.
  public required override init() {}

  /// Begins the work on an entity mapping.
  open func begin(_ mapping: NSEntityMapping, with manager: NSMigrationManager) throws {}

  /// Creates the destination instances for a source instance; by default, one with the values of the attribute
  /// mappings.
  open func createDestinationInstances(
    forSource sInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
  ) throws {
    guard let instance = sInstance.instance, let engine = manager.engine else { return }
    try standard.createDestinationInstances(forSource: instance, in: mapping.value, manager: engine)
  }

  /// Ends the creation of instances.
  open func endInstanceCreation(forMapping mapping: NSEntityMapping, manager: NSMigrationManager) throws {}

  /// Connects a destination instance; by default, according to the relationship mappings.
  open func createRelationships(
    forDestination dInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
  ) throws {
    guard mapping.hasRelationshipMappings else { return }
    guard let instance = dInstance.instance, let engine = manager.engine else { return }
    try standard.createRelationships(forDestination: instance, in: mapping.value, manager: engine)
  }

  /// Ends the creation of relationships.
  open func endRelationshipCreation(forMapping mapping: NSEntityMapping, manager: NSMigrationManager) throws {}

  /// Checks the result.
  open func performCustomValidation(forMapping mapping: NSEntityMapping, manager: NSMigrationManager) throws {}

  /// Ends the work on an entity mapping.
  open func end(_ mapping: NSEntityMapping, manager: NSMigrationManager) throws {}

  /// Performs a function that an expression calls on `$entityPolicy`, such as `FUNCTION($entityPolicy, "fullName:",
  /// $source)`.
  ///
  /// Core Data finds the method with that name at run time. Swift cannot, so a policy overrides this one; in a file that the
  /// plugin `PolicySources` compiles, that is done for all methods with `@objc` that return a value.
  ///
  /// - Returns: The result, `NSNull` for nil, or `nil` if the policy does not have this function.
  open func perform(_ selector: String, with arguments: [Any?], manager: NSMigrationManager) throws -> Any? { nil }
}

// What the overrides of `perform` call that the plugin PolicySources makes.
extension NSEntityMigrationPolicy {
  /// An argument of a function in the type that its method declares.
  ///
  /// - Throws: `MigrationError` for a missing argument, and for one of another type.
  public func functionArgument<Value>(_ arguments: [Any?], _ index: Int, of selector: String) throws -> Value {
    guard index < arguments.count else {
      throw MigrationError(
        .invalidMappingModel, detail: "'\(selector)' is called with \(arguments.count.counting("argument"))")
    }
    if let value = arguments[index] as? Value { return value }
    let kind = arguments[index].map(Unwrapping.kindName) ?? "nil"
    throw MigrationError(
      .invalidMappingModel, detail: "argument \(index + 1) of '\(selector)' is \(kind), and \(Value.self) is wanted")
  }

  /// Returns the result of a function, with `NSNull` for nil.
  public func functionResult(_ value: Any?) -> Any { value.flatMap { Unwrapping.value($0) } ?? NSNull() }
}

/// Adapts an app's policy to the engine.
///
/// There is one for each entity mapping, so it converts its mapping only once.
private final class PolicyAdapter: EntityMigrationPolicy {
  private let policy: NSEntityMigrationPolicy
  private var known: (manager: NSMigrationManager, mapping: NSEntityMapping)?

  init(_ policy: NSEntityMigrationPolicy) {
    self.policy = policy
  }

  /// Calls the policy, and makes its errors readable.
  private func call(
    _ mapping: EntityMapping, _ engine: MigrationManager,
    _ work: (NSEntityMapping, NSMigrationManager) throws -> Void
  ) throws {
    let (manager, mapping) = known ?? facades(mapping, engine)
    do {
      try work(mapping, manager)
    } catch {
      throw PolicyFailure.wrapping(error)
    }
  }

  private func facades(_ mapping: EntityMapping, _ engine: MigrationManager) -> (NSMigrationManager, NSEntityMapping) {
    let manager = NSMigrationManager.facade(of: engine)
    let facades = (manager, manager.mapping(for: mapping))
    known = facades
    return facades
  }

  override func begin(_ mapping: EntityMapping, with manager: MigrationManager) throws {
    try call(mapping, manager) { try policy.begin($0, with: $1) }
  }

  override func createDestinationInstances(
    forSource sInstance: ManagedObject, in mapping: EntityMapping, manager: MigrationManager
  ) throws {
    try call(mapping, manager) {
      try policy.createDestinationInstances(forSource: sInstance.handle(), in: $0, manager: $1)
    }
  }

  override func endInstanceCreation(forMapping mapping: EntityMapping, manager: MigrationManager) throws {
    try call(mapping, manager) { try policy.endInstanceCreation(forMapping: $0, manager: $1) }
  }

  override func createRelationships(
    forDestination dInstance: ManagedObject, in mapping: EntityMapping, manager: MigrationManager
  ) throws {
    try call(mapping, manager) {
      try policy.createRelationships(forDestination: dInstance.handle(), in: $0, manager: $1)
    }
  }

  override func endRelationshipCreation(forMapping mapping: EntityMapping, manager: MigrationManager) throws {
    try call(mapping, manager) { try policy.endRelationshipCreation(forMapping: $0, manager: $1) }
  }

  override func performCustomValidation(forMapping mapping: EntityMapping, manager: MigrationManager) throws {
    try call(mapping, manager) { try policy.performCustomValidation(forMapping: $0, manager: $1) }
  }

  override func end(_ mapping: EntityMapping, manager: MigrationManager) throws {
    try call(mapping, manager) { try policy.end($0, manager: $1) }
  }

  override func perform(
    _ selector: String, with arguments: [ExpressionValue], manager: MigrationManager
  ) throws -> ExpressionValue? {
    do {
      let values = arguments.map(\.foundationValue)
      guard
        let result = try policy.perform(selector, with: values, manager: NSMigrationManager.facade(of: manager))
      else { return nil }
      guard let value = ExpressionValue(any: result) else {
        throw MigrationError(
          .policyFailed, detail: "'\(selector)' of the policy gives \(Unwrapping.kindName(result))")
      }
      return value
    } catch {
      throw PolicyFailure.wrapping(error)
    }
  }
}

/// A readable description of an error that a policy threw, or of an expression or predicate that it cannot use.
struct PolicyFailure: Error, CustomStringConvertible {
  let description: String

  /// Returns the engine's errors and errors that describe themselves unchanged.
  static func wrapping(_ error: any Error) -> any Error {
    if type(of: error) is NSError.Type {
      let error = error as NSError
      return PolicyFailure(description: "\(error.localizedDescription) (\(error.domain) \(error.code))")
    }
    guard !(error is MigrationError), let text = (error as? any LocalizedError)?.errorDescription else { return error }
    return PolicyFailure(description: text)
  }
}

extension PolicyRegistry {
  /// Registers a policy written for Core Data under its name, with and without its module.
  public mutating func register(_ policyClass: NSEntityMigrationPolicy.Type) {
    register(policyClass, as: String(reflecting: policyClass))
    register(policyClass, as: String(describing: policyClass))
  }

  /// Registers a policy written for Core Data under a custom name, such as the one that `@objc` gave it.
  public mutating func register(_ policyClass: NSEntityMigrationPolicy.Type, as className: String) {
    register(className) { PolicyAdapter(policyClass.init()) }
  }

  /// Registers a policy written for Core Data that needs more than an initializer without arguments.
  public mutating func register(_ className: String, _ make: @escaping () -> NSEntityMigrationPolicy) {
    register(className) { PolicyAdapter(make()) }
  }
}
