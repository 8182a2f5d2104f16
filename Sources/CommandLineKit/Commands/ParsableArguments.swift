internal import SystemC

/// A set of arguments, options and flags that can be read from a command line.
public protocol ParsableArguments: Decodable, SendableMetatype {
  /// Creates the value that describes the arguments; it has no values yet.
  init()

  /// Checks the values together, after parsing.
  ///
  /// - Throws: ``ValidationError`` with a message for the user.
  mutating func validate() throws
}

extension ParsableArguments {
  /// Accepts everything.
  public mutating func validate() throws {}
}

extension ParsableArguments {
  /// Reads a command line.
  ///
  /// - Parameter arguments: The words after the command's name; nil takes those that the process was started with.
  /// - Throws: An error to be given to ``exit(withError:)``, ``message(for:)`` and ``exitCode(for:)``.
  public static func parse(_ arguments: [String]? = nil) throws -> Self {
    let value = try CommandLineReader.read(arguments, root: self)
    guard let value = value as? Self else {
      // A subcommand was named where only this command can be returned.
      let info = CommandInfo(root: type(of: value), for: [])
      throw CommandError(error: .unexpectedArguments([info.name]), stack: [CommandInfo(root: self)])
    }
    return value
  }

  /// Reads a command line, or ends the process with a message and the right exit code.
  public static func parseOrExit(_ arguments: [String]? = nil) -> Self {
    do {
      return try parse(arguments)
    } catch {
      exit(withError: error)
    }
  }
}

extension ParsableArguments {
  /// The message for an error, without "Error:" and usage.
  public static func message(for error: any Error) -> String {
    MessageInfo(error: error, root: self).message
  }

  /// Everything that is printed for an error.
  public static func fullMessage(for error: any Error, columns: Int? = nil) -> String {
    MessageInfo(error: error, root: self, columns: columns).fullText
  }

  /// The code that the process ends with for an error.
  public static func exitCode(for error: any Error) -> ExitCode {
    MessageInfo(error: error, root: self).exitCode
  }

  /// The help of these arguments.
  ///
  /// - Parameters:
  ///   - includeHidden: Whether to show what is hidden otherwise.
  ///   - columns: The width to wrap to; nil takes that of the terminal.
  public static func helpMessage(includeHidden: Bool = false, columns: Int? = nil) -> String {
    HelpGenerator(CommandInfo(root: self), includeHidden: includeHidden)
      .rendered(columns: columns ?? Platform.columns)
  }

  /// The script that makes a shell complete the command.
  public static func completionScript(for shell: CompletionShell) -> String {
    CompletionGenerator(CommandInfo(root: self)).script(for: shell)
  }

  /// The manual page of the command and all commands below it, for `man`.
  ///
  /// - Parameter date: The date in the footer, as text. None by default, so that the same command gives the same page.
  public static func manualPage(date: String? = nil) -> String {
    ManualGenerator(CommandInfo(root: self), date: date).page
  }

  /// Ends the process with the message for an error and its exit code.
  ///
  /// Help and the version go to standard output, everything else to standard error.
  public static func exit(withError error: (any Error)? = nil) -> Never {
    guard let error else { Platform.exit(ExitCode.success.rawValue) }
    let info = MessageInfo(error: error, root: self)
    Platform.print(info.fullText.spellingPathBytes, to: info.exitCode.isSuccess ? .output : .error)
    Platform.exit(info.exitCode.rawValue)
  }
}
