internal import DataModel
internal import Expressions
internal import PersistentStore

/// The source rows that one entity mapping carries over, and the destination rows that they become.
///
/// A row keeps its primary key. So what a source row has become under a mapping needs no table to look it up in: it is
/// the row of the same key, if the source row is one of the mapping's.
struct BulkMove {
  /// The place of the mapping in its model: names may occur twice.
  let index: Int
  let mapping: EntityMapping
  let source: EntityDescription
  let destination: EntityDescription
  let sourceTable: EntityTable
  let destinationTable: EntityTable
  /// `Z_ENT` of the source rows; `nil` where the table holds one entity only.
  ///
  /// All rows of such a table are that entity's, whatever their `Z_ENT` says: rows that another program added without
  /// it would be lost otherwise.
  let sourceNumber: Int?
  let destinationNumber: Int
  /// The filter, about SELF; `nil` where all rows are carried over.
  let filter: Predicate?
  let naming: BulkNaming

  init?(_ index: Int, _ mapping: EntityMapping, source schema: StoreSchema, destination destinationSchema: StoreSchema)
  {
    guard let sourceName = mapping.sourceEntityName, let destinationName = mapping.destinationEntityName,
      let source = schema.model.entity(named: sourceName),
      let destination = destinationSchema.model.entity(named: destinationName),
      let sourceTable = schema.table(forEntityNamed: sourceName),
      let destinationTable = destinationSchema.table(forEntityNamed: destinationName)
    else { return nil }
    self.index = index
    self.mapping = mapping
    self.source = source
    self.destination = destination
    self.sourceTable = sourceTable
    self.destinationTable = destinationTable
    sourceNumber = sourceTable.entityNames.count > 1 ? schema.entityNumber(sourceName) : nil
    destinationNumber = destinationSchema.entityNumber(destinationName)
    let filter = mapping.filterPredicate?.substituting(["source": Expression.evaluatedObject])
    self.filter = filter == .everything ? nil : filter
    naming = BulkNaming(schema, findsExternalData: true)
  }

  /// The table of the source rows, as expressions see it.
  var table: SQLTable { SQLTable(entity: source.name, name: sourceTable.name) }

  /// What tells the mapping's rows from the others of their table; `nil` where all are.
  func condition(_ alias: String) throws(SQLRefusal) -> SQLFragment? {
    var parts: [SQLFragment] = []
    if let sourceNumber { parts.append("\(identifier: alias).Z_ENT = \(.number(sourceNumber))") }
    if let filter { parts.append(try filter.sql(on: table, alias: alias, naming: naming)) }
    return parts.isEmpty ? nil : parts.joined(by: " AND ")
  }
}
