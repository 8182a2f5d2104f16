/// Pieces of a manual page, as lines of roff.
enum Roff {
  /// Text in a line, with everything escaped that roff or its typography would change.
  static func text(_ text: String) -> String {
    var result = ""
    for character in text {
      switch character {
      case "\\": result += "\\e"
      case "-": result += "\\-"
      case "'": result += "\\(aq"
      case "`": result += "\\(ga"
      case "^": result += "\\(ha"
      case "~": result += "\\(ti"
      case "\n": result += " "
      default: result.append(character)
      }
    }
    // At the start of a line a dot begins a request.
    return result.hasPrefix(".") ? "\\&\(result)" : result
  }

  /// Text as one argument of a macro.
  static func argument(_ argument: String) -> String {
    "\"" + text(argument).map { $0 == "\"" ? "\\(dq" : "\($0)" }.joined() + "\""
  }

  /// How a command is called, its name in bold.
  static func synopsis(_ synopsis: String, name: String) -> [String] {
    synopsis.split(separator: "\n").enumerated().flatMap { index, line -> [String] in
      let line = String(line)
      let styled =
        line.hasPrefix(name) ? "\\fB\(text(name))\\fR\(text(String(line.dropFirst(name.count))))" : text(line)
      return index == 0 ? [styled] : [".br", styled]
    }
  }

  /// Prose, with a new paragraph after an empty line.
  ///
  /// Lines that start with a space are printed as they are.
  static func paragraphs(_ prose: String) -> [String] {
    var lines: [String] = []
    var isExample = false
    for line in prose.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.hasPrefix(" ") != isExample, !line.isEmpty {
        lines.append(isExample ? ".fi" : ".nf")
        isExample.toggle()
      }
      lines.append(line.isEmpty ? (isExample ? "\\&" : ".PP") : text(String(line)))
    }
    if isExample { lines.append(".fi") }
    return lines
  }

  /// An argument, option or flag and its help.
  static func item(_ argument: ArgumentInfo) -> [String] {
    argument.listed.flatMap { argument in
      [".TP", label(argument)] + (argument.helpText.isEmpty ? ["\\&"] : paragraphs(argument.helpText).map(inItem))
    }
  }

  private static func label(_ argument: ArgumentInfo) -> String {
    let value = "\\fI<\(text(argument.valueName))>\\fR"
    let names = argument.choices.map { choice in
      choice.names.shortFirst.map { "\\fB\(text($0.spelling))\\fR" }.joined(separator: ", ")
    }.joined(separator: "/")
    return switch argument.kind {
    case .positional: value
    case .flag: names
    case .option: "\(names) \(value)"
    }
  }

  /// A new paragraph that stays indented below its label.
  private static func inItem(_ line: String) -> String { line == ".PP" ? ".IP" : line }
}
