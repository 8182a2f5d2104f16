import CoreData
import PolicySourceRewriting
import TestSupport
import Testing

/// The files in `App` are compiled by the plugin: they do not compile as they are.
@Suite("An app's files, unedited")
struct PolicySourcesTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  private func model(_ version: String) throws -> NSManagedObjectModel {
    let bundle = Checkout.root.appending(path: "SampleData/Notes/Notes.xcdatamodeld")
    return try #require(NSManagedObjectModel(contentsOf: bundle.appending(path: "\(version).xcdatamodel")))
  }

  @Test func `A policy with Objective-C, key paths and logging migrates a fixture of managed classes`() throws {
    let old = NSPersistentContainer(name: "Notes", managedObjectModel: try model("Notes 3"))
    let url = URL(filePath: folder.file("Old.sqlite"))
    old.persistentStoreDescriptions = [NSPersistentStoreDescription(url: url)]
    old.loadPersistentStores { _, error in #expect(error == nil) }
    let note = Note(context: old.viewContext)
    (note.title, note.dateCreated, note.displayIndex) = ("a", Date(timeIntervalSinceReferenceDate: 5), 7)
    let pictures = [Attachment(context: old.viewContext), Attachment(context: old.viewContext)]
    for picture in pictures { (picture.dateCreated, picture.image) = (Date(), Data([1])) }
    note.addToAttachments(pictures[0])
    note.addToAttachments(pictures[1])
    note.removeFromAttachments(NSSet(object: pictures[0]))
    #expect(note.attachments == NSSet(object: pictures[1]) && pictures[1].note === note && pictures[0].note == nil)
    #expect(note.body == nil && note.displayIndex == 7 && Note(context: old.viewContext).displayIndex == 0)
    old.viewContext.delete(try #require(try old.viewContext.fetch(Note.fetchRequest()).last))
    try old.viewContext.save()

    let mapping = try NSMappingModel.inferredMappingModel(
      forSourceModel: try model("Notes 3"), destinationModel: try model("Notes 3"))
    let entity = try #require(mapping.entityMappings.first { $0.destinationEntityName == "Note" })
    entity.mappingType = .customEntityMappingType
    entity.entityMigrationPolicyClassName = String(reflecting: NoteToNotePolicy.self)
    // An expression calls a method of the policy, which the app's file only marks with @objc.
    let index = try #require(entity.attributeMappings?.first { $0.name == "displayIndex" })
    index.valueExpression = NSExpression(format: "FUNCTION($entityPolicy, 'lengthOf:', $source.title)")
    let new = URL(filePath: folder.file("New.sqlite"))
    try NSMigrationManager(sourceModel: try model("Notes 3"), destinationModel: try model("Notes 3")).migrateStore(
      from: url, sourceType: NSSQLiteStoreType, with: mapping, toDestinationURL: new, destinationType: NSSQLiteStoreType
    )
    #expect(try Database.rows("SELECT ZTITLE, ZDISPLAYINDEX FROM ZNOTE", in: new.path) == ["a @objc|1"])
    #expect(NoteToNotePolicy.action.description == "lengthOf:")
  }

  @Test func `A migrator that goes from version to version migrates a store in its log`() throws {
    let url = URL(filePath: folder.file("Store.sqlite"))
    try Files.copy(Checkout.root.appending(path: "SampleData/Notes/library-v1.sqlite").path, to: url.path)
    let titles = try Database.rows("SELECT Z_PK, ZTITLE FROM ZNOTE ORDER BY 1", in: url.path)
    // As an app leaves a store that it has just written: with a log.
    try Database.run("PRAGMA journal_mode = WAL; UPDATE ZNOTE SET ZTITLE = ZTITLE || '!'", in: url.path)
    let samples = try #require(Bundle(path: Checkout.root.appending(path: "SampleData/Notes").path))
    let migrator = StoreMigrator(bundle: samples)
    #expect(migrator.requiresMigration(at: url, toVersion: .current))
    migrator.migrateStore(at: url, toVersion: .current)
    #expect(migrator.steps == ["Notes - Notes 2", "Notes 2 - Notes 3"])
    #expect(!migrator.requiresMigration(at: url, toVersion: .current))
    #expect(try Database.rows("SELECT Z_PK, ZTITLE FROM ZNOTE ORDER BY 1", in: url.path) == titles.map { $0 + "!" })
    #expect(try folder.listing() == ["Store.sqlite"])
    #expect(try Database.isWhole(url.path))
  }

  @Test func `A controller with Core Data's errors, notifications, contexts and progress, and SQLite beside it, works`()
    throws
  {
    let old = try model("Notes 3")
    let container = NSPersistentContainer(name: "Notes", managedObjectModel: old)
    let url = URL(filePath: folder.file("Old.sqlite"))
    container.persistentStoreDescriptions = [NSPersistentStoreDescription(url: url)]
    let controller = StoreController(container: container)
    container.loadPersistentStores { _, error in #expect(error == nil) }
    #expect(controller.storeChanges == 1)
    let contexts = controller.makeContexts()
    #expect(contexts.map(\.concurrencyType) == [.privateQueueConcurrencyType, .mainQueueConcurrencyType])
    let context = try #require(contexts.first)
    let note = Note(context: context)
    note.title = "b"
    #expect { try context.save() } throws: { StoreController.reason(of: $0) == "something is missing" }
    #expect(controller.saves.isEmpty)
    note.dateCreated = Date(timeIntervalSinceReferenceDate: 5)
    let store = try #require(container.persistentStoreCoordinator.persistentStores.first)
    store.isReadOnly = true
    #expect { try context.save() } throws: { $0.localizedDescription.contains("read-only") }
    #expect(StoreController.titles(in: url, from: "a") == [])
    store.isReadOnly = false
    try context.save()
    #expect(controller.saves == [[note]] && StoreController.titles(in: url, from: "a") == ["b"])

    let mapping = try NSMappingModel.inferredMappingModel(forSourceModel: old, destinationModel: old)
    var progress: [Float] = []
    let manager = NSMigrationManager(sourceModel: old, destinationModel: old)
    let entities = try StoreController.migrate(
      manager, from: url, to: URL(filePath: folder.file("New.sqlite")), with: mapping, progress: { progress.append($0) }
    )
    #expect(progress.last == 1 && manager.migrationProgress == 1 && !entities.isEmpty)
    // Nothing is told after the end of an observation.
    let count = progress.count
    _ = try StoreController.migrate(
      manager, from: url, to: URL(filePath: folder.file("Again.sqlite")), with: mapping, progress: { _ in })
    #expect(progress.count == count)

    // Beside the models there are mapping models with policies, which this test does not have.
    let models = folder.file("Notes.xcdatamodeld")
    try Files.copy(Checkout.root.appending(path: "SampleData/Notes/Notes.xcdatamodeld").path, to: models)
    let second = try #require(
      NSManagedObjectModel(contentsOf: URL(filePath: models).appending(path: "Notes 2.xcdatamodel")))
    let refused = NSPersistentStoreCoordinator(managedObjectModel: second)
    let first = Checkout.root.appending(path: "SampleData/Notes/library-v1.sqlite")
    #expect {
      try refused.addPersistentStore(ofType: NSSQLiteStoreType, configurationName: nil, at: first)
    } throws: {
      StoreController.reason(of: $0) == "another version"
    }
  }

  @Test func `The versions of a model are found in a bundle as URLs`() throws {
    let samples = Checkout.root.appending(path: "SampleData/Notes")
    let urls = ModelVersions.urls(in: try #require(Bundle(path: samples.path)), folder: "Notes.xcdatamodeld")
    let names = ["Notes 2", "Notes 3", "Notes 4", "Notes"]
    #expect(Set(urls.map { $0.deletingPathExtension().lastPathComponent }) == Set(names))
    #expect(urls.compactMap(NSManagedObjectModel.init(contentsOf:)).count == names.count)
    #expect(ModelVersions.names(in: samples, folder: "Notes.xcdatamodeld") == names.sorted())
  }

  @Test(arguments: [
    ("@objc(Foo) class Foo {}", "class Foo {}"), ("@objcMembers final class A {}", "final class A {}"),
    (
      "let a = \"@objc \\(#keyPath(Note.title)) \\\"#keyPath(x)\\\"\"",
      "let a = \"@objc \\(\"title\") \\\"#keyPath(x)\\\"\""
    ),
    ("let a = #\"\\(#keyPath(A.b)) \\#(#keyPath(A.b))\"#", "let a = #\"\\(#keyPath(A.b)) \\#(\"b\")\"#"),
    ("// @objc\n/* /* @objc */ @objc */ @objc let a = 1", "// @objc\n/* /* @objc */ @objc */ let a = 1"),
    ("let p = #keyPath( Note.attachments.note )", "let p = \"attachments.note\""),
    (
      "import os.log\r\nimport Foundation\r\nimport CoreData.CoreDataDefines\r\n",
      "import os\r\n\r\nimport CoreData\r\n"
    ),
    ("import Foundation\nlet é = \"日本\" // é\n@objc class B {}", "import Foundation\nlet é = \"日本\" // é\nclass B {}"),
    (
      "  @NSManaged private(set) var `class`: String? // c",
      "  private(set) var `class`: String? { get { managedValue(forKey: \"class\") } set { setManagedValue(newValue, forKey: \"class\") } }"
    ),
    (
      "@NSManaged\n  public var a: Int16\n",
      "\n  public var a: Int16 { get { managedValue(forKey: \"a\") } set { setManagedValue(newValue, forKey: \"a\") } }\n"
    ),
    (
      "@NSManaged public func insertIntoNotes(_ value: Note, at idx: Int)",
      "public func insertIntoNotes(_ value: Note, at idx: Int) { insertManagedValues(value, at: idx, forKey: \"notes\") }"
    ),
    (
      "@NSManaged func removeFromNotes(at indexes: NSIndexSet)",
      "func removeFromNotes(at indexes: NSIndexSet) { removeManagedValues(at: indexes, forKey: \"notes\") }"
    ),
    (
      "@NSManaged func replaceNotes(at i: NSIndexSet, with values: [Note])",
      "func replaceNotes(at i: NSIndexSet, with values: [Note]) { replaceManagedValues(at: i, with: values, forKey: \"notes\") }"
    ),
    ("let s = #selector(Foo.bar)", "let s = Selector(\"bar\")"),
    ("let s = #selector(bar(_:with:))", "let s = Selector(\"bar:with:\")"),
    ("@objcfoo let x = objc", "@objcfoo let x = objc"),
    (
      "import Foundation\nlet u = b.urls(forResourcesWithExtension: \"mom\", subdirectory: nil)",
      "import CoreData\nlet u = b.resourceURLs(forResourcesWithExtension: \"mom\", subdirectory: nil)"
    ),
    (
      "import CoreData\nimport Foundation\nlet f = b.urls(\n  forResourcesWithExtension:subdirectory:)",
      "import CoreData\n\nlet f = b.resourceURLs(\n  forResourcesWithExtension:subdirectory:)"
    ),
    ("let u = f.urls(for: .cachesDirectory, in: .user)", "let u = f.urls(for: .cachesDirectory, in: .user)"),
  ])
  func `Only code is replaced, in its own line`(old: String, new: String) {
    let source = PolicySource(old)
    #expect(source.text == new)
    #expect(
      source.text.split(separator: "\n", omittingEmptySubsequences: false).count
        == old.split(separator: "\n", omittingEmptySubsequences: false).count)
    #expect(source.replacements.isEmpty == (old == new))
  }

  @Test(arguments: [
    ("@objc func f(_ a: X) -> Y { y }", "f:", "self.f(functionArgument(arguments, 0, of: selector))"),
    ("@objc func f() -> Y { y }", "f", "self.f()"),
    ("@objc\n  func f(source: X, and b: Z?) -> Y? { y }", "fWithSource:and:", "self.f(source: functionArgument("),
    ("@objc func f(for a: X) -> Y { y }", "fFor:", "self.f(for: "),
    ("@objc(g:) func f(_ a: X) -> Y { y }", "g:", "self.f("),
  ])
  func `The methods of a policy that expressions can call get a way to be called`(
    method: String, selector: String, call: String
  ) {
    let text = PolicySource("public class P: NSEntityMigrationPolicy {\n  \(method)\n}\n").text
    let first = text.prefix { $0 != "\n" }
    #expect(
      first.contains("{ public override func perform(_ selector: String")
        && first.contains("case \"\(selector)\": return"))
    #expect(first.contains(call), "\(first)")
  }

  @Test(arguments: [
    "class P: NSEntityMigrationPolicy {\n  func f(_ a: X) -> Y { y }\n}\n",
    "class P: NSObject {\n  @objc func f(_ a: X) -> Y { y }\n}\n",
    "class P: NSEntityMigrationPolicy {\n  override func perform(_ selector: String) {}\n  @objc func f(_ a: X) -> Y { y }\n}\n",
    "class P: NSEntityMigrationPolicy {\n  func g() { class Q { @objc func f(_ a: X) -> Y { y } } }\n}\n",
    "class P: NSEntityMigrationPolicy {\n  @objc func f(_ a: X) {}\n}\n",
  ])
  func `Other methods do not`(source: String) {
    #expect(!PolicySource(source).text.contains("functionResult"))
  }

  @Test func `Each replacement is told with its line`() {
    let replacements = PolicySource("import CoreData\nimport Foundation\n\n@objc class A {}\n").replacements
    #expect(replacements.map(\.line) == [2, 4])
    #expect(replacements.map(\.old) == ["import Foundation", "@objc"])
  }
}
