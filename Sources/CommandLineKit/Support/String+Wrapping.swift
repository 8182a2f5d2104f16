extension String {
  /// Breaks lines between words so that none is longer than `columns`, and indents all of them.
  ///
  /// Lines that start with a space are kept as they are: they are examples and tables, which wrapping would spoil.
  func wrapped(to columns: Int, indent: Int = 0) -> String {
    // In a very narrow terminal one word per line is worse than lines that run over.
    let width = Swift.max(columns - indent, 20)
    let margin = String(repeating: " ", count: indent)
    return split(separator: "\n", omittingEmptySubsequences: false)
      .flatMap { $0.hasPrefix(" ") ? [String($0)] : Self.lines(of: $0, width: width) }
      .map { $0.isEmpty ? "" : margin + $0 }
      .joined(separator: "\n")
  }

  private static func lines(of paragraph: Substring, width: Int) -> [String] {
    var lines = [""]
    for word in paragraph.split(separator: " ") {
      let line = lines[lines.count - 1]
      if line.isEmpty {
        lines[lines.count - 1] = String(word)
      } else if line.count + 1 + word.count <= width {
        lines[lines.count - 1] = "\(line) \(word)"
      } else {
        lines.append(String(word))
      }
    }
    return lines
  }

  /// Indents all lines but the first.
  func hanging(by indent: Int) -> String {
    split(separator: "\n", omittingEmptySubsequences: false)
      .joined(separator: "\n" + String(repeating: " ", count: indent))
  }
}
