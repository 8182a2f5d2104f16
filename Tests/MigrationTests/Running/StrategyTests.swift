import DataModel
import Migration
import MigrationDiagnostics
import PersistentStore
import TestSupport
import Testing

@Suite("The choice of how a hop is carried out")
struct StrategyTests {
  private final class Silent: EntityMigrationPolicy {}

  @Test func `A plan says how each hop is carried out, and a migration does it so`() throws {
    var store = try AppStore(NoteVersions.all(), NoteVersions.rows)
    store.map(2, "V2 to V3", ["Note"], policy: "Silent")
    var migration = store.migration
    migration.policies.register("Silent") { Silent() }
    let plan = try migration.plan()
    #expect(
      plan.strategies == [
        .statements(.moreChanges), .instances(.mappings([.customPolicy("Silent", mapping: "NoteToNote")])),
      ])
    #expect(try store.result(migration).steps.map(\.strategy) == plan.strategies)
  }

  /// Counts the plans.
  private final class CountingHooks: MigrationHooks {
    private(set) var count = 0

    func plan(_ migration: StoreMigration, of store: StoreReader) throws(MigrationError) -> MigrationPlan {
      count += 1
      return try migration.planAmongVersions(for: store)
    }
  }

  @Test func `A store that is locked after the first look is planned once`() throws {
    let store = try AppStore(NoteVersions.all(), NoteVersions.rows)
    var migration = store.migration
    let hooks = CountingHooks()
    migration.hooks = hooks
    #expect(try store.result(migration).steps.count == 2)
    #expect(hooks.count == 1)
  }

  @Test func `A plan for another version than the store has is not followed`() throws {
    let store = try AppStore(NoteVersions.all(), NoteVersions.rows)
    let plan = try store.migration.plan()
    _ = try store.result(store.migration)
    guard case .alreadyCurrent = try store.migration.run(isDryRun: false, following: plan) else {
      Issue.record("the old plan was followed")
      return
    }
  }

  @Test func `Columns are added to a copy only where the store is large`() throws {
    let old = [EntityDescription("Note")]
    let new = [EntityDescription("Note", attributes: [AttributeDescription("x", .string)])]
    let store = try AppStore([old, new])
    var migration = store.migration
    #expect(try migration.plan().strategies == [.statements(.smallStore)])
    migration.leastSizeOfCopies = 0
    #expect(try migration.plan().strategies == [.addingColumns])
    #expect(try store.result(migration).steps.map(\.strategy) == [.addingColumns])
  }

  @Test func `A batch policy beside one that wants instances is refused before anything is changed`() throws {
    let model = [EntityDescription("A", attributes: [AttributeDescription("title", .string)]), EntityDescription("B")]
    let new = [model[0], EntityDescription("B", attributes: [AttributeDescription("x", .string)])]
    var store = try AppStore([model, new])
    store.map(1, "V1 to V2", ["A"], policy: "Batch")
    store.map(1, "V1 to V2, too", ["B"], policy: "Silent")
    var migration = store.migration
    migration.policies.register("Batch") { EmptyBatchPolicy() }
    migration.policies.register("Silent") { Silent() }
    let error = try store.refusal(migration)
    #expect(error.code == .invalidMappingModel)
    #expect(
      error.detail?.hasPrefix(
        "the policy 'Batch' works in batches, beside statements on whole tables, which will not do: "
          + "mapping 'BToB' has the policy 'Silent'") == true)
  }

  @Test func `The settings of a migration are those of whatever migrates`() throws {
    let store = try AppStore(NoteVersions.all(), NoteVersions.rows)
    var migration = store.migration
    migration.reportPath = store.folder.file("Report.json")
    migration.settings.outputPath = store.folder.file("New.sqlite")
    let result = try store.result(migration)
    #expect(result.reportPath == migration.settings.reportPath)
    #expect(try Files.text(store.folder.file("Report.json")).contains(#""destination_version" : "V3""#))
    #expect(try store.names() == ["App.sqlite", "New.sqlite", "Report.json"])
    #expect(result.verified == nil)
    migration = store.migration
    migration.isVerified = true
    #expect(try store.result(migration).verified?.rowCountByEntity.isEmpty == false)
  }
}
