public import DataModel
internal import PersistentStore

/// Everything that a store holds, told in a model's words rather than in tables and numbers.
///
/// So two stores can be compared whose entities have other numbers.
public struct StoreContents: Equatable, Sendable {
  /// By entity and property: a line for each instance or link, such as `7|'title'`.
  public var lines: [String: [String]] = [:]

  /// Reads a store that was written with a model.
  public init(_ path: String, _ model: ManagedObjectModel) throws {
    let store = try StoreReader(path: path)
    let schema = try StoreSchema(model, introspecting: store)
    try store.close()
    for entity in model.entities where !entity.isAbstract {
      guard let table = schema.table(forEntityNamed: entity.name) else { continue }
      let rows = "\(table.name.asIdentifier) WHERE Z_ENT = \(schema.entityNumber(entity.name))"
      for attribute in entity.attributes where !attribute.isTransient {
        guard let column = schema.column(forProperty: attribute.name, ofEntityNamed: entity.name) else { continue }
        lines["\(entity.name).\(attribute.name)"] = try Database.rows(
          "SELECT Z_PK, quote(\(column.name.asIdentifier)) FROM \(rows) ORDER BY 1", in: path)
      }
      for relationship in entity.relationships where !relationship.isTransient {
        guard let layout = schema.layouts.layout(of: relationship, ofEntityNamed: entity.name) else {
          continue
        }
        lines["\(entity.name).\(relationship.name)"] = try Database.rows(Self.query(layout, rows), in: path)
      }
    }
  }

  private static func query(_ layout: RelationshipLayout, _ rows: String) -> String {
    switch layout {
    case .own(let key, let entity, _):
      let name = entity.map { "(SELECT Z_NAME FROM Z_PRIMARYKEY p WHERE p.Z_ENT = \($0.asIdentifier))" } ?? "NULL"
      return "SELECT Z_PK, \(key.asIdentifier), \(name) FROM \(rows) ORDER BY 1"
    case .destination(let table, let key, let order):
      let key = key.asIdentifier
      return "SELECT \(key), Z_PK, \(order?.asIdentifier ?? "NULL") FROM \(table.asIdentifier) "
        + "WHERE \(key) IN (SELECT Z_PK FROM \(rows)) ORDER BY 1, 2"
    case .join(let links):
      let table = links.table
      let (here, there) = links.isNaming ? (table.naming, table.inverse) : (table.inverse, table.naming)
      let key = there.destinationColumn.asIdentifier
      return "SELECT \(key), \(here.destinationColumn.asIdentifier), \(here.orderColumn?.asIdentifier ?? "NULL") "
        + "FROM \(table.name.asIdentifier) WHERE \(key) IN (SELECT Z_PK FROM \(rows)) ORDER BY 1, 2"
    }
  }
}

extension String {
  fileprivate var asIdentifier: String { "\"\(replacing("\"", with: "\"\""))\"" }
}
