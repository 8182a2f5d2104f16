import Foundation
import TestSupport
import Testing

@Suite("Migrations of the example stores")
struct AppExampleTests {
  @Test func `Books get their authors first and their files second`() throws {
    let store = try SampleStore("Books")
    let old = try Database.rows(
      "SELECT count(*), count(DISTINCT CAST(ZAUTHORNAME AS BLOB)), count(ZAUTHORNAME) FROM ZBOOK", in: store.path)
    let users = try store.rows("SELECT count(*) FROM ZUSER")
    let result = try store.migrate()
    #expect(old == ["100|67|98"])
    #expect(
      try store.rows(
        "SELECT (SELECT count(*) FROM ZBOOK), (SELECT count(*) FROM ZAUTHOR), (SELECT count(*) FROM Z_1BOOKS)")
        == old)
    #expect(try store.rows("SELECT count(*) FROM ZUSER") == users)
    #expect(try store.rows("SELECT count(*), count(DISTINCT ZBOOK), count(ZUSER) FROM ZFILE") == ["98|98|98"])
    #expect(try Database.isWhole(store.path))
    #expect(try store.folder.listing() == ["App.sqlite", "App.sqlite.Books-backup"])
    #expect(
      result.stderr.contains(
        "  'Books 2' to 'Books 3', by 'Books_v2_to_v3_1_Users.xcmappingmodel', then "
          + "'Books_v2_to_v3_2_Books.xcmappingmodel':\n    Author: 67\n    Book: 100\n    File: 98\n    User: 15\n"))
  }

  @Test func `Notes of the first version go through all later versions`() throws {
    let store = try SampleStore("Notes")
    let notes = "SELECT Z_PK, ZTITLE, ZBODY, ZDATECREATED, ZDISPLAYINDEX FROM ZNOTE ORDER BY 1"
    let old = try store.rows(notes)
    try store.migrate()
    #expect(old.count == 60)
    #expect(try store.rows(notes).count == 60)
    #expect(try Set(store.rows(notes).map(withoutKey)) == Set(old.map(withoutKey)))
    #expect(try store.rows("SELECT count(*) FROM ZATTACHMENT") == ["0"])
    #expect(try store.folder.listing() == ["App.sqlite", "App.sqlite.Notes-backup"])
  }

  @Test func `The pictures of notes become attachments with sizes and captions`() throws {
    let store = try SampleStore("Notes", version: 2)
    let old = try store.rows(
      "SELECT ZTITLE, hex(ZIMAGE) FROM ZNOTE WHERE ZIMAGE IS NOT NULL ORDER BY ZTITLE COLLATE BINARY")
    try store.migrate("--quiet")
    #expect(old.count == 49)
    #expect(
      try store.rows(
        "SELECT ZTITLE, hex(ZIMAGE) FROM ZATTACHMENT a JOIN ZNOTE n ON n.Z_PK = a.ZNOTE ORDER BY ZTITLE COLLATE BINARY")
        == old)
    #expect(
      try store.rows(
        """
        SELECT ZCAPTION, ZWIDTH, ZHEIGHT FROM ZATTACHMENT a JOIN ZNOTE n ON n.Z_PK = a.ZNOTE
        WHERE ZTITLE IN ('A large PNG', 'A note without a body') ORDER BY 2
        """) == ["|12.0|8.0", "A short body.|2000.0|10.0"])
    #expect(try store.folder.listing() == ["App.sqlite", "App.sqlite.Notes-2-backup"])
  }

  @Test func `Tracks end with the same rows with and without a model`() throws {
    let store = try SampleStore("Tracks")
    let other = try SampleStore("Tracks")
    let result = try store.migrate()
    try successfully(other.path)
    #expect(
      result.stderr.contains("'Tracks' to 'Tracks 2', by 'Tracks.xcmappingmodel':\n    Artist: 67\n    Track: 300\n"))
    #expect(try Rows.migrated(store.path) == Rows.migrated(other.path))
    #expect(try Rows.tracks(store.path) == Rows.tracks(other.path))
    #expect(try Files.rejects(store.path + ".rejects.ndjson") == Files.rejects(other.path + ".rejects.ndjson"))
    let strict = try SampleStore("Tracks")
    #expect(try strict.refuse(65, "--strict").contains("was not migrated, because of --strict"))
  }

  @Test(.enabled(if: Checkout.hasCorpus)) func `The article's store ends as the article's own tests expect`() throws {
    let original = Checkout.corpus + "/objcio-BookMigration"
    let folder = try TemporaryFolder()
    let path = try folder.write(try Files.bytes(original + "/Model1.sqlite"), to: "Model1.sqlite")
    try successfully(
      path, "--model", original + "/Model.xcdatamodeld", "--policy", "MHWBookToBookPolicy=BookToBookMigrationPolicy")
    #expect(
      try Database.rows(
        """
        SELECT count(DISTINCT a.Z_PK), count(*) FROM ZAUTHOR a JOIN Z_1BOOKS j ON j.Z_1AUTHORS = a.Z_PK
        WHERE ZNAME = 'Franz Kafka'
        """, in: path) == ["1|2"])
    #expect(
      try Database.rows("SELECT count(*) FROM ZFILE f JOIN ZUSER u ON u.Z_PK = f.ZUSER WHERE ZUSERID = 1", in: path)
        == [
          "4"
        ])
    #expect(try Database.value("SELECT count(*) FROM ZBOOK", in: path) == "4")
    #expect(try folder.listing() == ["Model1.sqlite", "Model1.sqlite.Model1-backup"])
  }

  @Test(arguments: ["Books", "Notes", "Tracks"])
  func `Migrating the same store twice writes the same bytes`(example: String) throws {
    let store = try SampleStore(example)
    for name in ["A.sqlite", "B.sqlite"] { try store.migrate("--output", store.folder.file(name), "-q") }
    #expect(try Files.bytes(store.folder.file("A.sqlite")) == Files.bytes(store.folder.file("B.sqlite")))
  }

  private func withoutKey(_ row: String) -> Substring { row.drop { $0 != "|" } }
}
