import Testing

@testable import TerminalOutput

@Suite struct TableWriterTests {
  /// Returns the lines of a table, each with a bar at its end that makes trailing spaces visible.
  private func table(
    _ columns: [String], _ rows: [[FieldValue]], width: Int? = nil, sampleSize: Int = 1000
  ) throws -> [String] {
    let terminal = width.map { Terminal(isTerminal: true, width: $0) } ?? Terminal(width: 10)
    let output = MemoryOutput()
    let writer = TableWriter(to: output, terminal: terminal, sampleSize: sampleSize)
    writer.begin(columns: columns)
    for row in rows { try writer.write(row) }
    try writer.end()
    return output.text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map { $0 + "|" }
  }

  private let tracks: [[FieldValue]] = [
    [.string("Roygbiv"), .integer(12), .real(4.5), .strings(["IDM", "Ambient"])],
    [.string("Xtal"), .integer(1024), .null, .null],
    [.null, .null, .real(.nan), .string("x")],
  ]

  @Test func `The columns are aligned`() throws {
    #expect(
      try table(["title", "plays", "rating", "genres"], tracks) == [
        "TITLE    PLAYS  RATING  GENRES|",
        "Roygbiv     12     4.5  IDM; Ambient|",
        "Xtal      1024|",
        "                        x|",
      ])
  }

  @Test func `A table without records is only a header`() throws {
    #expect(try table(["title", "plays"], []) == ["TITLE  PLAYS|"])
  }

  @Test func `Names of keys are words in the header`() throws {
    let columns = ["imageURL", "lastPlayedAt", "artistIDs", "version hash", "Z_ENT", "id", ""]
    #expect(try table(columns, []) == ["IMAGE URL  LAST PLAYED  ARTIST IDS  VERSION HASH  Z_ENT  ID|"])
  }

  @Test func `A table without columns has no lines`() throws {
    #expect(try table([], []) == [])
  }

  @Test func `A column of numbers and text has its header on the left`() throws {
    #expect(
      try table(["value", "n"], [[.integer(1), .null], [.string("abcdefgh"), .null]]) == [
        "VALUE     N|",
        "       1|",
        "abcdefgh|",
      ])
  }

  @Test func `Trailing spaces of a text are removed`() throws {
    #expect(
      try table(["a", "b"], [[.string("x "), .string("y  ")], [.string("  "), .string(" ")]]) == [
        "A   B|", "x   y|", "|",
      ])
  }

  private static let wideTexts: [(text: String, line: String)] = [
    ("ab", "ab      1|"),
    ("日本", "日本    1|"),
    ("ｶﾞ", "ｶﾞ      1|"),
    ("Ａ", "Ａ      1|"),
    ("한국", "한국    1|"),
    ("e\u{301}", "e\u{301}       1|"),
    ("🎵", "🎵      1|"),
    ("👩‍👩‍👧", "👩‍👩‍👧      1|"),
    ("👍🏽", "👍🏽      1|"),
    ("🇫🇷", "🇫🇷      1|"),
    ("❤️", "❤️      1|"),
    ("❤", "❤       1|"),
    ("1️⃣", "1️⃣      1|"),
    ("a\u{200B}b", "a\u{200B}b      1|"),
    ("ก็", "ก็       1|"),
  ]

  @Test(arguments: wideTexts) func `The width of text is its width on the terminal`(text: String, line: String) throws {
    let lines = try table(["abcdef", "n"], [[.string(text), .integer(1)]])
    #expect(lines == ["ABCDEF  N|", line])
  }

  private static let hostileTexts: [(text: String, shown: String)] = [
    ("\u{1B}[2J", #"\u{1B}[2J"#),
    ("a\nb", #"a\nb"#),
    ("a\r\nb", #"a\r\nb"#),
    ("a\tb", #"a\tb"#),
    ("\u{0}", #"\u{0}"#),
    ("\u{7F}", #"\u{7F}"#),
    ("\u{9B}31m", #"\u{9B}31m"#),
    ("\u{202E}evil", #"\u{202E}evil"#),
    ("\u{2066}x\u{2069}", #"\u{2066}x\u{2069}"#),
    ("\u{2028}", #"\u{2028}"#),
    (#"AC\DC"#, #"AC\DC"#),
    ("’", "’"),
  ]

  @Test(arguments: hostileTexts) func `Control characters are visible`(text: String, shown: String) throws {
    #expect(try table(["a"], [[.string(text)]]) == ["A|", shown + "|"])
    #expect(try table(["a"], [[.strings(["x", text])]]).last == "x; \(shown)|")
  }

  @Test func `Nothing is cut without a terminal`() throws {
    let long = String(repeating: "x", count: 500)
    #expect(try table(["a", "b"], [[.string(long), .integer(1)]]).last == long + "  1|")
  }

  @Test func `A row that fits is not cut`() throws {
    #expect(try table(["a", "b"], [[.string("12345"), .string("678")]], width: 10).last == "12345  678|")
  }

  @Test func `The widest columns are cut first`() throws {
    let row: [FieldValue] = [
      .string("abcdefghijklmnopqrst"), .string("short"), .integer(1_234_567), .string("ABCDEFGHIJKLMNOPQRSTUVWXYZ"),
    ]
    #expect(
      try table(["first", "second", "third", "fourth"], [row], width: 40) == [
        "FIRST        SECOND    THIRD  FOURTH|",
        "abcdefghij…  short   1234567  ABCDEFGHI…|",
      ])
  }

  @Test(arguments: 1...70) func `Cut rows fill the terminal`(width: Int) throws {
    let long = String(repeating: "日x", count: 20)
    let rows: [[FieldValue]] = [
      [.string(long), .integer(12345), .string(long)], [.string("a"), .integer(1), .string("b")],
    ]
    let lines = try table(["first", "plays", "last"], rows, width: width)
    // The minimum is 4 columns for each text, 5 for the number, and the gaps.
    for line in lines { #expect(DisplayWidth.of(line) - 1 <= max(width, 17)) }
    #expect(lines.allSatisfy { $0.contains("12345") || !$0.contains("日") })
  }

  @Test func `A cut never splits a character`() throws {
    #expect(try table(["a"], [[.string("日本語日本語")]], width: 6).last == "日本…|")
    #expect(try table(["a"], [[.string("👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧")]], width: 5).last == "👩‍👩‍👧👩‍👩‍👧…|")
  }

  @Test func `A header is cut before numbers are`() throws {
    #expect(try table(["play count", "x"], [[.integer(12345), .integer(1)]], width: 8) == ["PLAY…  X|", "12345  1|"])
  }

  @Test func `Rows after the sample can be out of line`() throws {
    let rows: [[FieldValue]] = [
      [.string("ab"), .integer(1)], [.string("abcdef"), .integer(22)], [.null, .integer(333)],
    ]
    #expect(try table(["a", "b"], rows, sampleSize: 1) == ["A   B|", "ab  1|", "abcdef  22|", "    333|"])
  }

  @Test func `Rows after the sample are cut if they do not fit`() throws {
    let rows: [[FieldValue]] = [
      [.string("ab"), .string("c")], [.string("abcdef"), .string("gh")],
      [.string("abcdefghijkl"), .string("mnopqrst")],
      [.string("ab"), .integer(123_456_789_012)],
    ]
    #expect(
      try table(["a", "b"], rows, width: 12, sampleSize: 1) == [
        "A   B|", "ab  c|", "abcdef  gh|", "abcd…  mnop…|", "ab  123456789012|",
      ])
  }

  @Test func `Rows are held back until the sample is full`() throws {
    let output = CountingOutput()
    let writer = OutputFormat.table.makeWriter(to: output, terminal: Terminal())
    try writer.begin(columns: ["a"])
    for row in 1..<1000 { try writer.write([.integer(Int64(row))]) }
    #expect(output.lines == 0)
    try writer.write([.integer(1000)])
    #expect(output.lines == 1001)
    try writer.write([.integer(1001)])
    #expect(output.lines == 1002)
    try writer.end()
    #expect(output.lines == 1002)
    #expect(output.flushes == 1)
  }
}
