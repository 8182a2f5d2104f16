import DataModel
import Migration
import MigrationDiagnostics
import PersistentStore
import TestSupport
import Testing

@Suite("Migrations of stores with values in files")
struct ExternalDataMigrationTests {
  private static let names = (1...3).map { "0000000\($0)-ABCD-4EF0-8123-456789ABCDEF" }

  private static func picture(_ isExternal: Bool, _ more: String...) -> [EntityDescription] {
    let data = AttributeDescription("data", .binaryData, allowsExternalBinaryDataStorage: isExternal)
    return [EntityDescription("Picture", attributes: [data] + more.map { AttributeDescription($0, .string) })]
  }

  /// Three values: two in files, one in its column; the third file is not there.
  private func store(
    _ versions: [[EntityDescription]] = [picture(true), picture(true, "a"), picture(true, "a", "b")],
    hasAllFiles: Bool = false
  ) throws -> AppStore {
    let references = Self.names.enumerated().map { index, name in
      "(\(index + 1), 1, CAST(x'02' || '\(name)' || x'00' AS BLOB))"
    }
    let store = try AppStore(
      versions,
      "INSERT INTO ZPICTURE (Z_PK, Z_ENT, ZDATA) VALUES \(references.joined(separator: ", ")), (4, 1, x'01AABB')")
    let folder = try store.folder.makeFolder(".App_SUPPORT/_EXTERNAL_DATA")
    for name in Self.names.prefix(hasAllFiles ? 3 : 2) { try Files.write("value \(name)", to: "\(folder)/\(name)") }
    return store
  }

  private static func files(_ store: String, _ count: Int = 2) -> [String] {
    let folder = ".\(store)_SUPPORT"
    return [folder, "\(folder)/_EXTERNAL_DATA"] + names.prefix(count).map { "\(folder)/_EXTERNAL_DATA/\($0)" }
  }

  private static let references = "SELECT Z_PK, hex(ZDATA) FROM ZPICTURE ORDER BY 1"

  @Test func `A migration in place keeps the files and hard-links them for the backup`() throws {
    let store = try store()
    let before = try store.rows(Self.references)
    let result = try store.result()
    #expect(result.surroundings.missingFiles.map(\.primaryKey) == [3])
    #expect(try store.rows(Self.references) == before)
    #expect(
      try store.names()
        == (["App.sqlite", "App.sqlite.V1-backup"] + Self.files("App") + Self.files("App.sqlite")).sorted())
    #expect(
      try Files.fileNumber(store.folder.file(Self.files("App")[2]))
        == Files.fileNumber(store.folder.file(Self.files("App.sqlite")[2])))
    #expect(
      try ExternalDataFolder(ofStoreAt: #require(result.backupPath)).contains(Self.names[0]))
  }

  @Test func `A migration to a new file hard-links the files that it needs`() throws {
    let store = try store()
    try Files.write(
      "of nobody", to: store.folder.file(".App_SUPPORT/_EXTERNAL_DATA/FFFFFFFF-ABCD-4EF0-8123-456789ABCDEF"))
    var migration = store.migration
    migration.outputPath = store.folder.file("New.sqlite")
    let before = try store.snapshot()
    _ = try store.result(migration)
    let after = try store.snapshot()
    #expect(Set(after.keys).subtracting(before.keys).sorted() == (["New.sqlite"] + Self.files("New")).sorted())
    #expect(before.allSatisfy { after[$0.key] == $0.value })
  }

  @Test func `A migration reuses the folder that a killed run left behind`() throws {
    let store = try store()
    let left = try store.folder.makeFolder(".New_SUPPORT/_EXTERNAL_DATA")
    try Files.write("value \(Self.names[0])", to: "\(left)/\(Self.names[0])")
    var migration = store.migration
    migration.outputPath = store.folder.file("New.sqlite")
    _ = try store.result(migration)
    #expect(Self.files("New").allSatisfy { Files.exists(store.folder.file($0)) })
  }

  @Test func `An existing file with other contents is kept, and the migration stops`() throws {
    let store = try store()
    let left = try store.folder.makeFolder(".New_SUPPORT/_EXTERNAL_DATA")
    try Files.write("another", to: "\(left)/\(Self.names[0])")
    var migration = store.migration
    migration.outputPath = store.folder.file("New.sqlite")
    let error = try store.refusal(migration)
    #expect(error.code == .outputExists)
    #expect(error.subject.path == "\(left)/\(Self.names[0])")
  }

  @Test func `A policy that works in batches is refused where values in files must be read`() throws {
    var store = try store([Self.picture(true), Self.picture(false, "a")], hasAllFiles: true)
    store.map(1, "V1 to V2", ["Picture"], policy: "Batch")
    var migration = store.migration
    migration.policies.register("Batch") { EmptyBatchPolicy() }
    let error = try store.refusal(migration)
    #expect(error.code == .invalidMappingModel)
    #expect(error.detail?.contains("'Batch' works in batches") == true, "\(error)")
    #expect(error.detail?.contains("Picture.data: 3 values lie in files") == true, "\(error)")
  }

  @Test func `A store of another name with the same folder shares the files`() throws {
    let store = try store()
    var migration = store.migration
    migration.outputPath = store.folder.file("App.db")
    _ = try store.result(migration)
    #expect(try store.names() == (["App.db", "App.sqlite"] + Self.files("App")).sorted())
  }

  @Test func `A strict migration refuses missing files`() throws {
    let store = try store()
    var migration = store.migration
    migration.isStrict = true
    let error = try store.refusal(migration)
    #expect(error.code == .strictFindings)
    #expect(error.detail == "an external data file is missing: that of Picture 3, data")
  }

  @Test func `A restoration names missing files, and does not delete a library that may have their data`() throws {
    let store = try store(hasAllFiles: true)
    // The second version keeps its own model, which the restoration needs to find the files.
    var migration = store.migration
    migration.destinationVersionName = "V2"
    _ = try store.result(migration)
    _ = try store.result()
    var restoration = StoreRestoration(path: store.path)
    #expect(try restoration.plan().missingFilesCount == 0)
    for name in [".App_SUPPORT", ".App.sqlite_SUPPORT"] { Files.remove(store.folder.file(name)) }
    #expect(try restoration.plan().missingFilesCount == 3)
    restoration.keepsReplaced = false
    let before = try store.snapshot()
    let error = try #require(throws: MigrationError.self) { try restoration.run() }
    #expect(error.code == .missingExternalFile && error.subject.row == 1)
    #expect(try store.snapshot() == before)
    restoration.keepsReplaced = true
    #expect(try restoration.run().missingFilesCount == 3)
  }

  @Test func `Two mappings that copy a value in a file share no file`() throws {
    var store = try store([Self.picture(true), Self.picture(true, "a")], hasAllFiles: true)
    store.map(1, "M", ["Picture"])
    var again = try #require(store.mappings[0].mappingModel.entityMappings.first)
    again.name = "Again"
    store.mappings[0].mappingModel.entityMappings.append(again)
    let result = try store.result()
    let inFiles = "SELECT count(*), count(DISTINCT ZDATA) FROM ZPICTURE WHERE hex(ZDATA) LIKE '02%'"
    #expect(try store.rows(inFiles) == ["3|3"])
    let copy = "SELECT count(*) FROM ZPICTURE WHERE ZDATA = CAST(x'01' || 'value \(Self.names[0])' AS BLOB)"
    #expect(try store.rows(copy) == ["1"])
    #expect(result.steps[0].strategy.description.contains("instance by instance"))
  }

  @Test func `Values move from files into the store if the new model requires it`() throws {
    let versions = [Self.picture(true), Self.picture(true, "a"), Self.picture(false, "a")]
    let store = try store(versions, hasAllFiles: true)
    _ = try store.result()
    #expect(
      try store.rows("SELECT Z_PK, CAST(ZDATA AS TEXT) FROM ZPICTURE WHERE Z_PK < 4")
        == Self.names.enumerated().map { "\($0 + 1)|value \($1)" })
    #expect(try store.rows("SELECT hex(ZDATA) FROM ZPICTURE WHERE Z_PK = 4") == ["AABB"])
    // A value that cannot be read cannot be moved.
    let error = try self.store(versions).refusal()
    #expect(error.code == .missingExternalFile)
    #expect(error.subject.entity == "Picture")
    #expect(error.subject.row == 3)
    #expect(error.detail?.contains(Self.names[2]) == true)
  }

  @Test func `Values are marked if the new model allows external storage`() throws {
    let store = try AppStore(
      [Self.picture(false), Self.picture(true)],
      "INSERT INTO ZPICTURE (Z_PK, Z_ENT, ZDATA) VALUES (1, 1, x'02AA'), (2, 1, x''), (3, 1, NULL)")
    _ = try store.result()
    #expect(try store.rows(Self.references) == ["1|0102AA", "2|01", "3|"])
  }
}
