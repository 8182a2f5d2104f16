/// A command and the commands below it as plain values: the one description that everything else is made from.
struct CommandInfo: Equatable, Sendable {
  var name: String
  var aliases: [String] = []

  /// The names of the commands above it, from the root.
  var superCommands: [String] = []

  var abstract = ""
  var discussion = ""
  var usage: String?
  var version = ""
  var shouldDisplay = true

  var arguments: [ArgumentInfo] = []
  var subcommands: [CommandInfo] = []
  var defaultSubcommand: String?

  /// Whether this is the `help` command that every root with subcommands has.
  var isHelp = false
}

extension CommandInfo {
  /// The words that call the command: `tracks-migrate albums`.
  var path: [String] { superCommands + [name] }

  var positionals: [ArgumentInfo] { arguments.filter { $0.kind == .positional } }

  /// The arguments that `help` shows, or `--help-hidden`.
  func shownArguments(includeHidden: Bool = false) -> [ArgumentInfo] {
    arguments.filter { $0.visibility == .default || (includeHidden && $0.visibility == .hidden) }
  }

  var shownSubcommands: [CommandInfo] { subcommands.filter(\.shouldDisplay) }

  /// The subcommand with this name or alias.
  func subcommand(named word: String) -> CommandInfo? {
    subcommands.first { $0.name == word } ?? subcommands.first { $0.aliases.contains(word) }
  }

  /// The argument that has this name, and which of its choices it is.
  func argument(named name: OptionName) -> (argument: ArgumentInfo, choice: Int)? {
    for argument in arguments {
      if let choice = argument.choice(named: name) { return (argument, choice) }
    }
    return nil
  }
}
