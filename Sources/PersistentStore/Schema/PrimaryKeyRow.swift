internal import Diagnostics
internal import SQLite

/// One row of `Z_PRIMARYKEY`: the number of an entity, and how far its primary keys have been used.
public struct PrimaryKeyRow: Sendable, Hashable {
  /// The entity's number in this store: `Z_ENT`.
  public let entityNumber: Int64
  /// The name of the entity, as the store has it.
  public let entityName: String
  /// The number of the parent entity; 0 for roots.
  public let superentityNumber: Int64
  /// The greatest primary key that was ever used, on the row of the root entity.
  public let greatestKey: Int64

  /// The columns that are read.
  static let columns = ["Z_ENT", "Z_NAME", "Z_SUPER", "Z_MAX"]

  /// More entities than any model has, and few enough to look for each one's parents among all.
  private static let limit = 20_000

  static func all(_ connection: Connection, path: String) throws -> [PrimaryKeyRow] {
    let statement = try connection.prepare(
      "SELECT \(columns.joined(separator: ", ")) FROM Z_PRIMARYKEY ORDER BY Z_ENT")
    var rows: [PrimaryKeyRow] = []
    while try statement.step() {
      guard rows.count < limit else {
        throw MigrationError(.damaged, path: path, detail: "its table Z_PRIMARYKEY has more than \(limit) rows")
      }
      rows.append(
        PrimaryKeyRow(
          entityNumber: statement.integer(0), entityName: statement.text(1) ?? "",
          superentityNumber: statement.integer(2), greatestKey: statement.integer(3)))
    }
    return rows
  }
}
