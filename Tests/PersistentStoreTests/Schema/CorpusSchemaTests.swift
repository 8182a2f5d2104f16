import DataModel
import Foundation
import PersistentStore
import TestSupport
import Testing

/// Our schema against that of stores which Apple's Core Data wrote.
@Suite(.enabled(if: Checkout.hasCorpus, "needs ../shared/corpus"))
struct CorpusSchemaTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  static let stores = files(".sqlite")

  /// Contents of a store that its model does not require: earlier models of the app did, and hashes do not show it.
  private static let leftovers = [
    "Bookmarks_V3.sqlite": [earlierIndex], "Bookmarks_V4.sqlite": [earlierIndex],
  ]
  private static let earlierIndex = """
    CREATE INDEX Z_BookmarkEntity_isPendingDeletion ON ZBOOKMARKENTITY (ZISPENDINGDELETION COLLATE BINARY ASC)
    """

  @Test func `At least seven stores are available for comparison`() {
    #expect(Self.stores.count >= 7)
  }

  /// Its model is not part of the corpus.
  private static let withoutModel = ["SampleModel2_V1.sqlite"]

  @Test(arguments: stores.filter { store in !withoutModel.contains { store.hasSuffix($0) } })
  func `Tables, indexes and entity numbers match those that Core Data wrote`(store: String) throws {
    let path = try copy(store)
    let reader = try StoreReader(path: path)
    let model = try #require(
      try model(withHashes: reader.metadata.versionHashes), "no model of the corpus has its hashes")
    let schema = StoreSchema(model)
    let own = reader.primaryKeys.filter { $0.entityNumber < 16_000 }
    #expect(own.map(\.entityNumber) == schema.entityNames.map { Int64(schema.entityNumber($0)) })
    let parents = schema.entityNames.map { model.entity(named: $0)?.superentityName }
    #expect(own.map(\.superentityNumber) == parents.map { Int64($0.map(schema.entityNumber) ?? 0) })

    let all = try Database.rows(
      "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND tbl_name NOT LIKE 'A%' ORDER BY rowid", reader.connection
    )
    // Core Data has moved this one's tables in place: their order and leftovers follow no rule.
    guard !Self.isMigratedInPlace(all) else { return }
    #expect(own.map(\.entityName) == schema.entityNames)
    let tables = all.filter { $0.hasPrefix("CREATE TABLE") }
    #expect(tables.filter { !StoreSchema.fixedTableStatements.contains($0) } == schema.tableStatements)
    #expect(
      StoreSchema.fixedTableStatements.starts(with: tables.filter { StoreSchema.fixedTableStatements.contains($0) }))
    let leftovers = Self.leftovers[URL(filePath: store).lastPathComponent] ?? []
    let indexes = all.filter { !$0.hasPrefix("CREATE TABLE") && !leftovers.contains($0) }
    #expect(indexes == schema.indexStatements)
    try reader.close()
  }

  private static func isMigratedInPlace(_ statements: [String]) -> Bool {
    let tables = statements.filter { $0.hasPrefix("CREATE TABLE") }
    guard let first = tables.firstIndex(where: { StoreSchema.fixedTableStatements.contains($0) }) else { return false }
    return tables[first...].contains { !StoreSchema.fixedTableStatements.contains($0) }
  }

  private func copy(_ store: String) throws -> String {
    let path = folder.file(URL(filePath: store).lastPathComponent)
    try Files.copy(store, to: path)
    if Files.exists(store + "-wal") { try Files.copy(store + "-wal", to: path + "-wal") }
    return path
  }

  private func model(withHashes hashes: [String: VersionHash]) throws -> ManagedObjectModel? {
    for bundle in Self.files(".xcdatamodeld") + Self.files(".xcdatamodel") {
      for version in try ModelBundle(path: bundle).versions {
        let model = try version.model()
        if model.isCompatible(withVersionHashes: hashes) { return model }
      }
    }
    return nil
  }

  private static func files(_ suffix: String) -> [String] {
    let names = FileManager.default.enumerator(atPath: Checkout.corpus)?.compactMap { $0 as? String } ?? []
    return names.filter { $0.hasSuffix(suffix) }.map { "\(Checkout.corpus)/\($0)" }.sorted()
  }
}
