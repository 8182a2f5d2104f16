/// Writes a zsh script: one function per command, which describes its arguments to `_arguments`.
struct ZshCompletionGenerator {
  private var info: CommandInfo

  init(_ info: CommandInfo) { self.info = info }

  var script: String {
    """
    #compdef \(info.name)
    # zsh completion for \(info.name), made by '\(info.name) --generate-completion-script zsh'.

    # What the command itself offers, after the files that match a pattern.
    \(info.functionName)_command() {
      local ret=1
      if [[ -n $2 ]]; then _files -g $2 && ret=0; fi
      local -a found=(${(f)"$(${_tool:-\(info.name)} ---complete $1 "${(Q)PREFIX}" "${(@Q)words[2,-1]}" 2>/dev/null)"})
      compadd -- $found && ret=0
      return ret
    }

    \(info.completionCommands.map(function).joined(separator: "\n"))
    # An autoloaded file is called to complete at once; a sourced one only defines how.
    if [[ ${funcstack[1]} == \(info.functionName) ]]; then
      \(info.functionName) "$@"
    else
      compdef \(info.functionName) \(info.name)
    fi

    """
  }

  private func function(_ command: CompletionCommand) -> String {
    let hasSubcommands = !command.subcommands.isEmpty
    var specs = command.options.flatMap(optionSpecs)
    specs += hasSubcommands ? ["1: :->command", "*:: :->argument"] : command.positionals.map(positionalSpec)
    return """
      \(command.info.functionName)() {
        local context state state_descr line ret=1
        typeset -A opt_args
        local _tool=${_tool:-${words[1]}}
        _arguments -s -S -C : \\
      \(specs.map { "    \($0.shellQuoted)" }.joined(separator: " \\\n")) && ret=0
      \(hasSubcommands ? dispatch(command) : "")  return ret
      }

      """
  }

  private func dispatch(_ command: CompletionCommand) -> String {
    let words = command.subcommands.map { colonEscaped($0.name) + ($0.abstract.isEmpty ? "" : ":\($0.abstract)") }
    let cases = command.subcommands.map { subcommand in
      "\(subcommand.name.shellQuoted)) \(subcommand.functionName) && ret=0 ;;"
    }
    return """
        case $state in
        command)
          local -a commands=(\(words.shellQuoted()))
          _describe -t commands command commands && ret=0
      \(command.defaultCommand.map { "    \($0.functionName) && ret=0\n" } ?? "")    ;;
        argument)
          case ${words[1]} in
      \((cases + enterDefault(command)).map { "    \($0)" }.joined(separator: "\n"))
          esac
          ;;
        esac

      """
  }

  /// Continues with the default subcommand if the word does not name one, as if the user had typed its name.
  private func enterDefault(_ command: CompletionCommand) -> [String] {
    guard let target = command.defaultCommand else { return [] }
    return [
      "*) words=(\(target.name.shellQuoted) \"${words[@]}\"); (( CURRENT++ )); \(target.functionName) && ret=0 ;;"
    ]
  }
}

extension ZshCompletionGenerator {
  /// One specification per name; the names of one option exclude each other unless it can be repeated.
  private func optionSpecs(_ option: ArgumentInfo) -> [String] {
    let exclusion = option.isRepeating ? "*" : "(\(option.names.map(\.spelling).joined(separator: " ")))"
    let help = option.abstract.isEmpty ? "" : "[\(bracketEscaped(option.abstract))]"
    return option.names.map { name in
      if option.kind == .flag { return "\(exclusion)\(name.spelling)\(help)" }
      // After '+' and '=', the value may be in the same word.
      return "\(exclusion)\(name.spelling)\(name.isShort ? "+" : "=")\(help):\(value(option))"
    }
  }

  private func positionalSpec(_ argument: ArgumentInfo) -> String {
    let place = argument.isRepeating ? "*:" : argument.isOptional ? "::" : ":"
    return place + value(argument)
  }

  private func value(_ argument: ArgumentInfo) -> String {
    "\(colonEscaped(argument.valueName)):\(action(argument.completion))"
  }

  private func action(_ completion: CompletionKind) -> String {
    switch completion {
    case .default: " "
    case .list(let words): "(\(words.map(wordEscaped).joined(separator: " ")))"
    case .file(_, let extensions):
      extensions.isEmpty ? "_files" : "_files -g '*.(\(extensions.joined(separator: "|")))(-.)'"
    case .directory: "_files -/"
    case .command(let source, let extensions):
      // After a space, a function is called without the options for compadd.
      " \(info.functionName)_command \(source)"
        + (extensions.isEmpty ? "" : " '*.(\(extensions.joined(separator: "|")))(-.)'")
    }
  }

  private func colonEscaped(_ text: String) -> String { escaped(text, "\\:") }
  private func bracketEscaped(_ text: String) -> String { escaped(text, "\\[]:") }
  private func wordEscaped(_ text: String) -> String { escaped(text, "\\ ():'\"$`*?[]<>|&;~#") }

  private func escaped(_ text: String, _ special: String) -> String {
    text.map { special.contains($0) ? "\\\($0)" : $0 == "\n" ? " " : "\($0)" }.joined()
  }
}
