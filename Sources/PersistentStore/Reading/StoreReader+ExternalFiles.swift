internal import DataModel
public import Diagnostics
internal import SQLite

extension StoreReader {
  /// A value that lies in a file beside the store.
  public struct ExternalFile: Sendable, Hashable {
    /// The entity that declares the attribute.
    public let entityName: String
    /// The attribute.
    public let attributeName: String
    /// The primary key of the instance.
    public let primaryKey: Int64
    /// The name of the file in the store's folder for such files.
    public let fileName: String
  }

  /// The values of an attribute, own or inherited, that lie in files, in the order of primary keys.
  ///
  /// - Parameter schema: The layout of this store.
  public func externalFiles(
    ofAttribute attribute: String, ofEntityNamed entity: String, in schema: StoreSchema
  ) throws(MigrationError) -> [ExternalFile] {
    guard let table = schema.table(forEntityNamed: entity),
      let column = schema.column(forProperty: attribute, ofEntityNamed: entity)
    else { return [] }
    let name = column.name.quotedIdentifier
    let entities = table.entityNames.filter { schema.model.lineage(of: $0).contains(entity) }
    // Where the table holds one entity only, its rows are that entity's, whatever their Z_ENT says.
    let isOnlyEntity = entities.count == table.entityNames.count
    let numbers = entities.map { "\(schema.entityNumber($0))" }.joined(separator: ", ")
    // Large values stay in the file: the form is checked before a value is read.
    let sql = """
      SELECT Z_PK, \(name) FROM \(table.name.quotedIdentifier)
      WHERE typeof(\(name)) = 'blob' AND length(\(name)) = 38\(isOnlyEntity ? "" : " AND Z_ENT IN (\(numbers))")
      ORDER BY Z_PK
      """
    return try reporting(path: file.path) {
      let statement = try connection.prepare(sql)
      var files: [ExternalFile] = []
      while try statement.step() {
        guard case .file(let fileName) = ExternalValue(statement.blob(1) ?? []) else { continue }
        files.append(
          ExternalFile(
            entityName: column.entityName, attributeName: attribute, primaryKey: statement.integer(0),
            fileName: fileName))
      }
      return files
    }
  }

  /// All values that lie in files: those of the attributes whose model allows it.
  public func externalFiles(in schema: StoreSchema) throws(MigrationError) -> [ExternalFile] {
    var files: [ExternalFile] = []
    for entity in schema.model.entities {
      for attribute in entity.ownAttributes where attribute.allowsExternalBinaryDataStorage && !attribute.isTransient {
        files += try externalFiles(ofAttribute: attribute.name, ofEntityNamed: entity.name, in: schema)
      }
    }
    return files
  }

  /// The values whose files are not beside the store.
  public func missingExternalFiles(in schema: StoreSchema) throws(MigrationError) -> [ExternalFile] {
    let folder = SupportFolder(ofStoreAt: file.resolvedPath)
    var missing: [ExternalFile] = []
    for file in try externalFiles(in: schema) where try !folder.contains(file.fileName) { missing.append(file) }
    return missing
  }
}
