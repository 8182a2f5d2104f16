package import DataModel
package import Migration
internal import MigrationDiagnostics
internal import PersistentStore
internal import Policies
internal import TrackLibrary

/// The versions of the book library's data model, as `SampleData/Books/Books.xcdatamodeld` has them for Xcode.
package enum BooksModel {
  /// `User` and `Book`, with the name of the author and the place of the file in the book.
  package static let v1 = ManagedObjectModel.example(
    EntityDescription(
      "Book", attributes: [AttributeDescription("authorName", .string), fileURL, title],
      relationships: [toOne("user", "User", inverse: "books")]),
    EntityDescription(
      "User", attributes: [userID], relationships: [RelationshipDescription("books", to: "Book", inverse: "user")]))

  /// Authors are entities of their own, and a book may have several of them and several users.
  package static let v2 = ManagedObjectModel.example(
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
  package static let v3 = ManagedObjectModel.example(
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
  package static let all = [v1, v2, v3]

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

/// The mapping models between the versions of the book library.
///
/// The order of their entity mappings is the order of the work.
package enum BooksMapping {
  /// From version 1 to 2: the policy of books makes the authors.
  package static var v1ToV2: MappingModel {
    let (v1, v2) = (BooksModel.v1, BooksModel.v2)
    return MappingModel(entityMappings: [
      .example(from: ("User", v1), to: ("User", v2), relationships: [.relationship("books", by: "BookToBook")]),
      .exampleAddition("Author", in: v2),
      books(v1, v2, modelVersion: "2", relationships: ["authors", "users"].map(unmapped)),
    ])
  }

  /// From version 2 to 3, the users only: the policy of books, which comes in a second pass, looks for them.
  package static var v2ToV3User: MappingModel {
    MappingModel(entityMappings: [
      .example(from: ("User", BooksModel.v2), to: ("User", BooksModel.v3), relationships: [unmapped("files")])
    ])
  }

  /// From version 2 to 3, all but the users: the policy of books makes the files.
  package static var v2ToV3Rest: MappingModel {
    let (v2, v3) = (BooksModel.v2, BooksModel.v3)
    return MappingModel(entityMappings: [
      .exampleAddition("File", in: v3),
      books(
        v2, v3, modelVersion: "3",
        relationships: [.relationship("authors", by: "AuthorToAuthor"), unmapped("files")]),
      .example(from: ("Author", v2), to: ("Author", v3), relationships: [.relationship("books", by: "BookToBook")]),
    ])
  }

  private static func books(
    _ source: ManagedObjectModel, _ destination: ManagedObjectModel, modelVersion: String,
    relationships: [PropertyMapping]
  ) -> EntityMapping {
    var mapping = EntityMapping.example(
      from: ("Book", source), to: ("Book", destination), policy: BookToBookMigrationPolicy.className,
      relationships: relationships)
    mapping.userInfo = ["modelVersion": modelVersion]
    return mapping
  }

  /// A relationship that the policy sets.
  private static func unmapped(_ name: String) -> PropertyMapping { PropertyMapping(name: name, valueExpression: nil) }
}

/// A book in version 1.
private struct BookRow {
  var title: String?
  var authorName: String?
  /// An archive, as a transformable attribute keeps it.
  var fileURL: [UInt8]?
  /// The primary key of the user.
  var user: Int64?

  init(_ title: String?, by authorName: String? = "Ada Vale", file: String? = nil, user: Int64? = 1) {
    self.title = title
    self.authorName = authorName
    fileURL = ArchivedText.bytes(file ?? "\(title ?? "Untitled").epub")
    self.user = user
  }
}

/// The users and books at the start of a library with oddities.
private enum BookOddity {
  /// The `userId`s of users that follow the ordinary ones: a duplicate, none, and extremes.
  ///
  /// The last of these users has no book.
  static let userIDs: [Int64?] = [1, nil, 0, -7, Int64(Int32.max)]

  /// The books.
  ///
  /// - Parameter firstUser: The primary key of the first of the users above.
  static func books(firstUser: Int64) -> [BookRow] {
    var withoutFile = BookRow("A book without a file")
    withoutFile.fileURL = nil
    var withoutAnything = BookRow(nil, by: nil, user: nil)
    withoutAnything.fileURL = nil
    var withEmptyFile = BookRow("A book whose file URL is empty data")
    withEmptyFile.fileURL = []
    var withUnreadableFile = BookRow("A book whose file URL is no archive")
    withUnreadableFile.fileURL = Array("not an archive".utf8)
    return [
      BookRow("A book by the first author"),
      BookRow("Another book by the first author, of another user", user: 2),
      BookRow("A book without an author", by: nil),
      withoutFile,
      BookRow("A book without a user", user: nil),
      withoutAnything,
      BookRow("A book by an author in capitals", by: "ADA VALE"),
      BookRow("A book by an author in lower case", by: "ada vale"),
      BookRow("A book by an author with composed letters", by: "Zo\u{EB} \u{C5}kesson"),
      BookRow("A book by an author with decomposed letters", by: "Zoe\u{308} A\u{30A}kesson"),
      BookRow("Another book by the author with decomposed letters", by: "Zoe\u{308} A\u{30A}kesson"),
      BookRow("A book by an author with a space at the end", by: "Ada Vale "),
      BookRow("A book by an author whose name is empty", by: ""),
      BookRow("A book by an author who is named like a collection operator", by: "@count"),
      BookRow("A book by an author who is named like a key path", by: "@max.books.title"),
      BookRow("A book by an author with quotes", by: "Pat O'Dell \"P\" '; DROP TABLE ZBOOK; --"),
      BookRow("A book by an author in another script", by: "\u{FF5E}\u{5B87}\u{5B99} \u{82B1}\u{5B50}"),
      BookRow("A book with 👩🏽‍🚀📚 in its title", by: "👩🏽‍🚀"),
      BookRow("A book with\ntwo lines in its title"),
      BookRow(""),
      withEmptyFile,
      withUnreadableFile,
      BookRow("A book of a user whose id another user has", user: firstUser),
      BookRow("A book of a user without an id", user: firstUser + 1),
      BookRow("A book of user 0", user: firstUser + 2),
      BookRow("A book of a user with a negative id", user: firstUser + 3),
    ]
  }
}

/// Writes the rows of a book library.
struct BookWriter {
  private static let givenNames = ["Ana", "Boris", "Chidi", "Dora", "Emil", "Fatma", "Goran", "Hana", "Ilse", "Jun"]
  private static let familyNames = [
    "Abel", "Børresen", "Castro", "Đurić", "Eze", "Fónagy", "Güler", "Håkansson", "Ito", "Joubert", "Квас", "Łuczak",
  ]
  private static let adjectives = ["Blue", "Distant", "Early", "Hidden", "Last", "Narrow", "Quiet", "Second"]
  private static let nouns = ["Bridge", "Garden", "Harbour", "Letter", "Orchard", "River", "Station", "Winter"]

  private let library: ExampleLibrary
  private let writer: StoreWriter
  /// One user for every ten books.
  private let ordinaryUserCount: Int64

  init(_ library: ExampleLibrary, _ writer: StoreWriter) {
    self.library = library
    self.writer = writer
    ordinaryUserCount = Int64(max(2, library.count / 10))
  }

  func insert() throws(MigrationError) {
    try insertUsers()
    let inserter = try writer.inserter(
      forEntityNamed: "Book", properties: ["title", "authorName", "fileURL", "user"])
    let oddities = library.includesOddities ? BookOddity.books(firstUser: ordinaryUserCount + 1) : []
    for index in 0..<library.count {
      try library.report(index)
      let book = index < oddities.count ? oddities[index] : ordinaryBook(index)
      try inserter.insert(
        primaryKey: Int64(index + 1),
        values: [
          ColumnValue(book.title), ColumnValue(book.authorName), ColumnValue(book.fileURL), ColumnValue(book.user),
        ])
    }
    try library.report(library.count)
  }

  private func insertUsers() throws(MigrationError) {
    guard library.count > 0 else { return }
    let inserter = try writer.inserter(forEntityNamed: "User", properties: ["userId"])
    for key in 1...ordinaryUserCount {
      try inserter.insert(primaryKey: key, values: [.integer(key)])
    }
    guard library.includesOddities else { return }
    for (index, userID) in BookOddity.userIDs.enumerated() {
      try inserter.insert(primaryKey: ordinaryUserCount + 1 + Int64(index), values: [ColumnValue(userID)])
    }
  }

  private func ordinaryBook(_ index: Int) -> BookRow {
    var random = SplitMix64(seed: library.seed, purpose: .track, index: index)
    func one(of words: [String]) -> String { words[random.below(words.count)] }
    let author = "\(one(of: Self.givenNames)) \(one(of: Self.familyNames))"
    let title = "The \(one(of: Self.adjectives)) \(one(of: Self.nouns)), volume \(index + 1)"
    return BookRow(title, by: author, user: 1 + Int64(random.below(Int(ordinaryUserCount))))
  }
}
