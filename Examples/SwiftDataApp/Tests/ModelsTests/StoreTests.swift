import Foundation
import SwiftData
import Testing

@testable import Models

/// The app's own code on Linux: with a store in memory, a new one, and one of an older version.
@Suite struct StoreTests {
  private let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)

  init() throws { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) }

  private func container(_ name: String) throws -> ModelContainer {
    try ModelContainer(
      for: Schema(versionedSchema: LibrarySchemaV3.self), migrationPlan: LibraryMigrationPlan.self,
      configurations: ModelConfiguration(url: folder.appending(path: name)))
  }

  /// Inserts two books of one author, and saves.
  private func fill(_ context: ModelContext) throws {
    let author = Author(name: "Ada")
    context.insert(author)
    for (place, title) in ["First", "Second"].enumerated() {
      let book = Book(title: title, added: Date(timeIntervalSinceReferenceDate: Double(place)))
      book.author = author
      book.progress = place == 0 ? .reading : .waiting
      context.insert(book)
    }
    try context.save()
  }

  @Test func `A store in memory keeps what is saved`() throws {
    let container = try ModelContainer(
      for: Book.self, Author.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let context = ModelContext(container)
    try fill(context)
    // Another context sees what was saved, and what is saved later.
    let other = ModelContext(container)
    let books = try other.fetch(FetchDescriptor<Book>(sortBy: [SortDescriptor(\.title)]))
    #expect(books.map(\.title) == ["First", "Second"])
    #expect(books.map(\.author?.name) == ["Ada", "Ada"])
    let descriptor = FetchDescriptor<Book>(predicate: #Predicate { $0.title == "Second" })
    try context.fetch(descriptor).first?.title = "Last"
    #expect(try other.fetchCount(descriptor) == 1)
    try context.save()
    #expect(try other.fetchCount(descriptor) == 0)
    #expect(books.map(\.title) == ["First", "Last"])
    // The author's books go with it.
    try context.fetch(FetchDescriptor<Author>()).forEach { context.delete($0) }
    try context.save()
    #expect(try other.fetchCount(FetchDescriptor<Book>()) == 0)
  }

  @Test func `A new store is a file that is read again`() throws {
    try fill(ModelContext(container("New.store")))
    let context = ModelContext(try container("New.store"))
    let authors = try context.fetch(FetchDescriptor<Author>())
    #expect(authors.map(\.name) == ["Ada"])
    #expect(Set(authors.flatMap(\.books).map(\.title)) == ["First", "Second"])
    #expect(try context.fetch(FetchDescriptor<Book>()).filter { $0.progress == .reading }.count == 1)
    // It exists now, and is not changed.
    context.insert(Author(name: "Bob"))
    let error = #expect(throws: (any Error).self) { try context.save() }
    #expect("\(error.map { "\($0)" } ?? "")".contains("cannot be saved here"))
    context.rollback()
    #expect(try context.fetchCount(FetchDescriptor<Author>()) == 1)
  }

  @Test func `A save that fails changes nothing, and the next one has the same changes`() throws {
    let container = try container("Unique.store")
    let context = ModelContext(container)
    try fill(context)
    let double = Author(name: "Ada")
    context.insert(double)
    #expect(throws: (any Error).self) { try context.save() }
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Author>()) == 1)
    double.name = "Bob"
    try context.save()
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Author>()) == 2)
  }

  @Test func `A store of the first version is migrated by the plan, and its closure runs`() throws {
    let old = try ModelContainer(
      for: Schema(versionedSchema: LibrarySchemaV1.self),
      configurations: ModelConfiguration(url: folder.appending(path: "Old.store")))
    let context = ModelContext(old)
    let author = LibrarySchemaV1.Author(name: "Ada")
    let book = LibrarySchemaV1.Book(name: "First", added: Date(timeIntervalSinceReferenceDate: 1))
    (book.author, book.finished) = (author, true)
    context.insert(book)
    try context.save()
    let books = try ModelContext(container("Old.store")).fetch(FetchDescriptor<Book>())
    #expect(books.map(\.title) == ["First"] && books.first?.progress == .finished && books.first?.author?.name == "Ada")
  }

  @Test func `A store that a migration of the command has made is opened`() throws {
    guard let path = ProcessInfo.processInfo.environment["MIGRATED_STORE"] else { return }
    let container = try ModelContainer(
      for: Schema(versionedSchema: LibrarySchemaV3.self), migrationPlan: LibraryMigrationPlan.self,
      configurations: ModelConfiguration(url: URL(filePath: path)))
    let books = try ModelContext(container).fetch(FetchDescriptor<Book>())
    #expect(!books.isEmpty && books.allSatisfy { ($0.progress == .finished) == $0.finished })
  }
}
