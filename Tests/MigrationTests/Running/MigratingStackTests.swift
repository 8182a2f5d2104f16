import DataModel
import Migration
import MigrationDiagnostics
import TestSupport
import Testing

@Suite("A stack that migrates its store")
struct MigratingStackTests {
  private func titles(_ store: OpenedStore) throws -> [String] {
    try store.context.fetch(FetchRequest(entityName: "Note")).map { note in
      note.value(forKey: "title").map { "\($0)" } ?? "nothing"
    }
  }

  @Test func `A store of the wanted version is opened unchanged`() throws {
    let store = try AppStore([NoteVersions.all()[1]], "INSERT INTO ZNOTE (Z_PK, Z_ENT, ZTITLE) VALUES (1, 1, 'x')")
    let before = try store.snapshot()
    let opened = try MigratingStack(store.migration).open()
    #expect(opened.version.name == "V1")
    #expect(try titles(opened).count == 1)
    guard case .alreadyCurrent = opened.outcome else { throw MigrationError(.migrationFailed) }
    try opened.close()
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
    let error = #expect(throws: MigrationError.self) { try MigratingStack(store.migration).open() }
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
    let opened = try MigratingStack(store.migration, enablesMigrations: true).open()
    #expect(opened.path == store.path)
    #expect(opened.version.name == "V3")
    guard case .migrated(let result) = opened.outcome else { throw MigrationError(.migrationFailed) }
    #expect(result.steps.count == 2)
    #expect(try titles(opened).count == 3)
    try opened.requireNoFailure()
    // Changes are refused: the store is only read.
    #expect(throws: MigrationError.self) { try opened.context.insertNewObject(forEntityName: "Note") }
    let note = try #require(try opened.context.fetch(FetchRequest(entityName: "Note")).first)
    opened.context.delete(note)
    #expect(throws: MigrationError.self) { try opened.requireNoFailure() }
    try opened.requireNoFailure()
    try opened.close()
    #expect(try store.names() == ["App.sqlite", "App.sqlite.V1-backup"])
  }

  @Test func `The new file is opened if the migration leaves the store unchanged`() throws {
    let store = try AppStore(NoteVersions.all(), NoteVersions.rows)
    var migration = store.migration
    migration.outputPath = store.folder.file("New.sqlite")
    let opened = try MigratingStack(migration, enablesMigrations: true).open()
    #expect(opened.path == store.folder.file("New.sqlite"))
    #expect(try titles(opened).count == 3)
  }

  @Test func `A missing store is not created, and an unknown version is not accepted`() throws {
    let store = try AppStore(NoteVersions.all(), NoteVersions.rows)
    var migration = store.migration
    migration.destinationVersionName = "V9"
    let unknown = #expect(throws: MigrationError.self) { try MigratingStack(migration).open() }
    #expect(unknown?.code == .noMigrationPath)
    migration = store.migration
    migration.path = store.folder.file("None.sqlite")
    for enables in [false, true] {
      let error = #expect(throws: MigrationError.self) {
        try MigratingStack(migration, enablesMigrations: enables).open()
      }
      #expect(error?.code == .missing)
    }
    #expect(try store.names() == ["App.sqlite"])
  }
}
