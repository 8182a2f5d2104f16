import DataModel
import PersistentStore
import PropertyListFormat
import SQLiteDatabase
import TestSupport
import Testing

struct ModelCacheWritingTests {
  private let folder: TemporaryFolder
  private let path: String

  init() throws {
    folder = try TemporaryFolder()
    path = folder.file("New.sqlite")
  }

  private func write(_ cache: [UInt8]?, encoding: String = "UTF-8") throws {
    let layout = FileLayout(pageSize: 4096, autoVacuum: 2, encoding: encoding)
    let writer = try StoreWriter(path: path, schema: StoreSchema(TrackModels.v2), layout: layout)
    try writer.finish(metadata: .new(for: TrackModels.v2, uuid: "ID"), modelCache: cache)
  }

  @Test(arguments: ["UTF-8", "UTF-16le"])
  func `A store keeps its own model`(encoding: String) throws {
    try write(TrackModels.v2.modelCache(), encoding: encoding)
    let connection = try Connection(path: path, access: .readWrite)
    let statement = try connection.prepare("SELECT Z_CONTENT, count(*), typeof(Z_CONTENT) FROM Z_MODELCACHE")
    _ = try statement.step()
    #expect(try ManagedObjectModel(modelCache: statement.blob(0) ?? []) == TrackModels.v2)
    #expect(statement.text(1) == "1")
    #expect(statement.text(2) == "blob")
  }

  @Test func `The table stays empty without a model`() throws {
    try write(nil)
    #expect(try Database.rows("SELECT count(*) FROM Z_MODELCACHE", in: path) == ["0"])
  }

  @Test func `A store with its model is read and checked like any other`() throws {
    try write(TrackModels.v2.modelCache())
    #expect(try Database.integrity(path) == ["ok"])
    #expect(try StoreReader(path: path).metadata == .new(for: TrackModels.v2, uuid: "ID"))
  }

  @Test(
    arguments: [(nil, false), (241, false), (526, false), (636, false), (637, true), (1338, true)] as [(Int64?, Bool)])
  func `Only newer frameworks keep models in stores`(version: Int64?, hasModelCache: Bool) {
    let properties: PropertyListDictionary = version.map { [StoreMetadata.Key.frameworkVersion: .integer($0)] } ?? [:]
    #expect(StoreMetadata(uuid: "ID", properties: properties).hasModelCache == hasModelCache)
  }
}
