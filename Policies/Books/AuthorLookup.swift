internal import Migration

/// The authors that were made so far, by their names.
///
/// Names are compared byte by byte, as `NSString` compares them: case matters, and a composed letter differs from a
/// decomposed one. Only identities are kept, so that authors may go out of memory.
final class AuthorLookup {
  private var authors: [[UInt8]: ManagedObjectID] = [:]

  /// The lookup of a migration, which lies in its `userInfo` under "authors": other mappings and later mapping models
  /// find the same authors.
  static func shared(by manager: MigrationManager) -> AuthorLookup {
    if let lookup = manager.userInfo["authors"] as? AuthorLookup { return lookup }
    let lookup = AuthorLookup()
    manager.userInfo["authors"] = lookup
    return lookup
  }

  /// The author of a name.
  subscript(name: String) -> ManagedObjectID? {
    get { authors[Array(name.utf8)] }
    set { authors[Array(name.utf8)] = newValue }
  }
}
