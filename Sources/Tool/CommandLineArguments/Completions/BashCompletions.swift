/// Writes a bash script that needs only bash, 3.2 or later.
///
/// The script walks through the words before the cursor, using a table of what each word means after each command, and
/// then looks up what to offer.
struct BashCompletionGenerator {
  private var info: CommandInfo
  private var commands: [CompletionCommand]
  private var function: String

  init(_ info: CommandInfo) {
    self.info = info
    commands = info.completionCommands
    function = info.functionName
  }

  var script: String {
    """
    # bash completion for \(info.name), made by '\(info.name) --generate-completion-script bash'.

    \(helpers)

    \(function)() {
      local cur=${COMP_WORDS[COMP_CWORD]} command=\(info.name.shellQuoted) option='' ended='' count=0 index word
      COMPREPLY=()
      # For bash, '=' is a word: '--name=value' is three. So is ':'. The word at the cursor may be the last three.
      local before='' colon='' start=$COMP_CWORD
      [[ $cur == '=' ]] && cur=''
      if [[ $cur == ':' ]]; then
        start=$((COMP_CWORD - 1)) cur=''
      elif [[ $COMP_CWORD -gt 2 && ${COMP_WORDS[COMP_CWORD - 1]} == ':' ]]; then
        start=$((COMP_CWORD - 2))
      fi
      if [[ $start -lt $COMP_CWORD ]]; then before=${COMP_WORDS[start]}:; fi
      for ((index = 1; index < start; index++)); do
        word=${COMP_WORDS[index]}
        if [[ -n $option && $word == '=' ]]; then continue; fi
        if [[ -n $colon ]]; then colon=''; continue; fi
        if [[ $word == ':' ]]; then colon=1; continue; fi
        if [[ -n $option && $word != -* ]]; then
          option=''
          continue
        fi
        option=''
        if [[ -n $ended ]]; then count=$((count + 1)); continue; fi
        case "$command:$word" in
    \(lines(walk, indent: 4))
        *:--) ended=1 ;;
        *:-*) ;;
        *)
          count=$((count + 1))
    \(lines(defaults, indent: 6))
          ;;
        esac
      done

      if [[ -n $option && $cur != -* ]]; then
        case "$command:$option" in
    \(lines(optionValues, indent: 4))
        esac
      elif [[ -z $ended && $cur == -* ]]; then
        case "$command" in
    \(lines(options, indent: 4))
        esac
      else
        case "$command:$count" in
    \(lines(words, indent: 4))
        esac
      fi
    }

    complete -F \(function) \(info.name.shellQuoted)

    """
  }

  private var helpers: String {
    """
    \(function)_words() {
      local word
      for word in "$@"; do
        if [[ $word == "$cur"* ]]; then
          printf -v word '%q' "$word"
          COMPREPLY+=("$word")
        fi
      done
    }

    \(function)_files() {
      local file extension
      compopt -o filenames 2>/dev/null
      while IFS= read -r file; do
        if [[ $# == 0 || -d $file ]]; then COMPREPLY+=("$file"); continue; fi
        for extension in "$@"; do
          if [[ $file == *."$extension" ]]; then COMPREPLY+=("$file"); fi
        done
      done < <(compgen -f -- "$cur")
    }

    # What the command itself offers, after the files with one of some extensions.
    \(function)_command() {
      local word source=$1
      shift
      if [[ $# -gt 0 && -z $before ]]; then \(function)_files "$@"; fi
      # Only quotes and backslashes stand between a word and what it means, as far as this goes.
      local -a words=("$before$cur" "${COMP_WORDS[@]:1}")
      local marks=$'[\\\\\\\\\\\\"\\\\\\']'
      words=("${words[@]//$marks/}")
      while IFS= read -r word; do
        printf -v word '%q' "${word#"${before//\\\\/}"}"
        COMPREPLY+=("$word")
      done < <("${COMP_WORDS[0]}" ---complete "$source" "${words[@]}" 2>/dev/null)
    }

    \(function)_directories() {
      local directory
      compopt -o filenames 2>/dev/null
      while IFS= read -r directory; do COMPREPLY+=("$directory"); done < <(compgen -d -- "$cur")
    }
    """
  }
}

// MARK: - The tables
extension BashCompletionGenerator {
  /// The meaning of a word after a command: a subcommand, or an option that expects a value.
  private var walk: [String] {
    commands.flatMap { command in
      command.subcommands.map { subcommand in
        "\(patterns(command.path, [subcommand.name]))) "
          + "command=\(subcommand.path.joined(separator: " ").shellQuoted) count=0 ;;"
      }
        + command.valueOptions.map { option in
          "\(patterns(command.path, option.names.map(\.spelling)))) option=$word ;;"
        }
        + enterDefault(of: command)
    }
  }

  /// Options of the default subcommand, which select it.
  private func enterDefault(of command: CompletionCommand) -> [String] {
    guard let target = command.defaultCommand.map(CompletionCommand.init) else { return [] }
    let own = Set(command.info.arguments.flatMap(\.names))
    return target.info.arguments.compactMap { argument in
      let names = argument.names.filter { !own.contains($0) }
      if names.isEmpty { return nil }
      let wait = argument.kind == .option ? " option=$word" : ""
      return "\(patterns(command.path, names.map(\.spelling)))) command=\(target.path.shellQuoted)\(wait) ;;"
    }
  }

  /// Words that do not name a subcommand, which select the default subcommand.
  private var defaults: [String] {
    commands.compactMap { command in
      command.defaultCommand.map { target in
        "if [[ $command == \(command.path.shellQuoted) ]]; then "
          + "command=\(target.path.joined(separator: " ").shellQuoted); fi"
      }
    }
  }

  private var optionValues: [String] {
    commands.flatMap { command in
      command.options.compactMap { option in
        guard option.kind == .option, let action = action(option.completion) else { return nil }
        return "\(patterns(command.path, option.names.map(\.spelling)))) \(action) ;;"
      }
    }
  }

  private var options: [String] {
    commands.map { command in
      let names = command.options.flatMap(\.names).map(\.spelling)
      return "\(command.path.shellQuoted)) \(function)_words \(names.shellQuoted()) ;;"
    }
  }

  /// The completions at each position of a positional argument: subcommands at the first, and values.
  private var words: [String] {
    commands.flatMap { command in
      let positionals = command.positionals
      return (0...positionals.count).compactMap { index -> String? in
        let positional = index < positionals.count ? positionals[index] : nil
        var actions = positional.flatMap { action($0.completion) }.map { [$0] } ?? []
        let subcommands = command.subcommands.map(\.name)
        if index == 0, !subcommands.isEmpty { actions.insert("\(function)_words \(subcommands.shellQuoted())", at: 0) }
        if actions.isEmpty { return nil }
        // A repeating argument is offered at its own position and all later ones.
        let place = positional?.isRepeating == true ? "*" : "\(index)"
        return "\("\(command.path):".shellQuoted)\(place)) \(actions.joined(separator: "; ")) ;;"
      }
    }
  }

  private func lines(_ lines: [String], indent: Int) -> String {
    lines.map { String(repeating: " ", count: indent) + $0 }.joined(separator: "\n")
  }

  private func patterns(_ path: String, _ words: [String]) -> String {
    words.map { "\(path):\($0)" }.shellQuoted(separator: " | ")
  }

  private func action(_ completion: CompletionKind) -> String? {
    switch completion {
    case .default: nil
    case .list(let words): "\(function)_words \(words.shellQuoted())"
    case .file(_, let extensions):
      extensions.isEmpty ? "\(function)_files" : "\(function)_files \(extensions.shellQuoted())"
    case .directory: "\(function)_directories"
    case .command(let source, let extensions):
      "\(function)_command \(([source] + extensions).shellQuoted())"
    }
  }
}
