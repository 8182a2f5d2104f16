internal import CoreDataExpressions
internal import DataModel
package import Migration

/// Migrates books in one of two ways, selected by `modelVersion` in the mapping's user info.
///
/// With `2`, the book's `authorName` becomes an `Author`, one for each name. With `3`, the book's `fileURL` moves to a
/// `File` for each user that has the book; the users must have been migrated before. With anything else, or nothing,
/// books are migrated as the mapping says.
package final class BookToBookMigrationPolicy: EntityMigrationPolicy {
  /// The name that mapping models use.
  package static let className = "BookToBookMigrationPolicy"

  /// The attributes that both entities have.
  private var sharedAttributes: [String] = []
  /// The destination's users by their `userId`, as far as books have asked for them.
  private var usersByID: [Int64: (all: Set<ManagedObjectID>, last: ManagedObjectID?)] = [:]

  override public func begin(_ mapping: EntityMapping, with manager: MigrationManager) throws {
    let source = mapping.sourceEntityName.flatMap { manager.sourceModel.entity(named: $0) }
    let destination = mapping.destinationEntityName.flatMap { manager.destinationModel.entity(named: $0) }
    let names = Set(source?.attributes.map(\.name) ?? [])
    sharedAttributes = destination?.attributes.map(\.name).filter { names.contains($0) } ?? []
  }

  override public func createDestinationInstances(
    forSource sInstance: ManagedObject, in mapping: EntityMapping, manager: MigrationManager
  ) throws {
    let modelVersion = mapping.userInfo["modelVersion"]
    guard modelVersion == "2" || modelVersion == "3", let entity = mapping.destinationEntityName else {
      return try super.createDestinationInstances(forSource: sInstance, in: mapping, manager: manager)
    }
    let book = try manager.destinationContext.insertNewObject(forEntityName: entity)
    for name in sharedAttributes {
      // Attributes that the source does not have keep their defaults.
      guard let value = sInstance.value(forKey: name) else { continue }
      book.setValue(value, forKey: name)
    }
    if modelVersion == "2" {
      try addAuthor(to: book, of: sInstance, manager)
    } else {
      try addFiles(to: book, of: sInstance, manager)
    }
    manager.associate(sourceInstance: sInstance, withDestinationInstance: book, for: mapping)
  }

  // Version 2.

  private func addAuthor(to book: ManagedObject, of source: ManagedObject, _ manager: MigrationManager) throws {
    guard case .string(let name)? = source.value(forKey: "authorName") else {
      manager.statistics.count(BookCounter.booksWithoutAuthor)
      manager.statistics.addExample(Self.title(of: source), to: BookCounter.booksWithoutAuthor)
      return
    }
    let lookup = AuthorLookup.shared(by: manager)
    let author: ManagedObject
    if let known = lookup[name].flatMap({ manager.destinationContext.object(with: $0) }) {
      author = known
    } else {
      author = try manager.destinationContext.insertNewObject(forEntityName: "Author")
      author.setValue(.string(name), forKey: "name")
      lookup[name] = author.objectID
    }
    book.setInstances([author], forKey: "authors")
    Self.associate(author, with: source, manager)
  }

  // Version 3.

  private func addFiles(to book: ManagedObject, of source: ManagedObject, _ manager: MigrationManager) throws {
    let fileURL = source.value(forKey: "fileURL")
    let users = source.instances(forKey: "users")
    if users.isEmpty, fileURL != nil {
      manager.statistics.count(BookCounter.lostFileURLs)
      manager.statistics.addExample(Self.title(of: source), to: BookCounter.lostFileURLs)
    }
    for user in users {
      let file = try manager.destinationContext.insertNewObject(forEntityName: "File")
      file.setValue(fileURL, forKey: "fileURL")
      file.setInstances([book], forKey: "book")
      if let owner = try destinationUser(of: user, havingBook: source, manager) {
        file.setInstances([owner], forKey: "user")
      } else {
        manager.statistics.count(BookCounter.filesWithoutUser)
        manager.statistics.addExample(Self.title(of: source), to: BookCounter.filesWithoutUser)
      }
      Self.associate(file, with: source, manager)
    }
  }

  /// The destination user with the `userId` of a source user.
  ///
  /// If several users have it, or the user has none, the result is the user created from this source user; failing
  /// that, the last one.
  private func destinationUser(
    of user: ManagedObject, havingBook book: ManagedObject, _ manager: MigrationManager
  ) throws -> ManagedObject? {
    guard case .integer(let userID)? = user.value(forKey: "userId") else {
      return Self.descendants(of: user, manager).last
    }
    let users = try users(withID: userID, manager)
    guard users.all.count > 1 else { return users.last.flatMap { manager.destinationContext.object(with: $0) } }
    manager.statistics.count(BookCounter.sharedUserIDs)
    manager.statistics.addExample(Self.title(of: book), to: BookCounter.sharedUserIDs)
    return Self.descendants(of: user, manager).last { users.all.contains($0.objectID) }
      ?? users.last.flatMap { manager.destinationContext.object(with: $0) }
  }

  private func users(
    withID userID: Int64, _ manager: MigrationManager
  ) throws -> (all: Set<ManagedObjectID>, last: ManagedObjectID?) {
    if let users = usersByID[userID] { return users }
    let request = FetchRequest(
      entityName: "User", predicate: .compare(.key("userId"), .equal, .constant(.integer(userID))))
    let found = try manager.destinationContext.fetch(request).map(\.objectID)
    let users = (all: Set(found), last: found.last)
    usersByID[userID] = users
    return users
  }

  /// Returns the destinations of an instance, under any mapping.
  private static func descendants(of instance: ManagedObject, _ manager: MigrationManager) -> [ManagedObject] {
    manager.mappingModels.flatMap(\.entityMappings).filter { $0.sourceEntityName == instance.entity.name }
      .flatMap { manager.destinationInstances(forEntityMappingName: $0.name, sourceInstances: [instance]) }
  }

  // Both versions.

  /// Records the source of an author or a file, under the mapping that has its entity and no source of its own.
  ///
  /// The mapping of books cannot record it: it would connect authors and files as if they were books.
  private static func associate(_ instance: ManagedObject, with source: ManagedObject, _ manager: MigrationManager) {
    let mapping = manager.mappingModel.entityMappings.first { mapping in
      mapping.sourceEntityName == nil && mapping.destinationEntityName == instance.entity.name
    }
    guard let mapping else { return }
    manager.associate(sourceInstance: source, withDestinationInstance: instance, for: mapping)
  }

  /// The name of a book in messages.
  private static func title(of book: ManagedObject) -> String {
    guard case .string(let title)? = book.value(forKey: "title") else { return "book \(book.objectID.primaryKey)" }
    return "book \(book.objectID.primaryKey) '\(title.prefix(80))'"
  }
}

/// The authors created so far, by name.
///
/// Names are compared byte by byte, as `NSString` compares them: case matters, and a composed letter differs from a
/// decomposed one. Only IDs are kept, so that authors can be released from memory.
private final class AuthorLookup {
  private var authors: [[UInt8]: ManagedObjectID] = [:]

  /// The lookup of a migration, stored in its `userInfo` under "authors", so that other mappings and later mapping
  /// models find the same authors.
  static func shared(by manager: MigrationManager) -> AuthorLookup {
    if let lookup = manager.userInfo["authors"] as? AuthorLookup { return lookup }
    let lookup = AuthorLookup()
    manager.userInfo["authors"] = lookup
    return lookup
  }

  /// The author with a name.
  subscript(name: String) -> ManagedObjectID? {
    get { authors[Array(name.utf8)] }
    set { authors[Array(name.utf8)] = newValue }
  }
}

/// The names of what the book policy counts, in `MigrationStatistics`.
package enum BookCounter {
  /// Books without an `authorName`, for which no author is made.
  package static let booksWithoutAuthor = "books_without_author"
  /// Books whose `fileURL` is lost because no user has them: a file belongs to a book and a user.
  package static let lostFileURLs = "lost_file_urls"
  /// Files whose user shares its `userId` with others, so that the id alone does not tell which one is meant.
  package static let sharedUserIDs = "shared_user_ids"
  /// Files that are left without a user, because no user of the destination is the one that has the book.
  package static let filesWithoutUser = "files_without_user"
}
