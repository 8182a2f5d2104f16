import TerminalOutput

/// Writes records the way a command does.
enum RecordSample {
  static func text(
    _ format: OutputFormat, _ columns: [String], _ rows: [[FieldValue]], terminal: Terminal = Terminal()
  ) throws -> String {
    let output = MemoryOutput()
    let writer = format.makeWriter(to: output, terminal: terminal)
    try writer.begin(columns: columns)
    for row in rows { try writer.write(row) }
    try writer.end()
    return output.text
  }

  /// Texts that try to control the terminal or to break out of their field.
  static let hostileTexts = [
    "\u{1B}[2Jgone", "\u{1B}]0;title\u{7}", "a\nb", "a\r\nb", "a\rb", "a\tb", "a\u{0}b", "a\u{7F}b", "a\u{9B}31mb",
    "a\u{85}b", "a\u{2028}b", "a\u{2029}b", "a\u{202E}b", "a\u{2066}b\u{2069}", "\"", "\\", "\\n", ",", "a;b", " a ",
    "…",
    "’", "é", "e\u{301}", "👩‍👩‍👧", "🇫🇷", "日本", "\u{FEFF}a", "\u{E000}", "\u{10FFFF}", "",
    String(repeating: "\u{1B}[A", count: 5000), "z" + String(repeating: "\u{310}", count: 5000),
  ]
}
