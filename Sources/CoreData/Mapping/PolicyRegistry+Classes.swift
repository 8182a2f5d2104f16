public import Migration

extension PolicyRegistry {
  /// Adds a policy that was written for Core Data, under its name with and without its module.
  public mutating func register(_ policyClass: NSEntityMigrationPolicy.Type) {
    register(policyClass, as: String(reflecting: policyClass))
    register(policyClass, as: String(describing: policyClass))
  }

  /// Adds a policy that was written for Core Data under a name of its own, such as the one that `@objc` gave it.
  public mutating func register(_ policyClass: NSEntityMigrationPolicy.Type, as className: String) {
    register(className) { PolicyAdapter(policyClass.init()) }
  }

  /// Adds a policy that was written for Core Data and needs more than an initializer without arguments.
  public mutating func register(_ className: String, _ make: @escaping () -> NSEntityMigrationPolicy) {
    register(className) { PolicyAdapter(make()) }
  }
}
