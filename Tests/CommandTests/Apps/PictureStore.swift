import DataModel
import Foundation
import PersistentStore
import SQLiteDatabase
import TestSupport
import Testing

/// An app's store with external data files and a live write-ahead log, and its model in three versions.
///
/// A mapping model for the first two versions can be inferred, and one for the last two stands beside the model: there are
/// two hops.
struct PictureStore: Sendable {
  private static let names = (1...2).map { "0000000\($0)-ABCD-4EF0-8123-456789ABCDEF" }

  private let folder: TemporaryFolder
  let model: String

  /// - Parameter padding: The number of additional rows, for a migration that takes some time.
  init(padding: Int = 0) throws {
    folder = try TemporaryFolder(isInMemory: true)
    model = try folder.writeAppModel(
      entity: "Picture",
      versions: [Self.name, Self.title, Self.title + Self.count].map { $0 + Self.data })
    try writeMapping()
    try writeStore(padding)
  }

  /// Writes what could be inferred, too: one inferred hop from the first version to the last would be as good as two.
  private func writeMapping() throws {
    var xml = MappingXML(
      MappingXML.Entity("e", from: "Picture", to: "Picture").attribute("title").attribute("data").attribute("count"))
    xml.sourcePath = "App.xcdatamodeld/App 2.xcdatamodel"
    xml.destinationPath = "App.xcdatamodeld/App 3.xcdatamodel"
    _ = try folder.mappingModel("App_v2_to_v3.xcmappingmodel", xml: xml.text)
  }

  private func writeStore(_ padding: Int) throws {
    let model = try ModelBundle(path: model).version(named: "App").model()
    let path = folder.file("App.sqlite")
    try StoreWriter(path: path, schema: StoreSchema(model), layout: .coreData).finish(
      metadata: .new(for: model, uuid: "ID"))
    let connection = try Connection(path: path, access: .readWrite)
    try connection.execute(
      """
      PRAGMA journal_mode = WAL; CREATE TABLE own (a); INSERT INTO own VALUES (7);
      WITH RECURSIVE n(i) AS (VALUES (100) UNION ALL SELECT i + 1 FROM n WHERE i < 100 + \(padding))
      INSERT INTO ZPICTURE (Z_PK, Z_ENT, Z_OPT, ZNAME) SELECT i, 1, 1, 'picture ' || i FROM n;
      PRAGMA wal_checkpoint(TRUNCATE); PRAGMA wal_autocheckpoint = 0
      """)
    for (index, name) in Self.names.enumerated() {
      try connection.execute(
        "INSERT INTO ZPICTURE (Z_PK, Z_ENT, Z_OPT, ZNAME, ZDATA) "
          + "VALUES (\(index + 1), 1, 1, 'in a file', CAST(x'02' || '\(name)' || x'00' AS BLOB))")
    }
    connection.keepWriteAheadLogOnClose()
    try connection.close()
    unlink(path + "-shm")
    _ = try folder.makeFolder(".App_SUPPORT")
    _ = try folder.makeFolder(".App_SUPPORT/_EXTERNAL_DATA")
    for name in Self.names { try folder.write(Array("value \(name)".utf8), to: ".App_SUPPORT/_EXTERNAL_DATA/\(name)") }
  }

  /// Copies the store with all its files into a folder and returns its path.
  func copy(to other: TemporaryFolder) throws -> String {
    for name in ["App.sqlite", "App.sqlite-wal", ".App_SUPPORT"] {
      try FileManager.default.copyItem(atPath: folder.file(name), toPath: other.file(name))
    }
    return other.file("App.sqlite")
  }

  /// Returns the names and values in a store of any version, including those in external data files.
  static func rows(_ path: String, support: String) throws -> [String] {
    let column = try isMigrated(path) ? "ZTITLE" : "ZNAME"
    let folder = "\((path as NSString).deletingLastPathComponent)/\(support)/_EXTERNAL_DATA"
    return try Database.rows("SELECT Z_PK, \(column) FROM ZPICTURE ORDER BY 1", in: path)
      + Database.rows("SELECT a FROM own", in: path)
      + Database.rows("SELECT CAST(substr(ZDATA, 2, 36) AS TEXT) FROM ZPICTURE WHERE Z_PK < 100 ORDER BY 1", in: path)
      .map { (try? Files.text("\(folder)/\($0)")) ?? "no file \($0)" }
  }

  /// Returns whether a store has the third version.
  ///
  /// A store between the first and the third has neither.
  static func isMigrated(_ path: String) throws -> Bool {
    let columns = try Database.rows("SELECT name FROM pragma_table_info('ZPICTURE') ORDER BY 1", in: path)
    let isOld = columns == ["ZDATA", "ZNAME", "Z_ENT", "Z_OPT", "Z_PK"]
    #expect(isOld || columns == ["ZCOUNT", "ZDATA", "ZTITLE", "Z_ENT", "Z_OPT", "Z_PK"])
    return !isOld
  }

  private static let name = #"<attribute name="name" optional="YES" attributeType="String"/>"#
  private static let title =
    #"<attribute name="title" optional="YES" attributeType="String" elementID="name" renamingIdentifier="name"/>"#
  private static let count =
    #"<attribute name="count" optional="YES" attributeType="Integer 32" usesScalarValueType="YES"/>"#
  private static let data =
    #"<attribute name="data" optional="YES" attributeType="Binary" allowsExternalBinaryDataStorage="YES"/>"#
}
