/// Writes the manual page of a command and all its subcommands, in roff with the man macros.
struct ManualGenerator {
  private var info: CommandInfo

  init(_ info: CommandInfo) { self.info = info }

  /// The page.
  ///
  /// It has no date and depends only on the description of the command, so the same command always produces the same
  /// page.
  var page: String {
    let (examples, others) = (furtherSections(areExamples: true), furtherSections(areExamples: false))
    return (header + examples + options(of: info) + commands + others).joined(separator: "\n") + "\n"
  }

  private var header: [String] {
    let version = info.version.isEmpty ? info.name : "\(info.name) \(info.version)"
    let title = [info.name.uppercased(), "1", "", version].map(Roff.argument).joined(separator: " ")
    var lines = [
      ".TH \(title)", ".SH NAME", "\(Roff.text(info.name)) \\- \(Roff.text(info.abstract.sentenceFragment))",
    ]
    lines += [".SH SYNOPSIS"] + Roff.synopsis(of: info)
    let description = ManualSection.split(info.discussion)[0].text
    if !description.isEmpty { lines += [".SH DESCRIPTION"] + Roff.paragraphs(description) }
    return lines
  }

  /// Sections of the discussion that have a heading: EXAMPLES, which people look for first, or the others, which come last.
  private func furtherSections(areExamples: Bool) -> [String] {
    ManualSection.split(info.discussion).dropFirst().filter { ($0.title == "EXAMPLES") == areExamples }
      .flatMap { section in
        [".SH \(Roff.argument(section.title))"] + Roff.paragraphs(section.text)
      }
  }

  private func options(of command: CommandInfo) -> [String] {
    command.sections().flatMap { section in
      [".SH \(Roff.argument(section.title.uppercased()))"] + section.arguments.flatMap(Roff.item)
    }
  }

  private var commands: [String] {
    let commands = info.shownSubcommands.flatMap(\.shownTree)
    return commands.isEmpty ? [] : [".SH COMMANDS"] + commands.flatMap(self.command)
  }

  private func command(_ command: CommandInfo) -> [String] {
    var lines = [".SS \(Roff.argument(command.path.dropFirst().joined(separator: " ")))"]
    if !command.abstract.isEmpty { lines += Roff.paragraphs(command.abstract) + [".PP"] }
    lines += Roff.synopsis(of: command)
    for section in ManualSection.split(command.discussion) {
      if !section.title.isEmpty { lines += [".PP", "\\fI\(Roff.text(section.title.capitalizedSentence))\\fR"] }
      if !section.text.isEmpty { lines += [".PP"] + Roff.paragraphs(section.text) }
    }
    // Every command has a help flag; listing it once, for the root, is enough.
    for section in command.sections() {
      let arguments = section.arguments.filter { $0.role == .value }
      if arguments.isEmpty { continue }
      lines += [".PP", "\\fI\(Roff.text(section.title))\\fR"] + arguments.flatMap(Roff.item)
    }
    return lines
  }
}

extension CommandInfo {
  /// This command and all its visible subcommands.
  fileprivate var shownTree: [CommandInfo] { [self] + shownSubcommands.flatMap(\.shownTree) }
}

extension String {
  /// The words with one initial capital, the style of headings inside a section.
  fileprivate var capitalizedSentence: String { prefix(1).uppercased() + dropFirst().lowercased() }

  /// The sentence without its full stop: the NAME line is not a sentence.
  fileprivate var sentenceFragment: String { hasSuffix(".") ? String(dropLast()) : self }
}

/// A part of a discussion with its own heading.
struct ManualSection {
  /// The heading; empty for the text before the first one.
  var title: String
  var text: String

  /// Splits a discussion at its headings, which are lines of capitals only; the first part has no heading.
  static func split(_ discussion: String) -> [ManualSection] {
    var sections = [(title: "", lines: [Substring]())]
    for line in discussion.split(separator: "\n", omittingEmptySubsequences: false) {
      if let heading = heading(line) {
        sections.append((heading, []))
      } else {
        sections[sections.count - 1].lines.append(line)
      }
    }
    return sections.map { ManualSection(title: $0.title, text: trimmed($0.lines).joined(separator: "\n")) }
  }

  private static func heading(_ line: Substring) -> String? {
    let title = line.hasSuffix(":") ? line.dropLast() : line
    guard let first = title.first, first.isUppercase else { return nil }
    return title.allSatisfy { $0.isUppercase || $0 == " " } ? String(title) : nil
  }

  private static func trimmed(_ lines: [Substring]) -> ArraySlice<Substring> {
    let lines = lines.drop(while: \.isEmpty)
    return lines.prefix(upTo: (lines.lastIndex { !$0.isEmpty } ?? lines.startIndex - 1) + 1)
  }
}

/// Pieces of a manual page, as lines of roff.
private enum Roff {
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
      case _ where character.isASCII: result.append(character)
      // groff reads a file as Latin-1 unless it is told otherwise.
      default:
        for scalar in character.unicodeScalars {
          let digits = String(scalar.value, radix: 16, uppercase: true)
          result += "\\[u\(String(repeating: "0", count: max(0, 4 - digits.count)))\(digits)]"
        }
      }
    }
    // At the start of a line, a dot begins a request.
    return result.hasPrefix(".") ? "\\&\(result)" : result
  }

  /// Text as one argument of a macro.
  static func argument(_ argument: String) -> String {
    "\"" + text(argument).map { $0 == "\"" ? "\\(dq" : "\($0)" }.joined() + "\""
  }

  /// Returns the ways to call a command, with its name in bold.
  static func synopsis(of command: CommandInfo) -> [String] {
    let name = command.path.joined(separator: " ")
    return UsageGenerator(command).synopsis.split(separator: "\n").enumerated().flatMap { index, line -> [String] in
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
    [".TP", label(argument), argument.helpText.isEmpty ? "\\&" : text(argument.helpText)]
  }

  private static func label(_ argument: ArgumentInfo) -> String {
    let value = "\\fI<\(text(argument.valueName))>\\fR"
    let names = argument.names.shortFirst.map { "\\fB\(text($0.spelling))\\fR" }.joined(separator: ", ")
    return switch argument.kind {
    case .positional: value
    case .flag: names
    case .option: "\(names) \(value)"
    }
  }
}
