/// What a command is called, how it is explained and which subcommands it has.
public struct CommandConfiguration: Sendable {
  /// The name of the command.
  ///
  /// Nil makes it from the name of the type.
  public var commandName: String?

  /// One sentence about the command.
  public var abstract: String

  /// The usage line.
  ///
  /// Nil makes it from the arguments; an empty one is not shown.
  public var usage: String?

  /// Longer text about the command.
  ///
  /// Lines that start with a space are printed as they are, for examples and tables.
  public var discussion: String

  /// What `--version` prints, also below this command.
  ///
  /// Empty if there is no such flag.
  public var version: String

  /// Whether help, completions and the manual page list the command.
  public var shouldDisplay: Bool

  /// The commands below this one.
  public var subcommands: [any ParsableCommand.Type]

  /// The subcommand that runs if none is named.
  public var defaultSubcommand: (any ParsableCommand.Type)?

  /// The names of the help flag.
  ///
  /// Nil takes those of the command above, `-h` and `--help` at the root.
  public var helpNames: NameSpecification?

  /// Other names that the command can be called by.
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
