import DataModel
import Migration
import MigrationDiagnostics
import TestSupport
import Testing

@Suite("A store that is opened, and migrated first")
struct OpeningTests {
  private func titles(_ context: ManagedObjectContext) throws -> [String] {
    try context.fetch(FetchRequest(entityName: "Note")).map { note in
      note.value(forKey: "title").map { "\($0)" } ?? "nothing"
    }
  }

  @Test func `A store of the wanted version is opened unchanged`() throws {
    let store = try AppStore(
      [NoteVersions.all()[1]],
      "INSERT INTO ZNOTE (Z_PK, Z_ENT, ZTITLE) VALUES (1, 1, 'x'); UPDATE Z_PRIMARYKEY SET Z_MAX = 1")
    let before = try store.snapshot()
    let opened = try store.migration.open()
    #expect(opened.managedObjectModel == store.versions[0].model)
    #expect(try titles(opened).count == 1)
    #expect(try store.snapshot() == before)
  }

  @Test func `A store of another version is refused with its differences unless migrations are enabled`() throws {
    let versions = [
      [EntityDescription("Note"), EntityDescription("Old"), EntityDescription("Same")],
      [
        EntityDescription("Note", attributes: [AttributeDescription("x", .string)]), EntityDescription("New"),
        EntityDescription("Same"),
      ],
    ]
    let store = try AppStore(versions)
    let before = try store.snapshot()
    let error = #expect(throws: MigrationError.self) { try store.migration.open() }
    #expect(error?.code == .migrationRequired)
    #expect(error?.subject == MigrationError.Subject(path: store.path, name: "V1"))
    #expect(
      error?.detail == "Core Data's error 134100: it is not of the version 'V2', since 'New' is not in the store, "
        + "'Note' is different, 'Old' is only in the store")
    #expect(error?.advice == "Migrate it first, or enable migrations.")
    #expect(try store.snapshot() == before)
  }

  @Test func `A store is migrated over all hops and then opened`() throws {
    let store = try AppStore(NoteVersions.all(), NoteVersions.rows)
    let opened = try store.migration.open(migrating: true)
    #expect(opened.managedObjectModel == store.versions[2].model)
    #expect(try titles(opened).count == 3)
    try opened.requireNoFailure()
    // Changes are refused: the store is only read.
    #expect(throws: MigrationError.self) { try opened.insertNewObject(forEntityName: "Note") }
    let note = try #require(try opened.fetch(FetchRequest(entityName: "Note")).first)
    opened.delete(note)
    #expect(throws: MigrationError.self) { try opened.requireNoFailure() }
    try opened.requireNoFailure()
    #expect(try store.names() == ["App.sqlite", "App.sqlite.V1-backup"])
  }

  @Test func `The new file is opened if the migration leaves the store unchanged`() throws {
    let store = try AppStore(NoteVersions.all(), NoteVersions.rows)
    var migration = store.migration
    migration.outputPath = store.folder.file("New.sqlite")
    let opened = try migration.open(migrating: true)
    #expect(try titles(opened).count == 3)
    #expect(try store.names() == ["App.sqlite", "New.sqlite"])
  }

  @Test func `A missing store is not created, and an unknown version is not accepted`() throws {
    let store = try AppStore(NoteVersions.all(), NoteVersions.rows)
    var migration = store.migration
    migration.destinationVersionName = "V9"
    let unknown = #expect(throws: MigrationError.self) { try migration.open() }
    #expect(unknown?.code == .noMigrationPath)
    migration = store.migration
    migration.path = store.folder.file("None.sqlite")
    for enables in [false, true] {
      let error = #expect(throws: MigrationError.self) {
        try migration.open(migrating: enables)
      }
      #expect(error?.code == .missing)
    }
    #expect(try store.names() == ["App.sqlite"])
  }
}
