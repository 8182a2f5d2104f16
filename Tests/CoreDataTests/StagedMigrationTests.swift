import CoreData
import MigrationDiagnostics
import TestSupport
import Testing

/// What an app does with a staged migration: a chain of versions, with code in between.
@Suite("Staged migrations", .serialized)
struct StagedMigrationTests {
  private let folder: TemporaryFolder
  private var url: URL { URL(filePath: folder.file("People.sqlite")) }
  /// Each version adds to the one before: `name`; then `age`; then `first` and `last`; then `nick`.
  private let models: [NSManagedObjectModel]

  init() throws {
    folder = try TemporaryFolder()
    let bundle = folder.file("People.xcdatamodeld")
    var names: [String] = []
    models = try [["name"], ["age"], ["first", "last"], ["nick"]].enumerated().map { place, added in
      names += added
      let attributes = names.map {
        "<attribute name=\"\($0)\" optional=\"YES\" attributeType=\"\($0 == "age" ? "Integer 32" : "String")\"/>"
      }
      let path = "\(bundle)/People \(place + 1).xcdatamodel"
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
      try Files.write(
        """
        <?xml version="1.0" encoding="UTF-8"?><model><entity name="Person">\(attributes.joined())
        <relationship name="friends" optional="YES" toMany="YES" destinationEntity="Person" inverseName="friends"
        inverseEntity="Person"/><attribute name="code" optional="YES" attributeType="String" maxValueString="3"/>
        </entity></model>
        """, to: "\(path)/contents")
      return try #require(NSManagedObjectModel(contentsOf: URL(filePath: path)))
    }
  }

  private func reference(_ version: Int) -> NSManagedObjectModelReference {
    NSManagedObjectModelReference(model: models[version], versionChecksum: models[version].versionChecksum)
  }

  private func makeStore(_ version: Int, _ names: [String]) throws {
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: models[version])
    try coordinator.addPersistentStore(ofType: NSSQLiteStoreType, configurationName: nil, at: url)
    let context = NSManagedObjectContext(.mainQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    let people = names.map { name in
      let person = NSEntityDescription.insertNewObject(forEntityName: "Person", into: context)
      person.setValue(name, forKey: "name")
      return person
    }
    people.first?.setValue(Set(people.dropFirst()), forKey: "friends")
    try context.save()
    let links = names.indices.dropFirst().flatMap { ["1|\($0 + 1)", "\($0 + 1)|1"] }
    #expect(Set(try Database.rows("SELECT * FROM Z_1FRIENDS", in: url.path)) == Set(links))
  }

  /// Opens the store with the last version, in stages.
  @discardableResult
  private func open(_ stages: [NSMigrationStage], version: Int = 3) throws -> NSManagedObjectContext {
    let container = NSPersistentContainer(name: "People", managedObjectModel: models[version])
    let description = NSPersistentStoreDescription(url: url)
    description.setOption(NSStagedMigrationManager(stages), forKey: NSPersistentStoreStagedMigrationManagerOptionKey)
    container.persistentStoreDescriptions = [description]
    var failure: (any Error)?
    container.loadPersistentStores { _, error in failure = error }
    if let failure { throw failure }
    return container.viewContext
  }

  private func rows(_ columns: String) throws -> [String] {
    try Database.rows("SELECT \(columns) FROM ZPERSON ORDER BY Z_PK", in: url.path)
  }

  @Test(arguments: [0, 1, 2, 3])
  func `Lightweight stages lead from any of their versions to the last`(version: Int) throws {
    try makeStore(version, ["Ann Lee", "Bo"])
    let checksums = models.map(\.versionChecksum)
    try open([
      NSLightweightMigrationStage([checksums[0], checksums[1]]), NSLightweightMigrationStage([checksums[2]]),
      NSLightweightMigrationStage([checksums[3]]),
    ])
    #expect(try rows("ZNAME, ZNICK") == ["Ann Lee|NULL", "Bo|NULL"])
    #expect(try folder.listing() == ["People.sqlite", "People.xcdatamodeld"])
  }

  @Test func `The handlers of a custom stage work on the instances before and after their hop`() throws {
    try makeStore(0, ["Ann Lee", "Bo Ek", "gone"])
    let stage = NSCustomMigrationStage(migratingFrom: reference(1), to: reference(2))
    stage.label = "names"
    var moments: [String] = []
    stage.willMigrateHandler = { manager, stage in
      let container = try #require(manager.container)
      #expect(container.managedObjectModel == stage.currentModel.resolvedModel)
      let context = container.newBackgroundContext()
      try context.performAndWait {
        let people = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Person"))
        #expect(people.count == 3 && people[0].entity.attributesByName["first"] == nil)
        for person in people where person.value(forKey: "name") as? String == "gone" { context.delete(person) }
        people[0].setValue(7, forKey: "age")
        #expect(context.hasChanges)
        try context.save()
        #expect(!context.hasChanges)
      }
      moments.append("will")
    }
    stage.didMigrateHandler = { manager, stage in
      let context = try #require(manager.container?.viewContext)
      let request = NSFetchRequest<NSManagedObject>(entityName: "Person")
      request.predicate = NSPredicate(format: "name CONTAINS ' '")
      for person in try context.fetch(request) {
        let parts = (person.value(forKey: "name") as? String ?? "").split(separator: " ")
        person.setValue(String(parts[0]), forKey: "first")
        person.setValue(String(parts[1]), forKey: "last")
      }
      let added = NSEntityDescription.insertNewObject(forEntityName: "Person", into: context)
      added.setValue("new", forKey: "name")
      try context.save()
      moments.append("did")
    }
    let checksums = models.map(\.versionChecksum)
    let context = try open([
      NSLightweightMigrationStage([checksums[0], checksums[1]]), stage, NSLightweightMigrationStage([checksums[3]]),
    ])
    #expect(moments == ["will", "did"])
    #expect(try rows("ZNAME, ZAGE, ZFIRST, ZLAST") == ["Ann Lee|7|Ann|Lee", "Bo Ek|NULL|Bo|Ek", "new|NULL|NULL|NULL"])
    let people = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Person"))
    #expect((people[0].value(forKey: "friends") as? NSSet) == NSSet(object: people[1]))
    #expect(try Database.integrity(url.path) == ["ok"])
  }

  @Test func `What a handler throws ends the migration, and the store is what it was`() throws {
    struct Refusal: LocalizedError { var errorDescription: String? { "not like this" } }
    try makeStore(1, ["Ann Lee"])
    let before = try Files.bytes(url.path)
    let stage = NSCustomMigrationStage(migratingFrom: reference(1), to: reference(3))
    stage.didMigrateHandler = { manager, _ in
      let context = try #require(manager.container?.viewContext)
      _ = NSEntityDescription.insertNewObject(forEntityName: "Person", into: context)
      try context.save()
      throw Refusal()
    }
    let error = #expect(throws: NSError.self) { try open([stage]) }
    #expect(error?.localizedDescription.contains("not like this") == true, "\(String(describing: error))")
    #expect(try Files.bytes(url.path) == before)
    #expect(try folder.listing() == ["People.sqlite", "People.xcdatamodeld"])
  }

  @Test func `What a handler makes keeps the rules of the model, whether it is saved or not`() throws {
    for isSaved in [true, false] {
      try makeStore(1, ["Ann Lee"])
      let before = try Files.bytes(url.path)
      let stage = NSCustomMigrationStage(migratingFrom: reference(1), to: reference(3))
      stage.didMigrateHandler = { manager, _ in
        let context = try #require(manager.container?.newBackgroundContext())
        NSEntityDescription.insertNewObject(forEntityName: "Person", into: context).setValue("long", forKey: "code")
        if isSaved { try context.save() }
      }
      let error = #expect(throws: NSError.self) { try open([stage]) }
      #expect(error?.localizedDescription.contains("code") == true, "\(String(describing: error))")
      #expect(try Files.bytes(url.path) == before)
      try FileManager.default.removeItem(at: url)
    }
  }

  @Test func `A version that no stage passes is refused with Core Data's code`() throws {
    try makeStore(0, ["x"])
    let before = try Files.bytes(url.path)
    let checksums = models.map(\.versionChecksum)
    for stages in [[checksums[1], checksums[3]], [checksums[0], "unknown", checksums[3]]] {
      let error = #expect(throws: NSError.self) { try open([NSLightweightMigrationStage(stages)]) }
      #expect(error?.code == 134504, "\(String(describing: error))")
    }
    let error = #expect(throws: NSError.self) { try open([NSLightweightMigrationStage([checksums[0], checksums[1]])]) }
    #expect(error?.code == NSMigrationMissingMappingModelError)
    #expect(try Files.bytes(url.path) == before)
  }

  @Test func `A store of the wanted version needs no stages`() throws {
    try makeStore(3, ["x"])
    let before = try Files.bytes(url.path)
    try open([])
    #expect(try Files.bytes(url.path) == before)
  }
}
