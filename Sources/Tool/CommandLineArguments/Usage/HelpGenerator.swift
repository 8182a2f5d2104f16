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
    let commands = commandSections.map { $0.rendered(columns: columns) }
    let arguments = argumentSections.map { $0.rendered(columns: columns) }
    let blocks =
      if info.shownSubcommands.contains(where: { $0.group != nil }) {
        // Commands in groups are a table of contents, which comes before the long text.
        [overview(info.abstract, columns), usage(columns)] + commands + arguments
          + [paragraphs(info.discussion, columns), seeAlso]
      } else {
        [overview([info.abstract, info.discussion].filter { !$0.isEmpty }.joined(separator: "\n\n"), columns)]
          + [usage(columns)] + arguments + commands + [seeAlso]
      }
    return blocks.filter { !$0.isEmpty }.joined(separator: "\n")
  }

  /// The few lines for a person who gave nothing: what the command is, the names of the commands below it, and where
  /// to begin.
  func introduction(columns: Int) -> String {
    let groups = commandGroups
    let width = (groups.map(\.title.count).max() ?? 0) + 4
    let commands = groups.map { group in
      let title = "  \(group.title)"
      return title
        + group.commands.map(\.name).joined(separator: ", ").wrapped(to: columns, indent: width).dropFirst(title.count)
    }
    let blocks = [
      info.abstract.wrapped(to: columns), String(usage(columns).dropLast()), commands.joined(separator: "\n"),
      info.introduction.wrapped(to: columns), seeAlso,
    ]
    return blocks.filter { !$0.isEmpty }.joined(separator: "\n\n")
  }

  private func overview(_ text: String, _ columns: Int) -> String {
    text.isEmpty ? "" : paragraphs("OVERVIEW: \(text)", columns)
  }

  private func paragraphs(_ text: String, _ columns: Int) -> String {
    text.isEmpty ? "" : text.wrapped(to: columns) + "\n"
  }

  private func usage(_ columns: Int) -> String {
    "USAGE: \(UsageGenerator(info).synopsis(columns: columns - 7))".hanging(by: 7) + "\n"
  }

  private var seeAlso: String {
    guard !info.shownSubcommands.isEmpty else { return "" }
    let words = info.path.prefix(1) + ["help"] + info.path.dropFirst() + ["<subcommand>"]
    return "  See '\(words.joined(separator: " "))' for detailed help."
  }
}

extension HelpGenerator {
  private var argumentSections: [HelpSection] {
    info.sections(includeHidden: includeHidden).map { section in
      HelpSection(
        title: section.title.uppercased(),
        rows: section.arguments.map { HelpSection.Row(label: $0.helpLabel, text: $0.helpText) })
    }
  }

  private var commandSections: [HelpSection] {
    commandGroups.map { HelpSection(title: $0.title.uppercased(), rows: $0.commands.map(row)) }
  }

  /// The commands that belong to no group, if there are any, then each group.
  private var commandGroups: [(title: String, commands: [CommandInfo])] {
    var groups: [(title: String, commands: [CommandInfo])] = [("Subcommands", [])]
    for subcommand in info.shownSubcommands {
      let title = subcommand.group ?? "Subcommands"
      if let index = groups.firstIndex(where: { $0.title == title }) {
        groups[index].commands.append(subcommand)
      } else {
        groups.append((title, [subcommand]))
      }
    }
    return groups.filter { !$0.commands.isEmpty }
  }

  private func row(_ subcommand: CommandInfo) -> HelpSection.Row {
    let isDefault = subcommand.name == info.defaultSubcommand
    return HelpSection.Row(label: subcommand.name + (isDefault ? " (default)" : ""), text: subcommand.abstract)
  }
}

/// A help heading and the table below it.
struct HelpSection {
  struct Row {
    var label: String
    var text: String
  }

  /// The column at which the right part of the table starts.
  private static let labelWidth = 26

  var title: String
  var rows: [Row]

  /// The section; empty if it has no rows.
  func rendered(columns: Int) -> String {
    rows.isEmpty ? "" : "\(title):\n" + rows.map { $0.rendered(columns: columns) }.joined()
  }
}

extension HelpSection.Row {
  fileprivate func rendered(columns: Int) -> String {
    let label = "  \(label)"
    let text = text.wrapped(to: columns, indent: HelpSection.labelWidth)
    if text.isEmpty { return "\(label)\n" }
    // The columns need at least one space between them.
    if label.count >= HelpSection.labelWidth { return "\(label)\n\(text)\n" }
    return label + text.dropFirst(label.count) + "\n"
  }
}

extension ArgumentInfo {
  /// The names that help lists: `-l, --limit <limit>` or `<library>`.
  var helpLabel: String {
    let names = names.shortFirst.map(\.spelling).joined(separator: ", ")
    return switch kind {
    case .positional: synopsis
    case .flag: names
    case .option: "\(names) <\(valueName)>"
    }
  }

  /// The abstract with the accepted values and the default.
  var helpText: String {
    let values = allValues.isEmpty ? nil : "values: \(allValues.joined(separator: ", "))"
    let details = [
      values, defaultValue.map { "default: \($0)" }, environmentVariable.map { "environment: \($0)" },
    ].compactMap(\.self)
    return [abstract, details.isEmpty ? "" : "(\(details.joined(separator: "; ")))"].filter { !$0.isEmpty }
      .joined(separator: " ")
  }
}

/// Writes the line that shows how to call a command.
struct UsageGenerator {
  var info: CommandInfo

  /// A usage line with more parts than this becomes a paragraph that is hard to read.
  private static let maximumParts = 12

  init(_ info: CommandInfo) { self.info = info }

  /// The usage without a heading, on one line.
  var synopsis: String { synopsis(columns: .max) }

  /// The usage without a heading; an option stays on one line with its value.
  func synopsis(columns: Int) -> String {
    if let usage = info.usage { return usage }
    let command = info.path.joined(separator: " ")
    let words = parts + (info.shownSubcommands.isEmpty ? [] : ["<subcommand>"])
    var lines = [command]
    for word in words {
      if lines[lines.count - 1].count + 1 + word.count <= columns {
        lines[lines.count - 1] += " \(word)"
      } else {
        lines.append("  \(word)")
      }
    }
    return lines.joined(separator: "\n")
  }

  /// The usage for below an error, which a long one would bury.
  func glance(columns: Int) -> String {
    let whole = synopsis(columns: columns)
    guard info.usage == nil, whole.split(separator: "\n").count > 1 else { return whole }
    let subcommand = info.shownSubcommands.isEmpty ? [] : ["<subcommand>"]
    return ([info.path.joined(separator: " ")] + briefParts + subcommand).joined(separator: " ")
  }

  private var parts: [String] {
    let arguments = info.shownArguments().filter { $0.role == .value }
    return arguments.count <= Self.maximumParts ? arguments.map(Self.part) : briefParts
  }

  private var briefParts: [String] {
    ["[<options>]"] + info.positionals.filter { $0.visibility == .default && $0.role == .value }.map(Self.part)
  }

  private static func part(_ argument: ArgumentInfo) -> String {
    let part = argument.isRepeating ? "\(argument.synopsis) ..." : argument.synopsis
    return argument.isOptional ? "[\(part)]" : part
  }
}
