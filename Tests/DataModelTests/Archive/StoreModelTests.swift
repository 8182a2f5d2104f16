import DataModel
import MigrationDiagnostics
import PersistentStore
import PropertyListFormat
import TestSupport
import Testing

@Suite("The model that a store keeps")
struct StoreModelTests {
  private let folder: TemporaryFolder
  private var path: String { folder.file("Störe 1.sqlite") }

  init() throws { folder = try TemporaryFolder() }

  /// Writes what every store has.
  private func write(
    _ model: ManagedObjectModel, cache: String? = "CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB)",
    encoding: String = "UTF-8"
  ) throws {
    let plist = PropertyList.dictionary(StoreMetadata.new(for: model, uuid: "U").properties).binary()
    try Database.run(
      """
      PRAGMA encoding = '\(encoding)';
      CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER);
      CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB);
      INSERT INTO Z_METADATA VALUES (1, 'U', \(literal(plist)));
      \(cache ?? "");
      """, in: path)
  }

  private func literal(_ bytes: [UInt8]) -> String { "x'\(VersionHash(bytes: bytes))'" }

  /// An archive in raw DEFLATE, as one block that is stored as it is.
  private func packed(_ model: ManagedObjectModel) -> String {
    let bytes = TestModelArchiver.archive(model, .copies).binary()
    let (low, high) = (UInt8(bytes.count & 255), UInt8(bytes.count >> 8))
    return literal([1, low, high, ~low, ~high] + bytes)
  }

  private func cachedModel() throws -> ManagedObjectModel? {
    let store = try StoreReader(path: path)
    defer { try? store.close() }
    return try store.cachedModel()
  }

  @Test(arguments: ["UTF-8", "UTF-16le", "UTF-16be"])
  func `The cached model is read`(encoding: String) throws {
    try write(TrackModels.v2, encoding: encoding)
    try Database.run("INSERT INTO Z_MODELCACHE VALUES (\(packed(TrackModels.v2)))", in: path)
    let before = try folder.snapshot()
    let store = try StoreReader(path: path)
    #expect(try store.cachedModel()?.entityVersionHashesByName == TrackModels.v2.entityVersionHashesByName)
    #expect(try store.writtenModel()?.entities.map(\.name) == ["Artist", "Track"])
    try store.close()
    #expect(try folder.snapshot() == before)
  }

  @Test func `The cached model counts as the store's own only if the hashes match`() throws {
    try write(TrackModels.v1)
    try Database.run("INSERT INTO Z_MODELCACHE VALUES (\(packed(TrackModels.v2)))", in: path)
    let store = try StoreReader(path: path)
    #expect(try store.cachedModel() != nil)
    #expect(try store.writtenModel() == nil)
  }

  @Test(arguments: [
    nil, "CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB)",
    "CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB); INSERT INTO Z_MODELCACHE VALUES (NULL)",
    "CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB); INSERT INTO Z_MODELCACHE VALUES (x'')",
    // A view would run SQL from the file's author.
    "CREATE VIEW Z_MODELCACHE AS SELECT x'ff' AS Z_CONTENT",
  ])
  func `The cached model may be missing`(cache: String?) throws {
    try write(TrackModels.v1, cache: cache)
    #expect(try cachedModel() == nil)
  }

  @Test(arguments: ["x'ff'", "'text'", "x'010500fa' || x'ff68656c6c6f'", "7"])
  func `A cached model that cannot be read throws an error that does not call the store damaged`(value: String) throws {
    try write(TrackModels.v1)
    try Database.run("INSERT INTO Z_MODELCACHE VALUES (\(value))", in: path)
    let error = #expect(throws: MigrationError.self) { try cachedModel() }
    #expect(error?.code == .unreadableModelCache)
    #expect(error?.subject.path == path)
  }

  @Test(.enabled(if: !SharedFolder.stores.isEmpty, "needs ../shared/corpus"), arguments: SharedFolder.stores)
  func `The cached models of Apple's stores are read`(store: String) throws {
    for suffix in ["", "-wal"] where Files.exists(store + suffix) {
      try Files.write(try Files.bytes(store + suffix), to: path + suffix)
    }
    let reader = try StoreReader(path: path)
    // Models are kept since framework version 637.
    let keepsModel = try #require(reader.metadata.frameworkVersion) >= 637
    #expect(try (reader.writtenModel() != nil) == keepsModel)
  }
}
