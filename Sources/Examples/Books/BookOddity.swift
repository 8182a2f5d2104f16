/// The users and books that a library of oddities begins with.
enum BookOddity {
  /// The `userId`s of users that come after the ordinary ones: one that another has too, none, and extremes.
  ///
  /// The last of them has no book.
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
