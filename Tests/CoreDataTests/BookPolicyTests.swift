import CoreData
import DataModel
import Migration
import TestSupport
import Testing

/// The policy of the books example, in Swift.
struct BookPolicyTests {
  private static let title = AttributeDescription("title", .string)
  private static let fileURL = AttributeDescription("fileURL", .string)
  private static let userId = AttributeDescription("userId", .integer32)

  private static func many(_ name: String, _ destination: String, _ inverse: String) -> RelationshipDescription {
    RelationshipDescription(name, to: destination, inverse: inverse)
  }

  private static let v1 = TrackModels.model([
    EntityDescription(
      "Book", attributes: [title, fileURL, AttributeDescription("authorName", .string)],
      relationships: [many("users", "User", "books")]),
    EntityDescription("User", attributes: [userId], relationships: [many("books", "Book", "users")]),
  ])

  private static let v2 = TrackModels.model([
    EntityDescription(
      "Author", attributes: [AttributeDescription("name", .string)], relationships: [many("books", "Book", "authors")]),
    EntityDescription(
      "Book", attributes: [title, fileURL],
      relationships: [many("authors", "Author", "books"), many("users", "User", "books")]),
    EntityDescription("User", attributes: [userId], relationships: [many("books", "Book", "users")]),
  ])

  private static let v3 = TrackModels.model([
    EntityDescription("Book", attributes: [title], relationships: [many("files", "File", "book")]),
    EntityDescription(
      "File", attributes: [fileURL],
      relationships: [
        RelationshipDescription("book", to: "Book", inverse: "files", maxCount: 1),
        RelationshipDescription("user", to: "User", inverse: "files", maxCount: 1),
      ]),
    EntityDescription("User", attributes: [userId], relationships: [many("files", "File", "user")]),
  ])

  private static let books = """
    INSERT INTO ZBOOK (Z_PK, Z_ENT, Z_OPT, ZTITLE, ZAUTHORNAME, ZFILEURL) VALUES
      (1, 1, 1, 'The Trial', 'Franz Kafka', 'a'), (2, 1, 1, 'The Castle', 'Franz Kafka', 'b'),
      (3, 1, 1, 'Emma', 'Jane Austen', NULL), (4, 1, 1, 'Anonymous', NULL, 'd'), (5, 1, 1, 'Odd', '@count', 'e');
    INSERT INTO ZUSER (Z_PK, Z_ENT, Z_OPT, ZUSERID) VALUES (1, 2, 1, 100), (2, 2, 1, 200);
    INSERT INTO Z_1USERS VALUES (1, 1), (1, 2), (2, 1);
    """

  private func fixture() throws -> PolicyFixture {
    var fixture = try PolicyFixture(Self.v1, Self.books)
    fixture.registry.register(MHWBookToBookPolicy.self)
    return fixture
  }

  @Test func `Books share authors through a lookup table in the user info`() throws {
    let fixture = try fixture()
    try fixture.migrate(
      to: Self.v2,
      fixture.mapping("Book", in: Self.v2, policy: "MHWBookToBookPolicy", userInfo: ["modelVersion": "2"]))
    #expect(
      try fixture.rows("SELECT ZNAME FROM ZAUTHOR ORDER BY Z_PK") == ["Franz Kafka", "Jane Austen", "@count"])
    #expect(
      try fixture.rows(
        """
        SELECT ZTITLE, ZNAME FROM ZBOOK JOIN Z_1BOOKS ON Z_2BOOKS = ZBOOK.Z_PK JOIN ZAUTHOR ON Z_1AUTHORS = ZAUTHOR.Z_PK
        ORDER BY ZBOOK.Z_PK
        """) == ["The Trial|Franz Kafka", "The Castle|Franz Kafka", "Emma|Jane Austen", "Odd|@count"])
    #expect(try fixture.rows("SELECT ZFILEURL FROM ZBOOK ORDER BY Z_PK") == ["a", "b", "NULL", "d", "e"])
  }

  @Test func `Two mappings share the user info`() throws {
    let fixture = try fixture()
    var first = fixture.mapping("Book", in: Self.v2, policy: "MHWBookToBookPolicy", userInfo: ["modelVersion": "2"])
    var second = first
    (first.name, second.name) = ("First", "Second")
    try fixture.migrate(to: Self.v2, first, second)
    #expect(try fixture.rows("SELECT count(*) FROM ZAUTHOR") == ["3"])
    #expect(try fixture.rows("SELECT count(*) FROM ZBOOK") == ["10"])
  }

  @Test func `Another model version is left to the default policy`() throws {
    let fixture = try fixture()
    try fixture.migrate(to: Self.v2, fixture.mapping("Book", in: Self.v2, policy: "MHWBookToBookPolicy"))
    #expect(try fixture.rows("SELECT count(*) FROM ZAUTHOR") == ["0"])
    #expect(try fixture.rows("SELECT ZTITLE, ZFILEURL FROM ZBOOK WHERE Z_PK = 2") == ["The Castle|b"])
  }

  @Test func `Files belong to the users that a fetch by number finds`() throws {
    let fixture = try fixture()
    try fixture.migrate(
      to: Self.v3, fixture.mapping("User", in: Self.v3),
      fixture.mapping("Book", in: Self.v3, policy: "MHWBookToBookPolicy", userInfo: ["modelVersion": "3"]))
    #expect(
      try fixture.rows(
        """
        SELECT ZTITLE, ZFILEURL, ZUSERID FROM ZFILE JOIN ZBOOK ON ZBOOK.Z_PK = ZBOOK JOIN ZUSER ON ZUSER.Z_PK = ZUSER
        ORDER BY 2, 3
        """) == ["The Trial|a|100", "The Trial|a|200", "The Castle|b|100"])
  }
}
