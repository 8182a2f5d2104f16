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
    let new = URL(filePath: folder.file("New.sqlite"))
    try NSMigrationManager(sourceModel: try model("Notes 3"), destinationModel: try model("Notes 3")).migrateStore(
      from: url, sourceType: NSSQLiteStoreType, with: mapping, toDestinationURL: new, destinationType: NSSQLiteStoreType
    )
    #expect(try Database.rows("SELECT ZTITLE, ZDISPLAYINDEX FROM ZNOTE", in: new.path) == ["a @objc|7"])
    #expect(
      NoteToNotePolicy.action.description == "lengthOf:" || NoteToNotePolicy.action.description == "lengthWithOf:")
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
    ("let s = #selector(Foo.bar)", "let s = Selector(\"bar\")"),
    ("let s = #selector(bar(_:with:))", "let s = Selector(\"bar:with:\")"),
    ("@objcfoo let x = objc", "@objcfoo let x = objc"),
  ])
  func `Only code is replaced, in its own line`(old: String, new: String) {
    let source = PolicySource(old)
    #expect(source.text == new)
    #expect(
      source.text.split(separator: "\n", omittingEmptySubsequences: false).count
        == old.split(separator: "\n", omittingEmptySubsequences: false).count)
    #expect(source.replacements.isEmpty == (old == new))
  }

  @Test func `Each replacement is told with its line`() {
    let replacements = PolicySource("import CoreData\nimport Foundation\n\n@objc class A {}\n").replacements
    #expect(replacements.map(\.line) == [2, 4])
    #expect(replacements.map(\.old) == ["import Foundation", "@objc"])
  }
}
