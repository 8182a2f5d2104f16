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
