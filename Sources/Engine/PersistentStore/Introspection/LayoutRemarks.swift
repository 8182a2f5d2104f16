internal import DataModel
internal import SQLiteDatabase

/// Finds what may be in an app's way although its store has all that its model asks for.
///
/// Nothing of this can be judged without the app, so it is no reason to call the store damaged.
struct LayoutRemarks {
  private let schema: StoreSchema
  private let store: StoreReader

  init(_ schema: StoreSchema, _ store: StoreReader) {
    (self.schema, self.store) = (schema, store)
  }

  /// The remarks, as sentences.
  func all() throws -> [String] {
    try triggers().map { trigger in
      "the trigger '\(trigger.name)' can refuse changes of \(trigger.place) in '\(store.file.path)' (RAISE), so the app "
        + "may fail to save. If the app does not need it, remove it in the program 'sqlite3', with: \(trigger.removal)"
    }
      + callers().map { trigger, function in
        "the trigger '\(trigger.name)' of \(trigger.place) in '\(store.file.path)' calls the function '\(function)', which "
          + "SQLite does not have, so the app fails to save unless it adds that function. If the app does not need the trigger, "
          + "remove it in the program 'sqlite3', with: \(trigger.removal)"
      }
      + troublemakers().map { trigger, fact in
        "\(fact) in '\(store.file.path)', so the app may fail to save, or find other rows than it has saved. If the app does "
          + "not need the trigger, remove it in the program 'sqlite3', with: \(trigger.removal)"
      }
      + store.metadataFaults().map { $0.sentence(about: store.file.path) }
      + keys().map { table, least in
        "the table '\(table)' in '\(store.file.path)' has a row with the key \(least), and Core Data gives keys from 1 "
          + "on, so another program has added it. Check in the app that it is shown."
      }
  }

  /// The same as faults; none of them can be mended without the app.
  func faults() throws(SQLiteError) -> [SchemaFault] {
    try triggers().map { trigger in
      SchemaFault(
        .refusingTrigger, table: trigger.table, object: trigger.name,
        fact: "its trigger '\(trigger.name)' can refuse changes of \(trigger.place) (RAISE)", remedy: trigger.removal,
        isLossless: false)
    }
      + callers().map { trigger, function in
        SchemaFault(
          .refusingTrigger, table: trigger.table, object: trigger.name,
          fact: "its trigger '\(trigger.name)' of \(trigger.place) calls the function '\(function)', which "
            + "SQLite does not have", remedy: trigger.removal, isLossless: false)
      }
      + troublemakers().map { trigger, fact in
        SchemaFault(
          .refusingTrigger, table: trigger.table, object: trigger.name, fact: "its \(fact.dropFirst("the ".count))",
          remedy: trigger.removal, isLossless: false)
      }
      + keys().map { table, least in
        SchemaFault(
          .foreignKeyValue, table: table,
          fact: "its table '\(table)' has a row with the key \(least), and Core Data gives keys from 1 on", remedy: nil)
      }
      + PrimaryKeyFaults(schema, store).remarks()
  }

  private struct Trigger {
    let name: String
    let table: String
    let sql: String
    /// The names of the tables of which it adds, changes or deletes rows, in capitals.
    let changedTables: Set<String>
    /// The trigger that runs it, if it is on another table than Core Data's.
    var origin: String?

    init(name: String, table: String, sql: String) {
      (self.name, self.table, self.sql) = (name, table, sql)
      let words = sql.uppercased().split { !($0.isLetter || $0.isNumber || $0 == "_" || $0 == "$") }
      changedTables = Set(
        words.indices.dropFirst().compactMap { place in
          let (last, before) = (words[place - 1], place > 1 ? words[place - 2] : "")
          let isOther = place > 2 && before == "OR" && words[place - 3] == "UPDATE"
          let isChanged = last == "UPDATE" || last == "INTO" || isOther || last == "FROM" && before == "DELETE"
          return isChanged ? String(words[place]) : nil
        })
    }

    var removal: String { "DROP TRIGGER \(name.quotedIdentifier);" }

    /// The table, with what runs the trigger.
    var place: String { "'\(table)'" + (origin.map { " (which the trigger '\($0)' changes)" } ?? "") }

    /// Whether a statement of the trigger adds, changes or deletes rows of a table or view.
    func changes(_ table: String) -> Bool { changedTables.contains(table.uppercased()) }
  }

  /// The triggers of the app's own that can refuse rows.
  private func triggers() throws(SQLiteError) -> [Trigger] { try ownTriggers().filter { Self.raises($0.sql) } }

  /// The triggers of the app's own that call a function that only the app can have, with one such function.
  private func callers() throws(SQLiteError) -> [(trigger: Trigger, function: String)] {
    let triggers = try ownTriggers()
    guard !triggers.isEmpty else { return [] }
    let empty = try emptyTables()
    var found: [(trigger: Trigger, function: String)] = []
    for trigger in triggers {
      try empty.execute("SAVEPOINT one")
      if let function = try missingFunction(in: trigger, empty) { found.append((trigger, function)) }
      try empty.execute("ROLLBACK TO one; RELEASE one")
    }
    return found
  }

  /// The triggers of the app's own that fail, or that change rows of the model, with what they do.
  private func troublemakers() throws(SQLiteError) -> [(trigger: Trigger, fact: String)] {
    let triggers = try ownTriggers().filter { !Self.raises($0.sql) }
    guard !triggers.isEmpty else { return [] }
    let empty = try emptyTables()
    let tables = schema.tables.map(\.name) + schema.joinTables.map(\.name) + StoreSchema.fixedTableNames
    var found: [(trigger: Trigger, fact: String)] = []
    for trigger in triggers {
      let name = "the trigger '\(trigger.name)' of \(trigger.place)"
      try empty.execute("SAVEPOINT one")
      var missing: String?
      for error in try compile(trigger, empty) where missing == nil { missing = try missingPart(error) }
      try empty.execute("ROLLBACK TO one; RELEASE one")
      if let missing {
        found.append((trigger, "\(name) uses '\(missing)', which is not there,"))
      } else if let table = tables.first(where: { trigger.changes($0) }) {
        found.append((trigger, "\(name) changes rows of '\(table)' itself"))
      }
    }
    return found
  }

  /// The table or column that a statement fails for; `nil` if it is there, or the error has another reason.
  private func missingPart(_ error: SQLiteError) throws(SQLiteError) -> String? {
    for beginning in ["no such table: ", "no such column: "] where error.message.hasPrefix(beginning) {
      let part = String(error.message.dropFirst(beginning.count))
      let name = (part.split(separator: ".").last.map { String($0) } ?? part).quotedLiteral
      // Views, virtual tables and computed columns are not among the empty tables.
      let found = try store.connection.integer(
        """
        SELECT 1 FROM main.sqlite_schema t WHERE t.name = \(name) COLLATE NOCASE OR EXISTS (
          SELECT 1 FROM pragma_table_xinfo(t.name, 'main') c WHERE t.type = 'table' AND c.name = \(name) COLLATE NOCASE) LIMIT 1
        """)
      return found == nil ? part : nil
    }
    return nil
  }

  /// The tables of the store, without rows and rules, in a database where triggers can be compiled without being run.
  private func emptyTables() throws(SQLiteError) -> Connection {
    let empty = try Connection(path: "", access: .temporary)
    empty.compileTriggers()
    let columns = try store.connection.prepare(
      """
      SELECT t.name, group_concat('"' || replace(c.name, '"', '""') || '"') FROM main.sqlite_schema t,
        pragma_table_info(t.name, 'main') c
      WHERE t.type = 'table' AND t.rootpage > 0 AND t.name NOT LIKE 'sqlite\\_%' ESCAPE '\\' GROUP BY t.name
      """)
    while try columns.step() {
      guard let name = columns.text(0)?.quotedIdentifier, let list = columns.text(1) else { continue }
      try empty.execute("CREATE TABLE \(name) (\(list))")
    }
    return empty
  }

  /// A function that a trigger would call, and that is not there.
  ///
  /// Statements are compiled, together with the trigger that they would run, and are not run.
  private func missingFunction(in trigger: Trigger, _ empty: Connection) throws(SQLiteError) -> String? {
    try compile(trigger, empty).lazy.compactMap { error -> String? in
      // Core Data's own functions are not here either. Any other error has another reason.
      guard let (function, isCollation) = error.missingAppCode, !isCollation, !function.hasPrefix("NSCoreData") else {
        return nil
      }
      return function
    }.first
  }

  /// The errors of the statements that run a trigger.
  private func compile(_ trigger: Trigger, _ empty: Connection) throws(SQLiteError) -> [SQLiteError] {
    let name = trigger.table.quotedIdentifier
    do throws(SQLiteError) {
      // Only the first statement of the text is compiled, as when SQLite reads the schema.
      try empty.prepare(trigger.sql).run()
    } catch {
      return []
    }
    let columns = try empty.prepare("PRAGMA table_info(\(name))")
    var changes: [String] = []
    while try columns.step() {
      if let column = columns.text(1)?.quotedIdentifier { changes.append("\(column) = \(column)") }
    }
    var errors: [SQLiteError] = []
    for sql in [
      "INSERT INTO \(name) DEFAULT VALUES", "UPDATE \(name) SET \(changes.joined(separator: ", "))",
      "DELETE FROM \(name)",
    ] {
      do throws(SQLiteError) {
        _ = try empty.prepare(sql)
      } catch {
        errors.append(error)
      }
    }
    return errors
  }

  /// The triggers of the app's own on tables of Core Data's, and those that they run by changing other tables and views.
  private func ownTriggers() throws(SQLiteError) -> [Trigger] {
    let tables = schema.tables.map(\.name) + schema.joinTables.map(\.name) + StoreSchema.fixedTableNames
    let found = try store.connection.prepare(
      "SELECT name, tbl_name, sql FROM main.sqlite_schema WHERE type = 'trigger' ORDER BY name")
    var rest: [Trigger] = []
    while try found.step() {
      let trigger = Trigger(name: found.text(0) ?? "", table: found.text(1) ?? "", sql: found.text(2) ?? "")
      if !CoreDataName.isTrigger(trigger.name) { rest.append(trigger) }
    }
    let keys = Set(tables.map(\.sqlNameKey))
    var own = rest.filter { keys.contains($0.table.sqlNameKey) }
    rest.removeAll { keys.contains($0.table.sqlNameKey) }
    var next = own
    while !next.isEmpty, !rest.isEmpty {
      var origins: [String: String] = [:]
      for trigger in next { for table in trigger.changedTables { origins[table] = origins[table] ?? trigger.name } }
      next = rest.compactMap { trigger in
        guard let origin = origins[trigger.table.uppercased()] else { return nil }
        var trigger = trigger
        trigger.origin = origin
        return trigger
      }
      rest.removeAll { origins[$0.table.uppercased()] != nil }
      own += next
    }
    return own
  }

  /// Whether a trigger can end a statement with an error, or pass over a row.
  private static func raises(_ sql: String) -> Bool {
    let sql = sql.uppercased()
    return sql.ranges(of: "RAISE").contains { sql[$0.upperBound...].first { !$0.isWhitespace } == "(" }
  }

  /// The tables with keys that Core Data does not give, each with the least one.
  private func keys() throws(SQLiteError) -> [(table: String, least: Int64)] {
    var found: [(table: String, least: Int64)] = []
    for table in schema.tables {
      // One step in the table's tree.
      let least = try store.connection.integer("SELECT min(Z_PK) FROM \(table.name.quotedIdentifier)")
      if let least, least < 1 { found.append((table.name, least)) }
    }
    return found
  }
}
