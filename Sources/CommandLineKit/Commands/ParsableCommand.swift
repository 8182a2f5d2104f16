/// A command that can be run, alone or as a subcommand of another.
///
///     @main struct Greet: ParsableCommand {
///       @Argument var name: String
///       func run() { print("Hello, \(name)!") }
///     }
public protocol ParsableCommand: ParsableArguments {
  /// What the command is called, how it is explained and which subcommands it has.
  static var configuration: CommandConfiguration { get }

  /// Does what the command is for.
  mutating func run() throws
}

extension ParsableCommand {
  /// A command without subcommands, named like its type.
  public static var configuration: CommandConfiguration { CommandConfiguration() }

  /// Prints the help: what a command does that has subcommands only.
  public mutating func run() throws {
    throw CleanExit.helpRequest(self)
  }
}

extension ParsableCommand {
  /// Reads a command line and returns the command that it names: this one or one below it.
  ///
  /// - Parameter arguments: The words after the command's name; nil takes those that the process was started with.
  public static func parseAsRoot(_ arguments: [String]? = nil) throws -> any ParsableCommand {
    if let request = versionRequest(arguments ?? Platform.arguments) { throw request }
    guard let command = try CommandLineReader.read(arguments, root: self) as? any ParsableCommand else {
      preconditionFailure("Subcommands of a command are commands.")
    }
    return command
  }

  /// Answers a bare `--version`, which scripts ask for again and again, without describing all commands first.
  private static func versionRequest(_ arguments: [String]) -> CommandError? {
    // A command with properties may have a `--version` of its own.
    guard arguments == ["--version"], MemoryLayout<Self>.size == 0 else { return nil }
    let configuration = configuration
    guard !configuration.version.isEmpty else { return nil }
    var info = CommandInfo(name: configuration.commandName ?? "")
    info.version = configuration.version
    return CommandError(error: .versionRequested, stack: [info])
  }

  /// The help of a command below this one.
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
