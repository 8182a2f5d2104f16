import CoreDataExpressions
import DataModel
import Migration
import MigrationDiagnostics
import Policies
import Samples
import TestSupport
import Testing

/// Migrations of the book library, one version at a time.
struct BookMigrationTests {
  private static let authorsOfBooks = """
    SELECT b.Z_PK, a.ZNAME FROM ZBOOK b LEFT JOIN Z_1BOOKS j ON j.Z_2BOOKS = b.Z_PK
    LEFT JOIN ZAUTHOR a ON a.Z_PK = j.Z_1AUTHORS ORDER BY 1
    """

  // To version 2.

  @Test func `Every distinct author name becomes one author, by exact comparison`() throws {
    let library = try ExampleMigration(.books, count: 26)
    let statistics = try library.migrate(to: BooksModel.v2, by: BooksMapping.v1ToV2)
    #expect(
      try library.rows("SELECT Z_PK, ZNAME, count(*) FROM ZAUTHOR JOIN Z_1BOOKS ON Z_1AUTHORS = Z_PK GROUP BY 1") == [
        "1|Ada Vale|12", "2|ADA VALE|1", "3|ada vale|1", "4|Zo\u{EB} \u{C5}kesson|1", "5|Zoe\u{308} A\u{30A}kesson|2",
        "6|Ada Vale |1", "7||1", "8|@count|1", "9|@max.books.title|1",
        "10|Pat O'Dell \"P\" '; DROP TABLE ZBOOK; --|1", "11|\u{FF5E}\u{5B87}\u{5B99} \u{82B1}\u{5B50}|1", "12|👩🏽‍🚀|1",
      ])
    // Composed and decomposed letters, which are equal in Swift.
    #expect(try library.rows("SELECT length(CAST(ZNAME AS BLOB)) FROM ZAUTHOR WHERE Z_PK IN (4, 5)") == ["13", "15"])
    #expect(statistics.destinationInstanceCounts == ["Author": 12, "Book": 26, "User": 7])
    #expect(statistics.counters == [BookCounter.booksWithoutAuthor: 2])
    #expect(
      statistics.examples[BookCounter.booksWithoutAuthor] == ["book 3 'A book without an author'", "book 6"])
    #expect(try Database.integrity(library.path) == ["ok"])
  }

  @Test func `A book without an author stays without one`() throws {
    let library = try ExampleMigration(.books, count: 6)
    try library.migrate(to: BooksModel.v2, by: BooksMapping.v1ToV2)
    #expect(
      try library.rows(Self.authorsOfBooks)
        == ["1|Ada Vale", "2|Ada Vale", "3|NULL", "4|Ada Vale", "5|Ada Vale", "6|NULL"])
  }

  @Test(arguments: [1, 2, 3] as [UInt64]) func `Everything else is kept byte for byte`(seed: UInt64) throws {
    let library = try ExampleMigration(.books, count: 400, seed: seed)
    try library.migrate(to: BooksModel.v2, by: BooksMapping.v1ToV2)
    let old = try Database.rows(
      "SELECT Z_PK, hex(ZTITLE), hex(ZFILEURL), ZUSER, hex(ZAUTHORNAME), ZAUTHORNAME IS NULL FROM ZBOOK ORDER BY 1",
      in: library.paths[0])
    let new = try library.rows(
      """
      SELECT b.Z_PK, hex(ZTITLE), hex(ZFILEURL), Z_3USERS, hex(ZNAME), ZNAME IS NULL FROM ZBOOK b
      LEFT JOIN Z_2USERS ON Z_2BOOKS1 = b.Z_PK LEFT JOIN Z_1BOOKS ON Z_2BOOKS = b.Z_PK
      LEFT JOIN ZAUTHOR a ON a.Z_PK = Z_1AUTHORS ORDER BY 1
      """)
    #expect(old == new)
    let users = "SELECT Z_PK, ZUSERID FROM ZUSER ORDER BY 1"
    #expect(try Database.rows(users, in: library.paths[0]) == library.rows(users))
    #expect(try library.rows("SELECT count(*) - count(DISTINCT CAST(ZNAME AS BLOB)) FROM ZAUTHOR") == ["0"])
  }

  @Test func `Consecutive mapping models share their authors`() throws {
    var first = BooksMapping.v1ToV2
    var second = MappingModel(entityMappings: [first.entityMappings[1], first.entityMappings[2]])
    first.entityMappings[2].filterPredicate = .compare(.key("title"), .lessThan, .constant(.string("A book t")))
    second.entityMappings[1].name = "OtherBookToBook"
    second.entityMappings[1].filterPredicate =
      .not(.compare(.key("title"), .lessThan, .constant(.string("A book t"))))
    let library = try ExampleMigration(.books, count: 2)
    try library.run("UPDATE ZBOOK SET ZTITLE = 'Z' WHERE Z_PK = 2")
    try library.migrate(to: BooksModel.v2, by: first, second)
    #expect(try library.rows(Self.authorsOfBooks) == ["1|Ada Vale", "2|Ada Vale"])
    #expect(try library.rows("SELECT count(*) FROM ZAUTHOR") == ["1"])
  }

  @Test func `A foreign value under the lookup's name does no harm`() throws {
    final class Policy: EntityMigrationPolicy {
      override func begin(_ mapping: EntityMapping, with manager: MigrationManager) throws {
        manager.userInfo["authors"] = "mine"
      }
    }
    let library = try ExampleMigration(.books, count: 2)
    library.policies.register("Begin") { Policy() }
    var mapping = BooksMapping.v1ToV2
    mapping.entityMappings[0].entityMigrationPolicyClassName = "Begin"
    try library.migrate(to: BooksModel.v2, by: mapping)
    #expect(try library.rows("SELECT ZNAME FROM ZAUTHOR") == ["Ada Vale"])
  }

  // Neither.

  @Test(arguments: ["1", "", "02", "two", nil] as [String?])
  func `Another model version migrates books by the mapping alone`(modelVersion: String?) throws {
    var mapping = BooksMapping.v1ToV2
    mapping.entityMappings[2].userInfo["modelVersion"] = modelVersion
    mapping.entityMappings[2].attributeMappings = [
      PropertyMapping(name: "title", valueExpression: .source("authorName"))
    ]
    let library = try ExampleMigration(.books, count: 2)
    try library.migrate(to: BooksModel.v2, by: mapping)
    #expect(try library.rows("SELECT ZTITLE, ZFILEURL FROM ZBOOK") == ["Ada Vale|NULL", "Ada Vale|NULL"])
    #expect(try library.rows("SELECT * FROM ZAUTHOR").isEmpty)
    #expect(try library.rows("SELECT Z_2BOOKS1, Z_3USERS FROM Z_2USERS") == ["1|1", "2|2"])
  }
}
