import DataModel
import Examples
import Migration
import PersistentStore
import Policies
import TestSupport
import Testing

/// The store and the models that came with the article, which Apple's tools wrote.
@Suite(.enabled(if: Checkout.hasCorpus)) struct ObjcioCorpusTests {
  private static let folder = "\(Checkout.corpus)/objcio-BookMigration"

  @Test func `our models are the article's`() throws {
    let models = try (1...3).map {
      try ManagedObjectModel(contentsOfFile: "\(Self.folder)/Model.xcdatamodeld/Model\($0).xcdatamodel")
    }
    #expect(models.map(\.entityVersionHashesByName) == BooksModel.all.map(\.entityVersionHashesByName))
  }

  @Test(arguments: [false, true])
  func `the article's store ends as the article's tests want it`(hasNamesOfArticle: Bool) throws {
    let library = try ExampleMigration(copying: "\(Self.folder)/Model1.sqlite", model: BooksModel.v1)
    var mappings = [BooksMapping.v1ToV2, BooksMapping.v2ToV3User, BooksMapping.v2ToV3Rest]
    if hasNamesOfArticle {
      library.policies = PolicyRegistry()
      library.policies.register("MHWBookToBookPolicy") { BookToBookMigrationPolicy() }
      library.policies.register("MHWUserToUserPolicy") { EntityMigrationPolicy() }
      mappings = mappings.map { mapping in
        MappingModel(
          entityMappings: mapping.entityMappings.map { mapping in
            var mapping = mapping
            if mapping.sourceEntityName == "Book" { mapping.entityMigrationPolicyClassName = "MHWBookToBookPolicy" }
            if mapping.sourceEntityName == "User" { mapping.entityMigrationPolicyClassName = "MHWUserToUserPolicy" }
            return mapping
          })
      }
    }
    try library.migrate(to: BooksModel.v2, by: mappings[0])
    try library.migrate(to: BooksModel.v3, by: mappings[1], mappings[2])

    #expect(try library.rows("SELECT count(*) FROM ZBOOK") == ["4"])
    #expect(try library.rows("SELECT count(*) FROM ZAUTHOR WHERE ZNAME = 'Franz Kafka'") == ["1"])
    #expect(
      try library.rows(
        """
        SELECT ZTITLE FROM ZBOOK b JOIN Z_1BOOKS ON Z_2BOOKS = b.Z_PK JOIN ZAUTHOR a ON a.Z_PK = Z_1AUTHORS
        WHERE ZNAME = 'Franz Kafka' ORDER BY 1
        """) == ["Metamorphosis", "The Trial"])
    // Three users have the id 1, of whom the last has the books.
    #expect(
      try library.rows("SELECT ZUSER, ZUSERID, count(*) FROM ZFILE JOIN ZUSER u ON u.Z_PK = ZUSER GROUP BY 1")
        == ["3|1|4"])
    let files = "SELECT hex(ZFILEURL) FROM"
    #expect(
      try library.rows("\(files) ZFILE ORDER BY 1")
        == Database.rows("\(files) ZBOOK ORDER BY 1", in: library.paths[0]))
    #expect(try Database.integrity(library.path) == ["ok"])
  }
}
