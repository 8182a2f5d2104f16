public import DataModel

/// The versions of the book library's data model, as `SampleData/Books/Books.xcdatamodeld` has them for Xcode.
public enum BooksModel {
  /// `User` and `Book`, with the name of the author and the place of the file in the book.
  public static let v1 = ManagedObjectModel.example(
    EntityDescription(
      "Book", attributes: [AttributeDescription("authorName", .string), fileURL, title],
      relationships: [toOne("user", "User", inverse: "books")]),
    EntityDescription(
      "User", attributes: [userID], relationships: [RelationshipDescription("books", to: "Book", inverse: "user")]))

  /// Authors are entities of their own, and a book may have several of them and several users.
  public static let v2 = ManagedObjectModel.example(
    author,
    EntityDescription(
      "Book", attributes: [fileURL, title],
      relationships: [
        authors, RelationshipDescription("users", to: "User", inverse: "books"),
      ]),
    EntityDescription(
      "User", attributes: [userID],
      relationships: [RelationshipDescription("books", to: "Book", inverse: "users", deleteRule: .cascade)]))

  /// Files stand between users and books.
  public static let v3 = ManagedObjectModel.example(
    author,
    EntityDescription(
      "Book", attributes: [title],
      relationships: [authors, RelationshipDescription("files", to: "File", inverse: "book")]),
    EntityDescription(
      "File", attributes: [fileURL],
      relationships: [toOne("book", "Book", inverse: "files"), toOne("user", "User", inverse: "files")]),
    EntityDescription(
      "User", attributes: [userID], relationships: [RelationshipDescription("files", to: "File", inverse: "user")]))

  /// All versions, in order.
  public static let all = [v1, v2, v3]

  private static let fileURL = AttributeDescription("fileURL", .transformable)
  private static let title = AttributeDescription("title", .string)
  private static let userID = AttributeDescription("userId", .integer32, defaultValue: .integer(0))
  private static let authors = RelationshipDescription("authors", to: "Author", inverse: "books")
  private static let author = EntityDescription(
    "Author", attributes: [AttributeDescription("name", .string)],
    relationships: [RelationshipDescription("books", to: "Book", inverse: "authors")])

  private static func toOne(_ name: String, _ destination: String, inverse: String) -> RelationshipDescription {
    RelationshipDescription(name, to: destination, inverse: inverse, minCount: 1, maxCount: 1)
  }
}
