import Foundation
import SwiftData

typealias Book = LibrarySchemaV3.Book
typealias Author = LibrarySchemaV3.Author

/// The schema of version 3.0 of the app: a book says whether it is waiting, being read or finished.
enum LibrarySchemaV3: VersionedSchema {
  static let versionIdentifier = Schema.Version(3, 0, 0)
  static var models: [any PersistentModel.Type] { [Book.self, Author.self] }

  @Model final class Book {
    var title: String = ""
    var notes: String?
    /// The number of a `Progress`: an enumeration would need a value in every row before the closures of a stage run.
    var progressNumber: Int = 0
    var finished: Bool = false
    var added: Date
    var author: Author?

    var progress: Progress {
      get { Progress(rawValue: progressNumber) ?? .waiting }
      set { progressNumber = newValue.rawValue }
    }

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

  enum Progress: Int, Codable {
    case waiting, reading, finished
  }
}
