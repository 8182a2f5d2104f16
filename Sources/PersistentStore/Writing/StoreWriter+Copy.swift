public import Diagnostics
internal import SQLite

extension StoreWriter {
  /// One attribute that is copied as it is.
  public struct CopiedAttribute: Sendable, Hashable {
    /// The source's attribute.
    public let source: String
    /// The destination's attribute.
    public let destination: String

    /// Creates a copy from the source's attribute of one name to the destination's of another.
    public init(source: String, destination: String) {
      self.source = source
      self.destination = destination
    }
  }

  /// The greatest primary key in the table of an entity; 0 when it has no rows.
  package func greatestKey(ofEntity entity: String) throws(MigrationError) -> Int64 {
    guard let table = schema.table(forEntityNamed: entity) else { return 0 }
    return try reporting(path: path) {
      try connection.integer("SELECT max(Z_PK) FROM \(table.name.quotedIdentifier)") ?? 0
    }
  }

  /// Copies all instances of an entity from the attached source with one statement, keeping their primary keys.
  ///
  /// - Returns: The number of instances.
  /// - Throws: `MigrationError`, also when a column is missing in the source.
  public func copyInstances(
    ofEntity sourceEntity: String, in sourceSchema: StoreSchema, toEntity entity: String,
    attributes: [CopiedAttribute]
  ) throws(MigrationError) -> Int {
    guard let from = sourceSchema.table(forEntityNamed: sourceEntity), let into = schema.table(forEntityNamed: entity)
    else {
      throw MigrationError(.invalidMappingModel, detail: "it maps '\(sourceEntity)' to '\(entity)'")
    }
    let columns = try attributes.map { attribute throws(MigrationError) in
      guard let source = sourceSchema.column(forProperty: attribute.source, ofEntityNamed: sourceEntity),
        let destination = schema.column(forProperty: attribute.destination, ofEntityNamed: entity)
      else {
        throw MigrationError(
          .invalidMappingModel, detail: "it copies '\(sourceEntity).\(attribute.source)' to '\(attribute.destination)'")
      }
      return (source: source.name.quotedIdentifier, destination: destination.name.quotedIdentifier)
    }
    // Where the table holds one entity only, its rows are that entity's, whatever their Z_ENT says: rows that another
    // program added without it would be lost otherwise.
    let number = sourceSchema.entityNumber(sourceEntity)
    let filter = from.entityNames.count > 1 ? " WHERE Z_ENT = \(number)" : ""
    let sql = """
      INSERT INTO \(into.name.quotedIdentifier) (\((["Z_PK", "Z_ENT", "Z_OPT"] + columns.map(\.destination)).joined(separator: ", ")))
      SELECT \((["Z_PK", "\(schema.entityNumber(entity))", "Z_OPT"] + columns.map(\.source)).joined(separator: ", "))
      FROM \(Self.sourceSchema).\(from.name.quotedIdentifier)\(filter) ORDER BY Z_PK
      """
    return try reporting(path: path) {
      try connection.execute(sql)
      return connection.changes
    }
  }
}
