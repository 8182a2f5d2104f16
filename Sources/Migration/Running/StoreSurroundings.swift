package import DataModel
package import Diagnostics
public import PersistentStore

/// What a store's file holds besides the instances of its model, and what lies beside it.
public struct StoreSurroundings: Sendable {
  /// The tables and columns that the model knows nothing of.
  public let foreignContent: [StoreReader.ForeignContent]
  /// What else is there that is not carried over, such as views and triggers.
  public let uncopied: [UncopiedContent]
  /// The values whose files are not there.
  public let missingFiles: [StoreReader.ExternalFile]
  /// The relationships with links to instances that are not there, which are left out.
  public let danglingLinks: [ValidationFailure]

  /// Looks at a store that was written with a model.
  package init(_ store: StoreReader, model: ManagedObjectModel) throws(MigrationError) {
    let schema = try StoreSchema(model, asFoundIn: store)
    foreignContent = try store.foreignContent(besides: schema)
    uncopied = try store.uncopiedContent(besides: schema)
    missingFiles = try store.missingExternalFiles(in: schema)
    danglingLinks = try StoreValidator(schema, store.connection, path: store.file.path).danglingLinks()
  }

  /// The app's own tables, which are carried over.
  public var appTables: [String] { foreignContent.filter { $0.kind == .app }.map(\.name) }

  /// What is not carried over: persistent history and mirrors, whose rows name instances by numbers that a migration
  /// gives anew, and columns that the model does not have.
  public var leftBehind: [StoreReader.ForeignContent] {
    foreignContent.filter { $0.kind != .app && $0.kind != .spatialIndex }
  }

  /// What a strict migration stops at.
  package var losses: String? {
    let lost = leftBehind.map { "\($0.name) (\($0.count))" }
    if !lost.isEmpty { return "the model has no place for what is in \(lost.joined(separator: ", "))" }
    if let loss = uncopied.loss { return loss }
    let dangling = danglingLinks.map { "\($0.entity).\($0.property) (\($0.count))" }
    if !dangling.isEmpty { return "links lead to nothing that is there: \(dangling.joined(separator: ", "))" }
    guard let missing = missingFiles.first else { return nil }
    let example = "that of \(missing.entityName) \(missing.primaryKey), \(missing.attributeName)"
    return missingFiles.count == 1
      ? "the file of a value is not there: \(example)"
      : "the files of \(missingFiles.count) values are not there, such as \(example)"
  }
}

extension [UncopiedContent] {
  /// What a strict migration says of it.
  var loss: String? {
    guard !isEmpty else { return nil }
    return map { "'\($0.name)' cannot be carried over: \($0.reason.explanation)" }.joined(separator: "; ")
  }
}
