import CoreData
import MigrationDiagnostics
import SQLiteDatabase
import TestSupport
import Testing

/// What an app and its migration tests do with coordinators, containers and contexts.
@Suite("Stores that apps open", .serialized)
struct StackTests {
  private let folder: TemporaryFolder
  private let bundle = Checkout.root.appending(path: "SampleData/Notes/Notes.xcdatamodeld")

  init() throws {
    folder = try TemporaryFolder()
  }

  private var url: URL { URL(filePath: folder.file("Notes.sqlite")) }

  private func model(_ version: String) throws -> NSManagedObjectModel {
    try #require(NSManagedObjectModel(contentsOf: bundle.appending(path: "\(version).xcdatamodel")))
  }

  private func container(_ version: String) throws -> NSPersistentContainer {
    let container = NSPersistentContainer(name: "Notes", managedObjectModel: try model(version))
    container.persistentStoreDescriptions = [NSPersistentStoreDescription(url: url)]
    return container
  }

  /// A store of a version, as a test makes it.
  private func makeFixture(_ version: String, titles: [String]) throws {
    let container = try container(version)
    container.loadPersistentStores { _, error in #expect(error == nil) }
    let context = container.viewContext
    for (index, title) in titles.enumerated() {
      let note = NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)
      note.setValue(title, forKey: "title")
      note.setValue(String(repeating: title, count: 100), forKey: "body")
      note.setValue(Date(timeIntervalSinceReferenceDate: 1000), forKey: "dateCreated")
      note.setValue(index, forKey: "displayIndex")
      if version == "Notes 2" { note.setValue(Data([1, 2, 3]), forKey: "image") }
    }
    #expect(context.hasChanges)
    try context.save()
    #expect(!context.hasChanges)
  }

  private func titles(_ context: NSManagedObjectContext) throws -> [String] {
    let request = NSFetchRequest<NSManagedObject>(entityName: "Note")
    request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
    return try context.fetch(request).compactMap { $0.value(forKey: "title") as? String }
  }

  @Test func `A container migrates the fixture of an older version, and its context fetches from the result`() throws {
    NSPersistentStoreCoordinator.policies.register(AttachmentToImageAttachmentMigrationPolicyV3toV4.self)
    try makeFixture("Notes 2", titles: ["b", "a"])
    let container = try container("Notes 4")
    var descriptions: [NSPersistentStoreDescription] = []
    container.loadPersistentStores { description, error in
      #expect(error == nil)
      descriptions.append(description)
    }
    #expect(descriptions.map(\.url) == [url])
    #expect(try titles(container.viewContext) == ["a", "b"])
    #expect(
      try container.newBackgroundContext().count(for: NSFetchRequest<NSManagedObject>(entityName: "Attachment")) == 2)
    let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: NSSQLiteStoreType, at: url)
    #expect(container.managedObjectModel.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata))
    // As with Core Data, nothing is left beside it.
    #expect(try folder.listing() == ["Notes.sqlite"])
  }

  @Test func `A coordinator migrates by its options, and refuses without them`() throws {
    try makeFixture("Notes", titles: ["x"])
    let before = try Files.bytes(url.path)
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: try model("Notes 2"))
    for options in [nil, [NSMigratePersistentStoresAutomaticallyOption: false]] as [[AnyHashable: Any]?] {
      let error = #expect(throws: NSError.self) {
        try coordinator.addPersistentStore(
          ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: options)
      }
      #expect(error?.domain == NSCocoaErrorDomain && error?.code == NSPersistentStoreIncompatibleVersionHashError)
    }
    let uninferred = #expect(throws: NSError.self) {
      try coordinator.addPersistentStore(
        ofType: NSSQLiteStoreType, configurationName: nil, at: url,
        options: [NSMigratePersistentStoresAutomaticallyOption: true])
    }
    #expect(uninferred?.code == NSMigrationMissingMappingModelError)
    #expect(try Files.bytes(url.path) == before)
    #expect(coordinator.persistentStores == [])
    let store = try coordinator.addPersistentStore(
      ofType: NSSQLiteStoreType, configurationName: nil, at: url,
      options: [NSMigratePersistentStoresAutomaticallyOption: true, NSInferMappingModelAutomaticallyOption: true])
    #expect(coordinator.persistentStores == [store] && coordinator.persistentStore(for: url) == store)
    #expect(store.metadata[NSStoreUUIDKey] as? String == store.identifier && store.isReadOnly)
    let context = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    #expect(try titles(context) == ["x"])
    try coordinator.remove(store)
    #expect(coordinator.persistentStores == [])
  }

  @Test func `A store of no version of the bundle is refused with Core Data's code`() throws {
    try Files.copy(Checkout.root.appending(path: "SampleData/Books/library-v1.sqlite").path, to: url.path)
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: try model("Notes 4"))
    let error = #expect(throws: NSError.self) {
      try coordinator.addPersistentStore(
        ofType: NSSQLiteStoreType, configurationName: nil, at: url,
        options: [NSMigratePersistentStoresAutomaticallyOption: true, NSInferMappingModelAutomaticallyOption: true])
    }
    #expect(error?.code == NSMigrationMissingSourceModelError)
  }

  @Test func `A new store is written whole by each save, with keys, links and its own metadata`() throws {
    let container = try container("Notes 3")
    container.loadPersistentStores { _, error in #expect(error == nil) }
    #expect(FileManager.default.fileExists(atPath: url.path))
    let context = container.viewContext
    func insert(_ entity: String, _ values: [String: Any]) -> NSManagedObject {
      let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
      object.setValuesForKeys(values.merging(["dateCreated": Date(timeIntervalSinceReferenceDate: 0)]) { $1 })
      return object
    }
    let note = insert("Note", ["title": "one", "displayIndex": 1])
    try context.save()
    let gone = insert("Note", ["title": "two", "displayIndex": 2])
    try context.save()
    context.delete(gone)
    let pictures = [insert("Attachment", ["image": Data([7])]), insert("Attachment", ["image": Data([8])])]
    note.setValue(Set(pictures), forKey: "attachments")
    _ = insert("Note", ["title": "three", "displayIndex": 3])
    let store = try #require(container.persistentStoreCoordinator.persistentStores.first)
    container.persistentStoreCoordinator.setMetadata(["Author": "test", NSStoreUUIDKey: "x"], for: store)
    try context.save()
    #expect(try Database.rows("SELECT Z_PK, ZTITLE FROM ZNOTE ORDER BY 1", in: url.path) == ["1|one", "3|three"])
    #expect(try Database.rows("SELECT Z_PK, ZNOTE FROM ZATTACHMENT ORDER BY 1", in: url.path) == ["1|1", "2|1"])
    #expect(try Database.integrity(url.path) == ["ok"])
    let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: NSSQLiteStoreType, at: url)
    #expect(metadata["Author"] as? String == "test" && metadata[NSStoreUUIDKey] as? String == store.identifier)
    #expect(try folder.listing() == ["Notes.sqlite"])

    // What breaks a rule of the model is not written.
    let before = try Files.bytes(url.path)
    _ = NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)
    let broken = #expect(throws: NSError.self) { try context.save() }
    #expect(broken?.code == NSValidationMultipleErrorsError && broken?.localizedDescription.contains("title") == true)
    #expect(try Files.bytes(url.path) == before)
    #expect(try folder.listing() == ["Notes.sqlite"])
  }

  @Test func `A file that appears meanwhile is not replaced`() throws {
    let container = try container("Notes")
    container.loadPersistentStores { _, error in #expect(error == nil) }
    try FileManager.default.removeItem(at: url)
    try Files.write("mine", to: url.path)
    #expect(throws: NSError.self) { try container.viewContext.save() }
    #expect(try Files.bytes(url.path) == Array("mine".utf8))
  }

  @Test func `A save replaces neither what another program reads nor what it has written`() throws {
    let container = try container("Notes")
    container.loadPersistentStores { _, error in #expect(error == nil) }
    let context = container.viewContext
    func add(_ title: String) {
      let note = NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)
      note.setValuesForKeys(["title": title, "dateCreated": Date(timeIntervalSinceReferenceDate: 0)])
    }
    add("one")
    let other = try Connection(path: url.path, access: .readWrite)
    try other.execute("BEGIN; SELECT count(*) FROM ZNOTE")
    let before = try Files.bytes(url.path)
    #expect(throws: NSError.self) { try context.save() }
    #expect(try Files.bytes(url.path) == before)
    try other.execute("COMMIT")
    try other.close()
    try context.save()
    #expect(try Database.rows("SELECT ZTITLE FROM ZNOTE", in: url.path) == ["one"])

    try Database.run("UPDATE ZNOTE SET ZTITLE = 'theirs'", in: url.path)
    add("two")
    #expect(throws: NSError.self) { try context.save() }
    #expect(try Database.rows("SELECT ZTITLE FROM ZNOTE", in: url.path) == ["theirs"])
    #expect(try folder.listing() == ["Notes.sqlite"])
  }

  @Test func `A store in memory has no file`() throws {
    let container = try container("Notes")
    let description = NSPersistentStoreDescription()
    description.type = NSInMemoryStoreType
    container.persistentStoreDescriptions = [description]
    container.loadPersistentStores { _, error in #expect(error == nil) }
    let note = NSManagedObject(
      entity: try #require(container.managedObjectModel.entitiesByName["Note"]), insertInto: container.viewContext)
    note.setValue("t", forKey: "title")
    // The rules of the model hold in memory, too.
    #expect(throws: NSError.self) { try container.viewContext.save() }
    note.setValuesForKeys(["dateCreated": Date(), "displayIndex": 1])
    try container.viewContext.save()
    #expect(try titles(container.newBackgroundContext()) == ["t"])
    #expect(container.viewContext.registeredObjects == [note])
    #expect(try folder.listing() == [])
  }

  @Test func `Changes of a store that existed are refused instead of being lost`() throws {
    try makeFixture("Notes", titles: ["x"])
    let before = try Files.bytes(url.path)
    let container = try container("Notes")
    container.loadPersistentStores { _, error in #expect(error == nil) }
    let context = container.viewContext
    try context.save()
    let note = try #require(try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Note")).first)
    note.setValue("y", forKey: "title")
    #expect(context.hasChanges)
    let error = #expect(throws: NSError.self) { try context.save() }
    #expect(error?.localizedDescription.contains("cannot be saved here") == true)
    #expect(try Files.bytes(url.path) == before)
  }

  @Test func `A store that can only be read is neither made nor migrated`() throws {
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: try model("Notes 2"))
    func add() throws {
      try coordinator.addPersistentStore(
        ofType: NSSQLiteStoreType, configurationName: nil, at: url,
        options: [
          NSReadOnlyPersistentStoreOption: true, NSMigratePersistentStoresAutomaticallyOption: true,
          NSInferMappingModelAutomaticallyOption: true,
        ])
    }
    #expect(throws: NSError.self) { try add() }
    #expect(try folder.listing() == [])
    try makeFixture("Notes", titles: ["x"])
    let before = try Files.bytes(url.path)
    let error = #expect(throws: NSError.self) { try add() }
    #expect(error?.code == NSPersistentStoreIncompatibleVersionHashError)
    #expect(try Files.bytes(url.path) == before)
  }

  @Test func `A store that cannot be read any more says so when it is fetched from`() throws {
    try makeFixture("Notes", titles: ["x"])
    let container = try container("Notes")
    container.loadPersistentStores { _, error in #expect(error == nil) }
    try Files.write("text", to: url.path)
    let error = #expect(throws: NSError.self) { try titles(container.viewContext) }
    #expect(error?.localizedDescription.contains("not a SQLite database") == true)
  }

  @Test func `Metadata are replaced whole, except Core Data's own, and must be property lists`() throws {
    let container = try container("Notes")
    container.loadPersistentStores { _, error in #expect(error == nil) }
    let store = try #require(container.persistentStoreCoordinator.persistentStores.first)
    let own = store.metadata
    func written() throws -> [String: Any] {
      try container.viewContext.save()
      return try NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: NSSQLiteStoreType, at: url)
    }
    store.metadata = ["A": 1, "B": ["x", Date(timeIntervalSinceReferenceDate: 1)], NSStoreModelVersionHashesKey: [:]]
    #expect(NSDictionary(dictionary: try written()) == NSDictionary(dictionary: store.metadata))
    store.metadata = ["A": 2]
    #expect(Set(try written().keys) == Set(own.keys).union(["A"]))
    #expect(
      store.metadata[NSStoreModelVersionHashesKey] as? [String: Data]
        == container.managedObjectModel.entityVersionHashesByName)
    store.metadata = ["C": URL(filePath: "/")]
    let error = #expect(throws: NSError.self) { try container.viewContext.save() }
    #expect(error?.localizedDescription.contains("'C'") == true)
  }

  @Test(arguments: ["-wal", "-journal"])
  func `A log beside a new store is not taken for its own`(suffix: String) throws {
    try Files.write("log", to: url.path + suffix)
    let fresh = try container("Notes")
    fresh.loadPersistentStores { _, error in #expect(error != nil) }
    #expect(try folder.listing() == ["Notes.sqlite\(suffix)"])
    try FileManager.default.removeItem(atPath: url.path + suffix)

    let container = try container("Notes")
    container.loadPersistentStores { _, error in #expect(error == nil) }
    try Files.write("log", to: url.path + suffix)
    #expect(throws: NSError.self) { try container.viewContext.save() }
  }

  @Test func `A store takes another's place while it is in nobody's hands, with its log and large values`() throws {
    try makeFixture("Notes", titles: ["x"])
    let other = URL(filePath: folder.file("Other.sqlite"))
    try Files.copy(url.path, to: other.path)
    // What is committed may be in the log only.
    let writer = try Connection(path: url.path, access: .readWrite, busyTimeout: 0)
    try writer.execute(
      "PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; UPDATE ZNOTE SET ZTITLE = 'in the log'")
    let (name, old) = ("11111111-2222-3333-4444-555555555555", "99999999-2222-3333-4444-555555555555")
    for (folder, name) in [(".Notes_SUPPORT", name), (".Other_SUPPORT", old)] {
      try FileManager.default.createDirectory(
        atPath: self.folder.file("\(folder)/_EXTERNAL_DATA"), withIntermediateDirectories: true)
      try Files.write("large", to: self.folder.file("\(folder)/_EXTERNAL_DATA/\(name)"))
    }
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: try model("Notes"))
    func replace() throws {
      try coordinator.replacePersistentStore(at: other, withPersistentStoreFrom: url, ofType: NSSQLiteStoreType)
    }
    // Somebody has it open: nothing is changed.
    let before = try Files.bytes(other.path)
    try withExtendedLifetime(try Connection(path: other.path, access: .readWrite, busyTimeout: 0)) { reader in
      try reader.execute("BEGIN; SELECT count(*) FROM ZNOTE")
      #expect(throws: NSError.self) { try replace() }
      #expect(throws: NSError.self) { try coordinator.destroyPersistentStore(at: other, ofType: NSSQLiteStoreType) }
    }
    #expect(try Files.bytes(other.path) == before)
    try replace()
    #expect(try Database.rows("SELECT ZTITLE FROM ZNOTE", in: other.path) == ["in the log"])
    #expect(try Database.integrity(other.path) == ["ok"])
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.file(".Other_SUPPORT/_EXTERNAL_DATA")) == [name])
    withExtendedLifetime(writer) {}
    try coordinator.destroyPersistentStore(at: other, ofType: NSSQLiteStoreType)
    #expect(try folder.listing().filter { $0.contains("Other") } == [])
    try replace()
    #expect(try Files.bytes(folder.file(".Other_SUPPORT/_EXTERNAL_DATA/\(name)")) == Array("large".utf8))
  }

  @Test func `Models are merged if their entities do not contradict each other`() throws {
    let books = try #require(
      NSManagedObjectModel(contentsOf: Checkout.root.appending(path: "SampleData/Books/Books.xcdatamodeld")))
    let merged = try #require(NSManagedObjectModel(byMerging: [try model("Notes"), books, try model("Notes")]))
    #expect(Set(merged.entitiesByName.keys) == Set(books.entitiesByName.keys).union(["Note"]))
    #expect(merged.entityVersionHashesByName["Note"] == (try model("Notes")).entityVersionHashesByName["Note"])
    #expect(NSManagedObjectModel(byMerging: [try model("Notes"), try model("Notes 2")]) == nil)
    #expect(NSManagedObjectModel(byMerging: nil) == nil)
  }

  @Test func `Stores are removed and replaced with what belongs to them`() throws {
    try makeFixture("Notes", titles: ["x"])
    let other = URL(filePath: folder.file("Other.sqlite"))
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: try model("Notes"))
    try Files.write("old", to: other.path + "-wal")
    #expect(throws: NSError.self) {
      try coordinator.replacePersistentStore(at: url, withPersistentStoreFrom: other, ofType: NSSQLiteStoreType)
    }
    #expect(FileManager.default.fileExists(atPath: url.path))
    try FileManager.default.removeItem(atPath: other.path + "-wal")
    try coordinator.replacePersistentStore(at: other, withPersistentStoreFrom: url, ofType: NSSQLiteStoreType)
    #expect(try Database.rows("SELECT ZTITLE FROM ZNOTE", in: other.path) == ["x"])
    try coordinator.destroyPersistentStore(at: other, ofType: NSSQLiteStoreType)
    #expect(try folder.listing() == ["Notes.sqlite"])
    try Files.write("text", to: other.path)
    #expect(throws: NSError.self) { try coordinator.destroyPersistentStore(at: other, ofType: NSSQLiteStoreType) }
    #expect(FileManager.default.fileExists(atPath: other.path))
  }
}
