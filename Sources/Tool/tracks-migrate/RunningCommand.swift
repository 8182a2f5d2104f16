import CommandLineArguments
import MigrationDiagnostics
import ModelInspection
import PersistentStore
import Synchronization
import TerminalOutput

/// The command that runs, as far as its messages depend on it: they name only options that it has.
enum RunningCommand {
  private struct State {
    var type: (any ParsableCommand.Type)?
    var model: String?
    var firstPath: String?
    var migrationWords: [String] = []
  }

  private static let state = Mutex(State())

  static var type: (any ParsableCommand.Type)? { state.withLock(\.type) }

  /// The options with which `migrate` does to a store what this command's options say.
  static var migrationWords: [String] {
    get { state.withLock(\.migrationWords) }
    set { state.withLock { $0.migrationWords = newValue } }
  }

  /// The model that the command line names, which commands that are advised take, too.
  static var model: String? { state.withLock(\.model) }

  /// The path that the command's first argument is.
  static var firstPath: String? { state.withLock(\.firstPath) }

  /// Takes note of the command and its paths, before it runs.
  static func begin(_ command: any ParsableCommand.Type, _ paths: [GivenPath]) {
    let model = paths.last { $0.option == "--model" || $0.option == nil && $0.valueName == "model" }?.path
    let firstPath = paths.first { $0.option == nil }?.path
    state.withLock { ($0.type, $0.model, $0.firstPath) = (command, model, firstPath) }
  }

  /// Whether the command has an option; any has, as long as no command is known.
  static func has(_ option: String) -> Bool { type?.optionNames.contains(option) ?? true }

  /// The command as the reader of messages.
  static var reader: Advice.Reader {
    var reader = Advice.Reader(name: \.commandName)
    reader.has = \.isThere
    reader.work = (type as? any WorkingCommand.Type)?.work
    return reader
  }
}

/// A command that does something else to a library than a migration.
protocol WorkingCommand: ParsableCommand {
  /// The words for what it does.
  static var work: Advice.Work { get }
}

extension ErrorMessage {
  /// The error in the terms of this command.
  init(command error: MigrationError) {
    var error = error
    error.advice = MistakenFile.advice(for: error) ?? Self.modelAdvice(for: error) ?? error.advice
    self.init(error, for: RunningCommand.reader)
  }

  /// The advice for a store of which a model that was named has no version; `nil` for other errors.
  private static func modelAdvice(for error: MigrationError) -> Advice? {
    guard error.code == .unknownVersion, let path = error.subject.path, let model = RunningCommand.model else {
      return nil
    }
    if let bundle = (try? ModelSource(model))?.surroundingBundle {
      return "'\(model)' is one version of '\(bundle.path)': name the bundle, which has all of them."
    }
    return "See what differs from the nearest version with: tracks-migrate models explain \(Advice.WayOut.word(path)) "
      + "\(shellPath(model))"
  }
}

extension Advice.WayOut {
  /// The form in which this tool offers a way out.
  private enum Form {
    /// An option, and a command that has it.
    case option(_ name: String, of: String)
    case commandLine(String)
  }

  /// The option that does it, or the command line that answers.
  ///
  /// An option that the running command does not have is named with the command that has it.
  var commandName: String {
    switch form {
    case .option(let name, let command): RunningCommand.has(name) ? name : "'\(command) \(name)'"
    case .commandLine(let words): words
    }
  }

  /// Whether the running command has it; command lines are there for all.
  fileprivate var isThere: Bool {
    if case .option(let name, _) = form { RunningCommand.has(name) } else { true }
  }

  private var form: Form {
    switch self {
    case .allowLoss: .option("--allow-loss", of: "migrate")
    case .artistsPath: .option("--artists-path", of: "migrate")
    case .backup: .option("--backup", of: "restore")
    case .discard: .option("--force", of: "migrate")
    case .export: .commandLine("tracks-migrate export")
    case .feed: .option("--feed", of: "verify")
    case .feedFormat: .option(RunningCommand.has("--feed-format") ? "--feed-format" : "--format", of: "import")
    case .force: .option("--force", of: "migrate")
    case .json: .option("--json", of: "migrate")
    case .joinTable: .option("--join-table", of: "migrate")
    case .mapping: .option("--mapping", of: "migrate")
    case .member: .option("--member", of: "import")
    case .model: .option("--model", of: "migrate")
    case .noBackup: .option("--no-backup", of: "migrate")
    case .noSpaceCheck: .option("--no-space-check", of: "migrate")
    case .output: .option("--output", of: "migrate")
    case .policy: .option("--policy", of: "migrate")
    case .newKeys: .option("--new-keys", of: "import")
    case .replace: .option("--replace", of: "import")
    case .source: .option("--source", of: "verify")
    case .strict: .option("--strict", of: "migrate")
    case .stub: .commandLine("--stub FILE")
    case .types: .commandLine("--types NAMES")
    case .verbose: .option("--verbose", of: "migrate")
    case .titlePath: .option("--title-path", of: "import")
    case .version: .option("--to", of: "migrate")
    case .artists(let path, let name):
      .commandLine("tracks-migrate artists \(Self.word(path)) \(ErrorMessage.shellOption("--name", name))")
    case .info(let path):
      .commandLine("tracks-migrate info \(Self.word(path))\(Self.modelOption)")
    case .examine(let path): .commandLine("tracks-migrate doctor \(Self.word(path))")
    case .repair(let path): .commandLine("tracks-migrate doctor \(Self.word(path)) --repair")
    case .salvage(let path):
      .commandLine("tracks-migrate salvage \(Self.word(path))\(Self.modelOption) --output NEW")
    case .migrate(let path):
      .commandLine(
        (["tracks-migrate \(Self.word(path))"] + RunningCommand.migrationWords.map(Self.optionWord))
          .joined(separator: " "))
    }
  }

  /// The running command's model, as one more word for another command; empty if none was named.
  private static var modelOption: String { RunningCommand.model.map { " " + optionWord("--model=\($0)") } ?? "" }

  /// A path as a word of a command line of this tool, which takes no word with a slash for a command.
  static func word(_ path: String) -> String {
    ErrorMessage.shellPath(TracksMigrate.subcommandNames.contains(path) ? "./\(path)" : path)
  }

  /// An option with its value, such as `--model='App.momd'`.
  static func optionWord(_ word: String) -> String {
    let name = word.prefix { $0 != "=" }
    // Words of a library's statistics may be anything; a shell takes only the name of an option as it is.
    let isOption = name.hasPrefix("--") && name.unicodeScalars.allSatisfy { $0 == "-" || ("a"..."z").contains($0) }
    guard isOption else { return ErrorMessage.shellWord(word) }
    guard let equals = word.firstIndex(of: "=") else { return word }
    return word[...equals] + ErrorMessage.shellWord(String(word[word.index(after: equals)...]))
  }
}

/// The files that a command line names.
///
/// Every argument that is a path declares what its command does with the file (`FileUse`), so that each command is checked
/// before it runs, and so is each new argument.
enum CommandFiles {
  /// Checks that nothing that the command writes is another file of it.
  static func check(_ command: any ParsableCommand.Type, _ paths: [GivenPath]) throws {
    RunningCommand.begin(command, paths)
    try reportingErrors {
      var files = RunFiles()
      for path in paths { files.add(path) }
      try files.requireNoClash()
    }
    guard !CommandLine.arguments.contains(where: { ["-q", "--quiet"].contains($0) }) else { return }
    paths.forEach(sayReplaced)
  }

  /// Says which file is replaced if its name here is a link to it.
  private static func sayReplaced(_ path: GivenPath) {
    guard [.writes, .writesStatistics].contains(path.use), FileStatus(unresolved: path.path)?.kind == .link,
      FileStatus(path.path)?.kind == .regular, let target = FileSystem.resolved(path.path)
    else { return }
    StandardError.note("'\(path.path)' is a symbolic link: what it leads to is replaced, '\(target)'.")
  }
}

extension RunFiles {
  /// Adds a path of the command line.
  fileprivate mutating func add(_ given: GivenPath) {
    let role: Role =
      given.option.map { .option($0) } ?? .argument(given.valueName, isRepeating: given.isRepeating)
    // A version of a model may be named after a colon.
    let model = given.use == .reads && !FileSystem.exists(given.path) ? try? ModelSource(given.path) : nil
    add(model?.path ?? given.path, as: role, given.use)
  }
}
