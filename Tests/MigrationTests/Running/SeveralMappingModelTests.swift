import DataModel
import Migration
import MigrationDiagnostics
import TestSupport
import Testing

/// Large stores are migrated in chunks: several mapping models fill one destination.
@Suite("Several mapping models for one hop")
struct SeveralMappingModelTests {
  /// Notes what is done, and hands it on from one mapping model to the next.
  private final class SharingPolicy: EntityMigrationPolicy {
    private let log: CallLog
    private let failing: String

    init(_ log: CallLog, failing: String) {
      self.log = log
      self.failing = failing
    }

    override func begin(_ mapping: EntityMapping, with manager: MigrationManager) throws {
      let past = manager.userInfo["past"] as? [String] ?? []
      log.calls.append("\(mapping.name) after \(past.joined(separator: " "))")
      manager.userInfo["past"] = past + [mapping.name]
      log.calls.append("found \(manager.destinationInstances(forEntityMappingName: "AToA").count)")
    }

    override func end(_ mapping: EntityMapping, manager: MigrationManager) throws {
      log.calls.append("end \(mapping.name)")
      if mapping.name == failing { throw MigrationError(.policyFailed, detail: "enough") }
    }
  }

  private func store() throws -> AppStore {
    let entities = ["A", "B", "C"].map { EntityDescription($0, attributes: [AttributeDescription("x", .string)]) }
    let more = ["A", "B", "C"].map {
      EntityDescription($0, attributes: ["x", "y"].map { AttributeDescription($0, .string) })
    }
    var store = try AppStore(
      [entities, more],
      "INSERT INTO ZA (Z_PK, Z_ENT, ZX) VALUES (1, 1, 'a'); INSERT INTO ZB (Z_PK, Z_ENT, ZX) VALUES (4, 2, 'b')")
    store.map(1, "first", ["A"], policy: "P")
    store.map(1, "second", ["B"], policy: "P")
    store.map(1, "third", ["C"], policy: "P")
    return store
  }

  private func migrate(_ store: AppStore, failing: String = "") -> (StoreMigration, CallLog) {
    let log = CallLog()
    var migration = store.migration
    migration.policies.register("P") { SharingPolicy(log, failing: failing) }
    return (migration, log)
  }

  @Test func `Mapping models are applied in order and share the data of policies`() throws {
    let store = try store()
    let (migration, log) = migrate(store)
    let result = try store.result(migration)
    #expect(
      log.calls == [
        "AToA after ", "found 0", "end AToA", "BToB after AToA", "found 1", "end BToB", "CToC after AToA BToB",
        "found 1",
        "end CToC",
      ])
    #expect(result.steps.map(\.method.summary) == ["by 'first', then 'second', then 'third'"])
    #expect(result.steps.map(\.statistics.destinationInstanceCounts) == [["A": 1, "B": 1]])
    #expect(try store.rows("SELECT ZX, ZY FROM ZA UNION ALL SELECT ZX, ZY FROM ZB") == ["a|NULL", "b|NULL"])
  }

  @Test func `A failure stops the remaining mapping models`() throws {
    let store = try store()
    let (migration, log) = migrate(store, failing: "BToB")
    let error = try store.refusal(migration)
    #expect(error.detail == "enough")
    #expect(error.subject.path == store.path)
    #expect(log.calls.last == "end BToB")
  }
}
