/// Writes the help of a command, as text for a given width.
struct HelpGenerator {
  var info: CommandInfo
  var includeHidden: Bool

  init(_ info: CommandInfo, includeHidden: Bool = false) {
    self.info = info
    self.includeHidden = includeHidden
  }

  /// The whole help.
  func rendered(columns: Int) -> String {
    let blocks = [overview(columns), usage] + sections.map { $0.rendered(columns: columns) } + [seeAlso]
    return blocks.filter { !$0.isEmpty }.joined(separator: "\n")
  }

  private func overview(_ columns: Int) -> String {
    let text = [info.abstract, info.discussion].filter { !$0.isEmpty }.joined(separator: "\n\n")
    return text.isEmpty ? "" : "OVERVIEW: \(text)".wrapped(to: columns) + "\n"
  }

  private var usage: String {
    let synopsis = UsageGenerator(info).synopsis
    return synopsis.isEmpty ? "" : "USAGE: \(synopsis)".hanging(by: 7) + "\n"
  }

  private var seeAlso: String {
    guard !info.shownSubcommands.isEmpty else { return "" }
    let words = info.path.prefix(1) + ["help"] + info.path.dropFirst() + ["<subcommand>"]
    return "  See '\(words.joined(separator: " "))' for detailed help."
  }
}

extension HelpGenerator {
  private var sections: [HelpSection] {
    info.sections(includeHidden: includeHidden).map { section in
      HelpSection(title: section.title.uppercased(), rows: section.arguments.flatMap(HelpSection.Row.rows))
    } + [HelpSection(title: "SUBCOMMANDS", rows: info.shownSubcommands.map(row))]
  }

  private func row(_ subcommand: CommandInfo) -> HelpSection.Row {
    let names = ([subcommand.name] + subcommand.aliases).joined(separator: ", ")
    let isDefault = subcommand.name == info.defaultSubcommand
    return HelpSection.Row(label: isDefault ? "\(names) (default)" : names, text: subcommand.abstract)
  }
}
