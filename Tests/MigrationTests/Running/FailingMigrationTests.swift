import DataModel
import Migration
import MigrationDiagnostics
import PersistentStore
import TestSupport
import Testing

@Suite("Migrations of an app's store that fail")
struct FailingMigrationTests {
  /// Fails with the second instance.
  private final class FailingPolicy: EntityMigrationPolicy {
    override func createDestinationInstances(
      forSource sInstance: ManagedObject, in mapping: EntityMapping, manager: MigrationManager
    ) throws {
      if sInstance.objectID.primaryKey == 2 {
        throw MigrationError(
          .policyFailed, MigrationError.Subject(path: manager.sourcePath, entity: "Note", row: 2),
          detail: "no such luck")
      }
      try super.createDestinationInstances(forSource: sInstance, in: mapping, manager: manager)
    }
  }

  private func failing(at hop: Int) throws -> (AppStore, StoreMigration) {
    var store = try AppStore(NoteVersions.all(), NoteVersions.rows)
    store.map(hop, "Broken", ["Note"], policy: "Broken")
    var migration = store.migration
    migration.policies.register("Broken") { FailingPolicy() }
    return (store, migration)
  }

  @Test(arguments: [1, 2], [false, true])
  func `A failing migration leaves nothing behind and names store, hop, entity and row`(hop: Int, isOutput: Bool) throws
  {
    var (store, migration) = try failing(at: hop)
    if isOutput { migration.outputPath = store.folder.file("New.sqlite") }
    let error = try store.refusal(migration)
    #expect(error.code == .policyFailed)
    #expect(error.subject == MigrationError.Subject(path: store.path, entity: "Note", row: 2))
    #expect(error.detail == "no such luck (on the way from 'V\(hop)' to 'V\(hop + 1)')")
    #expect(error.exitStatus == 65)
  }

  @Test func `The log records the failure`() throws {
    var (store, migration) = try failing(at: 2)
    var lines: [String] = []
    migration.log = { lines.append($0) }
    try store.refusal(migration)
    #expect(
      lines.first?.hasPrefix("migrating '\(store.path)' from 'V1' to 'V2', by inference (lightweight), hop 1 of 2\n")
        == true)
    #expect(lines.last == "migration failed: policy-failed, no such luck (on the way from 'V2' to 'V3')")
  }

  @Test func `A missing policy is named before any work`() throws {
    var store = try AppStore(NoteVersions.all(), NoteVersions.rows)
    store.map(2, "Mapping", ["Note"], policy: "App.NotePolicy")
    var migration = store.migration
    migration.log = { Issue.record("there is nothing to tell: \($0)") }
    let error = try store.refusal(migration)
    #expect(error.code == .missingPolicy)
    #expect(error.subject.name == "App.NotePolicy")
    #expect(error.detail == "mapping 'NoteToNote' from 'V2' to 'V3' names it; the registered ones are none")
    #expect(throws: MigrationError.self) { try migration.plan() }
  }

  @Test func `A migration can be canceled in any hop`() throws {
    var store = try AppStore(NoteVersions.all(), NoteVersions.rows)
    store.map(2, "Slow", ["Note"], policy: "Slow")
    var migration = store.migration
    let cancellation = migration.cancellation
    migration.policies.register("Slow") {
      cancellation.cancel()
      return EntityMigrationPolicy()
    }
    #expect(try store.refusal(migration).code == .interrupted)
  }

  @Test func `A second concurrent run is told that one is in progress`() throws {
    let store = try AppStore(NoteVersions.all(), NoteVersions.rows)
    let staging = try StagingFile(for: store.path, named: store.path)
    let error = #expect(throws: MigrationError.self) { try store.migration.run() }
    #expect(error?.code == .alreadyRunning)
    staging.discard()
  }

  @Test func `Intermediate results of a dead run are removed`() throws {
    let store = try AppStore(NoteVersions.all(), NoteVersions.rows)
    for name in ["", ".step-1", ".step-2", ".rejects", "-journal"] {
      try Files.write("left", to: store.folder.file(".App.sqlite.tracks-migrate\(name)"))
    }
    _ = try store.result()
    #expect(try store.names() == ["App.sqlite", "App.sqlite.V1-backup"])
    #expect(try store.rows("SELECT count(*) FROM ZNOTE") == ["3"])
  }

  @Test func `An existing file with the output's name is left unchanged`() throws {
    let store = try AppStore(NoteVersions.all(), NoteVersions.rows)
    var migration = store.migration
    migration.outputPath = store.folder.file("New.sqlite")
    try Files.write("mine", to: store.folder.file("New.sqlite"))
    #expect(try store.refusal(migration).code == .outputExists)
    migration.outputPath = store.folder.file("none/New.sqlite")
    #expect(try store.refusal(migration).code == .cannotCreate)
  }
}
