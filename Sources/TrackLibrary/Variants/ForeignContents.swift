internal import DataModel
internal import Diagnostics
internal import Migration
internal import PersistentStore

/// What a library's file holds besides the instances of its model, and what becomes of it.
struct ForeignContents {
  /// The tables of the app's own that are carried over, with the number of rows in each.
  private(set) var kept: [String: Int64] = [:]
  /// The tables and columns that the new library lacks, with the number of rows or values in each.
  private(set) var leftBehind: [String: Int64] = [:]
  /// Why, by the names of tables, columns, indexes, views and triggers.
  private(set) var reasons: [String: String] = [:]
  private let surroundings: StoreSurroundings

  /// Looks at a library.
  init(_ store: StoreReader, _ model: ManagedObjectModel) throws(MigrationError) {
    surroundings = try StoreSurroundings(store, model: model)
    for content in surroundings.foreignContent {
      guard content.kind != .app else {
        kept[content.name] = content.count
        continue
      }
      leftBehind[content.name] = content.count
      reasons[content.name] = content.kind.name
    }
    leave(surroundings.uncopied)
    for links in surroundings.danglingLinks {
      let name = "\(links.entity).\(links.property)"
      leftBehind[name, default: 0] += Int64(links.count)
      reasons[name] = "dangling-links"
    }
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
  var losses: String? { surroundings.losses }
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
