import TestSupport
import Testing

@Suite("Colours of the command")
struct ColorTests {
  private let books = SampleStore.data("Books/Books.xcdatamodeld")

  @Test func `Where nothing asks for colours, there are none`() throws {
    #expect(!(try tracksMigrate("none.sqlite").stderr.contains("\u{1B}")))
    #expect(!(try tracksMigrate("models", "diff", "\(books):Books", books).stdout.contains("\u{1B}")))
  }

  @Test func `Errors, headings and differences have colours where they are asked for, whatever names hold`() throws {
    let error = try tracksMigrate("--color", "always", "no\u{1B}[2J.sqlite").stderr
    #expect(error.hasPrefix("tracks-migrate: \u{1B}[1;31merror:\u{1B}[0m there is no file "))
    #expect(error.count { $0 == "\u{1B}" } == 2)
    let usage = try tracksMigrate("--limt", "--color=always").stderr
    #expect(usage.hasPrefix("tracks-migrate: \u{1B}[1;31merror:\u{1B}[0m there is no option '--limt'."))
    let difference = try tracksMigrate("models", "diff", "\(books):Books", books, "--color", "always").stdout
    for style in ["\u{1B}[1mENTITY", "\u{1B}[32mAuthor", "\u{1B}[31mBook"] { #expect(difference.contains(style)) }
    // Programs read no colours.
    let json = try tracksMigrate("models", "diff", "\(books):Books", books, "--color", "always", "--format", "csv")
      .stdout
    #expect(!json.contains("\u{1B}"))
  }

  @Test func `A word that is no choice is refused`() throws {
    let result = try tracksMigrate("--color", "pink", "L.sqlite")
    #expect(result.status == 64 && result.stderr.contains("'--color' requires one of auto, always, never."))
  }
}
