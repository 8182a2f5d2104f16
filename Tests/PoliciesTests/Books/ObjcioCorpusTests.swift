import DataModel
import Migration
import PersistentStore
import Policies
import Samples
import TestSupport
import Testing

/// The article's own store and models, which Apple's tools wrote.
@Suite(.enabled(if: Checkout.hasCorpus)) struct ObjcioCorpusTests {
  private static let folder = "\(Checkout.corpus)/objcio-BookMigration"

  @Test func `The example's models equal those of the article`() throws {
    let models = try (1...3).map {
      try ManagedObjectModel(contentsOfFile: "\(Self.folder)/Model.xcdatamodeld/Model\($0).xcdatamodel")
    }
    #expect(models.map(\.entityVersionHashesByName) == BooksModel.all.map(\.entityVersionHashesByName))
  }

  /// The origin of the mapping models: this package or the article.
  enum Source: CaseIterable { case ours, article }

  @Test(arguments: Source.allCases)
  func `The article's store ends as the article's own tests expect`(source: Source) throws {
    let library = try ExampleMigration(copying: "\(Self.folder)/Model1.sqlite", model: BooksModel.v1)
    switch source {
    case .ours:
      try library.migrate(to: BooksModel.v2, by: BooksMapping.v1ToV2)
      try library.migrate(to: BooksModel.v3, by: BooksMapping.v2ToV3User, BooksMapping.v2ToV3Rest)
    case .article:
      library.policies = PolicyRegistry()
      library.policies.register("MHWBookToBookPolicy") { BookToBookMigrationPolicy() }
      library.policies.register("MHWUserToUserPolicy") { EntityMigrationPolicy() }
      try library.migrate(
        to: BooksModel.v2, by: Self.mapping("Model1_to_Model2", BooksModel.v1, BooksModel.v2))
      try library.migrate(
        to: BooksModel.v3, by: Self.mapping("Model2_to_Model3_User", BooksModel.v2, BooksModel.v3),
        Self.mapping("Model2_to_Model3", BooksModel.v2, BooksModel.v3))
    }

    #expect(try library.rows("SELECT count(*) FROM ZBOOK") == ["4"])
    #expect(try library.rows("SELECT count(*) FROM ZAUTHOR WHERE ZNAME = 'Franz Kafka'") == ["1"])
    #expect(
      try library.rows(
        """
        SELECT ZTITLE FROM ZBOOK b JOIN Z_1BOOKS ON Z_2BOOKS = b.Z_PK JOIN ZAUTHOR a ON a.Z_PK = Z_1AUTHORS
        WHERE ZNAME = 'Franz Kafka' ORDER BY 1
        """) == ["Metamorphosis", "The Trial"])
    // Three users have the id 1. The last one has the books.
    #expect(
      try library.rows("SELECT ZUSER, ZUSERID, count(*) FROM ZFILE JOIN ZUSER u ON u.Z_PK = ZUSER GROUP BY 1")
        == ["3|1|4"])
    let files = "SELECT hex(ZFILEURL) FROM"
    #expect(
      try library.rows("\(files) ZFILE ORDER BY 1")
        == Database.rows("\(files) ZBOOK ORDER BY 1", in: library.paths[0]))
    #expect(try Database.integrity(library.path) == ["ok"])
  }

  private static func mapping(
    _ name: String, _ source: ManagedObjectModel, _ destination: ManagedObjectModel
  ) throws -> MappingModel {
    try MappingModelFile(path: "\(folder)/\(name).xcmappingmodel")
      .mappingModel(source: source, destination: destination)
  }
}
