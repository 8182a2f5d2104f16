import CoreDataExpressions
import DataModel
import Migration
import MigrationDiagnostics
import Policies
import TestSupport
import Testing

/// What the stack of the chapter does, `DataMigrationManager(modelNamed:enableMigrations:).stack`, with the notes of version 1.
struct NoteStackTests {
  private let folder: TemporaryFolder
  private let migration: StoreMigration

  init() throws {
    let sample = Checkout.root.appending(path: "SampleData/Notes").path(percentEncoded: false)
    folder = try TemporaryFolder()
    try Files.write(try Files.bytes("\(sample)/library-v2.sqlite"), to: folder.file("Notes.sqlite"))
    let bundle = try ModelBundle(path: "\(sample)/Notes.xcdatamodeld")
    let versions = try LoadedModelVersion.all(in: bundle)
    var search = MappingSearch(versions: versions)
    try search.addMappings(besideModelAt: bundle.path)
    var migration = StoreMigration(path: folder.file("Notes.sqlite"), versions: versions)
    migration.destinationVersionName = try bundle.currentVersion().name
    migration.mappings = search.mappings
    migration.policies = .builtIn()
    self.migration = migration
  }

  @Test func `The stack leaves an old store alone unless migrations are enabled`() throws {
    let before = try folder.snapshot()
    let error = #expect(throws: MigrationError.self) { try migration.open() }
    #expect(error?.code == .migrationRequired)
    #expect(error?.detail?.hasPrefix("Core Data's error 134100: it is not of the version 'Notes 4'") == true)
    #expect(try folder.snapshot() == before)
  }

  @Test func `The stack migrates to the last version, whose objects can be fetched and followed`() throws {
    for _ in 1...2 {
      let notes = try migration.open(migrating: true)
      var request = FetchRequest(entityName: "ImageAttachment")
      request.predicate = try Predicate(format: "note.title == 'A large PNG'")
      let attachments = try notes.fetch(request)
      let attachment = try #require(attachments.first)
      #expect(attachments.count == 1)
      #expect(attachment.value(forKey: "width") == .double(2000))
      #expect(try notes.count(for: FetchRequest(entityName: "Attachment")) == 49)
      #expect(try notes.count(for: FetchRequest(entityName: "Note")) == 60)
      try notes.requireNoFailure()
    }
    #expect(try folder.listing() == ["Notes.sqlite", "Notes.sqlite.Notes-2-backup"])
  }
}
