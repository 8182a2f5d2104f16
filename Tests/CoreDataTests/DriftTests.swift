import CoreData
import MigrationDiagnostics
import TestSupport
import Testing

@Suite("A coordinator and stores that are current by their hashes only")
struct DriftTests {
  private let folder: TemporaryFolder
  private let coordinator: NSPersistentStoreCoordinator
  private var url: URL { URL(filePath: folder.file("Notes.sqlite")) }

  init() throws {
    folder = try TemporaryFolder()
    let bundle = Checkout.root.appending(path: "SampleData/Notes/Notes.xcdatamodeld")
    let model = try #require(NSManagedObjectModel(contentsOf: bundle.appending(path: "Notes 3.xcdatamodel")))
    coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    let made = try coordinator.addPersistentStore(type: .sqlite, at: url)
    try coordinator.remove(made)
  }

  @Test func `A store with the tables of its model is opened`() throws {
    try coordinator.addPersistentStore(type: .sqlite, at: url)
    #expect(coordinator.persistentStores.count == 1)
  }

  @Test(
    arguments: [
      ("DROP TABLE ZNOTE", "it has no table 'ZNOTE'"),
      ("ALTER TABLE ZNOTE DROP COLUMN ZTITLE", "has no column 'ZTITLE'"),
      ("DROP INDEX ZATTACHMENT_ZNOTE_INDEX", "it lacks the index 'ZATTACHMENT_ZNOTE_INDEX'"),
    ], [false, true])
  func `A store without what its model asks for is an error that names it`(
    change: (sql: String, fact: String), isMigrating: Bool
  ) throws {
    try Database.run(change.sql, in: url.path)
    let options = [
      NSMigratePersistentStoresAutomaticallyOption: isMigrating, NSInferMappingModelAutomaticallyOption: isMigrating,
    ]
    let error = #expect(throws: NSError.self) {
      try coordinator.addPersistentStore(type: .sqlite, at: url, options: options)
    }
    #expect(error?.domain == NSCocoaErrorDomain && error?.code == NSMigrationManagerSourceStoreError)
    #expect(error?.localizedDescription.contains(change.fact) == true, "\(String(describing: error))")
    #expect((error?.userInfo[NSUnderlyingErrorKey] as? MigrationError)?.code == .damaged)
    #expect(coordinator.persistentStores.isEmpty)
  }
}
