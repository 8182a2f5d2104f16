internal import DataModel
internal import PersistentStore
internal import SQLiteDatabase

/// A table of a plain database: an entity with its subentities.
struct BrowsableTable {
  /// The contents of a column.
  enum Content {
    case key
    /// The name of the entity, where there are several.
    case entity
    case attribute(String)
    case toOne(String, entity: String)
  }

  struct Column {
    let name: String
    let type: String
    let content: Content
  }

  let name: String
  /// The entity with its subentities.
  let family: [String]
  private(set) var columns: [Column] = []
  /// The columns with text that can be searched.
  private(set) var texts: [String] = []
  /// The full-text index; empty before it is named.
  private(set) var searchName = ""
  /// The indexes of links to other rows, by their columns.
  private var indexNames: [String: String] = [:]
  /// The columns whose values are few.
  private(set) var facets: [String] = []
  /// The column that names a row.
  private(set) var label: String?

  /// The root of the family.
  var root: String { family[0] }

  init(_ table: EntityTable, _ model: ManagedObjectModel, name: String) {
    (self.name, family) = (name, table.entityNames)
    var taken = NameList()
    func add(_ name: String, _ type: String, _ content: Content) -> String {
      let name = taken.add(name)
      columns.append(Column(name: name, type: type, content: content))
      return name
    }
    _ = add("key", "INTEGER PRIMARY KEY", .key)
    if family.count > 1 { facets.append(add("entity", "TEXT", .entity)) }
    var known: Set<String> = []
    let entities = family.compactMap { model.entity(named: $0) }
    for attribute in entities.flatMap(\.ownAttributes) where !attribute.isTransient {
      guard known.insert(attribute.name).inserted else { continue }
      let column = add(attribute.name, Self.type(of: attribute), .attribute(attribute.name))
      // FTS5 has columns of its own with these names.
      if attribute.type == .string, !["rank", "rowid"].contains(column.lowercased()) { texts.append(column) }
      if attribute.type == .boolean { facets.append(column) }
    }
    for relationship in entities.flatMap(\.ownRelationships) where !relationship.isToMany && !relationship.isTransient {
      guard known.insert(relationship.name).inserted else { continue }
      facets.append(
        add(
          relationship.name, "INTEGER",
          .toOne(relationship.name, entity: relationship.destinationEntityName)))
    }
    let common = ["name", "title", "label", "displayName", "fullName"]
    label =
      common.first(where: texts.contains)
      ?? texts.first { $0.lowercased().hasSuffix("name") || $0.lowercased().hasSuffix("title") } ?? texts.first
    // What names a row stands before what else it has.
    if let place = columns.firstIndex(where: { $0.name == label }) {
      columns.insert(columns.remove(at: place), at: family.count > 1 ? 2 : 1)
    }
  }

  /// Names the indexes, when all tables have their names.
  mutating func nameIndexes(_ taken: inout NameList) {
    // The index has tables of its own, and a column with its own name.
    searchName = taken.add(
      "\(name)_fts", suffixes: ["_data", "_idx", "_content", "_docsize", "_config"], besides: texts)
    for column in columns {
      if case .toOne = column.content { indexNames[column.name] = taken.add("\(name)_by_\(column.name)") }
    }
  }

  /// The type of a column; dates and UUIDs are text.
  private static func type(of attribute: AttributeDescription) -> String {
    attribute.type == .boolean ? "BOOLEAN" : attribute.type == .uuid ? "TEXT" : attribute.type.columnType.rawValue
  }

  /// The statement that makes the table.
  func definition(among tables: [BrowsableTable], _ model: ManagedObjectModel) -> String {
    let lines = columns.map { column in
      var line = "\(column.name.quotedIdentifier) \(column.type)"
      if case .toOne(_, let entity) = column.content, let other = tables.first(where: { $0.family.contains(entity) }) {
        line += " REFERENCES \(other.name.quotedIdentifier)(\"key\")"
      }
      return line
    }
    return "CREATE TABLE \(name.quotedIdentifier) (\(lines.joined(separator: ", ")))"
  }

  /// The statements that index links to other rows.
  var indexes: [String] {
    columns.compactMap { column in
      indexNames[column.name].map {
        "CREATE INDEX \($0.quotedIdentifier) ON \(name.quotedIdentifier)(\(column.name.quotedIdentifier))"
      }
    }
  }

  /// The statements that make texts searchable, whatever their case and accents.
  var search: [String] {
    guard !texts.isEmpty else { return [] }
    let index = searchName.quotedIdentifier
    let columns = texts.map(\.quotedIdentifier).joined(separator: ", ")
    return [
      """
      CREATE VIRTUAL TABLE \(index) USING fts5(\(columns), content=\(name.quotedIdentifier), content_rowid="key", \
      tokenize="unicode61 remove_diacritics 2")
      """,
      "INSERT INTO \(index)(\(index)) VALUES ('rebuild')",
    ]
  }
}

/// A table of a plain database that links the rows of two others.
struct BrowsableJoin {
  let name: String
  let links: JoinTable.Links
  /// The places of the tables.
  let source, destination: Int
  /// The column of the source and that of the destination.
  let columns: [String]
  /// The index of the destinations; empty before it is named.
  private(set) var indexName = ""

  init(name: String, links: JoinTable.Links, source: Int, destination: Int, columns: [String]) {
    (self.name, self.links, self.source, self.destination, self.columns) = (name, links, source, destination, columns)
  }

  /// Names the index, when all tables have their names.
  mutating func nameIndex(_ taken: inout NameList) { indexName = taken.add("\(name)_by_\(columns[1])") }

  /// The statements that make the table and its index.
  func definition(_ tables: [BrowsableTable]) -> String {
    let ends = zip(columns, [source, destination]).map { column, place in
      "\(column.quotedIdentifier) INTEGER NOT NULL REFERENCES \(tables[place].name.quotedIdentifier)(\"key\")"
    }
    let (one, other) = (columns[0].quotedIdentifier, columns[1].quotedIdentifier)
    return """
      CREATE TABLE \(name.quotedIdentifier) (\(ends.joined(separator: ", ")), PRIMARY KEY (\(one), \(other))) WITHOUT ROWID;
      CREATE INDEX \(indexName.quotedIdentifier) ON \(name.quotedIdentifier)(\(other))
      """
  }
}

/// Names that differ for SQLite, to which case is nothing.
struct NameList {
  private var taken: Set<String> = []

  /// Returns the name, or one like it that is free.
  ///
  /// - Parameters:
  ///   - suffixes: The ends of further names that begin with this one and are taken with it.
  ///   - others: Names that it must not have either.
  mutating func add(_ name: String, suffixes: [String] = [], besides others: [String] = []) -> String {
    let others = Set(others.map { $0.lowercased() })
    var name = name.lowercased().hasPrefix("sqlite_") ? "_\(name)" : name
    func all() -> [String] { ([""] + suffixes).map { (name + $0).lowercased() } }
    while others.contains(name.lowercased()) || !taken.isDisjoint(with: all()) { name += "_" }
    taken.formUnion(all())
    return name
  }
}
