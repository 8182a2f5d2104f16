internal import DataModel
internal import MigrationDiagnostics
internal import PersistentStore
internal import SQLiteDatabase

/// The fate of a column's values.
enum ColumnRule: Hashable {
  /// Everything stays.
  case copied
  /// Numbers stay: they are keys, orders, counts or bits. Text and data are replaced.
  case key
  /// Each value is replaced by its form, whatever the column is declared as.
  case value(NumberLimits?)
  /// The same, and text is JSON whatever it begins with.
  case json
  /// The same, and text is an address.
  case address
  /// Numbers are dates.
  case date
  /// Data may be in an external file, whose name is replaced even if the value stays.
  case external(isKept: Bool)
  /// Data are the property list of a store's metadata.
  case metadata
  /// Data are the store's copy of its model, which stays.
  case model
}

/// The range of numbers that a model allows.
struct NumberLimits: Hashable {
  let minimum: Double?
  let maximum: Double?

  /// Reads the limits of an attribute; `nil` if it has none.
  init?(_ validation: AttributeValidation) {
    (minimum, maximum) = (Self.number(validation.minimum), Self.number(validation.maximum))
    guard minimum != nil || maximum != nil else { return nil }
  }

  private static func number(_ value: AttributeValue?) -> Double? {
    switch value {
    case .integer(let integer): Double(integer)
    case .double(let double): double
    case nil, .string, .boolean, .date, .data, .uuid, .uri: nil
    }
  }

  /// Zero for a number within the limits, and otherwise on which side of them it is.
  func side(_ number: Double) -> Int {
    if let minimum, number < minimum { return -1 }
    if let maximum, number > maximum { return 1 }
    return 0
  }
}

/// The tables of a store with what becomes of each column.
///
/// A column that neither the model nor its table's kind knows is replaced: none can be forgotten.
struct RedactionPlan {
  struct Column {
    let name: String
    var rule: ColumnRule
  }

  struct Table {
    let name: String
    /// The columns that can be written.
    var columns: [Column]
    /// A name of the row id that no column hides, if the rows have an id that is none of the columns.
    let rowID: String?
  }

  private(set) var tables: [Table] = []
  /// The virtual tables, which are left out.
  private(set) var virtualTables: [String] = []
  /// The statements of the schema that follow from the model.
  var modelStatements: Set<String> { Set((schema?.indexStatements ?? []) + (schema?.triggerStatements ?? [])) }

  private let connection: Connection
  private let kinds: TableKinds
  private let schema: StoreSchema?
  /// The rules that the model gives, by table and column.
  private var known: [[UInt8]: [[UInt8]: ColumnRule]] = [:]

  /// Plans the redaction of a store.
  ///
  /// - Parameters:
  ///   - schema: The layout of its model; `nil` if that is not known.
  ///   - kept: The attributes that stay, as `Entity.attribute`.
  init(_ store: StoreReader, _ schema: StoreSchema?, keeping kept: [String]) throws {
    (connection, self.schema) = (store.connection, schema)
    kinds = try TableKinds(store)
    if let schema { knowTables(of: schema) }
    for name in kept { try keep(name, store.file.path) }
    virtualTables = try connection.virtualTables(in: "main")
    let names = try connection.strings(
      """
      SELECT name FROM main.sqlite_schema WHERE \(Connection.isPlainTable)
      AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY rowid
      """)
    let parts = Set(virtualTables.flatMap { table in Self.partsOfVirtualTables.map { "\(table)_\($0)".sqlNameKey } })
    for name in names where !parts.contains(name.sqlNameKey) { tables.append(try table(name)) }
  }

  /// The ends of the names of the tables in which SQLite's own virtual tables keep text and numbers: FTS3 to 5 and R-trees.
  private static let partsOfVirtualTables = [
    "content", "segments", "segdir", "docsize", "stat", "data", "idx", "config", "node", "rowid", "parent",
  ]

  // MARK: - The model

  private mutating func knowTables(of schema: StoreSchema) {
    for table in schema.tables {
      var rules = Self.keys(["Z_PK", "Z_ENT", "Z_OPT"])
      for column in table.columns { rules[column.name.sqlNameKey] = Self.rule(column, schema) }
      known[table.name.sqlNameKey, default: [:]].merge(rules) { first, _ in first }
    }
    for table in schema.joinTables {
      known[table.name.sqlNameKey, default: [:]].merge(Self.keys(table.keyColumns + table.orderColumns)) { first, _ in
        first
      }
    }
  }

  private static func keys(_ names: [String]) -> [[UInt8]: ColumnRule] {
    Dictionary(names.map { ($0.sqlNameKey, .key) }, uniquingKeysWith: { first, _ in first })
  }

  private static func rule(_ column: EntityTable.Column, _ schema: StoreSchema) -> ColumnRule {
    guard case .attribute(let type) = column.content else { return .key }
    let attribute = schema.model.entity(named: column.entityName)?.attribute(named: column.propertyName)
    // The store computes it from links and other values. A text of these is replaced as they are.
    if attribute?.isDerived == true, type != .string { return .key }
    switch type {
    case .date: return .date
    case .uri: return .address
    case .objectID: return .key
    case .binaryData, .transformable:
      return attribute?.allowsExternalBinaryDataStorage == true ? .external(isKept: false) : .value(nil)
    case .integer16, .integer32, .integer64, .decimal, .double, .float:
      return .value(attribute.flatMap { NumberLimits($0.validation) })
    case .boolean, .string, .uuid, .composite, .undefined: return .value(nil)
    }
  }

  /// Lets the values of an attribute stay.
  private mutating func keep(_ name: String, _ path: String) throws(MigrationError) {
    let parts = name.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    guard let schema else {
      var error = MigrationError(.unknownAttribute, MigrationError.Subject(path: path, name: name))
      error.detail = "its model is not known"
      error.advice = "No file was written. Name the model with \(.model)."
      throw error
    }
    guard parts.count == 2, let entity = schema.model.entity(named: parts[0]) else {
      throw Self.unknown(name, path, "the model has no entity '\(parts[0])'", schema.model.entities.map(\.name))
    }
    let names = entity.attributes.filter { !$0.isTransient }.map(\.name)
    let columns = names.filter { $0 == parts[1] || $0.hasPrefix(parts[1] + ".") }
    guard !columns.isEmpty else { throw Self.unknown(name, path, "entity '\(parts[0])' has none of this name", names) }
    for attribute in columns {
      guard let table = schema.table(forEntityNamed: entity.name),
        let column = schema.column(forProperty: attribute, ofEntityNamed: entity.name)
      else { continue }
      // Rows of other entities have their values in the same column.
      guard column.entityName == entity.name else {
        throw Self.unknown(
          name, path, "it is one of '\(column.entityName)', and so are its values in all rows",
          ["\(column.entityName).\(attribute)"])
      }
      let rule = known[table.name.sqlNameKey]?[column.name.sqlNameKey]
      known[table.name.sqlNameKey]?[column.name.sqlNameKey] =
        rule == .external(isKept: false) ? .external(isKept: true) : .copied
    }
  }

  private static func unknown(_ name: String, _ path: String, _ detail: String, _ names: [String]) -> MigrationError {
    var error = MigrationError(.unknownAttribute, MigrationError.Subject(path: path, name: name), detail: detail)
    error.advice = "No file was written. Name one of these: \(names.joined(separator: ", "))"
    return error
  }

  // MARK: - Tables

  private func table(_ name: String) throws -> Table {
    let rules = known[name.sqlNameKey]
    let found = try connection.prepare("PRAGMA main.table_xinfo(\(name.quotedIdentifier))")
    var columns: [(name: String, type: String, isKey: Bool)] = []
    var all: Set<[UInt8]> = []
    while try found.step() {
      all.insert((found.text(1) ?? "").sqlNameKey)
      // Those that are computed cannot be written.
      guard found.integer(6) == 0 else { continue }
      columns.append((found.text(1) ?? "", (found.text(2) ?? "").uppercased(), found.integer(5) > 0))
    }
    let links = try linkColumns(of: name, isOfModel: rules != nil, all)
    var plan = Table(name: name, columns: [], rowID: try rowID(of: name, all))
    for column in columns {
      let isLink = links.contains(column.name.sqlNameKey)
      let rule =
        rules?[column.name.sqlNameKey]
        ?? unknownRule(column.name, type: column.type, isKey: column.isKey || isLink, in: name, all)
      plan.columns.append(Column(name: column.name, rule: try withJSON(rule, column.name, name)))
    }
    return plan
  }

  /// A name for the row id, if it is not one of the columns.
  private func rowID(of table: String, _ columns: Set<[UInt8]>) throws(SQLiteError) -> String? {
    guard let name = ["rowid", "_rowid_", "oid"].first(where: { !columns.contains($0.sqlNameKey) }) else { return nil }
    do throws(SQLiteError) {
      let statement = try connection.prepare("SELECT \(name) FROM main.\(table.quotedIdentifier)")
      // The alias of an integer primary key has the name of that column.
      return statement.columnName(0).sqlNameKey == name.sqlNameKey ? name : nil
    } catch  where error.code == SQLiteError.general {
      // It has none.
      return nil
    }
  }

  /// The columns that lead to rows, as far as the file itself says it.
  ///
  /// Core Data makes an index of each foreign key of its tables, and names others after it.
  private func linkColumns(of table: String, isOfModel: Bool, _ columns: Set<[UInt8]>) throws -> Set<[UInt8]> {
    guard !isOfModel else { return [] }
    var links: Set<[UInt8]> = []
    let keys = try connection.prepare("PRAGMA main.foreign_key_list(\(table.quotedIdentifier))")
    while try keys.step() { links.insert((keys.text(3) ?? "").sqlNameKey) }
    guard columns.contains("Z_PK".sqlNameKey) else { return links }
    let indexes = try connection.strings(
      "SELECT name FROM main.sqlite_schema WHERE type = 'index' AND tbl_name = \(table.quotedLiteral)")
    for column in columns {
      let name = String(decoding: column, as: UTF8.self)
      if indexes.contains(where: { $0.sqlNameKey == "\(table)_\(name)_INDEX".sqlNameKey }) { links.insert(column) }
    }
    return links
  }

  /// Whether data are a model, as a store keeps a copy of it.
  static func isModel(_ bytes: [UInt8]) -> Bool { (try? ManagedObjectModel(modelCache: bytes)) != nil }

  /// The rule of a column that no model knows.
  private func unknownRule(
    _ column: String, type: String, isKey: Bool, in table: String, _ columns: Set<[UInt8]>
  ) -> ColumnRule {
    let name = column.uppercased()
    switch table.sqlNameKey {
    case "Z_PRIMARYKEY".sqlNameKey where ["Z_ENT", "Z_NAME", "Z_SUPER", "Z_MAX"].contains(name): return .copied
    case "Z_MODELCACHE".sqlNameKey where name == "Z_CONTENT": return .model
    case "Z_METADATA".sqlNameKey where name == "Z_VERSION": return .copied
    case "Z_METADATA".sqlNameKey where name == "Z_PLIST": return .metadata
    default: break
    }
    let isDate = ["TIMESTAMP", "DATETIME", "DATE"].contains(type)
    switch kinds[table] {
    case .persistentHistory:
      // Which properties have changed, as bits.
      if name == "ZCOLUMNS" { return .copied }
      return name == "ZTIMESTAMP" || isDate ? .date : type == "INTEGER" ? .key : .value(nil)
    case .cloudKitMirror: return isDate ? .date : type == "INTEGER" ? .key : .value(nil)
    case .spatialIndex, .app, .column, .rows: break
    }
    if isDate { return .date }
    if isKey || Self.isKeyName(column, in: table) { return .key }
    // The name of an external file has a form of its own, by which it is known without a model.
    if type == "BLOB", columns.contains("Z_PK".sqlNameKey) { return .external(isKept: false) }
    return .value(nil)
  }

  /// Whether a column is a key by its name: `Z_PK`, `Z_FOK_NOTE`, `Z3_NOTE`, `Z_1TRACKS` and, of an app's own table, `note_id`
  /// or `noteID`.
  private static func isKeyName(_ name: String, in table: String) -> Bool {
    let upper = name.uppercased()
    if upper.hasPrefix("Z_") || upper.hasPrefix("Z") && upper.dropFirst().first?.isNumber == true { return true }
    guard !table.uppercased().hasPrefix("Z") else { return false }
    if ["ID", "PK", "KEY", "ENT", "OPT"].contains(where: { upper == $0 || upper.hasSuffix("_\($0)") }) { return true }
    return (name.hasSuffix("ID") || name.hasSuffix("Id")) && name.dropLast(2).last?.isLowercase == true
  }

  /// Tells columns of JSON from others: in those, text that does not begin as JSON is broken JSON.
  private func withJSON(_ rule: ColumnRule, _ column: String, _ table: String) throws -> ColumnRule {
    guard rule == .value(nil) else { return rule }
    let name = column.quotedIdentifier
    let statement = try connection.prepare(
      """
      SELECT count(*), sum(substr(ltrim(\(name), char(32, 9, 10, 13, 65279)), 1, 1) IN ('{', '[')) FROM (
        SELECT \(name) FROM main.\(table.quotedIdentifier) WHERE typeof(\(name)) = 'text' LIMIT 1000)
      """)
    guard try statement.step(), statement.integer(0) > 0, statement.integer(1) * 2 > statement.integer(0) else {
      return rule
    }
    return .json
  }
}
