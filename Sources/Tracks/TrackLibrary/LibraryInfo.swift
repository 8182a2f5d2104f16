package import DataModel
internal import Migration
package import MigrationDiagnostics
package import PersistentStore
package import Policies
internal import SQLiteDatabase

/// The information that a store contains about itself.
///
/// It works for any Core Data store, also one whose model is not known here.
package struct LibraryInfo {
  /// One entity of the store.
  package struct Entity: Sendable, Hashable {
    /// The entity's name.
    package let name: String
    /// The entity's number in this store: `Z_ENT`; `nil` when only the metadata names the entity.
    package let number: Int64?
    /// The number of instances; `nil` when the store has no table for them.
    package let instanceCount: Int64?
    /// The entity's version hash, as the metadata has it.
    package let versionHash: VersionHash?
  }

  /// The file, as the user named it.
  package let path: String
  /// The version, if it is one of the track library's or like one.
  package let version: TrackModelVersion?
  /// Whether the library has a model of its own, which is only like that version.
  package let hasCustomModel: Bool
  /// The entities, in the order of their numbers.
  package let entities: [Entity]
  /// The metadata of the store; its values may be secrets.
  package let metadata: StoreMetadata
  /// The layout of the file.
  package let layout: FileLayout
  /// The size of the file in bytes.
  package let size: Int64
  /// Whether changes go to a write-ahead log, and how many bytes of them lie there.
  package let usesWriteAheadLog: Bool
  /// The number of bytes of changes in the write-ahead log.
  package let writeAheadLogSize: Int64
  /// The space that persistent history and a CloudKit mirror take up; `nil` in a store that has neither.
  package let bookkeeping: StoreBookkeeping?
  /// The links to missing rows, in a library that has artists.
  package let danglingLinks: DanglingLinks?
  /// The first table or column of its model that the store does not have; `nil` if it has all, or no model is known.
  package let layoutFault: MigrationError?
  /// The survey of some of the tracks' JSON, in a library that has JSON.
  package let documents: DocumentSurvey?

  /// Reads what a store says about itself.
  package init(path: String) throws(MigrationError) {
    let store = try StoreReader(path: path)
    // The tables must be bounded, because all rows are counted.
    try store.requireBoundedTables()
    self.path = path
    metadata = store.metadata
    layout = store.layout
    size = store.file.size
    usesWriteAheadLog = store.file.usesWriteAheadLog
    writeAheadLogSize = store.file.writeAheadLogSize
    let library = try? TrackLibraryModel(of: store)
    version = library?.version
    hasCustomModel = library?.hasCustomModel ?? false
    let schema: StoreSchema?
    (schema, layoutFault) = try Self.layout(of: library?.model ?? (try? store.writtenModel()), in: store)
    bookkeeping = try store.bookkeeping()
    entities = try reporting(path: path) {
      try store.checkingPages(for: .tablesAndIndexes) { try Self.entities(of: store, schema) }
    }
    danglingLinks = try DanglingLinks.all(in: store)
    documents = try library?.version == .v1 ? reporting(path: path) { try Self.documents(of: store, schema) } : nil
    try store.close()
  }

  /// The layout of a model, or what is wrong with it: what the store has besides can be shown.
  private static func layout(
    of model: ManagedObjectModel?, in store: StoreReader
  ) throws(MigrationError) -> (StoreSchema?, MigrationError?) {
    guard let model else { return (nil, nil) }
    do throws(MigrationError) {
      return (try StoreSchema(model, introspecting: store), nil)
    } catch let error where error.code == .damaged {
      return (nil, error)
    }
  }

  private static func entities(of store: StoreReader, _ schema: StoreSchema?) throws -> [Entity] {
    let hashes = store.metadata.versionHashes
    let byNumber = Dictionary(store.primaryKeys.map { ($0.entityNumber, $0) }, uniquingKeysWith: { first, _ in first })
    let numbered = try store.primaryKeys.map { row in
      var root = row
      // Bounded, because a store with false parent numbers could have a cycle.
      for _ in store.primaryKeys {
        root = byNumber[root.superentityNumber] ?? root
      }
      return Entity(
        name: row.entityName, number: row.entityNumber,
        instanceCount: try count(
          of: row, root: root, table: schema?.table(forEntityNamed: row.entityName)?.name,
          hasSubentities: store.primaryKeys.contains { $0.superentityNumber == row.entityNumber }, store.connection),
        versionHash: hashes[row.entityName])
    }
    // After an in-place migration by Core Data, a renamed entity may still have its old name in the table of numbers.
    let names = Set(numbered.map(\.name))
    return numbered
      + hashes.filter { !names.contains($0.key) }.sorted { $0.key < $1.key }.map { name, hash in
        Entity(name: name, number: nil, instanceCount: nil, versionHash: hash)
      }
  }

  private static let documentLimit: Int64 = 1000

  /// Reads documents of tracks from all over the table.
  private static func documents(of store: StoreReader, _ schema: StoreSchema?) throws -> DocumentSurvey? {
    guard let name = schema?.table(forEntityNamed: "Track")?.name,
      let json = schema?.column(forProperty: "json", ofEntityNamed: "Track")?.name.quotedIdentifier,
      let keys = try store.connection.keyRange(ofTable: name)
    else { return nil }
    let (table, first, last) = (name.quotedIdentifier, keys.lowerBound, keys.upperBound)
    // Large documents are left out: this is only to see what there is.
    let next = try store.connection.prepare(
      """
      SELECT Z_PK, CASE WHEN length(\(json)) <= 1048576 THEN \(json) END FROM \(table)
      WHERE Z_PK >= ? ORDER BY Z_PK LIMIT 1
      """)
    var survey = DocumentSurvey()
    var key = first
    let step = max(1, Double(last) - Double(first)) / Double(documentLimit)
    for number in 1...documentLimit {
      next.reset()
      try next.bind(key, at: 1)
      guard try next.step() else { break }
      next.withText(1) { text in if let text { survey.read(Array(text)) } }
      let found = next.integer(0)
      guard found < last else { break }
      // Keys may be any 64-bit numbers.
      key = max(found + 1, Int64(exactly: (Double(first) + step * Double(number)).rounded(.down)) ?? last)
    }
    return survey
  }

  private static func count(
    of row: PrimaryKeyRow, root: PrimaryKeyRow, table: String?, hasSubentities: Bool, _ connection: Connection
  ) throws(SQLiteError) -> Int64? {
    // Without a model, the table is derived from the name; a store with entities renamed in place may then lack a
    // count.
    let table = table ?? "Z" + root.entityName.uppercased()
    guard try connection.hasPlainTable(table) else { return nil }
    // Without subentities, all rows of the table belong to this entity.
    let isAlone = row == root && !hasSubentities
    let filter = isAlone ? "" : " WHERE Z_ENT = \(row.entityNumber)"
    return try connection.integer("SELECT count(*) FROM \(table.quotedIdentifier)\(filter)")
  }
}

/// The contents of a library's file besides the instances of its model, and what happens to them.
package struct ForeignContents: Sendable {
  /// The contents that are carried over, with the number of rows or values in each: the app's own tables, and of a
  /// library that only gets more rows, everything else.
  package private(set) var kept: [String: Int64] = [:]
  /// The tables and columns that the new library lacks, with the number of rows or values in each.
  package private(set) var leftBehind: [String: Int64] = [:]
  /// The reasons, by the names of tables, columns, indexes, views and triggers.
  package private(set) var reasons: [String: String] = [:]

  init(kept: [String: Int64], leftBehind: [String: Int64], reasons: [String: String]) {
    (self.kept, self.leftBehind, self.reasons) = (kept, leftBehind, reasons)
  }

  /// Sums up what a library holds, of which some things could not be carried over.
  init(_ surroundings: NonModelContent, uncopied: [DroppedContent] = []) {
    for content in surroundings.foreignContent {
      guard content.kind != .app, !surroundings.isCopied else {
        kept[content.name] = content.count
        continue
      }
      leftBehind[content.name] = content.count
      reasons[content.name] = content.kind.name
    }
    guard !surroundings.isCopied else { return }
    leave(surroundings.uncopied + uncopied)
    for links in surroundings.danglingLinks {
      let name = "\(links.entity).\(links.property)"
      leftBehind[name, default: 0] += Int64(links.count)
      reasons[name] = "dangling-links"
    }
  }

  /// Notes what could not be carried over after all.
  mutating func leave(_ uncopied: [DroppedContent]) {
    for content in uncopied { leave(content.name, content.reason.rawValue) }
  }

  mutating func leave(_ name: String, _ reason: String) {
    reasons[name] = reason
    if let count = kept.removeValue(forKey: name) { leftBehind[name] = count }
  }
}

extension StoreReader.ForeignContent.Kind {
  /// A stable name, for reports.
  fileprivate var name: String {
    switch self {
    case .persistentHistory: "persistent-history"
    case .cloudKitMirror: "cloudkit-mirror"
    case .spatialIndex: "spatial-index"
    case .app: "app"
    case .column: "not-in-model"
    case .rows: "no-entity"
    }
  }
}
