internal import DataModel
internal import PersistentStore
internal import SQLite

/// The names that an entity and its attributes have in a library's file, for SQL.
struct EntityNames {
  /// The table, quoted.
  let table: String
  private let name: String
  private let schema: StoreSchema
  /// The numbers of the entity and of all below it; `nil` where the table holds no others.
  private let numbers: String?

  /// Looks an entity up; `nil` when the library's model has no such entity.
  init?(_ name: String, in schema: StoreSchema) {
    guard let table = schema.table(forEntityNamed: name) else { return nil }
    self.name = name
    self.schema = schema
    self.table = table.name.quotedIdentifier
    let lineages = schema.model.lineages
    let family = table.entityNames.filter { lineages[$0]?.contains(name) == true }
    // Rows that another program added without an entity number belong to the only family that there is.
    numbers =
      family.count == table.entityNames.count
      ? nil : family.map { "\(schema.entityNumber($0))" }.joined(separator: ", ")
  }

  /// What tells the entity's rows from others of their table; `nil` where there are no others.
  func condition(_ alias: String) -> String? { numbers.map { "\(alias).Z_ENT IN (\($0))" } }

  /// The rows of the entity, for FROM.
  var rows: String { table + (condition(table).map { " WHERE \($0)" } ?? "") }

  /// The value of an attribute that is read as text; NULL where the entity has none that could be.
  func text(_ attribute: String, _ alias: String) -> String {
    value(attribute, alias) { type in
      switch type {
      case .string, .uri, .integer16, .integer32, .integer64, .decimal, .double, .float, .boolean, .date: true
      case .undefined, .binaryData, .uuid, .transformable, .objectID, .composite: false
      }
    }
  }

  /// The value of an attribute that is read as a date; NULL where the entity has none that could be.
  func date(_ attribute: String, _ alias: String) -> String {
    value(attribute, alias) { [.date, .double, .float, .integer16, .integer32, .integer64].contains($0) }
  }

  private func value(_ attribute: String, _ alias: String, _ isReadable: (AttributeType) -> Bool) -> String {
    guard let column = schema.column(forProperty: attribute, ofEntityNamed: name),
      case .attribute(let type) = column.content, isReadable(type)
    else { return "NULL" }
    return "\(alias).\(column.name.quotedIdentifier)"
  }
}
