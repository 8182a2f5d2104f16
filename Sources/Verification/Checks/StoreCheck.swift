internal import DataModel
internal import PersistentStore
internal import PropertyList
internal import SQLite

/// Looks at what a store is apart from its instances: whether it is whole, its tables, what it says about itself.
struct StoreCheck {
  let old: StoreSide
  let new: StoreSide
  let log: DifferenceLog

  /// What SQLite itself finds.
  ///
  /// - Returns: Whether the file is whole.
  func checkIntegrity() throws -> Bool {
    let statement = try new.connection.prepare("PRAGMA integrity_check")
    var isWhole = true
    while try statement.step() {
      guard let text = statement.text(0), text != "ok" else { continue }
      isWhole = false
      try log.add(.damage) { $0.found = text }
    }
    return isWhole
  }

  /// The tables, indexes and triggers that the model asks for.
  ///
  /// - Returns: Whether there are all tables, so that their rows can be looked at.
  func checkSchema() throws -> Bool {
    let statement = try new.connection.prepare(
      "SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name")
    // By their bytes: Swift takes names for the same that are not the same to SQLite.
    var present: Set<[UInt8]> = []
    var definitions: [[UInt8]: String] = [:]
    while try statement.step() {
      guard let name = statement.text(0), let sql = statement.text(1) else { continue }
      present.insert(Array(sql.utf8))
      definitions[Array(name.utf8)] = sql
    }
    let tables = new.schema.tableStatements + StoreSchema.fixedTableStatements
    let missingTables = tables.filter { !present.contains(Array($0.utf8)) }
    let others = new.schema.indexStatements + new.schema.triggerStatements
    for sql in missingTables + others.filter({ !present.contains(Array($0.utf8)) }) {
      try log.add(.schema) {
        let name = Self.name(in: sql)
        ($0.entity, $0.expected, $0.found) = (name, sql, name.flatMap { definitions[Array($0.utf8)] })
      }
    }
    return missingTables.isEmpty
  }

  /// The third word of `CREATE TABLE name` and the like, without its quotes.
  private static func name(in sql: String) -> String? {
    let words = sql.split(separator: " ", maxSplits: 3)
    guard words.count > 2 else { return nil }
    return words[2].filter { $0 != "\"" }
  }

  /// Version hashes, identity and the app's own entries.
  func checkMetadata() throws {
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
    ] where after.properties[key] != nil {
      try compare(key, value, after.properties[key]?.string)
    }
    for pair in before.properties.pairs where !Self.ownKeys.contains(pair.key) {
      let key = pair.key
      guard after.properties[key] != pair.value else { continue }
      // The app's entries may hold secrets.
      try log.add(.metadata) {
        $0.property = key
        $0.found = after.properties[key] == nil ? nil : "another value"
      }
    }
    try checkModelCache()
  }

  private static let ownKeys: Set<String> = [
    StoreMetadata.Key.versionHashes, StoreMetadata.Key.versionHashesVersion, StoreMetadata.Key.versionHashesDigest,
    StoreMetadata.Key.versionChecksum, StoreMetadata.Key.versionIdentifiers, StoreMetadata.Key.frameworkVersion,
  ]

  private func compare<Value: Equatable>(_ property: String, _ expected: Value, _ found: Value?) throws {
    guard found != expected else { return }
    try log.add(.metadata) {
      ($0.property, $0.expected, $0.found) = (property, "\(expected)", found.map { "\($0)" })
    }
  }

  /// The copy of its model that a store keeps, if it keeps one.
  private func checkModelCache() throws {
    var problem: String?
    do {
      if let model = try new.reader.cachedModel(),
        model.entityVersionHashesByName != new.schema.model.entityVersionHashesByName
      {
        problem = "a model with other version hashes"
      }
    } catch {
      problem = error.detail ?? "a model that cannot be read"
    }
    guard let problem else { return }
    try log.add(.metadata) { ($0.property, $0.found) = ("Z_MODELCACHE", problem) }
  }

  /// The numbers of entities, and the greatest keys that were ever used.
  func checkPrimaryKeys() throws {
    let rows = new.reader.primaryKeys
    let byName = new.schema.model.entitiesByName
    for name in new.schema.entityNames {
      let number = new.schema.entityNumber(name)
      let parent = byName[name]?.superentityName.map { new.schema.entityNumber($0) } ?? 0
      let found = rows.filter { $0.entityName == name }
      guard found.count == 1, let row = found.first else {
        try log.add(.primaryKey) { ($0.entity, $0.expected, $0.found) = (name, "one row", "\(found.count) rows") }
        continue
      }
      try compare(name, "Z_ENT", Int64(number), row.entityNumber)
      try compare(name, "Z_SUPER", Int64(parent), row.superentityNumber)
      guard parent == 0, let table = new.schema.table(forEntityNamed: name) else { continue }
      let greatest = try new.connection.integer("SELECT max(Z_PK) FROM \(table.name.quotedIdentifier)") ?? 0
      let before = old.reader.primaryKeys.first { row in
        old.schema.table(forEntityNamed: name) != nil && row.entityNumber == Int64(old.schema.entityNumber(name))
      }
      let least = max(greatest, before?.greatestKey ?? 0)
      guard row.greatestKey < least else { continue }
      try log.add(.primaryKey) {
        ($0.entity, $0.property) = (name, "Z_MAX")
        ($0.expected, $0.found) = ("at least \(least)", "\(row.greatestKey)")
      }
    }
  }

  private func compare(_ entity: String, _ property: String, _ expected: Int64, _ found: Int64) throws {
    guard expected != found else { return }
    try log.add(.primaryKey) {
      ($0.entity, $0.property, $0.expected, $0.found) = (entity, property, "\(expected)", "\(found)")
    }
  }
}
