internal import DataModel
internal import Foundation
internal import PersistentStore
package import PropertyListFormat
internal import SQLiteDatabase

/// Writes track libraries of version 1 as Core Data does, row by row.
public struct TrackLibraryBuilder {
  /// The tracks.
  public var rows: [TrackRow] = []
  /// Rows that are in the write-ahead log only, which is left beside the file.
  public var rowsInLog: [TrackRow] = []
  /// The size of a page in bytes.
  public var pageSize = 4096
  /// 0 none, 1 full, 2 incremental.
  public var autoVacuum = 2
  /// `UTF-8`, `UTF-16le` or `UTF-16be`.
  public var encoding = "UTF-8"
  /// `delete` or `wal`.
  public var journalMode = "delete"
  /// `Z_MAX`; by default the greatest key.
  public var greatestKey: Int64?
  /// What the app keeps in the metadata.
  package var extraMetadata: [(key: String, value: PropertyList)] = []
  /// The identity of the store.
  public var uuid = "6D3A3F1E-0C55-4C6B-9F0E-1A2B3C4D5E6F"

  /// Begins an empty library.
  public init(_ rows: [TrackRow] = []) {
    self.rows = rows
  }

  /// The table of tracks as Core Data creates it.
  public static let tableStatement =
    "CREATE TABLE ZTRACK ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZLASTPLAYEDAT TIMESTAMP, "
    + "ZARTISTNAME VARCHAR, ZIMAGEURL VARCHAR, ZJSON VARCHAR, ZTITLE VARCHAR )"

  /// Writes the library.
  public func write(to path: String) throws {
    let connection = try Connection(path: path, access: .create)
    try connection.execute(
      """
      PRAGMA page_size = \(pageSize); PRAGMA auto_vacuum = \(autoVacuum); PRAGMA encoding = '\(encoding)';
      PRAGMA synchronous = OFF; PRAGMA journal_mode = \(rowsInLog.isEmpty ? journalMode : "wal"); BEGIN;
      \(Self.tableStatement);
      CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER);
      CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB);
      CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB);
      """)
    try insert(rows, connection)
    let greatest = greatestKey ?? max(0, (rows + rowsInLog).map(\.primaryKey).max() ?? 0)
    try connection.execute("INSERT INTO Z_PRIMARYKEY VALUES (1, 'Track', 0, \(greatest))")
    try insertMetadata(connection)
    try connection.execute("COMMIT")
    try connection.close()
    if !rowsInLog.isEmpty { try writeLog(path) }
  }

  /// The metadata that the library has.
  package var metadata: PropertyListDictionary {
    var metadata = StoreMetadata.new(for: TrackModels.v1, uuid: uuid).properties
    for (key, value) in extraMetadata { metadata[key] = value }
    return metadata
  }

  private func insertMetadata(_ connection: Connection) throws {
    let statement = try connection.prepare("INSERT INTO Z_METADATA VALUES (1, ?, ?)")
    try statement.bind(uuid, at: 1)
    try statement.bind(PropertyList.dictionary(metadata).binary(), at: 2)
    try statement.run()
  }

  private func insert(_ rows: [TrackRow], _ connection: Connection) throws {
    for row in rows {
      let values = row.values
      let list = values.map(\.placeholder).joined(separator: ", ")
      let statement = try connection.prepare("INSERT INTO ZTRACK VALUES (\(list))")
      for (index, value) in zip(Int32(1)..., values) { try value.bind(to: statement, at: index) }
      try statement.run()
    }
  }

  private func writeLog(_ path: String) throws {
    let connection = try Connection(path: path, access: .create)
    connection.keepWriteAheadLogOnClose()
    try connection.execute("PRAGMA wal_autocheckpoint = 0; BEGIN")
    try insert(rowsInLog, connection)
    try connection.execute("COMMIT")
    try connection.close()
    // A log that came with a copied library, as from a device.
    Files.remove(path + "-shm")
  }
}
