extension CommandInfo {
  /// Describes a type and the commands below it.
  ///
  /// - Parameters:
  ///   - type: The type.
  ///   - words: The words of a command line that is to be understood: the commands that it cannot mean are named only,
  ///     because describing one takes a while. `nil` describes all.
  init(root type: any ParsableArguments.Type, for words: [String]? = nil) {
    self.init(
      type, (type as? any ParsableCommand.Type)?.configuration ?? CommandConfiguration(), superCommands: [],
      inherited: Inherited(words: words.map { Set($0) }))
    guard !subcommands.isEmpty, subcommand(named: "help") == nil else { return }
    subcommands.append(.help(for: self))
  }

  /// What commands take from those above them if they say nothing.
  private struct Inherited {
    var version = ""
    /// The words that may name a command; `nil` where any may.
    var words: Set<String>?
    var helpNames: NameSpecification = [.customShort("h"), .customLong("help")]
  }

  private init(
    _ type: any ParsableArguments.Type, _ configuration: CommandConfiguration, superCommands: [String],
    inherited: Inherited, isDefault: Bool = false
  ) {
    let ownVersion = configuration.version
    let inherited = Inherited(
      version: ownVersion.isEmpty ? inherited.version : ownVersion,
      words: inherited.words,
      helpNames: configuration.helpNames ?? inherited.helpNames)
    self.init(name: Self.name(of: type, configuration), aliases: configuration.aliases, superCommands: superCommands)
    abstract = configuration.abstract
    discussion = configuration.discussion
    usage = configuration.usage
    version = inherited.version
    shouldDisplay = configuration.shouldDisplay
    subcommands = configuration.subcommands.map { subcommand in
      Self(
        subcommand, subcommand.configuration, superCommands: path, inherited: inherited,
        isDefault: configuration.defaultSubcommand.map { $0 == subcommand } ?? false)
    }
    if let defaultSubcommand = configuration.defaultSubcommand {
      self.defaultSubcommand = Self.name(of: defaultSubcommand)
    }
    if let words = inherited.words, !superCommands.isEmpty, !isDefault, words.isDisjoint(with: [name] + aliases) {
      return
    }
    arguments = ArgumentDefinition.all(of: type).map(\.info)
    arguments += Self.generatedArguments(
      isRoot: superCommands.isEmpty, version: version, helpNames: inherited.helpNames.names(for: "help"),
      declared: Set(arguments.flatMap(\.names)))
  }

  /// The name that the command is called by.
  ///
  /// Commands are passed as such: to find out at run time that a type is one takes Swift longer than all the rest.
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
  /// A command that declares the same name gets its own.
  private static func generatedArguments(
    isRoot: Bool, version: String, helpNames: [OptionName], declared: Set<OptionName>
  ) -> [ArgumentInfo] {
    var arguments: [ArgumentInfo] = []
    if !version.isEmpty { arguments.append(.generated(.version, [.long("version")], "Show the version.")) }
    arguments.append(.generated(.help, helpNames, "Show help information."))
    arguments.append(.generated(.hiddenHelp, [.long("help-hidden")], "Show help information including hidden options."))
    if isRoot {
      arguments.append(
        .generated(.completionScript, [.long("generate-completion-script")], "Print a completion script."))
      arguments.append(.generated(.manualPage, [.long("generate-man-page")], "Print the manual page."))
    }
    return arguments.compactMap { argument in
      var argument = argument
      argument.choices[0].names.removeAll(where: declared.contains)
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
    info.shouldDisplay = false
    info.arguments = [argument, .generated(.help, [.short("h"), .long("help")], "Show help information.")]
    info.isHelp = true
    return info
  }
}

extension ArgumentInfo {
  fileprivate static func generated(_ role: Role, _ names: [OptionName], _ abstract: String) -> ArgumentInfo {
    let takesValue = role == .completionScript
    var info = ArgumentInfo(key: role.rawValue, kind: takesValue ? .option : .flag, role: role)
    info.choices = [.init(names: names)]
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
