internal import SystemC

/// What a command is called, how it is explained and which subcommands it has.
package struct CommandConfiguration: Sendable {
  /// The name of the command.
  ///
  /// Nil makes it from the name of the type.
  package var commandName: String?

  /// One sentence about the command.
  package var abstract: String

  /// The usage line.
  ///
  /// Nil makes it from the arguments; an empty one is not shown.
  package var usage: String?

  /// Longer text about the command.
  ///
  /// Lines that start with a space are printed as they are, for examples and tables.
  package var discussion: String

  /// What `--version` prints, also for subcommands.
  ///
  /// Empty if there is no such flag.
  package var version: String

  /// Whether help, completions and the manual page list the command.
  package var shouldDisplay: Bool

  /// The commands below this one.
  package var subcommands: [any ParsableCommand.Type]

  /// The subcommand that runs if none is named.
  package var defaultSubcommand: (any ParsableCommand.Type)?

  /// The names of the help flag.
  ///
  /// Nil takes those of the command above, `-h` and `--help` at the root.
  package var helpNames: NameSpecification?

  /// Other names that the command can be called by.
  package var aliases: [String]

  /// Creates the configuration of a command.
  package init(
    commandName: String? = nil,
    abstract: String = "",
    usage: String? = nil,
    discussion: String = "",
    version: String = "",
    shouldDisplay: Bool = true,
    subcommands: [any ParsableCommand.Type] = [],
    defaultSubcommand: (any ParsableCommand.Type)? = nil,
    helpNames: NameSpecification? = nil,
    aliases: [String] = []
  ) {
    self.commandName = commandName
    self.abstract = abstract
    self.usage = usage
    self.discussion = discussion
    self.version = version
    self.shouldDisplay = shouldDisplay
    self.subcommands = subcommands
    self.defaultSubcommand = defaultSubcommand
    self.helpNames = helpNames
    self.aliases = aliases
  }
}

/// A set of arguments, options and flags that can be read from a command line.
package protocol ParsableArguments: Decodable, SendableMetatype {
  /// Creates the value that describes the arguments; it has no values yet.
  init()

  /// Validates the values together, after parsing.
  ///
  /// - Throws: ``ValidationError`` with a message for the user.
  mutating func validate() throws
}

extension ParsableArguments {
  /// Accepts everything.
  package mutating func validate() throws {}

  // MARK: - Parsable arguments

  /// Reads a command line.
  ///
  /// - Parameter arguments: The words after the command's name; nil takes those that the process was started with.
  /// - Throws: An error to be given to ``exit(withError:)``, ``message(for:)`` and ``exitCode(for:)``.
  package static func parse(_ arguments: [String]? = nil) throws -> Self {
    let value = try CommandLineReader.read(arguments, root: self)
    guard let value = value as? Self else {
      // A subcommand was named, but only this command can be returned.
      let info = CommandInfo(root: type(of: value), for: [])
      throw CommandError(error: .unexpectedArguments([info.name]), stack: [CommandInfo(root: self)])
    }
    return value
  }

  /// Reads a command line, or ends the process with a message and the right exit code.
  package static func parseOrExit(_ arguments: [String]? = nil) -> Self {
    do {
      return try parse(arguments)
    } catch {
      exit(withError: error)
    }
  }

  // MARK: - Parsable arguments

  /// The message for an error, without "Error:" and usage.
  package static func message(for error: any Error) -> String {
    MessageInfo(error: error, root: self).message
  }

  /// Everything that is printed for an error.
  package static func fullMessage(for error: any Error, columns: Int? = nil) -> String {
    MessageInfo(error: error, root: self, columns: columns).fullText
  }

  /// The code that the process ends with for an error.
  package static func exitCode(for error: any Error) -> ExitCode {
    MessageInfo(error: error, root: self).exitCode
  }

  /// The help of these arguments.
  ///
  /// - Parameters:
  ///   - includeHidden: Whether to show what is hidden otherwise.
  ///   - columns: The width to wrap to; nil takes that of the terminal.
  package static func helpMessage(includeHidden: Bool = false, columns: Int? = nil) -> String {
    HelpGenerator(CommandInfo(root: self), includeHidden: includeHidden)
      .rendered(columns: columns ?? Platform.columns)
  }

  /// The script that makes a shell complete the command.
  package static func completionScript(for shell: CompletionShell) -> String {
    CompletionGenerator(CommandInfo(root: self)).script(for: shell)
  }

  /// The manual page of the command and all its subcommands, for `man`.
  ///
  /// - Parameter date: The date in the footer, as text. None by default, so that the same command gives the same page.
  package static func manualPage(date: String? = nil) -> String {
    ManualGenerator(CommandInfo(root: self), date: date).page
  }

  /// Ends the process with the message for an error and its exit code.
  ///
  /// Help and the version go to standard output, everything else to standard error.
  package static func exit(withError error: (any Error)? = nil) -> Never {
    guard let error else { Platform.exit(ExitCode.success.rawValue) }
    let info = MessageInfo(error: error, root: self)
    Platform.print(info.fullText.spellingPathBytes, to: info.exitCode.isSuccess ? .output : .error)
    Platform.exit(info.exitCode.rawValue)
  }
}

/// A command that can run on its own or as a subcommand of another.
///
///     @main struct Greet: ParsableCommand {
///       @Argument var name: String
///       func run() { print("Hello, \(name)!") }
///     }
package protocol ParsableCommand: ParsableArguments {
  /// What the command is called, how it is explained and which subcommands it has.
  static var configuration: CommandConfiguration { get }

  /// Runs the command.
  mutating func run() throws
}

extension ParsableCommand {
  /// A command without subcommands, named like its type.
  package static var configuration: CommandConfiguration { CommandConfiguration() }

  /// Prints the help: what a command does that has subcommands only.
  package mutating func run() throws {
    throw CleanExit.helpRequest(self)
  }

  // MARK: - Parsable command

  /// Reads a command line and returns the command that it names: this one or one of its subcommands.
  ///
  /// - Parameter arguments: The words after the command's name; nil takes those that the process was started with.
  package static func parseAsRoot(_ arguments: [String]? = nil) throws -> any ParsableCommand {
    if let request = versionRequest(arguments ?? Platform.arguments) { throw request }
    guard let command = try CommandLineReader.read(arguments, root: self) as? any ParsableCommand else {
      preconditionFailure("Subcommands of a command are commands.")
    }
    return command
  }

  /// Answers a bare `--version`, which scripts request often, without describing all commands first.
  private static func versionRequest(_ arguments: [String]) -> CommandError? {
    // A command with properties may define its own `--version`.
    guard arguments == ["--version"], MemoryLayout<Self>.size == 0 else { return nil }
    let configuration = configuration
    guard !configuration.version.isEmpty else { return nil }
    var info = CommandInfo(name: configuration.commandName ?? "")
    info.version = configuration.version
    return CommandError(error: .versionRequested, stack: [info])
  }

  /// The help of a command below this one.
  package static func helpMessage(
    for subcommand: any ParsableCommand.Type, includeHidden: Bool = false, columns: Int? = nil
  ) -> String {
    let root = CommandInfo(root: self)
    let info = root.stack(of: subcommand, below: self)?.last ?? CommandInfo(root: subcommand)
    return HelpGenerator(info, includeHidden: includeHidden)
      .rendered(columns: columns ?? Platform.columns)
  }

  /// Runs the command that a command line names, and ends the process if that fails.
  ///
  /// - Parameter arguments: The words after the command's name; nil takes those that the process was started with.
  package static func main(_ arguments: [String]?) {
    do {
      var command = try parseAsRoot(arguments)
      do {
        try command.run()
      } catch {
        exit(withError: CommandError(thrownBy: type(of: command), below: self, error))
      }
    } catch {
      exit(withError: error)
    }
  }

  /// Runs the command that the process was started with, and ends the process if that fails.
  package static func main() {
    main(nil)
  }
}
