import TestSupport
import Testing

@Suite("Text that is not valid UTF-8")
struct InvalidTextTests {
  /// Makes a store in which the note of an image has invalid UTF-8 in a column.
  private static func store(_ column: String) throws -> SampleStore {
    let store = try SampleStore("Notes", version: 2)
    try Database.run("UPDATE ZNOTE SET \(column) = CAST(x'41FF42' AS TEXT) WHERE Z_PK = 40", in: store.path)
    return store
  }

  @Test func `Invalid text that is only copied keeps its bytes even with --strict`() throws {
    let store = try Self.store("ZTITLE")
    let result = try store.migrate("--strict")
    #expect(!result.stderr.contains("invalid UTF-8"), "\(result)")
    #expect(
      try store.rows("SELECT hex(ZTITLE), typeof(ZTITLE) FROM ZNOTE WHERE hex(ZTITLE) LIKE '41%42'")
        == ["41FF42|text"])
  }

  @Test func `Every form of invalid text keeps its bytes`() throws {
    let store = try SampleStore("Notes", version: 2)
    let forms = ["C080", "EDA080", "F4908080", "41C3", "80", "EFBFBD", "4100FF", "EFBFBDFF"]
    for (key, form) in zip(31..., forms) {
      try Database.run("UPDATE ZNOTE SET ZTITLE = CAST(x'\(form)' AS TEXT) WHERE Z_PK = \(key)", in: store.path)
    }
    try store.migrate("--strict")
    let titles = try store.rows("SELECT hex(ZTITLE) FROM ZNOTE")
    for form in forms { #expect(titles.contains(form), "\(form)") }
  }

  @Test func `Invalid text that a policy reads is reported`() throws {
    let store = try Self.store("ZBODY")
    let error = try store.refuse(65, "--strict")
    #expect(
      error.contains("a policy or an expression reads 1 text with invalid UTF-8, such as Note 40.body"), "\(error)")
    let stats = store.folder.file("stats.json")
    let result = try store.migrate("--stats", stats)
    #expect(
      result.stderr.contains(
        "texts with invalid UTF-8 that a policy or an expression has read, with U+FFFD for the invalid bytes: 1\n"),
      "\(result)")
    #expect(result.stderr.contains("  Note 40.body\n"))
    #expect(try Files.text(stats).contains("\"repaired_texts\" : 1"))
    #expect(try store.rows("SELECT hex(ZBODY) FROM ZNOTE WHERE hex(ZBODY) LIKE '41%42'") == ["41FF42"])
  }
}
