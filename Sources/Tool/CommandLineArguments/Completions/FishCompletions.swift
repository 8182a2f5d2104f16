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

    # Prints the command that the words before the cursor name, how many arguments it has, and an option without its value.
    function \(function)_place
      set -l command \(quoted(info.name))
      set -l count 0
      set -l option ''
      set -l ended ''
      set -l words (commandline -opc)
      for word in $words[2..-1]
        if test -n "$option"; and not string match -q -- '-*' $word
          set option ''
          continue
        end
        set option ''
        if test -n "$ended"
          set count (math $count + 1)
          continue
        end
        switch "$command:$word"
    \(walk.map { "      " + $0 }.joined(separator: "\n"))
          case '*:--'
            set ended 1
          case '*:-*'
            true
          case '*'
            set count (math $count + 1)
    \(defaults.map { "        " + $0 }.joined(separator: "\n"))
        end
      end
      echo $command
      echo $count
      test -n "$option"; and echo $option
      true
    end

    # Whether the cursor is in a command and, with more arguments, at a place that 'test' accepts.
    function \(function)_at
      set -l place (\(function)_place)
      test "$place[1]" = "$argv[1]"; or return 1
      test (count $argv) -eq 1; and return 0
      test (count $place) -eq 2; and test $place[2] $argv[2..-1]
    end

    # What the command itself offers.
    function \(function)_command
      set -l words (commandline -opc)
      set -l current (commandline -ct | string replace -ra '[\\\\\\\\\\'"]' '')
      $words[1] ---complete $argv[1] "$current" $words[2..-1] 2>/dev/null
    end

    complete -c \(quoted(info.name)) -f
    \(lines.joined(separator: "\n"))

    """
  }

  private var walk: [String] {
    commands.flatMap { command in
      command.subcommands.map { subcommand in
        let patterns = patterns(command.path, [subcommand.name])
        return "case \(patterns)\n        set command \(quoted(subcommand.path.joined(separator: " "))); set count 0"
      }
        + command.valueOptions.map { option in
          let patterns = patterns(command.path, option.names.map(\.spelling))
          return "case \(patterns)\n        set option $word"
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
      let wait = argument.kind == .option ? "; set option $word" : ""
      return "case \(patterns(command.path, names.map(\.spelling)))\n        set command \(quoted(target.path))\(wait)"
    }
  }

  private var defaults: [String] {
    commands.compactMap { command in
      command.defaultCommand.map { target in
        "test \"$command\" = \(quoted(command.path)); and set command "
          + quoted(target.path.joined(separator: " "))
      }
    }
  }

  private func patterns(_ path: String, _ words: [String]) -> String {
    words.map { quoted("\(path):\($0)") }.joined(separator: " ")
  }
}

extension FishCompletionGenerator {
  private var lines: [String] {
    commands.flatMap { command in
      command.subcommands.map { subcommand in
        line(command, "-eq 0", "-a \(quoted(subcommand.name))", subcommand.abstract)
      }
        + command.options.map { option in line(command, option) }
        + command.positionals.enumerated().compactMap { index, positional in
          action(positional.completion).map { action in
            line(command, positional.isRepeating ? "-ge \(index)" : "-eq \(index)", action, positional.abstract)
          }
        }
    }
  }

  private func line(_ command: CompletionCommand, _ option: ArgumentInfo) -> String {
    let names = option.names.map { name in
      switch name {
      case .short(let character): "-s \(quoted(String(character)))"
      case .long(let name), .singleDash(let name): "-l \(quoted(name))"
      }
    }
    let value = option.kind == .option ? [action(option.completion) ?? "-x"] : []
    return line(command, nil, (names + value).joined(separator: " "), option.abstract)
  }

  private func line(_ command: CompletionCommand, _ place: String?, _ offer: String, _ help: String) -> String {
    let condition = "\(function)_at \(quoted(command.path))\(place.map { " \($0)" } ?? "")"
    let description = help.isEmpty ? "" : " -d \(quoted(help))"
    return "complete -c \(quoted(info.name)) -n \(quoted(condition)) \(offer)\(description)"
  }

  private func action(_ completion: CompletionKind) -> String? {
    switch completion {
    case .default: nil
    // The words are expanded when they are offered, so each is quoted once more.
    case .list(let words): "-x -a \(quoted(words.map(quoted).joined(separator: " ")))"
    case .file(_, let extensions) where extensions.isEmpty: "-r -F"
    case .file(_, let extensions): "-x -a \(quoted("(\(files(extensions)))"))"
    case .command(let source, let extensions):
      "-x -a \(quoted("(\(extensions.isEmpty ? "" : files(extensions) + "; ")\(function)_command \(source))"))"
    case .directory: "-x -a '(__fish_complete_directories)'"
    }
  }

  private func files(_ extensions: [String]) -> String {
    "__fish_complete_suffix \(extensions.map { quoted(".\($0)") }.joined(separator: " "))"
  }

  private func quoted(_ text: String) -> String {
    "'" + text.map { $0 == "'" || $0 == "\\" ? "\\\($0)" : "\($0)" }.joined() + "'"
  }
}
