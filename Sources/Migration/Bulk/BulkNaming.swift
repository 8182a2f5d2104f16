internal import DataModel
internal import Expressions
internal import PersistentStore

/// The names of the attached source's tables.
///
/// Values of attributes that may lie in files are not what their columns hold, so these cannot be computed with.
struct BulkNaming: SQLNaming {
  private let naming: SchemaNaming
  private let findsExternalData: Bool

  let databaseName: String? = StoreWriter.sourceDatabaseName

  /// Creates the names.
  ///
  /// - Parameters:
  ///   - schema: How the source is laid out.
  ///   - findsExternalData: Whether attributes that may lie in files can at least be compared with nil.
  init(_ schema: StoreSchema, findsExternalData: Bool) {
    naming = SchemaNaming(schema)
    self.findsExternalData = findsExternalData
  }

  var keepsTextAsUTF8: Bool { naming.keepsTextAsUTF8 }

  func property(_ key: String, of entity: String) -> SQLProperty? {
    guard let found = naming.property(key, of: entity) else { return nil }
    guard case .attribute(let column, _) = found,
      naming.schema.model.entity(named: entity)?.attribute(named: key)?.allowsExternalBinaryDataStorage == true
    else { return found }
    return findsExternalData ? .attribute(column: column, type: .other) : nil
  }
}
