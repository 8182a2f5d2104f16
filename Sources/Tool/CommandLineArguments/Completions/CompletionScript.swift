/// A shell that completion scripts can be made for.
enum CompletionShell: String, CaseIterable {
  case zsh, bash, fish

  /// The script that makes the shell complete a command.
  func script(_ info: CommandInfo) -> String {
    switch self {
    case .zsh: ZshCompletionGenerator(info).script
    case .bash: BashCompletionGenerator(info).script
    case .fish: FishCompletionGenerator(info).script
    }
  }
}

/// A command as the scripts of all shells see it.
struct CompletionCommand {
  var info: CommandInfo

  /// The command that runs if no subcommand is named; its options and arguments are offered too.
  var defaultCommand: CommandInfo?

  init(_ info: CommandInfo) {
    self.info = info
    defaultCommand = info.defaultSubcommand.flatMap(info.subcommand)
  }

  /// The words that call the command, which identify it in the scripts.
  var path: String { info.path.joined(separator: " ") }

  /// The subcommands that are offered, including `help`.
  var subcommands: [CommandInfo] { info.subcommands }

  /// The options and flags that are offered.
  var options: [ArgumentInfo] { own.filter { $0.kind != .positional } + inherited.filter { $0.kind != .positional } }

  /// The positional arguments.
  var positionals: [ArgumentInfo] { (own + inherited).filter { $0.kind == .positional } }

  /// The options that are followed by a value, including hidden ones: their values are not arguments.
  var valueOptions: [ArgumentInfo] { info.arguments.filter { $0.kind == .option } }

  private var own: [ArgumentInfo] { info.shownArguments() }

  private var inherited: [ArgumentInfo] {
    let names = Set(own.flatMap(\.names))
    return (defaultCommand?.shownArguments() ?? []).filter { names.isDisjoint(with: $0.names) }
  }
}

extension CommandInfo {
  /// This command and all its visible subcommands, from the top.
  var completionCommands: [CompletionCommand] {
    let command = CompletionCommand(self)
    return [command] + command.subcommands.flatMap(\.completionCommands)
  }

  /// The name of a shell function for the command.
  var functionName: String {
    "_" + path.joined(separator: "_").map { $0.isASCII && ($0.isLetter || $0.isNumber) ? String($0) : "_" }.joined()
  }
}

extension String {
  /// The text as one word of bash and zsh.
  var shellQuoted: String {
    "'" + split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
  }
}

extension [String] {
  /// The texts as words of bash and zsh, or alternatives of a `case`.
  func shellQuoted(separator: String = " ") -> String { map(\.shellQuoted).joined(separator: separator) }
}
