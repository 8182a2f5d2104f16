internal import Diagnostics
internal import Expressions
internal import Migration

/// A policy of an app as the engine calls it.
///
/// There is one for each entity mapping, so that it makes the mapping that it hands on once.
final class PolicyAdapter: EntityMigrationPolicy {
  private let policy: NSEntityMigrationPolicy
  private var known: (manager: NSMigrationManager, mapping: NSEntityMapping)?

  init(_ policy: NSEntityMigrationPolicy) {
    self.policy = policy
  }

  /// Calls the policy, with errors in words that a person can read.
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

/// What a policy threw, in words that a person can read.
struct PolicyFailure: Error, CustomStringConvertible {
  let description: String

  /// Errors of the engine stay what they are, and so do errors that describe themselves.
  static func wrapping(_ error: any Error) -> any Error {
    if type(of: error) is NSError.Type {
      let error = error as NSError
      return PolicyFailure(description: "\(error.localizedDescription) (\(error.domain) \(error.code))")
    }
    guard !(error is MigrationError), let text = (error as? any LocalizedError)?.errorDescription else { return error }
    return PolicyFailure(description: text)
  }
}
