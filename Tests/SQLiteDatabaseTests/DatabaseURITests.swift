import Testing

@testable import SQLiteDatabase

struct DatabaseURITests {
  @Test(arguments: [
    ("/a/b.sqlite", "file:///a/b.sqlite"), ("//host/b", "file:////host/b"), ("a b", "file:./a%20b"),
    ("a?b#c%d", "file:./a%3Fb%23c%25d"), ("é", "file:./%C3%A9"),
    // A byte that is not UTF-8, as `String(pathBytes:)` has it.
    ("L\u{10FFE9}", "file:./L%E9"),
    // Without the dot these would be a database in memory and a temporary one.
    (":memory:", "file:./%3Amemory%3A"), ("", "file:./"),
  ])
  func `Characters that could mean more than a name are encoded`(path: String, expected: String) {
    #expect(DatabaseURI(path: path).text == expected)
  }

  @Test func `Only the given parameters become URI parameters`() {
    #expect(
      DatabaseURI(path: "/x?mode=rwc", isImmutable: true, isReadOnly: true).text
        == "file:///x%3Fmode%3Drwc?mode=ro&immutable=1")
  }
}
