import Migration
import Testing

/// The calls, in order.
final class CallLog {
  var calls: [String] = []
}

/// Records every call, and does what the default policy does.
final class RecordingPolicy: EntityMigrationPolicy {
  private let log: CallLog
  /// Called after each call has been recorded.
  private let onCall: (String, MigrationManager) throws -> Void

  init(_ log: CallLog, onCall: @escaping (String, MigrationManager) throws -> Void = { _, _ in }) {
    self.log = log
    self.onCall = onCall
  }

  private func record(_ call: String, _ mapping: EntityMapping, _ manager: MigrationManager) throws {
    log.calls.append("\(mapping.name) \(call)")
    #expect(manager.currentEntityMapping?.name == mapping.name)
    try onCall(call, manager)
  }

  override func begin(_ mapping: EntityMapping, with manager: MigrationManager) throws {
    try record("begin", mapping, manager)
  }

  override func createDestinationInstances(
    forSource sInstance: ManagedObject, in mapping: EntityMapping, manager: MigrationManager
  ) throws {
    try record("create \(sInstance.objectID.primaryKey)", mapping, manager)
    try super.createDestinationInstances(forSource: sInstance, in: mapping, manager: manager)
  }

  override func endInstanceCreation(forMapping mapping: EntityMapping, manager: MigrationManager) throws {
    try record("endInstanceCreation", mapping, manager)
  }

  override func createRelationships(
    forDestination dInstance: ManagedObject, in mapping: EntityMapping, manager: MigrationManager
  ) throws {
    try record("relate \(dInstance.objectID.primaryKey)", mapping, manager)
    try super.createRelationships(forDestination: dInstance, in: mapping, manager: manager)
  }

  override func endRelationshipCreation(forMapping mapping: EntityMapping, manager: MigrationManager) throws {
    try record("endRelationshipCreation", mapping, manager)
  }

  override func performCustomValidation(forMapping mapping: EntityMapping, manager: MigrationManager) throws {
    try record("validate", mapping, manager)
  }

  override func end(_ mapping: EntityMapping, manager: MigrationManager) throws {
    try record("end", mapping, manager)
  }
}
