import CoreDataExpressions
import Migration
import SQLiteDatabase
import TestSupport
import Testing

struct FragmentTests {
  private let folder: TemporaryFolder
  private let connection: Connection

  init() throws {
    folder = try TemporaryFolder()
    connection = try Connection(path: folder.file("Some.sqlite"), access: .create)
  }

  @Test(arguments: SQLFunction.allCases)
  func `A function can be registered again while a statement runs`(_ function: SQLFunction) throws {
    try connection.create(function)
    let rows = try connection.prepare("SELECT \(function.name)('Ä') UNION ALL SELECT 'x'")
    #expect(try rows.step())
    try connection.create(function)
    #expect(try rows.step())
    // SQLite itself refuses.
    #expect(throws: SQLiteError.self) {
      try connection.createFunction(function.name, argumentCount: 1) { _ in .null }
    }
  }

  @Test func `Arguments of all kinds are bound in order`() throws {
    let fragment: SQLFragment = """
      SELECT \(argument: .null), \(argument: .integer(-1)), \(argument: .real(0.5)), \(argument: .text("a\0é")), \
      \(argument: .blob([0, 255]))
      """
    let statement = try connection.prepare(fragment: fragment)
    #expect(try statement.step())
    #expect(statement.isNull(0))
    #expect(statement.integer(1) == -1)
    #expect(statement.real(2) == 0.5)
    #expect(statement.text(3) == "a\0é")
    #expect(statement.blob(4) == [0, 255])
  }
}
