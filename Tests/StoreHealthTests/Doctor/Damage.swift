import SQLiteDatabase
import StoreHealth
import TestSupport
import Testing

/// Something that is done to a healthy store, and what has to come of it.
struct Damage: Sendable, CustomTestStringConvertible {
  /// What a repair has to do.
  enum End: Sendable, Equatable {
    /// It mends the store, after which these findings remain.
    case repaired(remaining: [Finding.Code] = [])
    /// It mends the store so that it has the instances and links that it had when it was healthy.
    case healed
    /// It refuses, because rows have to be saved first.
    case refused
    /// It changes nothing, because there is nothing that it may mend.
    case left
  }

  let code: Finding.Code
  let name: String
  /// Other findings that it brings about.
  var others: [Finding.Code] = []
  /// The rows that the finding names.
  var rows: [Int64] = []
  let end: End
  let make: @Sendable (HealthFixture) throws -> Void

  var testDescription: String { "\(code.rawValue): \(name)" }
  var codes: Set<Finding.Code> { Set([code] + others) }

  init(
    _ code: Finding.Code, _ end: End, others: [Finding.Code] = [], rows: [Int64] = [], _ name: String,
    _ make: @escaping @Sendable (HealthFixture) throws -> Void
  ) {
    (self.code, self.end, self.others, self.rows, self.name, self.make) = (code, end, others, rows, name, make)
  }

  init(_ code: Finding.Code, _ end: End, others: [Finding.Code] = [], rows: [Int64] = [], sql: String) {
    self.init(code, end, others: others, rows: rows, sql) { try Database.run(sql, in: $0.path) }
  }

  static let all = ofFile + ofCoreDataTables + ofTables + ofRows + ofLinks + ofSurroundings

  // MARK: - The file

  private static let ofFile = [
    Damage(.header, .refused, "an impossible page size") { fixture in
      try fixture.change(page: 1) { $0.replaceSubrange(($0.startIndex + 16)..<($0.startIndex + 18), with: [0, 7]) }
    },
    Damage(.log, .refused, "a log with a changed byte") { try makeLog($0, damaging: true) },
    Damage(.greatestKey, .repaired(), "a log with rows of greater keys") { try makeLog($0, damaging: false) },
    Damage(.journal, .healed, "the journal of a program that was killed") { try makeJournal($0) },
    Damage(.damagedJournal, .refused, "a journal of other bytes") {
      try Files.write(Array("garbage".utf8), to: $0.path + "-journal")
    },
    Damage(.damagedJournal, .refused, "a journal without its first bytes") { fixture in
      try makeJournal(fixture) { journal in for place in 0..<8 { journal[place] ^= 0x55 } }
    },
    Damage(.damagedJournal, .refused, "a journal with a changed page") { fixture in
      // Its sum has the byte 96 of each page, and every 200th after it.
      try makeJournal(fixture) { $0[(Int($0[22]) << 8 | Int($0[23])) + 4 + 96] ^= 0x55 }
    },
    Damage(.damagedJournal, .refused, "a journal that is cut off") { fixture in
      try makeJournal(fixture) { $0.removeLast($0.count - 1000) }
    },
    Damage(.pages, .refused, "a table without its page") { fixture in
      try fixture.change(page: fixture.root(of: "ZTAG")) { page in for index in page.indices { page[index] = 0 } }
    },
    Damage(.pages, .refused, "a file that is cut") { fixture in
      try Files.resize(fixture.path, to: UInt64(Files.bytes(fixture.path).count / 2))
    },
    Damage(.readOnlyFormat, .refused, "a format for writing that is not known") { fixture in
      try fixture.change(page: 1) { $0[$0.startIndex + 18] = 3 }
    },
    Damage(.freePages, .healed, "a list of free pages with another number") { fixture in
      try Database.run("CREATE TABLE x AS SELECT randomblob(20000); DROP TABLE x", in: fixture.path)
      try fixture.change(page: 1) { $0[$0.startIndex + 39] = 1 }
    },
    Damage(.indexEntries, .healed, "an index of another column") { fixture in
      try Database.run(
        """
        DROP INDEX ZMEDIA_ZALBUM_INDEX; CREATE INDEX ZMEDIA_ZALBUM_INDEX ON ZMEDIA (ZCOVER);
        PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = 'CREATE INDEX ZMEDIA_ZALBUM_INDEX ON ZMEDIA (ZALBUM)'
        WHERE name = 'ZMEDIA_ZALBUM_INDEX'
        """, in: fixture.path)
    },
    Damage(.indexEntries, .healed, "an index with a damaged page") { fixture in
      try fixture.change(page: fixture.root(of: "ZMEDIA_ZALBUM_INDEX")) { page in
        for index in page.indices.dropFirst(9) { page[index] = 0x5A }
      }
    },
    Damage(.indexEntries, .refused, "the index of a key with a damaged page") { fixture in
      try fixture.change(page: fixture.root(of: "sqlite_autoindex_Z_3TAGS_1")) { page in
        for index in page.indices.dropFirst(8) { page[index] = 0xFF }
      }
    },
    Damage(
      .brokenRule, .left,
      sql: """
        CREATE TABLE APPOWN (a); INSERT INTO APPOWN VALUES (NULL); PRAGMA writable_schema = ON;
        UPDATE sqlite_schema SET sql = 'CREATE TABLE APPOWN (a NOT NULL)' WHERE name = 'APPOWN'
        """),
  ]

  /// Leaves an unfinished transaction, as a program does that is killed.
  private static func makeJournal(
    _ fixture: HealthFixture, damaging damage: (inout [UInt8]) -> Void = { _ in }
  ) throws {
    let connection = try Connection(path: fixture.path, access: .create)
    try connection.execute("PRAGMA cache_size = 1; BEGIN; UPDATE ZTAG SET ZNAME = hex(randomblob(50000))")
    let store = try Files.bytes(fixture.path)
    var journal = try Files.bytes(fixture.path + "-journal")
    try connection.execute("ROLLBACK")
    try connection.close()
    damage(&journal)
    try Files.write(store, to: fixture.path)
    try Files.write(journal, to: fixture.path + "-journal")
  }

  /// Leaves rows in a log, as a program does that is killed.
  private static func makeLog(_ fixture: HealthFixture, damaging: Bool) throws {
    let connection = try Connection(path: fixture.path, access: .create)
    _ = try connection.text("PRAGMA journal_mode = WAL")
    try connection.execute("INSERT INTO ZTAG (Z_PK, Z_ENT, Z_OPT) VALUES (8, 5, 1)")
    try connection.execute("INSERT INTO ZTAG (Z_PK, Z_ENT, Z_OPT) VALUES (9, 5, 1)")
    let store = try Files.bytes(fixture.path)
    var log = try Files.bytes(fixture.path + "-wal")
    try connection.close()
    if damaging { log[32 + 24 + 50] ^= 1 }
    try Files.write(store, to: fixture.path)
    try Files.write(log, to: fixture.path + "-wal")
  }

  // MARK: - Core Data's own tables

  private static let ofCoreDataTables = [
    Damage(.noMetadata, .refused, sql: "DELETE FROM Z_METADATA"),
    Damage(.noMetadata, .refused, sql: "DROP TABLE Z_METADATA"),
    Damage(.noMetadata, .refused, sql: "UPDATE Z_METADATA SET Z_PLIST = NULL"),
    Damage(.noMetadata, .refused, sql: "UPDATE Z_METADATA SET Z_PLIST = x'0102'"),
    Damage(.noMetadata, .refused, sql: "ALTER TABLE Z_METADATA DROP COLUMN Z_UUID"),
    Damage(.furtherMetadata, .left, sql: "INSERT INTO Z_METADATA SELECT 2, Z_UUID, Z_PLIST FROM Z_METADATA"),
    Damage(.metadataVersion, .left, sql: "UPDATE Z_METADATA SET Z_VERSION = 7"),
    Damage(.noUUID, .left, sql: "UPDATE Z_METADATA SET Z_UUID = NULL"),
    Damage(.noUUID, .left, sql: "UPDATE Z_METADATA SET Z_UUID = 'none'"),
    Damage(.noVersionHashes, .left, sql: "UPDATE Z_METADATA SET Z_PLIST = x'\(emptyList)'"),
    Damage(.storeType, .left, "metadata of a store of another kind") { fixture in
      var bytes = try Files.bytes(fixture.path)
      let found = bytes.firstRange(of: [0x56] + Array("SQLite".utf8))
      // A text of six characters in a property list.
      if let found { bytes[found.upperBound - 1] = UInt8(ascii: "X") }
      try Files.write(bytes, to: fixture.path)
    },
    Damage(.unknownVersion, .left, sql: "DELETE FROM Z_MODELCACHE; UPDATE Z_METADATA SET Z_PLIST = x'\(otherHashes)'"),
    Damage(.modelCopy, .healed, sql: "UPDATE Z_MODELCACHE SET Z_CONTENT = x'0102'"),
    Damage(.noPrimaryKeys, .refused, sql: "DROP TABLE Z_PRIMARYKEY"),
    Damage(.noPrimaryKeys, .refused, sql: manyKeys),
    Damage(.noPrimaryKeys, .refused, sql: "ALTER TABLE Z_PRIMARYKEY DROP COLUMN Z_SUPER"),
  ]

  /// More rows than a model has entities.
  private static let manyKeys = """
    WITH RECURSIVE n (k) AS (VALUES (100) UNION ALL SELECT k + 1 FROM n WHERE k < 20200)
    INSERT INTO Z_PRIMARYKEY SELECT k, 'x', 0, 0 FROM n
    """

  /// An empty dictionary, as XML.
  private static let emptyList = hex(#"<plist version="1.0"><dict/></plist>"#)

  /// The metadata of a store of another model, as XML.
  private static let otherHashes = hex(
    """
    <plist version="1.0"><dict><key>NSStoreModelVersionHashes</key><dict><key>Tag</key>\
    <data>\(String(repeating: "A", count: 43))=</data></dict></dict></plist>
    """)

  private static func hex(_ text: String) -> String {
    text.utf8.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  // MARK: - The tables

  private static let history = """
    CREATE TABLE ACHANGE (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZENTITY INTEGER, ZTRANSACTIONID INTEGER);
    CREATE TABLE ATRANSACTION (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZAUTHORTS INTEGER);
    CREATE TABLE ATRANSACTIONSTRING (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR);
    INSERT INTO ACHANGE VALUES (1, 16001, NULL, 3, 1); INSERT INTO ATRANSACTION VALUES (1, 16002, NULL, 1);
    INSERT INTO ATRANSACTIONSTRING VALUES (1, 16003, NULL, 'a');
    INSERT INTO Z_PRIMARYKEY VALUES (16001, 'CHANGE', 0, 1), (16002, 'TRANSACTION', 0, 1),
      (16003, 'TRANSACTIONSTRING', 0, 1);
    """

  private static let ofTables = [
    Damage(
      .unmatchedLayout, .left,
      sql: "ALTER TABLE ZMEDIA RENAME COLUMN Z_FOK_ALBUM TO Z_FOK_ALBUM1; ALTER TABLE ZMEDIA ADD COLUMN Z_FOK_ALBUM2"),
    Damage(.missingTable, .refused, sql: "DROP TABLE ZTAG"),
    Damage(.missingTable, .refused, sql: "DROP TABLE Z_3TAGS"),
    Damage(.missingTable, .repaired(), sql: "DELETE FROM ZZONE; DELETE FROM ZTAG; DROP TABLE Z_3TAGS"),
    Damage(
      .missingTable, .repaired(remaining: [.danglingLink, .danglingLink]), others: [.missingEntity],
      sql: """
        DROP TABLE ZALBUM; DELETE FROM Z_PRIMARYKEY WHERE Z_NAME = 'Album'
        """),
    Damage(.missingEntity, .healed, sql: "DELETE FROM Z_PRIMARYKEY WHERE Z_NAME = 'Tag'"),
    Damage(.missingColumn, .repaired(), sql: "ALTER TABLE ZMEDIA DROP COLUMN ZKEY"),
    Damage(.missingColumn, .repaired(), sql: "ALTER TABLE ZMEDIA DROP COLUMN ZCODE"),
    Damage(.missingColumn, .healed, sql: "ALTER TABLE ZCOVER DROP COLUMN Z3_MEDIA"),
    Damage(
      .missingColumn, .healed,
      sql: [
        "MEDIA_Album_count_PARAMETER_INSERT", "MEDIA_Album_count_PARAMETER_UPDATE_INCREMENT",
        "MEDIA_Album_count_PARAMETER_UPDATE_DECREMENT", "MEDIA_Album_count_PARAMETER_DELETE",
        "ALBUM_Album_count_SOURCE_INSERT",
      ].map { "DROP TRIGGER Z_DA_Z\($0);" }.joined()
        + "ALTER TABLE ZALBUM DROP COLUMN ZCOUNT"),
    Damage(.missingColumn, .left, sql: "ALTER TABLE ZCOVER DROP COLUMN ZNAME"),
    Damage(.missingColumn, .left, sql: "ALTER TABLE ZTAG RENAME COLUMN ZNAME TO ZLABEL"),
    // A number of the app's own is not the text that is missing.
    Damage(
      .missingColumn, .repaired(),
      sql: "ALTER TABLE ZTAG ADD COLUMN rating INTEGER; UPDATE ZTAG SET rating = 1; ALTER TABLE ZTAG DROP COLUMN ZNAME"),
    Damage(.missingColumn, .left, sql: "ALTER TABLE ZMEDIA DROP COLUMN Z_FOK_ALBUM"),
    Damage(.missingColumn, .left, sql: "DROP INDEX ZZONE_ZOWNER_INDEX; ALTER TABLE ZZONE DROP COLUMN ZOWNER"),
    // The other ends of the links are there.
    Damage(.missingColumn, .healed, sql: "DROP INDEX ZMEDIA_ZCOVER_INDEX; ALTER TABLE ZMEDIA DROP COLUMN ZCOVER"),
    Damage(
      .entityName, .healed, sql: "UPDATE Z_PRIMARYKEY SET Z_NAME = 'tag' WHERE Z_NAME = 'Tag'"),
    Damage(.entityName, .left, sql: "UPDATE Z_PRIMARYKEY SET Z_SUPER = 0 WHERE Z_NAME = 'Song'"),
    Damage(.unknownEntityName, .left, sql: "UPDATE Z_PRIMARYKEY SET Z_NAME = 'Label' WHERE Z_NAME = 'Tag'"),
    Damage(.unknownEntityName, .left, sql: "INSERT INTO Z_PRIMARYKEY VALUES (77, 'Extra', 0, 5)"),
    Damage(.unknownEntityName, .left, sql: "INSERT INTO Z_PRIMARYKEY VALUES (9, 'Tag', 0, 5), (0, 'Media', 0, 2)"),
    Damage(.joinTableName, .healed, sql: "ALTER TABLE Z_3TAGS RENAME TO Z_9TAGS"),
    Damage(
      .joinTableName, .healed,
      sql: "ALTER TABLE Z_3TAGS RENAME TO Z_9TAGS; ALTER TABLE Z_9TAGS RENAME COLUMN Z_3MEDIA TO Z_9MEDIA"),
    Damage(.joinTableName, .healed, sql: "ALTER TABLE Z_3TAGS RENAME COLUMN Z_5TAGS TO Z_12TAGS"),
    Damage(.greatestKey, .healed, sql: "UPDATE Z_PRIMARYKEY SET Z_MAX = 1"),
    Damage(.greatestKey, .healed, sql: "UPDATE Z_PRIMARYKEY SET Z_MAX = \(Int64.max) WHERE Z_NAME = 'Tag'"),
    Damage(.greatestKey, .healed, sql: history + "UPDATE Z_PRIMARYKEY SET Z_MAX = 0 WHERE Z_ENT = 16001"),
    Damage(.refusingConstraint, .left, sql: "CREATE UNIQUE INDEX own ON ZTAG (ZNAME)"),
    Damage(
      .refusingConstraint, .healed,
      sql: """
        DROP INDEX Z_Media_UNIQUE_title; CREATE UNIQUE INDEX Z_Media_UNIQUE_title ON ZMEDIA (ZTITLE COLLATE NOCASE)
        """),
    Damage(
      .refusingTrigger, .left, sql: "CREATE TRIGGER t BEFORE INSERT ON ZTAG BEGIN SELECT RAISE(ABORT, 'no'); END"),
    Damage(
      .refusingTrigger, .left,
      sql: """
        CREATE TABLE log (a); CREATE TRIGGER t AFTER INSERT ON ZTAG BEGIN INSERT INTO log VALUES (1); END;
        CREATE TRIGGER u AFTER INSERT ON log BEGIN SELECT RAISE(ABORT, 'no'); END
        """),
    Damage(
      .refusingTrigger, .left,
      sql: """
        CREATE VIEW shown AS SELECT 1 AS a; CREATE TRIGGER t AFTER INSERT ON ZTAG BEGIN INSERT INTO shown VALUES (1); END;
        CREATE TRIGGER u INSTEAD OF INSERT ON shown BEGIN DELETE FROM ZCOVER; END
        """),
    Damage(
      .notUnique, .left, others: [.missingIndex],
      sql: """
        CREATE TABLE j AS SELECT * FROM Z_3TAGS; INSERT INTO j SELECT * FROM j LIMIT 2; DROP TABLE Z_3TAGS;
        ALTER TABLE j RENAME TO Z_3TAGS; CREATE INDEX Z_3TAGS_Z_5TAGS_INDEX ON Z_3TAGS (Z_5TAGS, Z_3MEDIA)
        """),
    Damage(
      .columnType, .left,
      sql: """
        ALTER TABLE ZTAG RENAME TO old; CREATE TABLE ZTAG (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER,
          ZNAME VARCHAR COLLATE NOCASE); INSERT INTO ZTAG SELECT * FROM old; DROP TABLE old
        """),
    Damage(
      .refusingTrigger, .left,
      sql: "CREATE TRIGGER t AFTER UPDATE OF ZNAME ON ZTAG BEGIN SELECT app_function(new.ZNAME); END"),
    Damage(.missingIndex, .healed, sql: "DROP INDEX ZMEDIA_ZALBUM_INDEX; DROP INDEX Z_3TAGS_Z_5TAGS_INDEX"),
    Damage(.missingIndex, .healed, sql: "DROP INDEX Z_Media_byTitle; DROP INDEX Z_Media_UNIQUE_title"),
    Damage(.missingIndex, .healed, sql: "DROP INDEX Z_Media_byTitle"),
    Damage(
      .missingIndex, .healed, sql: "DROP INDEX Z_Media_byTitle; CREATE INDEX Z_Media_byTitle ON ZMEDIA (ZCODE)"),
    Damage(
      .missingIndex, .healed, sql: "DROP INDEX Z_Media_byTitle; CREATE INDEX Z_Media_byTitle ON ZMEDIA (ZTITLE DESC)"),
    Damage(
      .missingIndex, .healed,
      sql: "CREATE TABLE x AS SELECT * FROM Z_3TAGS; DROP TABLE Z_3TAGS; ALTER TABLE x RENAME TO Z_3TAGS"),
    Damage(.missingTrigger, .healed, sql: "DROP TRIGGER Z_DA_ZMEDIA_Album_count_PARAMETER_DELETE"),
    Damage(
      .columnType, .left,
      sql: """
        ALTER TABLE ZTAG RENAME TO old; CREATE TABLE ZTAG (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER,
        ZNAME INTEGER); INSERT INTO ZTAG SELECT * FROM old; DROP TABLE old
        """),
    Damage(.oddKey, .left, sql: "INSERT INTO ZALBUM (Z_PK, Z_ENT, Z_OPT) VALUES (-4, 1, 1)"),
    Damage(.oddKey, .left, sql: "INSERT INTO ZALBUM (Z_PK, Z_ENT, Z_OPT) VALUES (\(Int64.max), 1, 1)"),
    Damage(.entityName, .healed, sql: "UPDATE Z_PRIMARYKEY SET Z_NAME = 'Q' || Z_NAME"),
    Damage(
      .entityName, .left,
      sql: """
        CREATE TABLE x AS SELECT * FROM Z_PRIMARYKEY; DROP TABLE Z_PRIMARYKEY; ALTER TABLE x RENAME TO Z_PRIMARYKEY
        """),
    Damage(
      .entityName, .left,
      sql: """
        CREATE TABLE x AS SELECT * FROM Z_PRIMARYKEY; DROP TABLE Z_PRIMARYKEY; ALTER TABLE x RENAME TO Z_PRIMARYKEY;
        INSERT INTO Z_PRIMARYKEY SELECT * FROM Z_PRIMARYKEY
        """),
    Damage(
      .refusingTrigger, .left,
      sql: "CREATE TRIGGER t AFTER INSERT ON ZTAG BEGIN INSERT INTO nosuch VALUES (1); END"),
    Damage(
      .refusingTrigger, .left,
      sql: "CREATE TRIGGER t AFTER INSERT ON ZTAG BEGIN DELETE FROM ZTAG WHERE Z_PK = new.Z_PK; END"),
    Damage(
      .refusingTrigger, .left,
      sql: "CREATE TRIGGER t AFTER INSERT ON ZTAG BEGIN UPDATE \"ZMEDIA\" SET ZTITLE = upper(ZTITLE); END"),
    Damage(
      .missingColumn, .left,
      sql: """
        CREATE TABLE x AS SELECT * FROM ZTAG; DROP TABLE ZTAG; CREATE TABLE ZTAG (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER,
        Z_OPT INTEGER, ZNAME VARCHAR AS ('x' || Z_PK)); INSERT INTO ZTAG SELECT Z_PK, Z_ENT, Z_OPT FROM x; DROP TABLE x
        """),
  ]

  // MARK: - The rows

  private static let ofRows = [
    Damage(
      .unknownEntity, .healed, others: [.danglingLink], rows: [2], sql: "UPDATE ZTAG SET Z_ENT = 77 WHERE Z_PK = 2"),
    Damage(.unknownEntity, .left, rows: [2, 3], sql: "UPDATE ZMEDIA SET Z_ENT = 5 WHERE Z_PK IN (2, 3)"),
    Damage(.unknownEntity, .left, rows: [2], sql: "UPDATE ZMEDIA SET Z_ENT = NULL WHERE Z_PK = 2"),
    Damage(
      .abstractEntity, .left, rows: [3],
      sql: "INSERT INTO ZZONE (Z_PK, Z_ENT, Z_OPT) VALUES (3, 6, 1); \(raisingZones)"),
    Damage(.missingValue, .left, rows: [3], sql: "UPDATE ZCOVER SET ZNAME = NULL WHERE Z_PK = 3"),
    Damage(.missingDestination, .left, rows: [1], sql: "UPDATE ZZONE SET ZOWNER = NULL WHERE Z_PK = 1"),
    Damage(.outOfLimits, .left, rows: [2], sql: "UPDATE ZZONE SET ZSIZE = 11 WHERE Z_PK = 2"),
    Damage(
      .destinationCount, .left, rows: [1],
      sql: "UPDATE ZMEDIA SET ZALBUM = 1, Z_FOK_ALBUM = Z_PK; UPDATE ZALBUM SET ZCOUNT = 4 WHERE Z_PK = 1"),
    Damage(
      .notUnique, .left, others: [.missingIndex], rows: [1, 4],
      sql: "DROP INDEX Z_Media_UNIQUE_title; UPDATE ZMEDIA SET ZTITLE = 'one' WHERE Z_PK = 4"),
    Damage(.storageClass, .left, rows: [2], sql: "UPDATE ZMEDIA SET ZWHEN = 'today' WHERE Z_PK = 2"),
    Damage(.storageClass, .left, rows: [2], sql: "UPDATE ZMEDIA SET ZCODE = 'seven' WHERE Z_PK = 2"),
    Damage(.storageClass, .left, rows: [1], sql: "UPDATE ZTAG SET ZNAME = x'41' WHERE Z_PK = 1"),
    Damage(.unfitValue, .left, rows: [2], sql: "UPDATE ZMEDIA SET ZCODE = 99999999999 WHERE Z_PK = 2"),
    Damage(.unfitValue, .left, rows: [1, 3], sql: "UPDATE ZMEDIA SET ZWHEN = 1e300 * Z_PK WHERE Z_PK IN (1, 3)"),
    Damage(.unfitValue, .left, rows: [1], sql: "UPDATE ZMEDIA SET ZWHEN = -9e999 WHERE Z_PK = 1"),
    Damage(.unfitValue, .left, others: [.outOfLimits], rows: [1], sql: "UPDATE ZZONE SET ZSIZE = 40000 WHERE Z_PK = 1"),
    Damage(.foreignValue, .left, rows: [2], sql: "UPDATE ZMEDIA SET ZKEY = 'k' WHERE Z_PK = 2"),
    Damage(.unknownEntity, .left, rows: [2], sql: "UPDATE ZMEDIA SET Z_ENT = '3x' WHERE Z_PK = 2"),
    Damage(.rowVersion, .healed, rows: [2], sql: "UPDATE ZTAG SET Z_OPT = NULL WHERE Z_PK = 2"),
    Damage(.rowVersion, .healed, rows: [1, 2], sql: "UPDATE ZTAG SET Z_OPT = CASE Z_PK WHEN 1 THEN 'a' ELSE -2 END"),
    Damage(.invalidText, .left, rows: [1], sql: "UPDATE ZTAG SET ZNAME = CAST(x'41FF' AS TEXT) WHERE Z_PK = 1"),
  ]

  private static let raisingZones = "UPDATE Z_PRIMARYKEY SET Z_MAX = 3 WHERE Z_NAME = 'Zone'"

  private static let ofLinks = [
    Damage(.danglingLink, .left, rows: [2], sql: "UPDATE ZMEDIA SET ZALBUM = 9 WHERE Z_PK = 2"),
    Damage(.danglingLink, .left, rows: [2], sql: "INSERT INTO Z_3TAGS VALUES (9, 2)"),
    Damage(.wrongEntityOfLink, .healed, rows: [1], sql: "UPDATE ZCOVER SET Z3_MEDIA = 99 WHERE Z_PK = 1"),
    // Either of the two may be right.
    Damage(.wrongEntityOfLink, .left, rows: [1], sql: "UPDATE ZCOVER SET Z3_MEDIA = 4 WHERE Z_PK = 1"),
    Damage(.wrongEntityOfLink, .healed, rows: [3], sql: "UPDATE ZCOVER SET Z3_MEDIA = 3 WHERE Z_PK = 3"),
    Damage(.linkOrder, .left, sql: "UPDATE ZMEDIA SET Z_FOK_ALBUM = NULL WHERE Z_PK = 1"),
    Damage(.linkOrder, .left, sql: "UPDATE ZMEDIA SET Z_FOK_ALBUM = 'first' WHERE Z_PK = 1"),
    Damage(.linkOrder, .left, sql: "UPDATE ZMEDIA SET Z_FOK_ALBUM = 2048"),
    Damage(.oneSidedLink, .healed, rows: [4], sql: "UPDATE ZCOVER SET ZMEDIA = NULL, Z3_MEDIA = NULL WHERE Z_PK = 2"),
    Damage(.oneSidedLink, .healed, rows: [1], sql: "UPDATE ZMEDIA SET ZCOVER = NULL WHERE Z_PK = 1"),
    Damage(.oneSidedLink, .healed, rows: [1], sql: "UPDATE ZZONE SET ZLAST = NULL"),
    Damage(.contradictingLink, .left, rows: [1], sql: "UPDATE ZMEDIA SET ZCOVER = 1 WHERE Z_PK = 2"),
    Damage(.contradictingLink, .left, rows: [1], sql: "UPDATE ZMEDIA SET ZCOVER = 3 WHERE Z_PK = 1"),
    Damage(.halfLink, .left, others: [.danglingLink], sql: "INSERT INTO Z_3TAGS VALUES (3, NULL)"),
  ]

  // MARK: - Beside the rows

  private static let ofSurroundings = [
    Damage(.missingExternalFile, .left, rows: [3], "the file of a value is gone") {
      Files.remove($0.folder.file(".H_SUPPORT/_EXTERNAL_DATA/\(HealthFixture.file)"))
    },
    Damage(.orphanedExternalFile, .left, "a file with a name that no value can have") {
      try Files.write([1], to: $0.folder.file(".H_SUPPORT/_EXTERNAL_DATA/photo.jpg"))
    },
    Damage(.orphanedExternalFile, .left, sql: "UPDATE ZMEDIA SET ZDATA = NULL WHERE Z_PK = 3"),
    Damage(.externalValue, .left, rows: [2], sql: "UPDATE ZMEDIA SET ZDATA = x'0901' WHERE Z_PK = 2"),
    Damage(.externalValue, .left, rows: [2], sql: "UPDATE ZMEDIA SET ZDATA = x'0241' WHERE Z_PK = 2"),
    Damage(.externalValue, .left, rows: [3], "an empty file of a value") { fixture in
      try Files.write([], to: fixture.folder.file(".H_SUPPORT/_EXTERNAL_DATA/\(HealthFixture.file)"))
    },
    Damage(.historyTable, .left, sql: history + "DROP TABLE ATRANSACTION"),
    Damage(.historyRow, .left, rows: [1], sql: history + "UPDATE ACHANGE SET ZTRANSACTIONID = 5"),
    Damage(.historyRow, .left, rows: [1], sql: history + "UPDATE ACHANGE SET ZENTITY = 50"),
    Damage(.historyRow, .left, rows: [1], sql: history + "UPDATE ATRANSACTION SET ZAUTHORTS = 50"),
  ]
}
