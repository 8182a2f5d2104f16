import Foundation
import SwiftData

/// The schema of version 1.0 of the app.
enum LibrarySchemaV1: VersionedSchema {
  static let versionIdentifier = Schema.Version(1, 0, 0)
  static var models: [any PersistentModel.Type] { [Book.self, Author.self] }

  @Model final class Book {
    var name: String
    var finished: Bool = false
    var added: Date
    var author: Author?

    init(name: String, added: Date) {
      self.name = name
      self.added = added
    }
  }

  @Model final class Author {
    @Attribute(.unique) var name: String
    @Relationship(deleteRule: .cascade, inverse: \Book.author) var books: [Book] = []

    init(name: String) { self.name = name }
  }
}
