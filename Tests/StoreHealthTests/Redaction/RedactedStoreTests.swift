import DataModel
import MigrationDiagnostics
import PersistentStore
import PropertyListFormat
import SQLiteDatabase
import TestSupport
import Testing

@testable import StoreHealth

@Suite("A redacted store")
struct RedactedStoreTests {
  private static let secrets = [
    "Anna", "Katharina", "Bertram", "mueller", "classified", "confidential", "rnstein", "2020-01-31",
  ]

  @Test(arguments: ["UTF-8", "UTF-16le", "UTF-16be"])
  func `No word of the original is in the bytes of the copy`(encoding: String) throws {
    let fixture = try RedactionFixture(encoding: encoding)
    let result = try fixture.redact()
    #expect(result.modelProblem == nil && result.leftOut == [])
    for secret in Self.secrets where !(encoding != "UTF-8" && secret == "rnstein") {
      #expect(try RedactionFixture.contains(secret, inFileAt: fixture.path), "\(secret)")
      #expect(try !RedactionFixture.contains(secret, inFileAt: fixture.copy), "\(secret)")
    }
    #expect(try Database.isWhole(fixture.copy))
    #expect(try Database.value("PRAGMA encoding", in: fixture.copy) == encoding)
  }

  @Test func `Tables, keys, links, entities and the model stay`() throws {
    let fixture = try RedactionFixture()
    _ = try fixture.redact()
    for sql in [
      "SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY 1, 2", "SELECT * FROM Z_PRIMARYKEY",
      "SELECT * FROM Z_MODELCACHE", "SELECT Z_PK, Z_ENT, Z_OPT, ZISACTIVE FROM ZPERSON",
      "SELECT ZBOSS FROM ZPERSON WHERE Z_PK < 4", "SELECT * FROM Z_1TAGS",
      "SELECT Z_PK, typeof(ZNAME), typeof(ZEMAIL), typeof(ZBORN), typeof(ZSCORE), typeof(ZBOSS) FROM ZPERSON",
      "SELECT length(ZNAME), length(ZEMAIL), length(ZSITE), length(ZEXTRA), length(ZIDENT) FROM ZPERSON",
      "SELECT ZSCORE FROM ZPERSON WHERE Z_PK = 2", "PRAGMA page_size", "PRAGMA auto_vacuum",
    ] {
      let (original, redacted) = try fixture.values(sql)
      #expect(original == redacted, "\(sql)")
    }
    let store = try StoreReader(path: fixture.copy)
    #expect(try store.writtenModel()?.entityVersionHashesByName == RedactionFixture.model.entityVersionHashesByName)
    #expect(try store.metadata.uuid != StoreReader(path: fixture.path).metadata.uuid)
    #expect(store.metadata.uuid.count == 36)
  }

  @Test func `Of the copies of the model, only a model stays`() throws {
    let fixture = try RedactionFixture()
    try Database.run(
      "INSERT INTO Z_MODELCACHE VALUES (CAST('Jonathan Percival of Ward 7' AS BLOB)), ('Percival')", in: fixture.path)
    _ = try fixture.redact()
    #expect(try !RedactionFixture.contains("Percival", inFileAt: fixture.copy))
    #expect(try Database.rows("SELECT length(Z_CONTENT) FROM Z_MODELCACHE", in: fixture.copy).count == 3)
  }

  @Test func `Each kind of value is replaced by its kind`() throws {
    let fixture = try RedactionFixture()
    _ = try fixture.redact(candidates: [CandidateModel(name: "People", model: RedactionFixture.model)])
    func value(_ column: String, row: Int) throws -> String? {
      try Database.value("SELECT \(column) FROM ZPERSON WHERE Z_PK = \(row)", in: fixture.copy)
    }
    // Equal but for case.
    let name = try #require(try value("ZNAME", row: 1))
    #expect(try value("ZNAME", row: 3) == name.lowercased())
    #expect(try value("ZSITE", row: 1)?.hasPrefix("https://") == true)
    #expect(try value("ZSITE", row: 1)?.hasSuffix("/" + name.split(separator: " ")[0].lowercased()) == true)
    // The last part of two addresses is the same word.
    let emails = try [1, 2].map { try #require(try value("ZEMAIL", row: $0)).split(separator: "@") }
    #expect(emails[0][1] == emails[1][1] && emails[0][0] != emails[1][0])
    // One offset, whole days.
    let dates = try [1, 2].map { try #require(Double(try value("ZBORN", row: $0) ?? "")) }
    #expect(dates[1] - dates[0] == 86_400.5)
    #expect((dates[0] - 600_000_000).truncatingRemainder(dividingBy: 86_400) == 0 && dates[0] < 600_000_000)
    #expect(try value("ZBORN", row: 4)?.wholeMatch(of: #/\d{4}-\d\d-\d\d/#) != nil)
    // Within the model's limits, and outside.
    let levels = try [1, 2, 3, 4].map { try #require(Int(try value("ZLEVEL", row: $0) ?? "")) }
    #expect(
      (10...60).contains(levels[0]) && (10...60).contains(levels[1]) && levels[2] > 60 && levels[3] == 5, "\(levels)")
    #expect(try value("hex(ZEXTRA)", row: 1)?.hasPrefix("62706C6973743030") == true)
    // Bytes that are not UTF-8 stay.
    #expect(try value("hex(CAST(ZNAME AS BLOB))", row: 4)?.dropFirst(2).prefix(2) == "F6")
    #expect(try value("ZBOSS", row: 4)?.wholeMatch(of: #/[a-z]{3} [a-z] [a-z]{3}/#) != nil)
  }

  @Test func `A UUID whose digits are all letters is not taken for a word that stayed`() throws {
    let fixture = try RedactionFixture()
    let greatest = "FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF"
    try Database.run("UPDATE ZPERSON SET ZNAME = '\(greatest)' WHERE Z_PK = 2", in: fixture.path)
    try fixture.addExternalFile(greatest, Array("%PDF-1.7".utf8), row: 1)
    _ = try fixture.redact()
    #expect(try Database.value("SELECT ZNAME FROM ZPERSON WHERE Z_PK = 2", in: fixture.copy) == greatest)
  }

  @Test func `An attribute that is kept stays, and no other`() throws {
    let fixture = try RedactionFixture()
    _ = try fixture.redact(keeping: ["Person.name"])
    let (original, redacted) = try fixture.values("SELECT hex(CAST(ZNAME AS BLOB)) FROM ZPERSON")
    #expect(original == redacted)
    #expect(try !RedactionFixture.contains("mueller", inFileAt: fixture.copy))
  }

  @Test(arguments: [
    ("Person.nam", "name"), ("Persons.name", "Person, Tag"), ("Tag.name", "label"), ("Person.boss", "born"),
  ])
  func `An attribute that does not exist is refused with those that do`(name: String, advice: String) throws {
    let fixture = try RedactionFixture()
    let error = try #require(throws: MigrationError.self) { _ = try fixture.redact(keeping: [name]) }
    #expect(error.code == .unknownAttribute && error.exitStatus == 64)
    #expect(ErrorMessage(error).advice.contains(advice), "\(ErrorMessage(error))")
    #expect(try fixture.folder.listing() == ["App.sqlite"])
  }

  @Test func `External data files become noise under other names that fit`() throws {
    let fixture = try RedactionFixture()
    let (used, orphan) = ("A5EF7CF8-BE1D-45E7-B3F5-3BD832F1B7BC", "B5F99CF2-F890-4567-9318-04BA88D44AF0")
    try fixture.addExternalFile(used, Array("%PDF-1.7 of Anna Katharina, page".utf8), row: 1)
    try fixture.addExternalFile(orphan, Array(#"{"name":"Anna Katharina"}"#.utf8), row: nil)
    let result = try fixture.redact()
    #expect(result.fileCount == 2)
    let folder = fixture.folder.file(".Shown_SUPPORT/_EXTERNAL_DATA")
    let names = try Files.listing(folder)
    #expect(names.count == 2 && !names.contains(used) && !names.contains(orphan))
    let store = try StoreReader(path: fixture.copy)
    let schema = try StoreSchema(RedactionFixture.model, introspecting: store)
    let files = try store.externalFiles(in: schema)
    #expect(files.count == 1 && files.allSatisfy { names.contains($0.fileName) })
    #expect(try store.missingExternalFiles(in: schema).isEmpty)
    let contents = try names.map { try Files.bytes("\(folder)/\($0)") }.sorted { $0.count < $1.count }
    #expect(String(decoding: contents[0], as: UTF8.self).hasPrefix(#"{"name":""#) && contents[0].count == 25)
    #expect(contents[1].starts(with: Array("%PDF-1.7".utf8)) && contents[1].count == 32)
    for name in names { #expect(try !RedactionFixture.contains("Anna", inFileAt: "\(folder)/\(name)")) }
  }

  @Test func `The file of an attribute that is kept keeps its contents`() throws {
    let fixture = try RedactionFixture()
    try fixture.addExternalFile("A5EF7CF8-BE1D-45E7-B3F5-3BD832F1B7BC", Array("public".utf8), row: 1)
    _ = try fixture.redact(keeping: ["Person.photo"])
    let folder = fixture.folder.file(".Shown_SUPPORT/_EXTERNAL_DATA")
    #expect(try Files.bytes("\(folder)/\(try Files.listing(folder)[0])") == Array("public".utf8))
  }

  @Test(arguments: ["UTF-8", "UTF-16le"])
  func `Tables of the app's own are redacted, but for their keys`(encoding: String) throws {
    let fixture = try RedactionFixture(encoding: encoding)
    try Database.run(
      """
      CREATE TABLE notes (id INTEGER PRIMARY KEY AUTOINCREMENT, person_id INTEGER, body TEXT UNIQUE, amount REAL
        CHECK (amount < 100), code INTEGER, upper TEXT GENERATED ALWAYS AS (upper(body)) STORED);
      INSERT INTO notes (id, person_id, body, amount, code) VALUES (41, 12, 'Secretive Message', 99.25, 4711);
      CREATE TABLE pairs (k TEXT PRIMARY KEY, v BLOB) WITHOUT ROWID;
      INSERT INTO pairs VALUES ('password', x'0102030405060708090a0b0c0d0e0f1011');
      CREATE TABLE plain (a, b); INSERT INTO plain (rowid, a, b) VALUES (9, 'loose words', NULL);
      CREATE INDEX app ON notes (body COLLATE NOCASE); CREATE VIEW all_notes AS SELECT body FROM notes;
      CREATE TRIGGER t AFTER INSERT ON plain BEGIN DELETE FROM plain; END; ANALYZE;
      """, in: fixture.path)
    let result = try fixture.redact()
    #expect(result.leftOut == [])
    // The samples of ANALYZE are values.
    let statistics = try fixture.values("SELECT count(*) > 0 FROM sqlite_schema WHERE name LIKE 'sqlite_stat%'")
    #expect(statistics.original == ["1"] && statistics.redacted == ["0"])
    for sql in [
      "SELECT name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%' ORDER BY 1",
      "SELECT id, person_id FROM notes",
      "SELECT rowid, b FROM plain", "SELECT * FROM sqlite_sequence", "SELECT length(k), length(v) FROM pairs",
    ] {
      let (original, redacted) = try fixture.values(sql)
      #expect(original == redacted, "\(sql)")
    }
    for sql in ["SELECT body FROM notes", "SELECT amount FROM notes", "SELECT code FROM notes", "SELECT a FROM plain"] {
      let (original, redacted) = try fixture.values(sql)
      #expect(original != redacted, "\(sql)")
    }
    for secret in ["Secretive", "password", "loose"] {
      #expect(try !RedactionFixture.contains(secret, inFileAt: fixture.copy), "\(secret)")
    }
    #expect(try Database.isWhole(fixture.copy))
  }

  @Test(arguments: ["UTF-8", "UTF-16le"])
  func `Values and comments in the statements of the schema are redacted`(encoding: String) throws {
    let fixture = try RedactionFixture(encoding: encoding)
    try Database.run(
      """
      CREATE TABLE app (a TEXT DEFAULT 'Zimmermann', b DEFAULT "Zimmermann lives", c DEFAULT Schneider, -- of Weber
        d INTEGER DEFAULT 4915123456, e GENERATED ALWAYS AS (a || ' née Fischer') STORED,
        f AS (strftime('%Y', d, 'unixepoch', '+1 day')), h, "My Column",
        CHECK (a <> 'It''s Hoffmann' AND typeof(a) = 'text') /* until Krueger decides */);
      INSERT INTO app (a, h, d) VALUES ('Zimmermann', '{"name":"Lehmann"}', 123456);
      CREATE UNIQUE INDEX part ON app (a) WHERE a = 'Zimmermann' AND "My Column" IS NULL;
      CREATE VIEW shown AS SELECT a AS "Their Name", x'4b61756661' AS data, 'Neumann' FROM app WHERE d > 100;
      CREATE VIEW inner_names AS SELECT json_extract(h, '$.name') AS "Its Name" FROM app;
      CREATE TRIGGER told AFTER INSERT ON app BEGIN INSERT INTO app (a) VALUES ('Schwarz'); END;
      PRAGMA user_version = 19870304; PRAGMA application_id = 1234567;
      """, in: fixture.path)
    let result = try fixture.redact()
    #expect(result.leftOut == [])
    for secret in [
      "Zimmermann", "lives", "Schneider", "Weber", "Fischer", "Hoffmann", "Krueger", "decides", "Lehmann", "Neumann",
      "Schwarz", "4b61756661", "4915123456",
    ] {
      #expect(try RedactionFixture.contains(secret, inFileAt: fixture.path), "\(secret)")
      #expect(try !RedactionFixture.contains(secret, inFileAt: fixture.copy), "\(secret)")
    }
    // The same word is replaced by the same, in the rows and in the definitions.
    let name = try #require(try Database.value("SELECT a FROM app", in: fixture.copy))
    let sql = try Database.rows("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL", in: fixture.copy).joined()
    #expect(sql.contains("DEFAULT '\(name)'") && sql.contains("a = '\(name)'"))
    for kept in [
      "'%Y', d, 'unixepoch', '+1 day'", "'$.name'", "= 'text'", "\"My Column\"", "AS \"Their Name\"", "d > 100",
    ] {
      #expect(sql.contains(kept), "\(kept)")
    }
    #expect(try Database.value("SELECT f IS NULL FROM app", in: fixture.copy) == "0")
    #expect(try Database.isWhole(fixture.copy))
    for pragma in ["user_version", "application_id"] {
      let (original, redacted) = try fixture.values("PRAGMA \(pragma)")
      #expect(original == redacted)
    }
  }

  @Test func `Text that is spelled in numbers is redacted, and formats keep their places for values`() throws {
    let fixture = try RedactionFixture()
    let spelled = "char(83, 101, 99, 0x72, 101, 116, 10, 49)"
    try Database.run(
      """
      CREATE TABLE app (a CHECK (a <> \(spelled)));
      CREATE VIEW shown AS SELECT \(spelled) AS a, printf('Secretly %d of %05.2f%%', 3, 1.5) AS b,
        strftime('Secret %Y', 0, 'unixepoch') AS c;
      CREATE VIEW packed AS SELECT unhex('53656372657453656372657453') AS d;
      CREATE VIRTUAL TABLE ft USING fts5(body); CREATE TABLE log (a);
      CREATE TRIGGER t AFTER INSERT ON log BEGIN UPDATE log SET a = 'after'; END;
      """, in: fixture.path)
    #expect(try fixture.redact().leftOut == ["the virtual table 'ft' with its tables"])
    #expect(try !RedactionFixture.contains("Secret", inFileAt: fixture.copy))
    let triggers = "SELECT name FROM sqlite_schema WHERE type = 'trigger' AND name = 't'"
    #expect(try Database.rows(triggers, in: fixture.copy) == ["t"])
    let packed = try #require(
      try Database.value("SELECT sql FROM sqlite_schema WHERE name = 'packed'", in: fixture.copy))
    #expect(packed.contains(/unhex\('[0-9a-fA-F]{26}'\)/) && !packed.contains("536563726574"), "\(packed)")
    #expect(try !RedactionFixture.contains("83, 101, 99", inFileAt: fixture.copy))
    // A view is not run here, only its text.
    let definition = try #require(
      try Database.value("SELECT substr(sql, 22) FROM sqlite_schema WHERE name = 'shown'", in: fixture.copy))
    for condition in [
      "a <> char(83, 101, 99, 114, 101, 116, 10, 49) AND length(a) = 8 AND substr(a, 7, 1) = char(10)",
      "b GLOB '???????? 3 ?? 01.50%'", "c GLOB '?????? 1970'",
    ] {
      #expect(try Database.value("SELECT \(condition) FROM (\(definition))", in: fixture.copy) == "1", "\(definition)")
    }
  }

  @Test func `Unique indexes of the shortest words are whole, with words that are kept`() throws {
    let fixture = try RedactionFixture()
    let letters = "WITH RECURSIVE l (n) AS (SELECT 97 UNION ALL SELECT n + 1 FROM l WHERE n < 122)"
    try Database.run(
      """
      CREATE TABLE words (word TEXT UNIQUE);
      INSERT INTO words \(letters) SELECT char(a.n, b.n) FROM l AS a, l AS b;
      CREATE UNIQUE INDEX folded ON words (word COLLATE NOCASE);
      """, in: fixture.path)
    var redaction = StoreRedaction(path: fixture.path, outputPath: fixture.copy)
    redaction.vocabulary = RedactionVocabulary(words: ["ft", "vs"])
    #expect(try redaction.run().leftOut == [])
    #expect(try Database.value("SELECT count(DISTINCT word) FROM words", in: fixture.copy) == "676")
    #expect(try Database.isWhole(fixture.copy))
  }

  @Test func `An index whose values are not unique is left out as a whole, and named`() throws {
    let fixture = try RedactionFixture()
    try Database.run(
      """
      CREATE TABLE words (word TEXT); CREATE INDEX once ON words (word);
      INSERT INTO words VALUES ('Bertram'), ('Bertram'), ('Anna');
      PRAGMA writable_schema = ON;
      UPDATE sqlite_schema SET sql = 'CREATE UNIQUE INDEX once ON words (word)' WHERE name = 'once';
      """, in: fixture.path)
    let result = try fixture.redact()
    #expect(result.leftOut == ["the index 'once', whose values are not unique in the copy"])
    #expect(try Database.rows("SELECT name FROM sqlite_schema WHERE name = 'once'", in: fixture.copy) == [])
    #expect(try Database.isWhole(fixture.copy))
  }

  @Test func `A virtual table is left out and named`() throws {
    let fixture = try RedactionFixture()
    try Database.run(
      """
      CREATE VIRTUAL TABLE places USING rtree(id, x, y); INSERT INTO places VALUES (1, 13.4, 52.5);
      CREATE TRIGGER gone AFTER DELETE ON ZTAG BEGIN DELETE FROM places WHERE id = old.Z_PK; END
      """, in: fixture.path)
    let result = try fixture.redact()
    #expect(
      result.leftOut == [
        "the virtual table 'places' with its tables", "the trigger 'gone', which refers to a virtual table",
      ])
    #expect(try Database.rows("SELECT name FROM sqlite_schema WHERE name LIKE 'places%'", in: fixture.copy) == [])
  }

  @Test func `Persistent history keeps its keys, and its names are replaced`() throws {
    let fixture = try RedactionFixture()
    try Database.run(
      """
      CREATE TABLE ATRANSACTION (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZAUTHORTS INTEGER,
        ZTIMESTAMP FLOAT, ZAUTHOR VARCHAR);
      INSERT INTO ATRANSACTION VALUES (1, 16002, NULL, 31, 700000000.25, 'com.example.Author');
      CREATE TABLE ACHANGE (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZCHANGETYPE INTEGER, ZENTITY INTEGER,
        ZENTITYPK INTEGER, ZTRANSACTIONID INTEGER, ZCOLUMNS BLOB);
      INSERT INTO ACHANGE VALUES (1, 16001, NULL, 1, 1, 1234, 1, x'0f00');
      """, in: fixture.path)
    _ = try fixture.redact()
    for sql in ["SELECT * FROM ACHANGE", "SELECT Z_PK, Z_ENT, ZAUTHORTS FROM ATRANSACTION"] {
      let (original, redacted) = try fixture.values(sql)
      #expect(original == redacted, "\(sql)")
    }
    let (original, redacted) = try fixture.values("SELECT ZTIMESTAMP, ZAUTHOR FROM ATRANSACTION")
    #expect(original != redacted)
    #expect(try RedactionFixture.contains("com.example", inFileAt: fixture.path))
    #expect(try !RedactionFixture.contains("com.example", inFileAt: fixture.copy))
    #expect(redacted[0].hasSuffix(".25|\(redacted[0].split(separator: "|")[1])"))
  }

  @Test func `Metadata keep Core Data's values and replace the app's`() throws {
    let fixture = try RedactionFixture()
    let connection = try Connection(path: fixture.path, access: .readWrite)
    var metadata = try StoreReader(path: fixture.path).metadata
    metadata.properties["sessionToken"] = .string("token of Anna")
    metadata.properties["NSPersonalNote"] = .string("Notes of Ludwig")
    metadata.properties["nested"] = .dictionary([
      "owners": .array([.string("Bertram"), .integer(4711), .boolean(true)])
    ])
    try metadata.replace(in: connection)
    try connection.close()
    _ = try fixture.redact()
    let redacted = try StoreReader(path: fixture.copy).metadata.properties
    #expect(redacted.keys == metadata.properties.keys)
    for key in redacted.keys where key.hasPrefix("NSStore") || key.hasPrefix("_NS") {
      #expect(redacted[key] == metadata.properties[key], "\(key)")
    }
    #expect(redacted["sessionToken"]?.string?.count == 13)
    #expect(redacted["NSPersonalNote"]?.string?.count == 15)
    #expect(redacted["nested"]?["owners"]?.array?.last?.boolean == true)
    for secret in ["token of", "Bertram", "Ludwig"] {
      #expect(try !RedactionFixture.contains(secret, inFileAt: fixture.copy), "\(secret)")
    }
  }

  @Test func `Deleted rows are not in the copy, and rows of the log are`() throws {
    let fixture = try RedactionFixture()
    try Database.run(
      "PRAGMA secure_delete = OFF; INSERT INTO ZTAG VALUES (2, 2, 1, 'vanished'); DELETE FROM ZTAG WHERE Z_PK = 2",
      in: fixture.path)
    let connection = try Connection(path: fixture.path, access: .readWrite)
    _ = try connection.text("PRAGMA journal_mode = WAL")
    connection.keepWriteAheadLogOnClose()
    try connection.execute("INSERT INTO ZTAG VALUES (3, 2, 1, 'logged')")
    try connection.close()
    #expect(try RedactionFixture.contains("vanished", inFileAt: fixture.path))
    _ = try fixture.redact()
    for word in ["vanished", "logged"] { #expect(try !RedactionFixture.contains(word, inFileAt: fixture.copy)) }
    #expect(try Database.rows("SELECT Z_PK, length(ZLABEL) FROM ZTAG", in: fixture.copy) == ["1|12", "3|6"])
    #expect(!Files.exists(fixture.copy + "-wal"))
    #expect(try Database.value("PRAGMA freelist_count", in: fixture.copy) == "0")
  }

  @Test func `Without a model, columns are told by their names, and that is said`() throws {
    let fixture = try RedactionFixture(modelCache: [1, 2, 3])
    let result = try fixture.redact()
    #expect(result.modelProblem != nil)
    for sql in [
      "SELECT Z_PK, Z_ENT, Z_OPT FROM ZPERSON", "SELECT ZBOSS FROM ZPERSON WHERE Z_PK < 4", "SELECT * FROM Z_1TAGS",
    ] {
      let (original, redacted) = try fixture.values(sql)
      #expect(original == redacted, "\(sql)")
    }
    for secret in Self.secrets { #expect(try !RedactionFixture.contains(secret, inFileAt: fixture.copy), "\(secret)") }
    let error = try #require(throws: MigrationError.self) {
      Files.remove(fixture.copy)
      _ = try fixture.redact(keeping: ["Person.name"])
    }
    #expect(error.code == .unknownAttribute)
  }

  @Test func `A store with damaged pages is refused, and nothing is left`() throws {
    let fixture = try RedactionFixture()
    let size = 4096
    var bytes = try Files.bytes(fixture.path)
    let root = try #require(
      Int(try Database.value("SELECT rootpage FROM sqlite_schema WHERE name = 'ZPERSON'", in: fixture.path) ?? ""))
    bytes.replaceSubrange((root - 1) * size..<root * size, with: [UInt8](repeating: 0, count: size))
    try Files.write(bytes, to: fixture.path)
    let error = try #require(throws: MigrationError.self) { _ = try fixture.redact() }
    #expect(error.code == .damaged, "\(error)")
    #expect(try fixture.folder.listing() == ["App.sqlite"])
  }

  @Test func `Two runs have nothing in common but the shape`() throws {
    let fixture = try RedactionFixture()
    _ = try StoreRedaction(path: fixture.path, outputPath: fixture.copy).run()
    let other = fixture.folder.file("Other.sqlite")
    _ = try StoreRedaction(path: fixture.path, outputPath: other).run()
    let names = try [fixture.copy, other].map { try Database.rows("SELECT ZNAME FROM ZPERSON", in: $0) }
    #expect(names[0] != names[1])
    #expect(names[0].map(\.count) == names[1].map(\.count))
  }
}
