import SQLiteDatabase
import TestSupport
import Testing

struct FunctionTests {
  private let folder: TemporaryFolder
  private let connection: Connection

  init() throws {
    folder = try TemporaryFolder()
    connection = try Connection(path: folder.file("store"), access: .create)
  }

  @Test func `A function gets its arguments as text, and NULL as nil`() throws {
    try connection.createFunction("describe", argumentCount: 2) { arguments in
      .text(arguments.map { $0.map { "<\($0)>" } ?? "nothing" }.joined(separator: " "))
    }
    #expect(try connection.text("SELECT describe('é', NULL)") == "<é> nothing")
    #expect(try connection.text("SELECT describe(7, x'41')") == "<7> <A>")
    #expect(try connection.text("SELECT describe('', 'a' || char(0) || 'b')") == "<> <a\0b>")
    #expect(try connection.text("SELECT describe(CAST(x'FF' AS TEXT), 1.5)") == "<\u{FFFD}> <1.5>")
    // Only what had to be repaired, and not U+FFFD itself, is counted.
    #expect(try connection.text("SELECT describe('\u{FFFD}', CAST(x'41FF' AS TEXT))") == "<\u{FFFD}> <A\u{FFFD}>")
    #expect(connection.repairedArguments.count == 2)
    #expect(connection.repairedArguments.examples == ["\u{FFFD}", "A\u{FFFD}"])
  }

  @Test func `A function returns NULL, integers and text`() throws {
    let results = ["null": FunctionResult.null, "integer": .integer(.min), "text": .text("a\0b"), "empty": .text("")]
    for (name, result) in results { try connection.createFunction("give_\(name)", argumentCount: 0) { _ in result } }
    #expect(try connection.text("SELECT typeof(give_null())") == "null")
    #expect(try connection.integer("SELECT give_integer()") == .min)
    #expect(try connection.text("SELECT give_text()") == "a\0b")
    #expect(try connection.text("SELECT typeof(give_empty())") == "text")
  }

  @Test func `A function is released with its connection, when replaced, and when registration fails`() throws {
    final class Token {}
    weak var first: Token?
    weak var second: Token?
    weak var third: Token?
    do {
      let connection = try Connection(path: folder.file("other"), access: .create)
      func make(_ name: String, _ token: Token) throws {
        try connection.createFunction(name, argumentCount: 0) { _ in .text("\(token)") }
      }
      do {
        let (one, two, three) = (Token(), Token(), Token())
        (first, second, third) = (one, two, three)
        try make("f", one)
        try make("f", two)
        #expect(throws: SQLiteError.self) { try make(String(repeating: "x", count: 300), three) }
      }
      #expect(first == nil)
      #expect(second != nil)
      #expect(third == nil)
      #expect(try connection.text("SELECT f()") != nil)
    }
    #expect(second == nil)
  }

  @Test func `A function cannot be called from the schema of a file`() throws {
    try connection.createFunction("secret", argumentCount: 0) { _ in .integer(1) }
    try connection.execute("CREATE TABLE t (x)")
    let error = #expect(throws: SQLiteError.self) {
      try connection.execute("CREATE INDEX i ON t (secret()); INSERT INTO t VALUES (1)")
    }
    #expect(error?.message.contains("secret") == true)
  }
}
