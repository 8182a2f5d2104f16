import Testing

@testable import CommandLineArguments

@Suite struct WrappingTests {
  @Test func `Text breaks between words, and all lines but empty ones are indented`() {
    #expect(
      "one two three four five six\n\nseven".wrapped(to: 22, indent: 2) == """
          one two three four
          five six

          seven
        """)
  }

  @Test func `A line can fill the last column`() {
    let words = "12345678901234567890 234"
    #expect(words.wrapped(to: 24) == words)
    #expect(words.wrapped(to: 23) == "12345678901234567890\n234")
  }

  @Test func `Lines that start with a space are kept`() {
    let example = "  tool albums   library.sqlite --limit 3"
    #expect(example.wrapped(to: 24) == example)
  }

  @Test func `Words are never broken, however narrow the terminal is`() {
    #expect("--explicit-target-dependency-import".wrapped(to: 1) == "--explicit-target-dependency-import")
    #expect("one two three".wrapped(to: 1) == "one two three")
  }
}
