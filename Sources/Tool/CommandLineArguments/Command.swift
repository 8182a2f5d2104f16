internal import SystemC

/// The name, the help and the subcommands of a command.
package struct CommandConfiguration: Sendable {
  /// The name of the command.
  ///
  /// Nil makes it from the name of the type.
  var commandName: String?

  /// One sentence about the command.
  var abstract: String

  /// The usage line.
  ///
  /// Nil makes it from the arguments.
  var usage: String?

  /// Longer text about the command.
  ///
  /// Lines that start with a space are printed as they are, for examples and tables.
  var discussion: String

  /// The few lines that are printed, with the commands below this one, where nothing was given at all.
  var introduction: String

  /// The text that `--version` prints, also for subcommands.
  ///
  /// Empty if there is no such flag.
  var version: String

  /// The commands below this one that belong to no group.
  var ungroupedSubcommands: [any ParsableCommand.Type]

  /// The other commands below this one, each group under a heading of its own.
  var groupedSubcommands: [CommandGroup]

  /// All commands below this one.
  var subcommands: [any ParsableCommand.Type] { ungroupedSubcommands + groupedSubcommands.flatMap(\.subcommands) }

  /// The subcommand that runs if none is named.
  var defaultSubcommand: (any ParsableCommand.Type)?

  /// Words that people try who do not know the command's name: errors suggest the command for them.
  var otherNames: [String]

  /// Says what words that no argument takes are likely to mean; that of the root is asked first, for every command.
  var extraWords: ExtraWords?

  /// Sentences about options that people try and that no option is: errors say them.
  var otherOptions: [String: String]

  /// Creates the configuration of a command.
  package init(
    commandName: String? = nil, abstract: String = "", usage: String? = nil, discussion: String = "",
    introduction: String = "", version: String = "", subcommands: [any ParsableCommand.Type] = [],
    groupedSubcommands: [CommandGroup] = [], defaultSubcommand: (any ParsableCommand.Type)? = nil,
    otherNames: [String] = [], extraWords: ExtraWords? = nil, otherOptions: [String: String] = [:]
  ) {
    self.commandName = commandName
    self.abstract = abstract
    self.usage = usage
    self.discussion = discussion
    self.introduction = introduction
    self.version = version
    self.ungroupedSubcommands = subcommands
    self.groupedSubcommands = groupedSubcommands
    self.defaultSubcommand = defaultSubcommand
    self.otherNames = otherNames
    self.extraWords = extraWords
    self.otherOptions = otherOptions
  }
}

/// Says in a sentence what words that no argument takes are likely to mean; `nil` if that is not known.
///
/// - Parameters:
///   - extra: The words that are left over.
///   - taken: The words before them, which are the command's arguments.
package typealias ExtraWords = @Sendable (_ extra: [String], _ taken: [String]) -> String?

/// Commands that help lists under one heading.
package struct CommandGroup: Sendable {
  /// The heading.
  let name: String
  /// The commands.
  let subcommands: [any ParsableCommand.Type]

  /// Creates a group.
  package init(name: String, subcommands: [any ParsableCommand.Type]) {
    self.name = name
    self.subcommands = subcommands
  }
}

/// The text of an error on the command line: its message and the exit code.
package typealias ErrorText = (_ message: String, _ exitCode: Int32) -> String

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

  /// Ends the process with the message for an error and its exit code.
  ///
  /// Help and the version go to standard output, everything else to standard error.
  ///
  /// - Parameter text: Words what is wrong, instead of a message with the usage.
  package static func exit(withError error: any Error, as text: ErrorText? = nil) -> Never {
    let info = MessageInfo(error: error, root: self)
    let (message, code) = (info.message, info.exitCode)
    let words =
      text.flatMap { text in message.isEmpty ? nil : text(message, code.rawValue) }
      ?? info.fullText(prefix: Platform.errorPrefix(CommandInfo(root: self, for: []).name))
    Platform.print(words.spellingPathBytes, to: code == .success ? .output : .error)
    Platform.exit(code.rawValue)
  }
}

/// A command that can run on its own or as a subcommand of another.
///
///     @main struct Greet: ParsableCommand {
///       @Argument var name: String
///       func run() { print("Hello, \(name)!") }
///     }
package protocol ParsableCommand: ParsableArguments {
  /// The name, the help and the subcommands of the command.
  static var configuration: CommandConfiguration { get }

  /// Runs the command.
  mutating func run() throws
}

extension ParsableCommand {
  /// A command without subcommands, named like its type.
  package static var configuration: CommandConfiguration { CommandConfiguration() }

  /// Prints the help: what a command with only subcommands does.
  package mutating func run() throws {
    throw ParserError.helpRequested(includeHidden: false)
  }

  /// Reads a command line and returns the command that it names: this one or one of its subcommands.
  ///
  /// - Parameter arguments: The words after the command's name.
  static func parseAsRoot(_ arguments: [String]) throws -> any ParsableCommand {
    try parse(arguments).command
  }

  private static func parse(_ arguments: [String]) throws -> (command: any ParsableCommand, paths: [GivenPath]) {
    if let request = versionRequest(arguments) { throw request }
    let (value, paths) = try CommandLineReader.read(arguments, root: self)
    guard let command = value as? any ParsableCommand else {
      preconditionFailure("Subcommands of a command are commands.")
    }
    return (command, paths)
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

  /// Runs the command that a command line names, and ends the process if that fails.
  ///
  /// - Parameters:
  ///   - arguments: The words after the command's name.
  ///   - text: Words what is wrong with them, instead of a message with the usage.
  ///   - check: Called with the command and all paths that were given, before it runs.
  package static func main(
    _ arguments: [String], errorsAs text: ErrorText? = nil,
    checking check: (any ParsableCommand.Type, [GivenPath]) throws -> Void = { _, _ in }
  ) {
    do {
      var (command, paths) = try parse(arguments)
      do {
        try check(type(of: command), paths)
        try command.run()
      } catch {
        exit(withError: CommandError(thrownBy: type(of: command), below: self, error), as: text)
      }
    } catch {
      exit(withError: error, as: text)
    }
  }
}

extension ParsableCommand {
  /// The names of its options, such as `--format`.
  package static var optionNames: Set<String> {
    Set(ArgumentDefinition.all(of: self).flatMap(\.info.names).map(\.spelling))
  }
}
