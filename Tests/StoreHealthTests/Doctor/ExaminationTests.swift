import DataModel
import MigrationDiagnostics
import PersistentStore
import Samples
import StoreHealth
import TestSupport
import Testing

@Suite("The examination of a store")
struct ExaminationTests {
  @Test(arguments: Damage.all)
  func `A finding of each kind is found with its rows, and nothing is changed`(damage: Damage) throws {
    let fixture = try HealthFixture()
    try damage.make(fixture)
    let before = try fixture.folder.snapshot()
    let document = try fixture.examination.run()
    #expect(Set(document.findings.map(\.code)) == damage.codes, "\(document.findings)")
    for finding in document.findings where finding.code == damage.code && !damage.rows.isEmpty {
      #expect(finding.rows == damage.rows, "\(finding)")
      #expect(finding.count ?? 0 > 0)
    }
    #expect(try fixture.folder.snapshot().contents == before.contents)
  }

  @Test func `Each kind of finding is among the damages`() {
    #expect(Set(Damage.all.map(\.code)) == Set(Finding.Code.allCases))
  }

  @Test(arguments: Finding.Code.allCases) func `A finding says what it means for the app`(code: Finding.Code) {
    #expect(code.meaning.hasSuffix(".") && code.meaning.first?.isUppercase == true)
    #expect(HealthCheck.allCases.contains(code.check))
  }

  @Test func `A healthy store has no findings, and every check is made`() throws {
    let fixture = try HealthFixture()
    let document = try fixture.examination.run()
    #expect(document.findings == [])
    #expect(document.model == .named("Health"))
    #expect(document.checks.map(\.check) == HealthCheck.allCases)
    #expect(document.checks.allSatisfy { $0.obstacle == nil })
    #expect(document.unchecked == [])
  }

  @Test func `The store's own copy of its model is enough but for the limits of values`() throws {
    let fixture = try HealthFixture("UPDATE ZZONE SET ZSIZE = 11; UPDATE ZMEDIA SET ZALBUM = 9 WHERE Z_PK = 2")
    let document = try StoreExamination(path: fixture.path, candidates: []).run()
    #expect(document.model == .own)
    #expect(document.findings.map(\.code) == [.danglingLink])
    #expect(document.unchecked.count == 1 && document.unchecked[0].hasPrefix("the limits of values"))
  }

  @Test(arguments: [
    """
    ALTER TABLE ZTAG RENAME TO old; CREATE TABLE ZTAG (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME INTEGER);
    INSERT INTO ZTAG SELECT * FROM old; DROP TABLE old
    """, "UPDATE Z_PRIMARYKEY SET Z_NAME = 'Q' || Z_NAME",
    """
    CREATE TABLE x AS SELECT * FROM Z_PRIMARYKEY; DROP TABLE Z_PRIMARYKEY; ALTER TABLE x RENAME TO Z_PRIMARYKEY;
    INSERT INTO Z_PRIMARYKEY SELECT * FROM Z_PRIMARYKEY
    """,
  ])
  func `A store that keeps other values or keys than the app gives is not current`(sql: String) throws {
    let fixture = try HealthFixture(sql)
    let findings = try fixture.examination.run().findings
    #expect(!findings.isEmpty && findings.allSatisfy { $0.remedy != .nothing }, "\(findings)")
    let store = try StoreReader(path: fixture.path)
    #expect(throws: MigrationError.self) { try store.requireLayout(of: HealthFixture.model) }
  }

  @Test func `A column whose type changes no value of its attribute is only remarked`() throws {
    let fixture = try HealthFixture(
      """
      ALTER TABLE ZTAG RENAME TO old; CREATE TABLE ZTAG (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME);
      INSERT INTO ZTAG SELECT * FROM old; DROP TABLE old
      """)
    #expect(try fixture.examination.run().findings.map(\.remedy) == [.nothing])
    try StoreReader(path: fixture.path).requireLayout(of: HealthFixture.model)
  }

  @Test(arguments: ["DELETE FROM ZTAG", "INSERT INTO nosuch VALUES (1)"])
  func `A trigger that changes rows of the model or fails is remarked upon`(statement: String) throws {
    let fixture = try HealthFixture("CREATE TRIGGER t AFTER INSERT ON ZMEDIA BEGIN \(statement); END")
    let remarks = try StoreReader(path: fixture.path).requireLayout(of: HealthFixture.model)
    #expect(remarks.count == 1 && remarks[0].contains("'t' of 'ZMEDIA'"), "\(remarks)")
  }

  @Test func `A trigger that uses a view, a virtual table or a computed column is no finding`() throws {
    let fixture = try HealthFixture(
      """
      CREATE VIRTUAL TABLE words USING fts5(a); CREATE VIEW v AS SELECT ZNAME FROM ZTAG;
      CREATE TABLE own (a, b AS (a || 'x')); CREATE TRIGGER t AFTER INSERT ON ZTAG BEGIN
        INSERT INTO words SELECT ZNAME FROM v; DELETE FROM own WHERE b = new.ZNAME; END
      """)
    #expect(try fixture.examination.run().findings == [])
  }

  @Test func `Text in place of an entity is not taken for its number`() throws {
    let fixture = try HealthFixture("UPDATE ZTAG SET Z_ENT = '5x' WHERE Z_PK = 2")
    let finding = try #require(try fixture.examination.run().findings.first { $0.code == .unknownEntity })
    #expect(finding.fact.contains("rows without an entity (Z_ENT)") && !finding.fact.contains("'Tag'"))
  }

  @Test func `What an app adds for itself is no finding`() throws {
    let fixture = try HealthFixture(
      """
      CREATE TABLE APPOWN (a INTEGER PRIMARY KEY, b TEXT UNIQUE); CREATE VIEW v AS SELECT * FROM ZTAG;
      ALTER TABLE ZTAG ADD COLUMN ZRATING INTEGER; CREATE INDEX own ON ZTAG (ZRATING);
      CREATE TRIGGER t AFTER INSERT ON ZTAG BEGIN DELETE FROM APPOWN; END;
      """)
    #expect(try fixture.examination.run().findings == [])
  }

  @Test func `Without a model nothing is said about the rows`() throws {
    let fixture = try HealthFixture("DROP TABLE Z_MODELCACHE; UPDATE ZMEDIA SET ZALBUM = 9; DROP TABLE ZCOVER")
    let document = try StoreExamination(path: fixture.path, candidates: []).run()
    #expect(document.findings == [])
    #expect(document.model == .unknown)
    let made = document.checks.filter { $0.obstacle == nil }.map(\.check)
    #expect(made == [.file, .pages, .metadata, .modelCopy, .history])
    let named = try fixture.examination.run()
    #expect(named.model == .named("Health"))
    #expect(named.findings.map(\.code) == [.missingTable])
  }

  @Test func `Where pages or tables are damaged, the checks that need them are not made`() throws {
    for damage in Damage.all where [.pages, .noMetadata, .missingTable, .indexEntries].contains(damage.code) {
      let fixture = try HealthFixture()
      try damage.make(fixture)
      let document = try fixture.examination.run()
      let values = try #require(document.checks.first { $0.check == .values })
      #expect(values.obstacle != nil, "\(damage)")
    }
  }

  @Test func `A migration that is due mends what it writes anew`() throws {
    let fixture = try HealthFixture("UPDATE ZMEDIA SET ZALBUM = 9 WHERE Z_PK = 2; UPDATE ZCOVER SET ZNAME = NULL")
    let newer = TrackModels.model(
      HealthFixture.model.entities.filter { $0.name == "Tag" }.map { _ in
        EntityDescription("Tag", attributes: [AttributeDescription("name", .string)])
      })
    let candidates = [
      HealthFixture.candidate(isCurrent: false),
      CandidateModel(name: "Newer", model: newer, isCurrent: true),
    ]
    let due = try StoreExamination(path: fixture.path, candidates: candidates).run()
    #expect(due.findings.map(\.remedy) == [.backup, .migrate])
    #expect(try fixture.examination.run().findings.map(\.remedy) == [.backup, .nothing])
  }

  @Test(arguments: ["UTF-16le", "UTF-16be"]) func `Text in UTF-16 is examined too`(encoding: String) throws {
    let folder = try TemporaryFolder()
    let path = folder.file("W.sqlite")
    let model = TrackModels.v1
    let layout = FileLayout(pageSize: 4096, autoVacuum: 2, encoding: encoding)
    try StoreWriter(path: path, schema: StoreSchema(model), layout: layout)
      .finish(metadata: .new(for: model, uuid: HealthFixture.uuid))
    let half = encoding == "UTF-16le" ? "00D8" : "D800"
    try Database.run(
      """
      INSERT INTO ZTRACK (Z_PK, Z_ENT, Z_OPT, ZTITLE) VALUES (1, 1, 1, 'é😀'), (2, 1, 1, CAST(x'\(half)' AS TEXT));
      UPDATE Z_PRIMARYKEY SET Z_MAX = 2
      """, in: path)
    let candidate = CandidateModel(name: "v1", model: model, isCurrent: true)
    let document = try StoreExamination(path: path, candidates: [candidate]).run()
    #expect(document.findings.map(\.code) == [.invalidText])
    #expect(document.findings.first?.rows == [2])
  }

  @Test(arguments: [
    (Array("SQLite format 4".utf8), MigrationError.Code.notADatabase), ([], MigrationError.Code.notADatabase),
  ])
  func `A file of another kind is an error`(bytes: [UInt8], code: MigrationError.Code) throws {
    let folder = try TemporaryFolder()
    let path = try folder.write(bytes, to: "F.sqlite")
    let error = #expect(throws: MigrationError.self) { try StoreExamination(path: path, candidates: []).run() }
    #expect(error?.code == code)
  }

  @Test func `A database of another program is an error, and no store`() throws {
    let folder = try TemporaryFolder()
    try Database.run("CREATE TABLE a (b)", in: folder.file("F.sqlite"))
    let error = #expect(throws: MigrationError.self) {
      try StoreExamination(path: folder.file("F.sqlite"), candidates: []).run()
    }
    #expect(error?.code == .notACoreDataStore)
  }
}

/// Stores that Apple's Core Data wrote.
@Suite("The examination of Apple's stores", .enabled(if: Checkout.hasCorpus, "needs ../shared/corpus"))
struct CorpusExaminationTests {
  @Test(arguments: SharedFolder.stores) func `A store of Apple's has no findings`(store: String) throws {
    let folder = try TemporaryFolder()
    for suffix in ["", "-wal"] where Files.exists(store + suffix) {
      try Files.copy(store + suffix, to: folder.file("S.sqlite\(suffix)"))
    }
    let models = SharedFolder.modelFiles.compactMap { file in
      try? CandidateModel(name: file, model: ManagedObjectModel(contentsOfFile: file), isCurrent: false)
    }
    let document = try StoreExamination(path: folder.file("S.sqlite"), candidates: models).run()
    #expect(document.findings == [])
    #expect(document.checks.allSatisfy { $0.obstacle == nil })
  }
}
