package import CoreDataExpressions
internal import DataModel
package import PersistentStore
package import SQLiteDatabase

/// Tells the predicate engine how Core Data keeps the properties of a model's entities.
package struct StoreSQLSchema: SQLSchema {
  /// The layout of the store.
  package let schema: StoreSchema
  /// Looks at the store's links; `nil` if there is no store that can be read.
  private let validator: StoreValidator?

  /// Creates the names of a store's layout.
  ///
  /// - Parameter store: The store, if it is the main database of its connection, and does not change meanwhile.
  package init(_ schema: StoreSchema, reading store: StoreReader? = nil) {
    self.schema = schema
    validator = store.map { StoreValidator($0, schema) }
  }

  /// Whether the store keeps its text as UTF-8.
  package var keepsTextAsUTF8: Bool { schema.keepsTextAsUTF8 }

  /// The table of an entity.
  package func table(forEntityNamed name: String) -> SQLTable? {
    schema.table(forEntityNamed: name).map { SQLTable(entity: name, name: $0.name) }
  }

  /// Returns the storage of a property, own or inherited.
  package func property(_ key: String, of entityName: String) -> SQLProperty? {
    guard let entity = schema.model.entity(named: entityName) else { return nil }
    if let attribute = entity.attribute(named: key),
      let column = schema.column(forProperty: key, ofEntityNamed: entityName)
    {
      // If data may be in an external file, its column does not contain it.
      let type = attribute.allowsExternalBinaryDataStorage ? .other : attribute.type.sqlValueType
      return .attribute(column: column.name, type: type)
    }
    guard let relationship = entity.relationship(named: key),
      let destination = table(forEntityNamed: relationship.destinationEntityName)
    else { return nil }
    if !relationship.isToMany {
      return schema.column(forProperty: key, ofEntityNamed: entityName)
        .map { .toOne(column: $0.name, destination: destination) }
    }
    return link(of: relationship, entityName: entityName).map { .toMany(destination: destination, link: $0) }
  }

  /// Whether an entity has a composite attribute, own or inherited, with this key path.
  package func isComposite(_ keyPath: String, of entityName: String) -> Bool {
    schema.model.entity(named: entityName)?.elements(ofComposite: keyPath).isEmpty == false
  }

  /// Whether no link of a join table leads to a missing row.
  package func hasAllRows(ofJoinTable name: String) -> Bool {
    guard let validator, let table = schema.joinTables.first(where: { $0.name == name }) else { return false }
    if let known = validator.knownKeys.wholeJoinTables[name] { return known }
    let links = table.namingLinks
    let failures = try? validator.danglingLinks(
      ofRelationship: links.relationshipName, ofEntityNamed: links.entityName)
    validator.knownKeys.wholeJoinTables[name] = failures?.isEmpty == true
    return failures?.isEmpty == true
  }

  private func link(of relationship: RelationshipDescription, entityName: String) -> SQLLink? {
    switch schema.layouts.layout(of: relationship, ofEntityNamed: entityName) {
    case .join(let links):
      .joinTable(links.table.name, source: links.sourceColumn, destination: links.destinationColumn)
    case .destination(_, let key, _): .inverse(column: key)
    case .own, nil: nil
    }
  }
}

extension AttributeType {
  /// The SQL type of values of this type.
  var sqlValueType: SQLValueType {
    switch self {
    case .boolean: .boolean
    case .integer16: .integer16
    case .integer32: .integer32
    case .integer64: .integer64
    case .double, .float: .real
    case .string: .string
    case .date: .date
    case .uuid: .uuid
    case .uri: .url
    case .binaryData: .data
    case .undefined, .decimal, .transformable, .objectID, .composite: .other
    }
  }
}

extension SQLArgument {
  /// An attribute's value as stored in its column.
  static func column(_ value: AttributeValue) -> SQLArgument {
    switch ColumnValue(value) {
    case .null: .null
    case .integer(let integer): .integer(integer)
    case .real(let real): .real(real)
    case .text(let text): .text(text)
    case .blob(let bytes): .blob(bytes)
    }
  }

  /// Binds the value.
  package func bind(to statement: Statement, at index: Int32) throws(SQLiteError) {
    switch self {
    case .null: try statement.bindNull(at: index)
    case .integer(let integer): try statement.bind(integer, at: index)
    case .real(let real): try statement.bind(real, at: index)
    case .text(let text): try statement.bind(text, at: index)
    case .blob(let bytes): try statement.bind(bytes, at: index)
    }
  }
}

extension SQLFragment {
  /// A table of the destination store.
  static func destinationTable(_ name: String) -> SQLFragment { "\(identifier: "main").\(identifier: name)" }

  /// A table of the attached source.
  static func sourceTable(_ name: String) -> SQLFragment {
    "\(identifier: StoreWriter.sourceDatabaseName).\(identifier: name)"
  }

  /// An integer as an argument.
  static func number(_ value: Int) -> SQLFragment { "\(argument: .integer(Int64(value)))" }
}

extension [SQLFragment] {
  /// The fragments in order, with a separator between them.
  func joined(by separator: SQLFragment) -> SQLFragment {
    // Joined recursively in halves: appending one by one would copy everything each time.
    guard count > 1 else { return first ?? "" }
    let middle = count / 2
    return "\(Array(self[..<middle]).joined(by: separator))\(separator)\(Array(self[middle...]).joined(by: separator))"
  }
}

extension Connection {
  /// Compiles a fragment with its arguments and the functions that it calls.
  ///
  /// The label matters: without it, a literal with pieces would be taken for plain text.
  package func prepare(fragment: SQLFragment) throws(SQLiteError) -> Statement {
    for function in fragment.functions { try create(function) }
    let statement = try prepare(fragment.sql)
    for (index, argument) in zip(Int32(1)..., fragment.arguments) { try argument.bind(to: statement, at: index) }
    return statement
  }

  /// Makes a function of the expression engine callable.
  package func create(_ function: SQLFunction) throws(SQLiteError) {
    // SQLite refuses to replace a function while a statement runs, such as the one whose rows are being processed.
    guard !hasFunction(named: function.name) else { return }
    try createFunction(function.name, argumentCount: 1) { texts in
      function.apply(texts.first ?? nil).map { .text($0) } ?? .null
    }
  }

  /// Runs a fragment, and returns the number of changed rows.
  func run(fragment: SQLFragment) throws(SQLiteError) -> Int {
    try prepare(fragment: fragment).run()
    return changes
  }

  /// The first column of the first row of a query, as an integer; `nil` if there is no row or the value is NULL.
  func integer(fragment: SQLFragment) throws(SQLiteError) -> Int64? {
    let statement = try prepare(fragment: fragment)
    guard try statement.step(), !statement.isNull(0) else { return nil }
    return statement.integer(0)
  }
}
