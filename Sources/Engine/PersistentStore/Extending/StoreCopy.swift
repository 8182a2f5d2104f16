internal import DataModel
package import MigrationDiagnostics
internal import SQLiteDatabase
internal import Synchronization
internal import SystemC

/// Copies the bytes of a store into another file on a thread of its own.
///
/// The disk can work while another thread checks the rows. A complete copy is on the disk.
package final class StoreCopy {
  private final class Work: Sendable {
    private let source: DatabaseFile
    private let size: Int64
    private let sourceName: String
    private let path: String
    private let isCancelled: @Sendable () -> Bool
    let isStopped = Atomic(false)

    init(
      _ source: DatabaseFile, size: Int64, named sourceName: String, to path: String,
      isCancelled: @escaping @Sendable () -> Bool
    ) {
      (self.source, self.size, self.sourceName, self.path) = (source, size, sourceName, path)
      self.isCancelled = isCancelled
    }

    /// The number of bytes copied at a time, which fits into the processor's cache.
    ///
    /// Larger blocks are no faster if memory is available, and slower if the kernel has to find it.
    private static let blockSize = 64 << 10

    func copy() throws(MigrationError) {
      let descriptor = try FileSystem.openFile(path, O_WRONLY | O_CREAT | O_TRUNC, orThrow: .cannotCreate)
      defer { close(descriptor) }
      var block = [UInt8](repeating: 0, count: Self.blockSize)
      var offset: Int64 = 0
      while offset < size {
        guard !isStopped.load(ordering: .relaxed), !isCancelled() else {
          throw MigrationError(.interrupted, path: sourceName)
        }
        let count = Int(min(size - offset, Int64(block.count)))
        do throws(SQLiteError) {
          try source.read(count, at: offset, into: &block)
        } catch {
          throw MigrationError(error, path: sourceName)
        }
        // The copy has no log: bytes 18 and 19 of the header say so (sqlite.org/fileformat.html).
        if offset == 0, count >= 100 { (block[18], block[19]) = (1, 1) }
        try FileSystem.write(block, count: count, to: descriptor, named: path)
        offset += Int64(count)
      }
      guard fsync(descriptor) == 0 else { throw FileSystem.failure(.inputOutput, path) }
    }
  }

  private let path: String
  private let work: Work
  private let copy: Background<Void>

  /// Starts copying.
  init(
    _ source: DatabaseFile, size: Int64, named sourceName: String, to path: String,
    isCancelled: @escaping @Sendable () -> Bool
  ) {
    self.path = path
    let work = Work(source, size: size, named: sourceName, to: path, isCancelled: isCancelled)
    self.work = work
    copy = Background { () throws(MigrationError) in try work.copy() }
  }

  /// Waits until the copy is complete and on the disk.
  package func finish() throws(MigrationError) {
    try copy.result().get()
  }

  /// Stops copying, and waits until the other thread no longer uses the files.
  package func stop() {
    work.isStopped.store(true, ordering: .relaxed)
    copy.cancel()
  }

  /// Stops copying, and leaves an empty file in which another store can be built.
  package func discard() throws(MigrationError) {
    stop()
    guard truncate(path, 0) == 0 else { throw FileSystem.failure(.inputOutput, path) }
  }
}

extension StoreWriter {
  /// Continues with a copy of a store's file, and adds columns to it.
  ///
  /// The rows are not written again, which takes the most time in large stores. Columns that Core Data itself adds to a
  /// store are also at the end of their tables.
  ///
  /// - Parameters:
  ///   - path: The copy, which no other program uses.
  ///   - columns: The columns that it lacks.
  package convenience init(copyAt path: String, adding columns: AddedColumns) throws(MigrationError) {
    try self.init(copyAt: path, schema: columns.destination)
    createdIndexes = Set(columns.source.indexStatements)
    try reporting(path: path) { try add(columns.additions) }
  }

  /// Adds columns as `ALTER TABLE` does, with the same bytes.
  ///
  /// After each `ALTER TABLE`, SQLite parses the whole schema again. So only the first one is run in the store, for what else
  /// it may change in the file's header. For the others each table is altered in a database of its own, and its statement
  /// is written into the schema.
  private func add(_ additions: [AddedColumns.Addition]) throws {
    guard let first = additions.first else { return }
    try connection.execute(first.statement)
    let tables = try tableStatements()
    let version = try connection.integer("PRAGMA main.schema_version") ?? 0
    try connection.execute("PRAGMA writable_schema = ON")
    let update = try connection.prepare("UPDATE main.sqlite_schema SET sql = ? WHERE rowid = ?")
    var scratch: (table: String, connection: Connection)?
    for addition in additions.dropFirst() {
      let known = scratch?.table == addition.table ? scratch?.connection : nil
      let connection = try known ?? Connection(path: "", access: .temporary)
      scratch = (addition.table, connection)
      guard let table = tables[addition.table.sqlNameKey] else {
        throw MigrationError(.damaged, path: path, detail: "it has no table '\(addition.table)'")
      }
      if known == nil { try connection.execute(table.sql) }
      try connection.execute(addition.statement)
      try update.bind(try connection.text("SELECT sql FROM main.sqlite_schema") ?? "", at: 1)
      try update.bind(table.row, at: 2)
      try update.run()
    }
    let count = Int64(additions.count - 1)
    try connection.execute("PRAGMA main.schema_version = \(version + count); PRAGMA writable_schema = RESET")
  }

  /// The statements of all tables with their places in the schema, by their names.
  private func tableStatements() throws -> [[UInt8]: (row: Int64, sql: String)] {
    var tables: [[UInt8]: (row: Int64, sql: String)] = [:]
    let schema = try connection.prepare("SELECT name, rowid, sql FROM main.sqlite_schema WHERE type = 'table'")
    while try schema.step() { tables[(schema.text(0) ?? "").sqlNameKey] = (schema.integer(1), schema.text(2) ?? "") }
    return tables
  }
}

extension AddedColumns.Addition {
  /// The statement that adds the column.
  fileprivate var statement: String {
    "ALTER TABLE main.\(table.quotedIdentifier) ADD COLUMN \(column.name.schemaIdentifier) \(column.sqlType)"
  }
}

/// The columns that turn a layout into a newer one.
package struct AddedColumns: Sendable {
  /// One column that the store lacks.
  package struct Addition: Sendable, Hashable {
    /// The name of the table.
    package let table: String
    /// The column.
    package let column: EntityTable.Column
  }

  /// The columns, table by table.
  package let additions: [Addition]
  /// The layout of a fresh store of the old version.
  package let source: StoreSchema
  /// The layout of a fresh store of the new version.
  package let destination: StoreSchema

  /// Compares the layouts of fresh stores of two versions.
  ///
  /// Anything else requires a real migration: values that are converted or computed, tables or numbers that change, links
  /// that are added from the other side.
  ///
  /// - Returns: `nil` if there is more to do than to add optional attributes without default values.
  package init?(from source: StoreSchema, to destination: StoreSchema) {
    guard source.entityNames == destination.entityNames, source.joinTables == destination.joinTables,
      !source.joinTables.contains(where: \.isReflexive), source.tables.count == destination.tables.count,
      Set(source.indexStatements).isSubset(of: destination.indexStatements)
    else { return nil }
    for name in source.entityNames {
      guard let old = source.model.entity(named: name), let new = destination.model.entity(named: name),
        old.superentityName == new.superentityName, old.isAbstract == new.isAbstract,
        old.uniquenessConstraints == new.uniquenessConstraints, Self.keepsAttributes(old, new),
        Self.keepsLinks(old, new, source.model)
      else { return nil }
    }
    var additions: [Addition] = []
    for (old, new) in zip(source.tables, destination.tables) {
      let known = Set(old.columns)
      guard old.name == new.name, old.entityNames == new.entityNames, known.isSubset(of: new.columns) else {
        return nil
      }
      additions += new.columns.filter { !known.contains($0) }.map { Addition(table: new.name, column: $0) }
    }
    (self.additions, self.source, self.destination) = (additions, source, destination)
  }

  private static func keepsAttributes(_ old: EntityDescription, _ new: EntityDescription) -> Bool {
    guard !(old.attributes + new.attributes).contains(where: \.isDerived) else { return false }
    let known = old.attributesByName
    let kept = new.attributes.filter { known[$0.name] != nil }
    let required = Set(old.requiredComposites.map(\.composite.name))
    return kept.count == known.count && required.isSuperset(of: new.requiredComposites.map(\.composite.name))
      && new.attributes.allSatisfy { attribute in
        guard let old = known[attribute.name] else { return attribute.isOptional && attribute.defaultValue == nil }
        return old.type == attribute.type && old.isOptional == attribute.isOptional
          && old.isTransient == attribute.isTransient && old.validation == attribute.validation
          && old.allowsExternalBinaryDataStorage == attribute.allowsExternalBinaryDataStorage
      }
  }

  /// Whether the relationships are the same, and both sides of each agree about their inverse.
  private static func keepsLinks(
    _ old: EntityDescription, _ new: EntityDescription, _ model: ManagedObjectModel
  ) -> Bool {
    let known = old.relationshipsByName
    guard known.count == new.relationships.count else { return false }
    return new.relationships.allSatisfy { relationship in
      guard let old = known[relationship.name], !old.isTransient, !relationship.isTransient,
        old.destinationEntityName == relationship.destinationEntityName, old.inverseName == relationship.inverseName,
        old.minCount == relationship.minCount, old.maxCount == relationship.maxCount,
        old.isOrdered == relationship.isOrdered, old.isOptional == relationship.isOptional
      else { return false }
      guard let name = old.inverseName else { return true }
      let inverse = model.entity(named: old.destinationEntityName)?.relationship(named: name)
      return inverse?.inverseName == old.name
    }
  }
}

/// A reason for rewriting a store, although it only lacks columns.
package enum ExtensionObstacle: Error, Hashable {
  /// The store is read without locks.
  case noLocks
  /// Part of the store is in the write-ahead log.
  case changesBeside
  /// The file has something that the model does not require, or lacks something; this is its name.
  case otherDeclaration(String)
  /// The entities have different numbers than in a new store.
  case otherNumbers
  /// Much of the file is free.
  case freeSpace
  /// SQLite reports that the file is damaged.
  case damage
  /// A table has rows that belong to none of its entities.
  case strayRows(table: String)
  /// Instances break a rule of the model; the text says which.
  case brokenRule(String)
  /// Order keys of an ordered relationship are missing, or exist without a link.
  case missingPlaces(table: String)
  /// The file changed while it was copied.
  case changed
  /// SQLite cannot add rows to the app's own declarations; the text says why.
  case rows(String)
}

extension ExtensionObstacle: CustomStringConvertible {
  /// A clause without a full stop.
  package var description: String {
    switch self {
    case .noLocks: "the store is read without locks"
    case .changesBeside: "a part of the store is in its write-ahead log"
    case .otherDeclaration(let name): "the file and the model differ in '\(name)'"
    case .otherNumbers: "the entities have other numbers"
    case .freeSpace: "much of the file is free"
    case .damage: "the file is damaged"
    case .strayRows(let table): "'\(table)' has rows of no entity"
    case .brokenRule(let text): "a rule of the model is broken: \(text)"
    case .missingPlaces(let table): "'\(table)' lacks the places of an ordered relationship"
    case .changed: "the file was changed meanwhile"
    case .rows(let text): text
    }
  }
}
