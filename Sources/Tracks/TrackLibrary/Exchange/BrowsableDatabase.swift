package import DataModel
internal import Foundation
internal import Migration
package import MigrationDiagnostics
package import PersistentStore
internal import SQLiteDatabase
internal import SystemC
internal import TerminalOutput

/// The rows of a store as a plain database, to browse and to ask with any tool for SQLite.
///
/// Tables and columns have the names of entities and attributes. Links are foreign keys, dates are ISO 8601, and texts can be
/// searched (`<table>_fts`). A table has the rows of an entity and of its subentities, as the store has.
package struct BrowsableDatabase {
  /// The contents of the database and its description for Datasette.
  package struct Result: Sendable {
    /// The file with the description.
    package let metadataPath: String
    package let rowCount: Int
    /// The links of a library that lead to missing rows, which are left out.
    package let danglingLinks: DanglingLinks?
    /// The number of texts that are not valid UTF-8, whose invalid bytes were replaced.
    package let repairedCount: Int
    /// The first of them, by their places in the database.
    package let repairedTexts: [(table: String, row: Int64, column: String)]
  }

  private let store: StoreReader
  private let schema: StoreSchema
  private let context: ManagedObjectContext
  private let tables: [BrowsableTable]
  private let joins: [BrowsableJoin]
  /// The names of tables and indexes, which views cannot have.
  private let taken: NameList

  /// Prepares the export of any store.
  package init(of store: StoreReader, _ model: ManagedObjectModel) throws(MigrationError) {
    try self.init(store, StoreSchema(model, introspecting: store), names: [:])
  }

  /// Prepares the export of a migrated track library.
  package init(libraryAt path: String) throws(MigrationError) {
    let library = try TrackLibraryReader(migratedLibraryAt: path)
    try self.init(library.store, library.schema, names: ["Artist": "artists", "Track": "tracks"])
  }

  /// - Parameter names: The names of tables that are not their entities'.
  private init(_ store: StoreReader, _ schema: StoreSchema, names: [String: String]) throws(MigrationError) {
    (self.store, self.schema) = (store, schema)
    context = try ManagedObjectContext(reading: store, schema.model)
    var taken = NameList()
    var tables = schema.tables.map { table in
      let root = table.entityNames[0]
      return BrowsableTable(table, schema.model, name: taken.add(names[root] ?? root))
    }
    let placeByEntity = Dictionary(
      uniqueKeysWithValues: schema.tables.enumerated().flatMap { place, table in
        table.entityNames.map { ($0, place) }
      })
    var joins: [BrowsableJoin] = []
    for entity in schema.model.entities {
      for relationship in entity.ownRelationships where relationship.isToMany && !relationship.isTransient {
        guard let links = schema.layouts.links(ofRelationship: relationship.name, ofEntityNamed: entity.name),
          links.isNaming, let source = placeByEntity[entity.name],
          let destination = placeByEntity[relationship.destinationEntityName]
        else { continue }
        let isOfLibrary = Set([entity.name, relationship.destinationEntityName]) == Set(names.keys)
        let ends = [entity.name, relationship.destinationEntityName].map { isOfLibrary ? $0.lowercased() : $0 }
        var columns = NameList()
        joins.append(
          BrowsableJoin(
            name: taken.add(isOfLibrary ? "artist_tracks" : "\(entity.name)_\(relationship.name)"), links: links,
            source: source, destination: destination, columns: ends.map { columns.add($0) }))
      }
    }
    for place in tables.indices { tables[place].nameIndexes(&taken) }
    for place in joins.indices { joins[place].nameIndex(&taken) }
    (self.tables, self.joins, self.taken) = (tables, joins, taken)
  }

  /// Writes the database to a file that appears when it is complete, and its description beside it.
  ///
  /// - Parameter path: The file. A database of that name is not replaced, and of other files only an earlier description.
  package func write(toFileAt path: String) throws -> Result {
    let metadataPath = "\(path).metadata.json"
    for written in [path, metadataPath] { try RunFiles.requireNoClash(writing: written, from: [store.file.path]) }
    let file = try AtomicFile(path, temporarySuffix: "export")
    guard let staged = file.stagedPath else {
      var error = MigrationError(.cannotCreate, path: path, detail: "it is not a regular file")
      error.advice = "Nothing was changed. Name another file."
      throw error
    }
    let description = try AtomicFile(metadataPath, isCompanion: true, temporarySuffix: "export")
    try Self.requireDescription(metadataPath)
    let lock = try file.lock()
    defer { lock?.discard() }
    let descriptionLock = try description.lock()
    defer { descriptionLock?.discard() }
    do {
      try file.reserve()
      try description.reserve()
      let rowCount = try store.checkingPages(for: .tablesAndIndexes) {
        try store.connection.reading { try fill(staged, named: path) }
      }
      try context.requireNoFailure()
      let danglingLinks = try DanglingLinks.all(in: store)
      try description.stage(Array(metadata(path).utf8))
      // It may have been written while the rows were copied.
      try Self.requireDescription(metadataPath)
      // A description alone is replaced by the next run, and a database is not.
      try description.publish(from: [store.file.path])
      try file.publish(from: [store.file.path])
      let repaired = context.repairedTexts(exampleCount: 10)
      return Result(
        metadataPath: metadataPath, rowCount: rowCount, danglingLinks: danglingLinks, repairedCount: repaired.count,
        repairedTexts: repaired.examples.compactMap(place))
    } catch {
      file.discard()
      description.discard()
      throw error
    }
  }

  /// The place of a value in the database.
  private func place(
    _ value: (entity: String, row: Int64, attribute: String)
  ) -> (table: String, row: Int64, column: String)? {
    guard let table = tables.first(where: { $0.family.contains(value.entity) }),
      let column = table.columns.first(where: {
        if case .attribute(value.attribute) = $0.content { true } else { false }
      })
    else { return nil }
    return (table.name, value.row, column.name)
  }

  /// The member that says that a description is one of these.
  private static let sourceName = "tracks-migrate"

  /// Checks that a file with the name of the description is one: that name was not chosen by a person.
  private static func requireDescription(_ path: String) throws {
    struct Description: Decodable { let source: String? }
    guard let status = FileStatus(unresolved: path) else { return }
    // A link was made by a person, wherever it leads; pipes and devices are refused elsewhere.
    guard status.kind == .link || status.kind == .regular && status.size > 0 else { return }
    let isRead = status.kind == .regular && status.size < 16 << 20
    let bytes = isRead ? try FileSystem.contents(ofInput: path) : []
    let known = try? JSONDecoder().decode(Description.self, from: Data(bytes))
    guard known?.source != sourceName else { return }
    var error = MigrationError(.outputExists, path: path)
    error.advice = "It is not a description by this command, so it is not replaced. Move it, or name another file."
    throw error
  }

  /// Fills the database.
  ///
  /// - Returns: The number of rows.
  private func fill(_ staged: String, named path: String) throws -> Int {
    do {
      let connection = try Connection(path: staged, access: .create)
      // The search is built in one statement.
      connection.onProgress(every: 100_000) { EndRequest.isMade }
      // What a killed run has written is never seen.
      try connection.execute("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN")
      for table in tables { try connection.execute(table.definition(among: tables, schema.model)) }
      for join in joins { try connection.execute(join.definition(tables)) }
      var rowCount = 0
      for table in tables { rowCount += try copy(table, to: connection) }
      for join in joins { try copy(join, to: connection) }
      for sql in tables.flatMap({ $0.search + $0.indexes }) + views { try connection.execute(sql) }
      try connection.execute("COMMIT; PRAGMA synchronous = FULL")
      // Makes SQLite write the file out.
      try connection.execute("PRAGMA user_version = 1")
      try connection.close()
      return rowCount
    } catch let error as SQLiteError {
      throw MigrationError(error, path: error.path == staged ? path : store.file.path)
    }
  }

  // MARK: - Rows

  private func copy(_ table: BrowsableTable, to connection: Connection) throws -> Int {
    let marks = Array(repeating: "?", count: table.columns.count).joined(separator: ", ")
    let insert = try connection.prepare("INSERT INTO \(table.name.quotedIdentifier) VALUES (\(marks))")
    var count = 0
    try context.forEach(FetchRequest(entityName: table.root)) { object in
      if EndRequest.isMade { throw MigrationError(.interrupted, path: store.file.path) }
      for (place, column) in table.columns.enumerated() {
        try Self.bind(column, of: object, to: insert, at: Int32(place + 1))
      }
      try insert.run()
      try context.requireNoFailure()
      count += 1
    }
    return count
  }

  private static func bind(
    _ column: BrowsableTable.Column, of object: ManagedObject, to insert: Statement, at place: Int32
  ) throws {
    switch column.content {
    case .key: try insert.bind(object.objectID.primaryKey, at: place)
    case .entity: try insert.bind(object.entity.name, at: place)
    case .attribute(let name):
      let isKnown = object.entity.attributes.contains { $0.name == name }
      guard isKnown, let value = object.value(forKey: name) else { return try insert.bindNull(at: place) }
      switch value {
      case .integer(let integer): try insert.bind(integer, at: place)
      case .double(let real): try insert.bind(real, at: place)
      case .string(let text), .uri(let text): try insert.bind(text, at: place)
      case .boolean(let isTrue): try insert.bind(isTrue ? 1 : 0 as Int64, at: place)
      case .date(let seconds):
        if let text = ReferenceDate.exact(seconds) {
          try insert.bind(text, at: place)
        } else {
          try insert.bind(seconds, at: place)
        }
      case .data(let bytes): try insert.bind(bytes, at: place)
      case .uuid(let bytes): try insert.bind(Self.uuid(bytes), at: place)
      }
    case .toOne(let name, _):
      let isKnown = object.entity.relationships.contains { $0.name == name }
      try insert.bind(isKnown ? object.instances(forKey: name).first?.objectID.primaryKey : nil, at: place)
    }
  }

  /// The text of a UUID; of other bytes, base64.
  package static func uuid(_ bytes: [UInt8]) -> String {
    guard bytes.count == 16 else { return bytes.base64 }
    return bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)).uuidString }
  }

  private func copy(_ join: BrowsableJoin, to connection: Connection) throws {
    let (one, other) = (tables[join.source].name, tables[join.destination].name)
    // Links to missing rows, which Core Data ignores, are left out.
    let insert = try connection.prepare(
      """
      INSERT OR IGNORE INTO \(join.name.quotedIdentifier) SELECT ?1, ?2
      WHERE EXISTS (SELECT 1 FROM \(one.quotedIdentifier) WHERE "key" = ?1)
        AND EXISTS (SELECT 1 FROM \(other.quotedIdentifier) WHERE "key" = ?2)
      """)
    let links = join.links
    let rows = try store.connection.prepare(
      """
      SELECT \(links.sourceColumn.quotedIdentifier), \(links.destinationColumn.quotedIdentifier)
      FROM \(links.table.name.quotedIdentifier) ORDER BY 1, 2
      """)
    while try rows.step() {
      try insert.bind(rows.integer(0), at: 1)
      try insert.bind(rows.integer(1), at: 2)
      try insert.run()
    }
  }

  // MARK: - Views

  /// A view for each to-many relationship: the row that has it, and what it leads to, by name.
  private var views: [String] {
    var taken = taken
    var views: [String] = []
    func add(_ one: BrowsableTable, _ name: String, _ other: BrowsableTable, _ joining: String) {
      var columns = NameList()
      let shown = [(one, "a"), (other, "b")].flatMap { table, short -> [String] in
        let key = "\(short).\"key\" AS \(columns.add("\(table.name)_key").quotedIdentifier)"
        guard let label = table.label else { return [key] }
        return [
          key, "\(short).\(label.quotedIdentifier) AS \(columns.add("\(table.name)_\(label)").quotedIdentifier)",
        ]
      }
      views.append(
        """
        CREATE VIEW \(taken.add("\(one.name)_with_\(name)").quotedIdentifier) AS SELECT \(shown.joined(separator: ", "))
        FROM \(one.name.quotedIdentifier) a \(joining)
        """)
    }
    for join in joins {
      let (one, other) = (tables[join.source], tables[join.destination])
      let link = join.name.quotedIdentifier
      let ends = join.columns.map(\.quotedIdentifier)
      func joining(_ from: String, _ to: String, _ table: BrowsableTable) -> String {
        "JOIN \(link) l ON l.\(from) = a.\"key\" JOIN \(table.name.quotedIdentifier) b ON b.\"key\" = l.\(to)"
      }
      add(one, join.links.relationshipName, other, joining(ends[0], ends[1], other))
      let inverse = schema.model.entity(named: join.links.entityName)?.ownRelationships
        .first { $0.name == join.links.relationshipName }?.inverseName
      if let inverse, inverse != join.links.relationshipName {
        add(other, inverse, one, joining(ends[1], ends[0], one))
      }
    }
    for table in tables {
      for case (let column, .toOne(let name, let destination)) in table.columns.map({ ($0.name, $0.content) }) {
        let inverse = table.family.lazy.compactMap { schema.model.entity(named: $0) }.flatMap(\.relationships)
          .first { $0.name == name }?.inverseName
        guard let inverse, let other = tables.first(where: { $0.family.contains(destination) }),
          schema.model.entity(named: destination)?.relationships.first(where: { $0.name == inverse })?.isToMany == true
        else { continue }
        add(other, inverse, table, "JOIN \(table.name.quotedIdentifier) b ON b.\(column.quotedIdentifier) = a.\"key\"")
      }
    }
    return views
  }

  // MARK: - Datasette

  /// The description of the database for Datasette: titles, labels and facets.
  private func metadata(_ path: String) -> String {
    let file = FileSystem.split(path).name
    let database = file.lastIndex(of: ".").map { String(file[..<$0]) } ?? file
    var described = JSONObject()
    for table in tables {
      described.add(
        table.name,
        object: JSONObject {
          if let label = table.label { $0.add("label_column", .string(label)) }
          if !table.facets.isEmpty { $0.add("facets", .strings(table.facets)) }
        })
      if !table.texts.isEmpty {
        described.add(table.searchName, object: JSONObject { $0.add("hidden", .boolean(true)) })
      }
    }
    for join in joins {
      described.add(join.name, object: JSONObject { $0.add("facets", .strings(Array(join.columns.prefix(1)))) })
    }
    return JSONObject {
      $0.add("title", .string(FileSystem.split(store.file.path).name.spellingPathBytes))
      $0.add("source", .string(Self.sourceName))
      $0.add(
        "databases",
        object: JSONObject { $0.add(database, object: JSONObject { $0.add("tables", object: described) }) })
    }.text + "\n"
  }
}
