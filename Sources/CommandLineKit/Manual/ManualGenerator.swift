/// Writes the manual page of a command and all commands below it, in roff with the man macros.
struct ManualGenerator {
  private var info: CommandInfo
  private var date: String?

  init(_ info: CommandInfo, date: String?) {
    self.info = info
    self.date = date
  }

  /// The page.
  ///
  /// It depends on the description of the command only, so the same command always gives the same page.
  var page: String {
    (header + options(of: info) + commands + furtherSections).joined(separator: "\n") + "\n"
  }

  private var header: [String] {
    let version = info.version.isEmpty ? info.name : "\(info.name) \(info.version)"
    let title = [info.name.uppercased(), "1", date ?? "", version].map(Roff.argument).joined(separator: " ")
    var lines = [
      ".TH \(title)", ".SH NAME", "\(Roff.text(info.name)) \\- \(Roff.text(info.abstract.sentenceFragment))",
    ]
    let synopsis = UsageGenerator(info).synopsis
    if !synopsis.isEmpty { lines += [".SH SYNOPSIS"] + Roff.synopsis(synopsis, name: info.path.joined(separator: " ")) }
    let description = ManualSection.split(info.discussion)[0].text
    if !description.isEmpty { lines += [".SH DESCRIPTION"] + Roff.paragraphs(description) }
    return lines
  }

  /// What the discussion has a heading for, such as EXAMPLES: manual pages have it at the end.
  private var furtherSections: [String] {
    ManualSection.split(info.discussion).dropFirst().flatMap { section in
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
    let synopsis = UsageGenerator(command).synopsis
    if !synopsis.isEmpty { lines += Roff.synopsis(synopsis, name: command.path.joined(separator: " ")) }
    if !command.aliases.isEmpty {
      lines += [".PP", "Also called \(Roff.text(command.aliases.joined(separator: ", ")))."]
    }
    for section in ManualSection.split(command.discussion) {
      if !section.title.isEmpty { lines += [".PP", "\\fI\(Roff.text(section.title.capitalizedSentence))\\fR"] }
      if !section.text.isEmpty { lines += [".PP"] + Roff.paragraphs(section.text) }
    }
    // Every command has a help flag; saying so once, for the root, is enough.
    for section in command.sections() {
      let arguments = section.arguments.filter { $0.role == .value }
      if arguments.isEmpty { continue }
      lines += [".PP", "\\fI\(Roff.text(section.title))\\fR"] + arguments.flatMap(Roff.item)
    }
    return lines
  }
}

extension CommandInfo {
  /// This command and all below it that are shown.
  fileprivate var shownTree: [CommandInfo] { [self] + shownSubcommands.flatMap(\.shownTree) }
}

extension String {
  /// The words with one capital: as other headings inside of a section are written.
  fileprivate var capitalizedSentence: String { prefix(1).uppercased() + dropFirst().lowercased() }

  /// The sentence without its full stop: the line of NAME is no sentence.
  fileprivate var sentenceFragment: String { hasSuffix(".") ? String(dropLast()) : self }
}
