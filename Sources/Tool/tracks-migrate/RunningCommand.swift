import CommandLineArguments
import MigrationDiagnostics
import PersistentStore
import Synchronization
import TerminalOutput

/// The command that runs, as far as its messages depend on it: they name only options that it has.
enum RunningCommand {
  private struct State {
    var type: (any ParsableCommand.Type)?
    var migrationWords: [String] = []
  }

  private static let state = Mutex(State())

  private static var type: (any ParsableCommand.Type)? { state.withLock(\.type) }

  /// The options with which `migrate` does to a store what this command's options say.
  static var migrationWords: [String] {
    get { state.withLock(\.migrationWords) }
    set { state.withLock { $0.migrationWords = newValue } }
  }

  /// Takes note of the command, before it runs.
  static func begin(_ command: any ParsableCommand.Type) { state.withLock { $0.type = command } }

  /// Whether the command has an option; any has, as long as no command is known.
  static func has(_ option: String) -> Bool { type?.optionNames.contains(option) ?? true }

  /// The command as the reader of messages.
  static var reader: Advice.Reader {
    var reader = Advice.Reader(name: \.commandName)
    reader.has = { $0.option.map { has($0.name) } ?? true }
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
    if [.missing, .missingModel].contains(error.code), let near = error.subject.path.flatMap(Self.neighbor) {
      error.advice = "Did you mean '\(near)'?"
    }
    self.init(error, for: RunningCommand.reader)
  }

  /// A file whose name is nearly that of one that does not exist, in the same folder.
  private static func neighbor(of path: String) -> String? {
    let (folder, name) = FileSystem.split(path)
    let names = FileSystem.names(in: folder)?.filter { !$0.hasPrefix(".") }.sorted()
    return nearest(to: name, in: names ?? []).map { FileSystem.sibling(of: path, named: $0) }
  }
}

extension Advice.WayOut {
  /// The option that does it, or the command line that answers.
  ///
  /// An option that the running command does not have is named with the command that has it.
  var commandName: String {
    if let option { return RunningCommand.has(option.name) ? option.name : "'\(option.command) \(option.name)'" }
    return switch self {
    case .artists(let path, let name):
      "tracks-migrate artists \(Self.word(path)) --name \(ErrorMessage.shellWord(name))"
    case .info(let path): "tracks-migrate info \(Self.word(path))"
    case .migrate(let path):
      (["tracks-migrate \(Self.word(path))"] + RunningCommand.migrationWords.map(Self.optionWord)).joined(
        separator: " ")
    default: swiftName
    }
  }

  /// The option, and a command that has it; `nil` for a command line.
  fileprivate var option: (name: String, command: String)? {
    switch self {
    case .allowLoss: ("--allow-loss", "migrate")
    case .artistsPath: ("--artists-path", "migrate")
    case .backup: ("--backup", "restore")
    case .discard: ("--force", "migrate")
    case .feed: ("--feed", "verify")
    case .force: ("--force", "migrate")
    case .json: ("--json", "migrate")
    case .joinTable: ("--join-table", "migrate")
    case .mapping: ("--mapping", "migrate")
    case .model: ("--model", "migrate")
    case .noBackup: ("--no-backup", "migrate")
    case .noSpaceCheck: ("--no-space-check", "migrate")
    case .output: ("--output", "migrate")
    case .policy: ("--policy", "migrate")
    case .newKeys: ("--new-keys", "import")
    case .replace: ("--replace", "import")
    case .source: ("--source", "verify")
    case .strict: ("--strict", "migrate")
    case .verbose: ("--verbose", "migrate")
    case .titlePath: ("--title-path", "import")
    case .version: ("--to", "migrate")
    case .artists, .info, .migrate: nil
    }
  }

  /// A path as a word of a command line of this tool, which takes no word with a slash for an option or a command.
  private static func word(_ path: String) -> String {
    let isPlain = path.contains("/") || !path.hasPrefix("-") && !TracksMigrate.subcommandNames.contains(path)
    return ErrorMessage.shellWord(isPlain ? path : "./\(path)")
  }

  /// An option with its value, such as `--model='App.momd'`.
  private static func optionWord(_ word: String) -> String {
    guard let equals = word.firstIndex(of: "=") else { return word }
    return word[...equals] + ErrorMessage.shellWord(String(word[word.index(after: equals)...]))
  }
}
