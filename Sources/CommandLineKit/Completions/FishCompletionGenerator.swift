/// Writes a fish script: a function that finds the command that the cursor is in, and one line per thing to offer.
struct FishCompletionGenerator {
  private var info: CommandInfo
  private var commands: [CompletionCommand]
  private var function: String

  init(_ info: CommandInfo) {
    self.info = info
    commands = info.completionCommands
    function = "_\(info.functionName)"
  }

  var script: String {
    """
    # fish completion for \(info.name), made by '\(info.name) --generate-completion-script fish'.

    # Prints the command that the words before the cursor name, and how many arguments it has.
    function \(function)_place
      set -l command \(quoted(info.name))
      set -l count 0
      set -l option ''
      set -l words (commandline -opc)
      for word in $words[2..-1]
        if test -n "$option"; and not string match -q -- '-*' $word
          test $option = many; or set option ''
          continue
        end
        set option ''
        switch "$command $word"
    \(walk.map { "      " + $0 }.joined(separator: "\n"))
          case '* -*'
            true
    \(defaults.map { "      " + $0 + "\n" }.joined())      case '*'
            set count (math $count + 1)
        end
      end
      echo $command
      echo $count
    end

    # Whether the cursor is in a command and, with more arguments, at a place that 'test' accepts.
    function \(function)_at
      set -l place (\(function)_place)
      test "$place[1]" = "$argv[1]"; or return 1
      test (count $argv) -eq 1; or test $place[2] $argv[2..-1]
    end

    complete -c \(quoted(info.name)) -f
    \(lines.joined(separator: "\n"))

    """
  }

  private var walk: [String] {
    commands.flatMap { command in
      command.subcommands.map { subcommand in
        let patterns = patterns(command.path, [subcommand.name] + subcommand.aliases)
        return "case \(patterns)\n        set command \(quoted(subcommand.path.joined(separator: " "))); set count 0"
      }
        + command.valueOptions.map { option in
          let many = option.parsing == .upToNextOption || option.parsing == .remaining
          let patterns = patterns(command.path, option.names.map(\.spelling))
          return "case \(patterns)\n        set option \(many ? "many" : "one")"
        }
        + enterDefault(of: command)
    }
  }

  private func enterDefault(of command: CompletionCommand) -> [String] {
    guard let target = command.defaultCommand.map(CompletionCommand.init) else { return [] }
    let own = Set(command.info.arguments.flatMap(\.names))
    return target.info.arguments.compactMap { argument in
      let names = argument.names.filter { !own.contains($0) }
      if names.isEmpty { return nil }
      let wait = argument.kind == .option ? "; set option one" : ""
      return "case \(patterns(command.path, names.map(\.spelling)))\n        set command \(quoted(target.path))\(wait)"
    }
  }

  private var defaults: [String] {
    commands.compactMap { command in
      command.defaultCommand.map { target in
        "case \(quoted("\(command.path) *"))\n"
          + "        set command \(quoted(target.path.joined(separator: " "))); set count 1"
      }
    }
  }

  private func patterns(_ path: String, _ words: [String]) -> String {
    words.map { quoted("\(path) \($0)") }.joined(separator: " ")
  }
}

extension FishCompletionGenerator {
  private var lines: [String] {
    commands.flatMap { command in
      command.subcommands.map { subcommand in
        line(command, "-eq 0", "-a \(quoted(subcommand.name))", subcommand.abstract)
      }
        + command.options.flatMap { option in optionLines(command, option) }
        + command.positionals.enumerated().compactMap { index, positional in
          action(positional.completion).map { action in
            line(command, positional.isRepeating ? "-ge \(index)" : "-eq \(index)", action, positional.abstract)
          }
        }
    }
  }

  private func optionLines(_ command: CompletionCommand, _ option: ArgumentInfo) -> [String] {
    option.choices.map { choice in
      let names = choice.names.map { name in
        switch name {
        case .short(let character): "-s \(quoted(String(character)))"
        case .long(let name), .singleDash(let name): "-l \(quoted(name))"
        }
      }
      let value = option.kind == .option ? [action(option.completion) ?? "-x"] : []
      return line(command, nil, (names + value).joined(separator: " "), choice.abstract ?? option.abstract)
    }
  }

  private func line(_ command: CompletionCommand, _ place: String?, _ offer: String, _ help: String) -> String {
    let condition = quoted("\(function)_at \(quoted(command.path))\(place.map { " \($0)" } ?? "")")
    let description = help.isEmpty ? "" : " -d \(quoted(help))"
    return "complete -c \(quoted(info.name)) -n \(condition) \(offer)\(description)"
  }

  private func action(_ completion: CompletionKind) -> String? {
    switch completion.representation {
    case .default: nil
    // The words are expanded when they are offered, so each is quoted once more.
    case .list(let words): "-x -a \(quoted(words.map(quoted).joined(separator: " ")))"
    case .file(let extensions) where extensions.isEmpty: "-r -F"
    case .file(let extensions):
      "-x -a \(quoted("(__fish_complete_suffix \(extensions.map { quoted(".\($0)") }.joined(separator: " ")))"))"
    case .directory: "-x -a '(__fish_complete_directories)'"
    }
  }

  private func quoted(_ text: String) -> String {
    "'" + text.map { $0 == "'" || $0 == "\\" ? "\\\($0)" : "\($0)" }.joined() + "'"
  }
}
