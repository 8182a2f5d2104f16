import DataModel
import MigrationDiagnostics
import TestSupport
import Testing

@testable import PersistentStore

@Suite("Values in files beside the store")
struct ExternalFileTests {
  private static let model = TrackModels.model([
    EntityDescription(
      "Base", attributes: [AttributeDescription("image", .binaryData, allowsExternalBinaryDataStorage: true)]),
    EntityDescription(
      "Leaf", superentityName: "Base",
      attributes: [
        AttributeDescription("data", .transformable, allowsExternalBinaryDataStorage: true),
        AttributeDescription("plain", .binaryData),
      ]),
  ])
  private static let names = (1...4).map { "0000000\($0)-ABCD-4EF0-8123-456789ABCDEF" }

  /// A store with references to four files, three of which exist.
  private func store() throws -> StoreFixture {
    func reference(_ index: Int) -> String { "CAST(x'02' || '\(Self.names[index])' || x'00' AS BLOB)" }
    let store = try StoreFixture(
      Self.model,
      """
      INSERT INTO ZBASE (Z_PK, Z_ENT, ZIMAGE, ZDATA, ZPLAIN) VALUES
        (1, 1, \(reference(0)), NULL, NULL), (2, 2, \(reference(1)), \(reference(2)), NULL),
        (3, 2, x'01AABB', \(reference(3)), \(reference(0))), (4, 1, '\(Self.names[3])12', NULL, NULL),
        (5, 1, CAST(x'02' || '../../../../../../../../../../etc/passw' || x'00' AS BLOB), NULL, NULL);
      """)
    let folder = try store.folder.makeFolder(".Old_SUPPORT/_EXTERNAL_DATA")
    for name in Self.names.prefix(3) { try Files.write("value \(name)", to: "\(folder)/\(name)") }
    return store
  }

  @Test func `A column holds the value or the name of its file`() {
    let name = Self.names[0]
    #expect(ExternalValue([1, 7, 0]) == .inline([7, 0]))
    #expect(ExternalValue([1]) == .inline([]))
    #expect(ExternalValue([2] + Array(name.utf8) + [0]) == .file(name))
    for value in [ExternalValue.file(name), .inline([1, 2])] { #expect(ExternalValue(value.bytes) == value) }
    for bytes in [[], [0], [2], [2, 0], [3, 1], [2] + Array(name.utf8), [2] + Array(name.utf8) + [1]] as [[UInt8]] {
      #expect(ExternalValue(bytes) == nil)
    }
    #expect(ExternalValue([2] + Array("../../../../../../../../../etc/passwd".utf8) + [0]) == nil)
    #expect(ExternalValue([2] + Array("0000000-0ABCD-4EF0-8123-456789ABCDEF".utf8) + [0]) == nil)
  }

  @Test(arguments: [
    ("/a/Library.sqlite", "/a/.Library_SUPPORT"), ("/a/b.c.sqlite", "/a/.b.c_SUPPORT"), ("/a/x", "/a/.x_SUPPORT"),
    ("x.db", ".x_SUPPORT"), ("/.hidden", "/..hidden_SUPPORT"), ("/a/ü \"x\".store", "/a/.ü \"x\"_SUPPORT"),
    ("/a/x.", "/a/.x._SUPPORT"),
  ])
  func `The folder is named after the store`(store: String, folder: String) {
    #expect(ExternalDataFolder(ofStoreAt: store).path == folder)
  }

  @Test func `Files are listed for an own or inherited attribute and for the model`() throws {
    let store = try store()
    defer { withExtendedLifetime(store) {} }
    let reader = try store.reader()
    let schema = try StoreSchema(Self.model, introspecting: reader)
    func keys(_ attribute: String, _ entity: String) throws -> [Int64] {
      try reader.externalFiles(ofAttribute: attribute, ofEntityNamed: entity, in: schema).map(\.primaryKey)
    }
    #expect(try keys("image", "Base") == [1, 2])
    #expect(try keys("image", "Leaf") == [2])
    #expect(try keys("data", "Leaf") == [2, 3])
    #expect(try keys("nothing", "Leaf") == [])
    #expect(
      try reader.externalFiles(in: schema).map { "\($0.entityName).\($0.attributeName) \($0.fileName)" } == [
        "Base.image \(Self.names[0])", "Base.image \(Self.names[1])", "Leaf.data \(Self.names[2])",
        "Leaf.data \(Self.names[3])",
      ])
    #expect(try reader.missingExternalFiles(in: schema).map(\.fileName) == [Self.names[3]])
  }

  @Test func `Files are hard-linked into the staged folder, which is then published`() throws {
    let store = try store()
    let source = ExternalDataFolder(ofStoreAt: store.path)
    let result = store.folder.file("New.sqlite")
    let staging = try StagingFile(for: result, named: result)
    let staged = ExternalDataFolder(stagedBy: staging)
    #expect(StoreFileNames.isTemporary(staged.path))
    // Twice, as if an earlier run had died. Names that are not those of values are skipped.
    for _ in 1...2 {
      #expect(try staged.add(Self.names + ["../Old.sqlite"], from: source) == [Self.names[3]])
    }
    #expect(try Files.listing(staged.dataPath) == Array(Self.names.prefix(3)))
    #expect(try Files.fileNumber(staged.filePath(Self.names[0])) == Files.fileNumber(source.filePath(Self.names[0])))
    let published = ExternalDataFolder(ofStoreAt: result)
    try staged.publish(as: published)
    #expect(!staged.exists)
    #expect(try Self.names.map(published.contains) == [true, true, true, false])
    #expect(try Self.names.map(source.contains) == [true, true, true, false])
    #expect(try Files.text(published.filePath(Self.names[2])) == "value \(Self.names[2])")
    staging.discard()
  }

  @Test func `No folder is created without files`() throws {
    let folder = try TemporaryFolder()
    let staged = ExternalDataFolder(ofStoreAt: folder.file("a"))
    #expect(try staged.add([], from: ExternalDataFolder(ofStoreAt: folder.file("b"))) == [])
    #expect(try staged.add([Self.names[0]], from: ExternalDataFolder(ofStoreAt: folder.file("b"))) == [Self.names[0]])
    #expect(try folder.listing() == [])
  }

  @Test func `A folder in use is not replaced, but an empty one is`() throws {
    let store = try store()
    let staged = ExternalDataFolder(ofStoreAt: store.folder.file("staged"))
    try staged.add(Self.names, from: ExternalDataFolder(ofStoreAt: store.path))
    let error = #expect(throws: MigrationError.self) {
      try staged.publish(as: ExternalDataFolder(ofStoreAt: store.path))
    }
    #expect(error?.code == .outputExists)
    #expect(try staged.contains(Self.names[0]))
    _ = try store.folder.makeFolder(".New_SUPPORT")
    try staged.publish(as: ExternalDataFolder(ofStoreAt: store.folder.file("New.sqlite")))
    #expect(try ExternalDataFolder(ofStoreAt: store.folder.file("New.sqlite")).contains(Self.names[0]))
  }

  @Test func `An inaccessible folder is not mistaken for a missing one`() throws {
    let store = try store()
    let folder = ExternalDataFolder(ofStoreAt: store.path)
    try Files.setPermissions(0o000, of: folder.path)
    defer { try? Files.setPermissions(0o755, of: folder.path) }
    try Privileges.asNobody {
      #expect(throws: MigrationError.self) { try folder.contains(Self.names[0]) }
      #expect(throws: MigrationError.self) { try folder.names() }
    }
  }

  @Test func `Discarding removes only the external data files`() throws {
    let store = try store()
    let folder = ExternalDataFolder(ofStoreAt: store.path)
    try Files.write("half", to: folder.filePath(Self.names[3] + ".part"))
    folder.discard()
    #expect(try store.folder.listing() == ["Old.sqlite"])
    let other = try self.store()
    let kept = ExternalDataFolder(ofStoreAt: other.path)
    try Files.write("notes", to: kept.filePath("notes.txt"))
    kept.discard()
    #expect(try Files.listing(kept.dataPath) == ["notes.txt"])
  }

  @Test func `Symbolic links are not followed`() throws {
    let store = try store()
    let folder = ExternalDataFolder(ofStoreAt: store.path)
    Files.remove(folder.filePath(Self.names[0]))
    try Files.link(folder.filePath(Self.names[0]), to: "/etc/hostname")
    let staged = ExternalDataFolder(ofStoreAt: store.folder.file("staged"))
    #expect(try staged.add(Self.names, from: folder) == [Self.names[0], Self.names[3]])
    // A folder that is a link to another store's.
    try Files.link(store.folder.file(".linked_SUPPORT"), to: folder.path)
    let linked = ExternalDataFolder(ofStoreAt: store.folder.file("linked"))
    #expect(try !linked.contains(Self.names[1]))
    linked.discard()
    #expect(try folder.contains(Self.names[1]))
  }
}
