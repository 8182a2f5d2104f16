internal import TerminalOutput

/// A command and its subcommands as plain values: the single description from which everything else is generated.
struct CommandInfo: Sendable {
  var name: String

  /// The names of its parent commands, from the root.
  var superCommands: [String] = []

  var abstract = ""
  var discussion = ""
  var introduction = ""
  var usage: String?
  var version = ""

  /// Words that people try who do not know the command's name.
  var otherNames: [String] = []
  /// Says what words that no argument takes are likely to mean.
  var extraWords: ExtraWords?
  /// Sentences about options that it does not have.
  var otherOptions: [String: String] = [:]

  var arguments: [ArgumentInfo] = []
  var subcommands: [CommandInfo] = []
  /// The heading of the group that it belongs to among its parent's commands.
  var group: String?
  var defaultSubcommand: String?

  /// Whether this is the `help` command that every root with subcommands has.
  var isHelp = false
}

extension CommandInfo {
  /// The words that call the command: `tracks-migrate albums`.
  var path: [String] { superCommands + [name] }

  var positionals: [ArgumentInfo] { arguments.filter { $0.kind == .positional } }

  /// The arguments that `help` shows, or `--help-hidden`.
  func shownArguments(includeHidden: Bool = false) -> [ArgumentInfo] {
    arguments.filter { includeHidden || $0.visibility == .default }
  }

  /// The subcommands that help and the manual page list.
  var shownSubcommands: [CommandInfo] { subcommands.filter { !$0.isHelp } }

  func subcommand(named word: String) -> CommandInfo? { subcommands.first { $0.name == word } }

  /// The command that a word most likely means that names none: one of these by another word for it, one below them,
  /// such as `models lint` for `lint`, or the one whose name is nearest.
  func commandMeant(by word: String) -> String? {
    let commands = shownSubcommands
    if let known = commands.first(where: { $0.otherNames.contains(word.lowercased()) }) { return known.name }
    if let parent = commands.first(where: { $0.subcommand(named: word) != nil }) { return "\(parent.name) \(word)" }
    return nearest(to: word, in: commands.map(\.name))
  }

  func argument(named name: OptionName) -> ArgumentInfo? { arguments.first { $0.names.contains(name) } }

  // MARK: - Reflection

  /// Describes a type and its subcommands.
  ///
  /// - Parameters:
  ///   - type: The type.
  ///   - words: The words of a command line to parse. Commands that it cannot refer to are only named, because
  ///     describing one takes a while. `nil` describes all.
  init(root type: any ParsableArguments.Type, for words: [String]? = nil) {
    self.init(
      type, (type as? any ParsableCommand.Type)?.configuration ?? CommandConfiguration(), superCommands: [],
      inherited: Inherited(words: words.map { Set($0) }))
    guard !subcommands.isEmpty, subcommand(named: "help") == nil else { return }
    subcommands.append(.help(for: self))
  }

  /// The settings that commands inherit from their parents unless they specify them.
  private struct Inherited {
    var version = ""
    /// The words that may name a command; `nil` if any word may.
    var words: Set<String>?
  }

  private init(
    _ type: any ParsableArguments.Type, _ configuration: CommandConfiguration, superCommands: [String],
    inherited: Inherited, isDefault: Bool = false
  ) {
    self.init(name: Self.name(of: type, configuration), superCommands: superCommands)
    let mayBeNamed = superCommands.isEmpty || isDefault || inherited.words?.contains(name) != false
    let ownVersion = configuration.version
    // A subcommand is named, or is the default, only after its command.
    let inherited = Inherited(
      version: ownVersion.isEmpty ? inherited.version : ownVersion, words: mayBeNamed ? inherited.words : [])
    abstract = configuration.abstract
    discussion = configuration.discussion
    introduction = configuration.introduction
    usage = configuration.usage
    (otherNames, extraWords) = (configuration.otherNames, configuration.extraWords)
    otherOptions = configuration.otherOptions
    version = inherited.version
    let groups = configuration.groupedSubcommands.flatMap { group in
      group.subcommands.map { ($0, group.name as String?) }
    }
    subcommands = (configuration.ungroupedSubcommands.map { ($0, nil) } + groups).map { subcommand, group in
      var info = Self(
        subcommand, subcommand.configuration, superCommands: path, inherited: inherited,
        isDefault: mayBeNamed && configuration.defaultSubcommand.map { $0 == subcommand } ?? false)
      info.group = group
      return info
    }
    if let defaultSubcommand = configuration.defaultSubcommand {
      self.defaultSubcommand = Self.name(of: defaultSubcommand)
    }
    guard mayBeNamed else { return }
    arguments = ArgumentDefinition.all(of: type).map(\.info)
    arguments += Self.generatedArguments(
      isRoot: superCommands.isEmpty, version: version, declared: Set(arguments.flatMap(\.names)))
  }

  /// The name by which the command is called.
  ///
  /// The parameter is typed as a command because finding out at run time that a type is one takes Swift longer than
  /// everything else here.
  static func name(of type: any ParsableCommand.Type) -> String { name(of: type, type.configuration) }

  private static func name(of type: any ParsableArguments.Type, _ configuration: CommandConfiguration) -> String {
    configuration.commandName ?? _typeName(type, qualified: false).kebabCased
  }

  /// The descriptions from this command, which describes `root`, down to the one that describes `type`.
  func stack(of type: any ParsableArguments.Type, below root: any ParsableArguments.Type) -> [CommandInfo]? {
    if type == root { return [self] }
    for candidate in (root as? any ParsableCommand.Type)?.configuration.subcommands ?? [] {
      let info = subcommand(named: Self.name(of: candidate))
      if let stack = info?.stack(of: type, below: candidate) { return [self] + stack }
    }
    return nil
  }

  /// The flags that every command has.
  ///
  /// If a command declares the same name, its own flag is used.
  private static func generatedArguments(
    isRoot: Bool, version: String, declared: Set<OptionName>
  ) -> [ArgumentInfo] {
    var arguments: [ArgumentInfo] = []
    if !version.isEmpty { arguments.append(.generated(.version, [.long("version")], "Show the version.")) }
    arguments.append(.help)
    arguments.append(.generated(.hiddenHelp, [.long("help-hidden")], "Show help information including hidden options."))
    if isRoot {
      arguments.append(
        .generated(.completionScript, [.long("generate-completion-script")], "Print a completion script."))
      arguments.append(.generated(.manualPage, [.long("generate-man-page")], "Print the manual page."))
    }
    return arguments.compactMap { argument in
      var argument = argument
      argument.names.removeAll(where: declared.contains)
      return argument.names.isEmpty ? nil : argument
    }
  }

  private static func help(for root: CommandInfo) -> CommandInfo {
    var argument = ArgumentInfo(key: "subcommands", kind: .positional, valueName: "subcommands")
    argument.isOptional = true
    argument.isRepeating = true
    argument.completion = .list(root.shownSubcommands.map(\.name))
    var info = CommandInfo(name: "help", superCommands: root.path)
    info.abstract = "Show subcommand help information."
    info.arguments = [argument, .help]
    info.isHelp = true
    return info
  }
}

extension ArgumentInfo {
  fileprivate static let help = generated(.help, [.short("h"), .long("help")], "Show help information.")

  fileprivate static func generated(_ role: Role, _ names: [OptionName], _ abstract: String) -> ArgumentInfo {
    let takesValue = role == .completionScript
    var info = ArgumentInfo(key: role.rawValue, kind: takesValue ? .option : .flag, role: role, names: names)
    info.abstract = abstract
    info.isOptional = true
    info.visibility = role == .help || role == .version ? .default : .hidden
    if takesValue {
      info.valueName = "shell"
      info.allValues = CompletionShell.allCases.map(\.rawValue)
      info.completion = .list(info.allValues)
    }
    return info
  }
}

extension ParsableCommand {
  /// The words that may follow the command's name as commands, `help` among them.
  package static var subcommandNames: [String] {
    configuration.subcommands.map { CommandInfo.name(of: $0) } + ["help"]
  }

  /// The command that a word most likely means that is none of these names.
  package static func commandMeant(by word: String) -> String? { CommandInfo(root: self).commandMeant(by: word) }
}

/// One argument, option or flag as plain values: everything that the parser, help, completions and manual know about
/// it.
struct ArgumentInfo: Sendable {
  enum Kind { case positional, option, flag }

  /// The parser's action when it meets the argument.
  enum Role: String { case value, help, hiddenHelp, version, completionScript, manualPage }

  /// The path of the property: `limit`, or `filter.limit` in an option group.
  var key: String
  var kind: Kind
  var role: Role = .value

  /// None for a positional argument.
  var names: [OptionName] = []
  /// Names without dashes that people try who do not know the option's name.
  var otherNames: [String] = []
  var valueName = ""

  var abstract = ""
  var visibility = ArgumentVisibility.default

  /// The title of its option group, if the group has one.
  var section = ""

  /// The environment variable that stands for an option that is not given.
  var environmentVariable: String?

  var isOptional = false
  var isRepeating = false
  var allowsLeadingDash = false

  /// The default and the accepted values, in words.
  var defaultValue: String?
  var allValues: [String] = []
  var completion = CompletionKind.default
}

extension ArgumentInfo {
  /// The argument as error messages call it: `<library>`, `--limit <limit>` or `--quiet`.
  var synopsis: String {
    switch kind {
    case .positional: "<\(valueName)>"
    case .option: optionSynopsis(names.preferred)
    case .flag: names.preferred?.spelling ?? ""
    }
  }

  /// The option as error messages call it, by the name that the user gave.
  func optionSynopsis(_ name: OptionName?) -> String {
    "\(name?.spelling ?? "") <\(valueName)>"
  }
}

/// Arguments listed under one heading.
struct ArgumentSection {
  var title: String
  var arguments: [ArgumentInfo]
}

extension CommandInfo {
  /// The arguments by heading, in the order in which help and the manual page list them.
  func sections(includeHidden: Bool = false) -> [ArgumentSection] {
    let shown = shownArguments(includeHidden: includeHidden)
    let untitled = shown.filter(\.section.isEmpty)
    var groups: [ArgumentSection] = []
    for argument in shown where !argument.section.isEmpty {
      if let index = groups.firstIndex(where: { $0.title == argument.section }) {
        groups[index].arguments.append(argument)
      } else {
        groups.append(ArgumentSection(title: argument.section, arguments: [argument]))
      }
    }
    let positionals = ArgumentSection(title: "Arguments", arguments: untitled.filter { $0.kind == .positional })
    let options = ArgumentSection(title: "Options", arguments: untitled.filter { $0.kind != .positional })
    return ([positionals] + groups + [options]).filter { !$0.arguments.isEmpty }
  }
}
