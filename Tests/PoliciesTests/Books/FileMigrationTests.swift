import DataModel
import Migration
import Policies
import Samples
import TestSupport
import Testing

/// The step from version 2 to 3, which moves the files of books to an entity of their own.
struct FileMigrationTests {
  private static let files =
    "SELECT ZBOOK, ZUSER, ZUSERID, hex(ZFILEURL) FROM ZFILE LEFT JOIN ZUSER u ON u.Z_PK = ZUSER"

  /// Makes a version 2 library of books with one user each, altered by a statement.
  private func library(books count: Int, _ sql: String = "") throws -> ExampleMigration {
    let library = try ExampleMigration(.books, count: count)
    try library.migrate(to: BooksModel.v2, by: BooksMapping.v1ToV2)
    try library.run(sql)
    return library
  }

  @discardableResult
  private func migrate(_ library: ExampleMigration) throws -> MigrationStatistics {
    try library.migrate(to: BooksModel.v3, by: BooksMapping.v2ToV3User, BooksMapping.v2ToV3Rest)
  }

  @Test func `A book of several users has a file for each user`() throws {
    let library = try library(
      books: 2,
      """
      UPDATE ZBOOK SET ZFILEURL = CASE Z_PK WHEN 1 THEN x'01' ELSE x'02' END;
      DELETE FROM Z_2USERS; INSERT INTO Z_2USERS VALUES (1, 1), (1, 2), (1, 6), (2, 2);
      """)
    let statistics = try migrate(library)
    #expect(try library.rows(Self.files) == ["1|1|1|01", "1|2|2|01", "1|6|-7|01", "2|2|2|02"])
    #expect(statistics.destinationInstanceCounts == ["Author": 1, "Book": 2, "File": 4, "User": 7])
    #expect(statistics.linkCounts == ["Z_1BOOKS": 2])
    #expect(statistics[MigrationManager.unassociatedCounter] == 0)
    #expect(try library.rows("SELECT Z_NAME, Z_MAX FROM Z_PRIMARYKEY") == ["Author|1", "Book|2", "File|4", "User|7"])
    #expect(try Database.integrity(library.path) == ["ok"])
  }

  @Test(arguments: [4, 5] as [UInt64]) func `Books keep their files, users and authors`(seed: UInt64) throws {
    let library = try ExampleMigration(.books, count: 300, seed: seed)
    try library.migrate(to: BooksModel.v2, by: BooksMapping.v1ToV2)
    let statistics = try migrate(library)
    let old = try Database.rows(
      "SELECT Z_PK, hex(ZTITLE), hex(ZFILEURL), ZUSER FROM ZBOOK WHERE ZUSER NOTNULL ORDER BY 1", in: library.paths[0])
    #expect(
      try library.rows(
        "SELECT b.Z_PK, hex(ZTITLE), hex(ZFILEURL), ZUSER FROM ZFILE JOIN ZBOOK b ON b.Z_PK = ZBOOK ORDER BY 1") == old)
    let authors = "SELECT a.ZNAME, j.Z_2BOOKS FROM ZAUTHOR a JOIN Z_1BOOKS j ON j.Z_1AUTHORS = a.Z_PK ORDER BY 2, 1"
    #expect(try library.rows(authors) == Database.rows(authors, in: library.paths[1]))
    #expect(statistics[BookCounter.lostFileURLs] == 1)
    #expect(statistics.examples[BookCounter.lostFileURLs] == ["book 5 'A book without a user'"])
    #expect(statistics[BookCounter.filesWithoutUser] == 0)
  }

  @Test func `A user without an id or with a duplicate one stays the same user`() throws {
    let library = try library(
      books: 3, "DELETE FROM Z_2USERS; INSERT INTO Z_2USERS VALUES (1, 1), (2, 3), (3, 4)")
    let statistics = try migrate(library)
    // Users 1 and 3 share an id, and user 4 has none.
    #expect(try library.rows("SELECT ZBOOK, ZUSER FROM ZFILE") == ["1|1", "2|3", "3|4"])
    #expect(statistics[BookCounter.sharedUserIDs] == 2)
  }

  @Test func `Users that are migrated after the books are not found`() throws {
    let library = try library(books: 2)
    let statistics = try library.migrate(to: BooksModel.v3, by: BooksMapping.v2ToV3Rest, BooksMapping.v2ToV3User)
    #expect(try library.rows("SELECT ZBOOK, ZUSER FROM ZFILE") == ["1|NULL", "2|NULL"])
    #expect(statistics[BookCounter.filesWithoutUser] == 2)
    #expect(statistics.examples[BookCounter.filesWithoutUser]?.first == "book 1 'A book by the first author'")
  }

  @Test func `A user replaced by another is found by its id`() throws {
    // The first pass leaves out user 1. User 3 has the same id.
    var users = BooksMapping.v2ToV3User
    users.entityMappings[0].filterPredicate = try .init(format: "SELF.books.@count == 0")
    let library = try library(books: 1)
    try library.migrate(to: BooksModel.v3, by: users, BooksMapping.v2ToV3Rest)
    #expect(
      try library.rows("SELECT ZBOOK, ZUSERID FROM ZFILE JOIN ZUSER u ON u.Z_PK = ZUSER") == ["1|1"])
  }

  @Test func `An empty library is migrated`() throws {
    let library = try ExampleMigration(.books, count: 0)
    try library.migrate(to: BooksModel.v2, by: BooksMapping.v1ToV2)
    #expect(try migrate(library).destinationInstanceCounts.isEmpty)
    #expect(try library.rows("SELECT Z_NAME, Z_MAX FROM Z_PRIMARYKEY") == ["Author|0", "Book|0", "File|0", "User|0"])
  }
}
