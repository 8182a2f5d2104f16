/// Writes the script that makes a shell complete a command.
struct CompletionGenerator {
  var info: CommandInfo

  init(_ info: CommandInfo) { self.info = info }

  func script(for shell: CompletionShell) -> String {
    switch shell {
    case .bash: BashCompletionGenerator(info).script
    case .fish: FishCompletionGenerator(info).script
    default: ZshCompletionGenerator(info).script
    }
  }
}
