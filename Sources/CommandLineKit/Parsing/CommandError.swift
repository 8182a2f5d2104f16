/// What was wrong, and with which command.
struct CommandError: Error {
  var error: ParserError

  /// The commands that were named, from the root to the one that the error belongs to.
  var stack: [CommandInfo]

  /// Whether nothing at all was given, so that the whole help is worth more than the usage line.
  var isEmptyCommandLine = false
}

extension CommandError {
  /// Whether only the version is asked for, which one command is enough to tell.
  var isVersionRequest: Bool {
    if case .versionRequested = error { true } else { false }
  }

  /// Notes which command threw an error when it ran, so that the usage shown is that command's.
  init(thrownBy type: any ParsableCommand.Type, below root: any ParsableCommand.Type, _ error: any Error) {
    let info = CommandInfo(root: root)
    self.init(error: .userError(error), stack: info.stack(of: type, below: root) ?? [info])
  }
}
