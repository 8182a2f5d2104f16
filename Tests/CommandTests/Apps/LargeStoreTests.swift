import TestSupport
import Testing

@Suite("A large store that only lacks an attribute")
struct LargeStoreTests {
  private static let debug = ["-com.apple.CoreData.MigrationDebug", "1"]
  private static let line = "CoreData: annotation: (migration)  adding columns to a copy of the store\n"

  @Test func `A large store is copied and gets a column, as the log shows`() throws {
    let folder = try TemporaryFolder()
    let template = try LargeStore()
    let path = try template.copy(to: folder)
    let result = try CommandRunner([path, "--model", template.model, "-q"] + Self.debug).run()
    #expect(result.status == 0, "\(result)")
    #expect(result.stderr.contains(Self.line))
    #expect(try folder.listing().sorted() == ["App.sqlite", "App.sqlite.App-backup"])
    #expect(
      try Database.rows("SELECT Z_PK, Z_ENT, Z_OPT, length(ZTEXT), ZDATA, ZRATING FROM ZNOTE ORDER BY 1", in: path)
        == ["1|1|1|1100000|NULL|NULL", "3|1|2|12|x'00FF'|NULL", "4|1|1|NULL|NULL|NULL"])
    #expect(try Database.rows("SELECT a FROM own", in: path) == ["7"])
    #expect(try Database.rows("PRAGMA journal_mode", in: path) == ["delete"])
    #expect(try Database.isWhole(path))
  }

  @Test func `A large store is rewritten when its last changes are in a write-ahead log`() throws {
    let folder = try TemporaryFolder()
    let template = try LargeStore()
    let path = try template.copy(to: folder)
    try Database.leaveLog("INSERT INTO ZNOTE (Z_PK, Z_ENT, Z_OPT, ZTEXT) VALUES (5, 1, 1, 'late')", in: path)
    let result = try CommandRunner([path, "--model", template.model, "-q"] + Self.debug).run()
    #expect(result.status == 0, "\(result)")
    #expect(!result.stderr.contains(Self.line))
    #expect(result.stderr.contains(", since a part of the store is in its write-ahead log\n"))
    #expect(try Database.rows("SELECT ZTEXT, ZRATING FROM ZNOTE WHERE Z_PK = 5", in: path) == ["late|NULL"])
    #expect(try Database.isWhole(path))
  }
}
