import Foundation
import SwiftData

/// The schema of version 2.0 of the app: a book's name became its title, and there may be notes.
enum LibrarySchemaV2: VersionedSchema {
  static let versionIdentifier = Schema.Version(2, 0, 0)
  static var models: [any PersistentModel.Type] { [Book.self, Author.self] }

  @Model final class Book {
    @Attribute(originalName: "name") var title: String = ""
    var notes: String?
    var finished: Bool = false
    var added: Date
    var author: Author?

    init(title: String, added: Date) {
      self.title = title
      self.added = added
    }
  }

  @Model final class Author {
    @Attribute(.unique) var name: String
    @Relationship(deleteRule: .cascade, inverse: \Book.author) var books: [Book] = []

    init(name: String) { self.name = name }
  }
}
