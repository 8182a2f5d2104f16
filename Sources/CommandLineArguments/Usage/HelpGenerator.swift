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

/// A help heading and the table below it.
struct HelpSection {
  struct Row {
    var label: String
    var text: String
  }

  /// Where the right column of the table starts.
  private static let labelWidth = 26

  var title: String
  var rows: [Row]

  /// The section; empty if it has no rows.
  func rendered(columns: Int) -> String {
    rows.isEmpty ? "" : "\(title):\n" + rows.map { $0.rendered(columns: columns) }.joined()
  }
}

extension HelpSection.Row {
  /// The rows of an argument.
  static func rows(of argument: ArgumentInfo) -> [Self] {
    argument.listed.map { Self(label: $0.helpLabel, text: $0.helpText) }
  }

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
  /// The argument as it is listed: once, or once for each choice of a flag whose choices have their own help.
  var listed: [ArgumentInfo] {
    guard choices.contains(where: { $0.abstract != nil }) else { return [self] }
    return choices.map { choice in
      var single = self
      single.choices = [choice]
      single.abstract = choice.abstract ?? abstract
      if defaultValue != choice.names.preferred?.spelling { single.defaultValue = nil }
      return single
    }
  }

  /// The names that help and the manual page list: `-l, --limit <limit>`, `--index/--no-index` or `<library>`.
  var helpLabel: String {
    let names = choices.map { $0.names.shortFirst.map(\.spelling).joined(separator: ", ") }.joined(separator: "/")
    return switch kind {
    case .positional: synopsis
    case .flag: names
    case .option: "\(names) <\(valueName)>"
    }
  }

  /// The abstract with the accepted values and the default, and the discussion below it.
  var helpText: String {
    let summary = [abstract, helpDetails].filter { !$0.isEmpty }.joined(separator: " ")
    return [summary, discussion].filter { !$0.isEmpty }.joined(separator: "\n")
  }

  private var helpDetails: String {
    let values = allValues.isEmpty ? nil : "values: \(allValues.joined(separator: ", "))"
    let details = [values, defaultValue.map { "default: \($0)" }].compactMap(\.self)
    return details.isEmpty ? "" : "(\(details.joined(separator: "; ")))"
  }
}

/// Writes the line that shows how to call a command.
struct UsageGenerator {
  var info: CommandInfo

  /// A usage line with more parts than this becomes a paragraph that nobody reads.
  private static let maximumParts = 12

  init(_ info: CommandInfo) { self.info = info }

  /// The usage without a heading; empty if the command has none.
  var synopsis: String {
    if let usage = info.usage { return usage }
    var words = info.path + parts
    if !info.shownSubcommands.isEmpty { words.append("<subcommand>") }
    return words.joined(separator: " ")
  }

  private var parts: [String] {
    let arguments = info.shownArguments().filter { $0.role == .value }
    let all = arguments.flatMap(Self.parts)
    if all.count <= Self.maximumParts { return all }
    let necessary = arguments.filter { $0.kind == .positional || !$0.isOptional }.flatMap(Self.parts)
    return necessary.isEmpty || necessary.count > Self.maximumParts ? ["<options>"] : ["[<options>]"] + necessary
  }

  private static func parts(of argument: ArgumentInfo) -> [String] {
    let parts =
      argument.kind == .flag ? argument.choices.compactMap { $0.names.preferred?.spelling } : [argument.synopsis]
    return parts.map { part in
      let repeated = argument.isRepeating ? "\(part) ..." : part
      return argument.isOptional ? "[\(repeated)]" : repeated
    }
  }
}
