internal import DataModel
internal import Diagnostics
internal import Migration
internal import PersistentStore
internal import SQLite

/// What a library's file holds besides the instances of its model, and what becomes of it.
struct ForeignContents {
  /// The tables of the app's own that are carried over, with the number of rows in each.
  private(set) var kept: [String: Int64] = [:]
  /// The tables and columns that the new library lacks, with the number of rows or values in each.
  private(set) var leftBehind: [String: Int64] = [:]
  /// Why, by the names of tables, columns, indexes and triggers.
  private(set) var reasons: [String: String] = [:]
  private let surroundings: StoreSurroundings
  private let strays: [String: Int64]

  /// Looks at a library.
  init(_ store: StoreReader, _ model: ManagedObjectModel, _ schema: StoreSchema) throws(MigrationError) {
    surroundings = try StoreSurroundings(store, model: model)
    strays = try Self.strayRows(in: store, schema)
    for content in surroundings.foreignContent {
      guard content.kind != .app else {
        kept[content.name] = content.count
        continue
      }
      leftBehind[content.name] = content.count
      reasons[content.name] = content.kind.name
    }
    leftBehind.merge(strays) { first, _ in first }
    for name in strays.keys { reasons[name] = "no-entity" }
  }

  /// The tables to carry over.
  var appTables: [String] { surroundings.appTables }

  /// Notes what could not be carried over after all.
  mutating func leave(_ uncopied: [UncopiedContent]) {
    for content in uncopied {
      reasons[content.name] = content.reason.rawValue
      if let count = kept.removeValue(forKey: content.name) { leftBehind[content.name] = count }
    }
  }

  /// What a strict migration stops at before any work.
  var losses: String? {
    if let losses = surroundings.losses { return losses }
    guard !strays.isEmpty else { return nil }
    let list = strays.sorted { $0.key < $1.key }.map { "\($0.key) (\($0.value))" }.joined(separator: ", ")
    return "the model has no entity for \(list)"
  }

  /// Rows of tables that several entities share, whose number is that of none: no app ever sees them.
  private static func strayRows(
    in store: StoreReader, _ schema: StoreSchema
  ) throws(MigrationError) -> [String: Int64] {
    let byName = schema.model.entitiesByName
    return try reporting(path: store.file.path) {
      var found: [String: Int64] = [:]
      for table in schema.tables where table.entityNames.count > 1 {
        let numbers = table.entityNames.filter { byName[$0]?.isAbstract == false }.map { "\(schema.entityNumber($0))" }
        let rows = "\(table.name.quotedIdentifier) WHERE Z_ENT IN (\(numbers.joined(separator: ", "))) IS NOT TRUE"
        let count = try store.connection.integer("SELECT count(*) FROM \(rows)") ?? 0
        if count > 0 { found["\(table.name).Z_ENT"] = count }
      }
      return found
    }
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
    }
  }
}
