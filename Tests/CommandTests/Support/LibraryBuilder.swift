import Foundation
import SQLiteDatabase
import TestSupport

/// Builds libraries in Core Data's layout, row by row.
///
/// It follows the documentation and uses none of the tested code.
struct LibraryBuilder {
  /// The version hashes that Apple's tools compute for the models.
  static let v1Hashes = ["Track": "2355e6fc2c92562ec62bf51650fbc9f767e55d3546f5112d6e821cd5ae759aff"]
  static let v2Hashes = [
    "Artist": "fa319d27a17a936441c2b2797fba9c6ddd78a2a7b67187244834925dc53b6b56",
    "Track": "75d00c27b3a38c842bdf257df3093c512e802bb124a176d8496b7ca835980428",
  ]

  var hashes = Self.v1Hashes
  var tracks: [TrackRow] = .few
  /// The app's own keys in the metadata.
  var metadata: [String: String] = [:]
  /// The index of the first track that is in a live write-ahead log; `nil` for none.
  var writeAheadLogStart: Int?
  var uuid = "5A3C9B1E-0B3F-4C56-9C3D-0123456789AB"
  /// The metadata; by default it is assembled from the values above in any order.
  var plist: [UInt8]?
  var pragmas = "PRAGMA page_size = 4096; PRAGMA auto_vacuum = 2"

  /// Writes the library.
  func write(to path: String) throws {
    let connection = try Connection(path: path, access: .create)
    try connection.execute(pragmas)
    try connection.execute(writeAheadLogStart == nil ? "PRAGMA journal_mode = DELETE" : "PRAGMA journal_mode = WAL")
    try connection.execute("BEGIN")
    try connection.execute(Self.schema)
    try writeMetadata(connection)
    let split = writeAheadLogStart ?? tracks.count
    for index in 0..<split { try insert(tracks[index], key: index + 1, connection) }
    try connection.execute("UPDATE Z_PRIMARYKEY SET Z_MAX = \(tracks.count); COMMIT")
    guard writeAheadLogStart != nil else { return try connection.close() }

    // The app's data at its last checkpoint, and the changes after it.
    try connection.execute("PRAGMA wal_checkpoint(TRUNCATE); BEGIN")
    for index in split..<tracks.count { try insert(tracks[index], key: index + 1, connection) }
    try connection.execute("COMMIT")
    connection.keepWriteAheadLogOnClose()
    try connection.close()
    unlink(path + "-shm")
  }

  private static let schema = """
    CREATE TABLE ZTRACK ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZLASTPLAYEDAT TIMESTAMP, \
    ZARTISTNAME VARCHAR, ZIMAGEURL VARCHAR, ZJSON VARCHAR, ZTITLE VARCHAR );
    CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER);
    CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB);
    CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB);
    INSERT INTO Z_PRIMARYKEY VALUES (1, 'Track', 0, 0);
    """

  private func insert(_ track: TrackRow, key: Int, _ connection: Connection) throws {
    let values = [track.lastPlayedAt, track.artistName, track.imageURL, track.json, track.title]
    let statement = try connection.prepare(
      "INSERT INTO ZTRACK VALUES (\(key), 1, 1, \(values.map(\.placeholder).joined(separator: ", ")))")
    for (index, value) in zip(Int32(1)..., values) { try value.bind(to: statement, at: index) }
    try statement.run()
  }

  /// Returns Core Data's metadata and the app's own.
  func makePlist() throws -> [UInt8] {
    var properties: [String: Any] = metadata
    properties["NSPersistenceFrameworkVersion"] = 1338
    properties["NSStoreModelVersionHashes"] = hashes.mapValues(Self.data)
    properties["NSStoreModelVersionHashesVersion"] = 3
    properties["NSStoreModelVersionIdentifiers"] = [""]
    properties["NSStoreType"] = "SQLite"
    properties["_NSAutoVacuumLevel"] = "2"
    return Array(try PropertyListSerialization.data(fromPropertyList: properties, format: .binary, options: 0))
  }

  /// Writes the only row of `Z_METADATA`.
  func writeMetadata(_ connection: Connection) throws {
    let statement = try connection.prepare("INSERT INTO Z_METADATA VALUES (1, ?, ?)")
    try statement.bind(uuid, at: 1)
    try statement.bind(try plist ?? makePlist(), at: 2)
    try statement.run()
  }

  private static func data(_ hexadecimal: String) -> Data {
    let digits = hexadecimal.compactMap(\.hexDigitValue)
    return Data(stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] * 16 + digits[$0 + 1]) })
  }
}

extension TemporaryFolder {
  /// Writes a library to this folder and returns its path.
  func library(_ name: String = "Library.sqlite", _ tracks: [TrackRow] = .few) throws -> String {
    try library(name, LibraryBuilder(tracks: tracks))
  }

  /// Writes a library to this folder and returns its path.
  func library(_ name: String = "Library.sqlite", _ builder: LibraryBuilder) throws -> String {
    try builder.write(to: file(name))
    return file(name)
  }
}
