internal import DataModel
internal import MigrationDiagnostics
internal import PersistentStore
internal import PropertyListFormat
internal import SQLiteDatabase

/// Checks everything about a store except its instances: its integrity, tables and metadata.
package struct StoreCheck {
  package let old: StoreSide
  package let new: StoreSide
  package let log: DifferenceLog

  package init(old: StoreSide, new: StoreSide, log: DifferenceLog) {
    (self.old, self.new, self.log) = (old, new, log)
  }

  /// Runs SQLite's integrity check.
  ///
  /// - Returns: Whether the file is undamaged.
  package func checkIntegrity() throws -> Bool { try log.add(IntegrityCheck.findings(new.connection)) }

  /// Checks that the store has the tables, indexes and triggers that the model requires, and no others.
  ///
  /// - Parameters:
  ///   - appNames: Tables and indexes of the app's own that were carried over, which are checked elsewhere.
  ///   - inAnyOrder: Whether the columns of a table may be in any order, as after adding columns.
  /// - Returns: Whether all tables exist, so that their rows can be checked.
  package func checkSchema(besides appNames: Set<[UInt8]>, inAnyOrder: Bool = false) throws -> Bool {
    // SQLite's own objects have reserved names.
    let statement = try new.connection.prepare(
      """
      SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
      ORDER BY name
      """)
    // As bytes: names that are equal in Swift can differ in SQLite.
    var found: [(type: String, name: String, sql: String)] = []
    while try statement.step() {
      guard let type = statement.text(0), let name = statement.text(1), let sql = statement.text(2) else { continue }
      found.append((type, name, sql))
    }
    let present = Set(found.map { Array($0.sql.utf8) })
    // A trigger may have the name of a table.
    let definitions = Dictionary(
      found.map { (Array("\($0.type) \($0.name)".utf8), $0.sql) }, uniquingKeysWith: { first, _ in first })
    let expected = Self.statements(of: new.schema)
    var missing: Set<[UInt8]> = []
    for sql in expected where !present.contains(Array(sql.utf8)) {
      let found = definitions[Self.key(of: sql)]
      if inAnyOrder, let found, try Self.columns(in: sql) == Self.columns(in: found) { continue }
      missing.insert(Array(sql.utf8))
      try log.add(.schema) {
        ($0.entity, $0.expected, $0.found) = (Self.name(in: sql), sql, found)
      }
    }
    let statements = Set(expected.map { Array($0.utf8) })
    // Objects that differ have been reported.
    let keys = Set(expected.map(Self.key(of:)))
    for object in found where !statements.contains(Array(object.sql.utf8)) {
      let isApp = appNames.contains(Array(object.name.utf8)) && ["table", "index"].contains(object.type)
      if isApp || keys.contains(Array("\(object.type) \(object.name)".utf8)) { continue }
      try log.add(.schema) { ($0.entity, $0.found) = (object.name, object.sql) }
    }
    try checkTablesOfSQLite()
    let tables = new.schema.tableStatements + StoreSchema.fixedTableStatements
    return tables.allSatisfy { !missing.contains(Array($0.utf8)) }
  }

  /// The columns that a statement gives a table, sorted; its text for any other statement.
  private static func columns(in sql: String) throws -> [String] {
    guard sql.hasPrefix("CREATE TABLE"), let begin = sql.firstIndex(of: "("), let end = sql.lastIndex(of: ")") else {
      return [sql]
    }
    // Core Data's names contain no comma, and the columns of a key keep their order.
    let parts = sql[sql.index(after: begin)..<end].split(separator: ",").map { $0.filter { $0 != " " } }
    return [String(sql[..<begin])] + parts.sorted()
  }

  /// Reports internal tables of SQLite, such as those of `ANALYZE`, that the old library did not have.
  private func checkTablesOfSQLite() throws {
    func names(_ side: StoreSide) throws -> [String] {
      let statement = try side.connection.prepare(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name")
      var names: [String] = []
      while try statement.step() { names += [statement.text(0)].compactMap { $0 } }
      return names
    }
    let before = Set(try names(old))
    for name in try names(new) where !before.contains(name) {
      try log.add(.schema) { ($0.entity, $0.found) = (name, "a table of SQLite's own") }
    }
  }

  /// The statements that create everything the model requires, tables first.
  static func statements(of schema: StoreSchema) -> [String] {
    schema.tableStatements + StoreSchema.fixedTableStatements + schema.indexStatements + schema.triggerStatements
  }

  /// The name in `CREATE TABLE name`, `CREATE UNIQUE INDEX name` and the like, without its quotes.
  package static func name(in sql: String) -> String? {
    let words = sql.split(separator: " ", maxSplits: 4).filter { $0 != "UNIQUE" }
    return words.count > 2 ? words[2].filter { $0 != "\"" } : nil
  }

  /// The type and name of the object that a statement creates: "table ZTRACK".
  package static func key(of sql: String) -> [UInt8] {
    let type = sql.split(separator: " ", maxSplits: 4).filter { $0 != "UNIQUE" }.dropFirst().first ?? ""
    return Array("\(type.lowercased()) \(name(in: sql) ?? "")".utf8)
  }

  /// Checks version hashes, identity and the app's own entries.
  package func checkMetadata() throws {
    let (before, after) = (old.reader.metadata, new.reader.metadata)
    try compare(StoreMetadata.Key.versionHashesVersion, 3, after.versionHashesVersion)
    let (hashes, found) = (new.schema.model.entityVersionHashesByName, after.versionHashes)
    for name in Set(hashes.keys).union(found.keys).sorted() where hashes[name] != found[name] {
      try log.add(.metadata) {
        ($0.entity, $0.property) = (name, StoreMetadata.Key.versionHashes)
        ($0.expected, $0.found) = (hashes[name]?.bytes.base64, found[name]?.bytes.base64)
      }
    }
    try compare("Z_UUID", before.uuid, after.uuid)
    let model = new.schema.model
    for (key, value) in [
      (StoreMetadata.Key.versionHashesDigest, model.versionHashesDigest.base64),
      (StoreMetadata.Key.versionChecksum, model.versionChecksum.base64),
    ] {
      // Older frameworks do not write them.
      let expected = before.properties[key] == nil ? nil : value
      if expected != nil || after.properties[key] != nil {
        try compare(key, expected ?? "nothing", after.properties[key]?.string)
      }
    }
    let identifiers = StoreMetadata.Key.versionIdentifiers
    if after.properties[identifiers] != .array(model.versionIdentifiers.map { .string($0) }) {
      let found = after.properties[identifiers]?.array.map { "\($0.map { $0.string ?? "no text" })" }
      try log.add(.metadata) {
        ($0.property, $0.expected, $0.found) = (identifiers, "\(model.versionIdentifiers)", found)
      }
    }
    let keys = before.properties.keys + after.properties.keys.filter { before.properties[$0] == nil }
    for key in keys where !Self.modelKeys.contains(key) && before.properties[key] != after.properties[key] {
      // The app's entries may hold secrets.
      try log.add(.metadata) {
        $0.property = key
        $0.expected = before.properties[key] == nil ? nil : "a value"
        $0.found = after.properties[key] == nil ? nil : before.properties[key] == nil ? "a value" : "another value"
      }
    }
    try checkLayout()
  }

  /// The keys whose values follow from the model.
  private static let modelKeys: Set<String> = [
    StoreMetadata.Key.versionHashes, StoreMetadata.Key.versionHashesVersion, StoreMetadata.Key.versionHashesDigest,
    StoreMetadata.Key.versionChecksum, StoreMetadata.Key.versionIdentifiers,
  ]

  /// Checks the values in the file's header.
  private func checkLayout() throws {
    let (before, after) = (old.reader.layout, new.reader.layout)
    for (property, expected, found) in [
      ("page_size", before.pageSize, after.pageSize), ("auto_vacuum", before.autoVacuum, after.autoVacuum),
      ("user_version", before.userVersion, after.userVersion),
      ("application_id", before.applicationID, after.applicationID),
    ] {
      try compare(property, expected, found)
    }
    try compare("encoding", before.encoding, after.encoding)
  }

  private func compare<Value: Equatable>(_ property: String, _ expected: Value, _ found: Value?) throws {
    guard found != expected else { return }
    try log.add(.metadata) {
      ($0.property, $0.expected, $0.found) = (property, "\(expected)", found.map { "\($0)" })
    }
  }

  /// Checks that there is exactly one row of metadata.
  package func checkMetadataRows() throws {
    let rows = try new.connection.prepare(
      "SELECT Z_VERSION, typeof(Z_UUID), typeof(Z_PLIST) FROM Z_METADATA ORDER BY Z_VERSION")
    var versions: [Int64] = []
    while try rows.step() {
      versions.append(rows.integer(0))
      // Another type would read the same here, but not everywhere.
      try compare("Z_UUID", "text", rows.text(1))
      try compare("Z_PLIST", "blob", rows.text(2))
    }
    if versions.count != 1 { try compare("Z_METADATA", "1 row", versions.count.counting("row")) }
    // The reader uses the first.
    if let version = versions.first { try compare("Z_VERSION", 1, version) }
  }

  /// The copy of its model that a store keeps, with the same version hashes.
  ///
  /// What does not enter into them, such as the names of classes, may differ: stores are not migrated for it. Older
  /// frameworks keep none, and one cannot be made of every model.
  package func checkModelCache() throws {
    let expected = old.reader.metadata.hasModelCache ? try? new.schema.model.modelCache() : nil
    let rows = try new.connection.prepare("SELECT length(CAST(Z_CONTENT AS BLOB)), Z_CONTENT FROM Z_MODELCACHE")
    var count = 0
    var (isSame, isBlob) = (true, true)
    while try rows.step() {
      count += 1
      isBlob = isBlob && rows.storageClass(1) == .blob
      // What has another length is not read: it may be of any size.
      isSame = isSame && isBlob && rows.integer(0) == Int64(expected?.count ?? 0) && rows.blob(1) == expected
    }
    let wanted = expected == nil ? 0 : 1
    if count != wanted { return try compare("Z_MODELCACHE", wanted.counting("row"), count.counting("row")) }
    guard !isSame, let problem = isBlob ? cacheProblem : "a value that is not a blob" else { return }
    try log.add(.metadata) { ($0.property, $0.expected, $0.found) = ("Z_MODELCACHE", "the model", problem) }
  }

  /// The problem of a copy of the model that has other bytes; `nil` if its version hashes are right.
  private var cacheProblem: String? {
    do throws(MigrationError) {
      guard let model = try new.reader.cachedModel() else { return "no model" }
      let (expected, found) = (new.schema.model.entityVersionHashesByName, model.entityVersionHashesByName)
      let names = Set(expected.keys).union(found.keys).filter { expected[$0] != found[$0] }.sorted()
      guard !names.isEmpty else { return nil }
      return "a model with other version hashes of \(names.map { "'\($0)'" }.joined(separator: ", "))"
    } catch {
      return error.detail ?? "a model that cannot be read"
    }
  }

  /// Checks the numbers of entities, and the greatest keys ever used.
  ///
  /// They are compared as stored: text or a real number would read as the integer that it begins with.
  ///
  /// - Parameters:
  ///   - keepsRows: Whether rows of no entity may come along as they are.
  ///   - mostKeys: Called with a root entity whose rows may have new keys; returns the greatest of them, if it is
  ///   known. `Z_MAX` must be enough, and not greater than that.
  package func checkPrimaryKeys(
    keepsRows: Bool = false, _ mostKeys: ((_ rootEntity: String) throws -> Int64?)? = nil
  ) throws {
    let statement = try new.connection.prepare("SELECT Z_NAME, Z_ENT, Z_SUPER, Z_MAX FROM Z_PRIMARYKEY ORDER BY Z_ENT")
    var rows: [(name: String, values: [String?])] = []
    while try statement.step() {
      let name = statement.storageClass(0) == .text ? statement.text(0) : StoredValue.text(statement, 0)
      rows.append((name ?? "NULL", (1...3).map { StoredValue.text(statement, $0) }))
    }
    let byName = new.schema.model.entitiesByName
    for name in new.schema.entityNames {
      let parent = byName[name]?.superentityName.map { new.schema.entityNumber($0) } ?? 0
      let found = rows.filter { $0.name.utf8.elementsEqual(name.utf8) }
      guard found.count == 1, let row = found.first else {
        try log.add(.primaryKey) { ($0.entity, $0.expected, $0.found) = (name, "one row", "\(found.count) rows") }
        continue
      }
      let expected = [
        Int64(new.schema.entityNumber(name)), Int64(parent), parent == 0 ? try greatestKey(ofRootEntity: name) : 0,
      ].map(String.init)
      for (property, (wanted, value)) in zip(["Z_ENT", "Z_SUPER", "Z_MAX"], zip(expected, row.values))
      where wanted != value {
        if let mostKeys, property == "Z_MAX", parent == 0,
          try suffices(value, try mostKeys(name), forRootEntity: name)
        {
          continue
        }
        try log.add(.primaryKey) { ($0.entity, $0.property, $0.expected, $0.found) = (name, property, wanted, value) }
      }
    }
    let history = Set(old.reader.primaryKeys.filter { keepsRows || $0.isOfHistory }.map(\.entityName))
    for row in rows where !new.schema.entityNames.contains(where: { $0.utf8.elementsEqual(row.name.utf8) }) {
      // Where history has been carried over, its keys go on.
      if history.contains(row.name), let known = old.reader.primaryKeys.first(where: { $0.entityName == row.name }),
        row.values == [known.entityNumber, known.superentityNumber, known.greatestKey].map({ "\($0)" })
      {
        continue
      }
      try log.add(.primaryKey) {
        ($0.entity, $0.found) = (row.name, "a row with the number \(row.values[0] ?? "NULL")")
      }
    }
  }

  /// Whether a new row would get a key that is not in use.
  private func suffices(_ greatest: String?, _ most: Int64?, forRootEntity name: String) throws -> Bool {
    guard let table = new.schema.table(forEntityNamed: name), let greatest = greatest.flatMap({ Int64($0) }) else {
      return false
    }
    let inUse = try new.connection.integer("SELECT max(Z_PK) FROM \(table.name.quotedIdentifier)") ?? 0
    return greatest >= inUse && greatest <= max(inUse, most ?? .max)
  }

  /// The greatest key ever used: keys of deleted rows are not used again.
  ///
  /// If several rows of the old library have the entity's number or name, the greatest key counts.
  private func greatestKey(ofRootEntity name: String) throws -> Int64 {
    guard let table = new.schema.table(forEntityNamed: name) else { return 0 }
    let inUse = try new.connection.integer("SELECT max(Z_PK) FROM \(table.name.quotedIdentifier)") ?? 0
    let number = old.schema.table(forEntityNamed: name) == nil ? nil : Int64(old.schema.entityNumber(name))
    let before = old.reader.primaryKeys.filter {
      $0.entityNumber == number || $0.superentityNumber == 0 && $0.entityName == name
    }
    return max(inUse, before.map(\.greatestKey).max() ?? 0)
  }
}
