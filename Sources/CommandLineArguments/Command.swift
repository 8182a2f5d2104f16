internal import SystemC

/// The name, help and subcommands of a command.
public struct CommandConfiguration: Sendable {
  /// The name of the command.
  ///
  /// If nil, it is derived from the name of the type.
  public var commandName: String?

  /// One sentence about the command.
  public var abstract: String

  /// The usage line.
  ///
  /// If nil, it is derived from the arguments; if empty, it is not shown.
  public var usage: String?

  /// Longer text about the command.
  ///
  /// Lines that start with a space are printed unchanged, for examples and tables.
  public var discussion: String

  /// What `--version` prints, also for subcommands.
  ///
  /// If empty, there is no such flag.
  public var version: String

  /// Whether help, completions and the manual page list the command.
  public var shouldDisplay: Bool

  /// The subcommands of this command.
  public var subcommands: [any ParsableCommand.Type]

  /// The subcommand that runs if none is named.
  public var defaultSubcommand: (any ParsableCommand.Type)?

  /// The names of the help flag.
  ///
  /// If nil, they are those of the parent command; `-h` and `--help` at the root.
  public var helpNames: NameSpecification?

  /// Other names for the command.
  public var aliases: [String]

  /// Creates the configuration of a command.
  public init(
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
public protocol ParsableArguments: Decodable, SendableMetatype {
  /// Creates a value that describes the arguments but holds no values yet.
  init()

  /// Validates the values together, after parsing.
  ///
  /// - Throws: ``ValidationError`` with a message for the user.
  mutating func validate() throws
}

extension ParsableArguments {
  /// Accepts any values.
  public mutating func validate() throws {}

  // MARK: - Parsable arguments

  /// Reads a command line.
  ///
  /// - Parameter arguments: The words after the command's name; nil takes those that the process was started with.
  /// - Throws: An error to pass to ``exit(withError:)``, ``message(for:)`` and ``exitCode(for:)``.
  public static func parse(_ arguments: [String]? = nil) throws -> Self {
    let value = try CommandLineReader.read(arguments, root: self)
    guard let value = value as? Self else {
      // A subcommand was named, but only this command can be returned.
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

  // MARK: - Parsable arguments

  /// The message for an error, without "Error:" and usage.
  public static func message(for error: any Error) -> String {
    MessageInfo(error: error, root: self).message
  }

  /// Everything that is printed for an error.
  public static func fullMessage(for error: any Error, columns: Int? = nil) -> String {
    MessageInfo(error: error, root: self, columns: columns).fullText
  }

  /// The exit code of the process for an error.
  public static func exitCode(for error: any Error) -> ExitCode {
    MessageInfo(error: error, root: self).exitCode
  }

  /// The help of these arguments.
  ///
  /// - Parameters:
  ///   - includeHidden: Whether to include hidden arguments.
  ///   - columns: The width to wrap to; nil takes the width of the terminal.
  public static func helpMessage(includeHidden: Bool = false, columns: Int? = nil) -> String {
    HelpGenerator(CommandInfo(root: self), includeHidden: includeHidden)
      .rendered(columns: columns ?? Platform.columns)
  }

  /// The script that makes a shell complete the command.
  public static func completionScript(for shell: CompletionShell) -> String {
    CompletionGenerator(CommandInfo(root: self)).script(for: shell)
  }

  /// The manual page of the command and all its subcommands, for `man`.
  ///
  /// - Parameter date: The date in the footer, as text. None by default, so that the same command produces the same
  ///   page.
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

/// A command that can run on its own or as a subcommand of another.
///
///     @main struct Greet: ParsableCommand {
///       @Argument var name: String
///       func run() { print("Hello, \(name)!") }
///     }
public protocol ParsableCommand: ParsableArguments {
  /// The name, help and subcommands of the command.
  static var configuration: CommandConfiguration { get }

  /// Runs the command.
  mutating func run() throws
}

extension ParsableCommand {
  /// A configuration without subcommands and with a name derived from the type.
  public static var configuration: CommandConfiguration { CommandConfiguration() }

  /// Prints the help, the default for a command that only has subcommands.
  public mutating func run() throws {
    throw CleanExit.helpRequest(self)
  }

  // MARK: - Parsable command

  /// Reads a command line and returns the command that it names: this one or one of its subcommands.
  ///
  /// - Parameter arguments: The words after the command's name; nil takes those that the process was started with.
  public static func parseAsRoot(_ arguments: [String]? = nil) throws -> any ParsableCommand {
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

  /// The help of a subcommand.
  public static func helpMessage(
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
  public static func main(_ arguments: [String]?) {
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
  public static func main() {
    main(nil)
  }
}
