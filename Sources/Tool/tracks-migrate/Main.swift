import CommandLineArguments
import Migration
import MigrationDiagnostics
import SQLiteDatabase
import SystemC
import TerminalOutput
import TrackLibrary

/// The entry point of the process.
@main
enum Main {
  static func main() {
    // A reader that stops reading ("| head") shows as an error of the write: the command cleans up, and ends quietly.
    BrokenPipe.ignoreSignal()
    ProcessSetup.prepare()
    let commandLine = Array(CommandLine.exactArguments.dropFirst())
    if let request = CompletionRequest(commandLine) {
      do { return try reportingErrors { try StandardOutput.print(request.answers) } } catch {
        TracksMigrate.exit(withError: error)
      }
    }
    let words = LaunchArguments.apply(commandLine)
    let (given, problem) = ErrorFormat.apply(words)
    let arguments = UnknownCommand.isVersionRequest(given) ? ["--version"] : given
    let text: ErrorText? = ErrorFormat.current == .text ? nil : { ErrorRecord(usage: $0, exitStatus: $1).line }
    if let problem = problem ?? UnknownCommand.error(in: arguments) { TracksMigrate.exit(withError: problem, as: text) }
    TracksMigrate.main(arguments, errorsAs: text, checking: CommandFiles.check)
  }
}

/// The command with all its subcommands.
struct TracksMigrate: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "tracks-migrate",
    abstract: "Migrate a music library to searchable artists, or any app's Core Data store to a new model version.",
    usage: """
      tracks-migrate <library> [<options>]
      tracks-migrate <subcommand>
      """,
    discussion: """
      A v1 library stores each track's server response as raw JSON. Migration to v2 moves the artists in that JSON \
      into their own Artist entity, with a many-to-many relationship to Track. The old library is kept as a backup. The \
      library is replaced atomically: its path always holds the complete old or the complete new library.

      With --model, the store of any app is migrated with the app's own models, mapping models and policies, through \
      as many versions as needed.

      EXAMPLES
        tracks-migrate Library.sqlite                     migrate, keep a backup
        tracks-migrate Library.sqlite --output New.sqlite write to a new file
        tracks-migrate Library.sqlite --dry-run           preview the result
        tracks-migrate presets                            list the services whose JSON is understood
        tracks-migrate restore Library.sqlite             undo the migration
        tracks-migrate artists New.sqlite --name bjork    find Björk
        tracks-migrate stats New.sqlite --format json     export statistics
        tracks-migrate verify Library.sqlite              compare it with its backup
        tracks-migrate import Tracks.ndjson New.sqlite    make a library from a feed, or add to one
        tracks-migrate export New.sqlite                  write the library as NDJSON
        tracks-migrate sample 1000 Try.sqlite             make a sample library
        tracks-migrate App.sqlite --model App.xcdatamodeld --dry-run
                                                          preview an app's migration

      EXIT STATUS
        0   success, or nothing to do; also for a list that is empty
        1   'artist' finds no artist, or several; a library of a batch failed
        3   'verify', 'doctor', 'models', 'presets test', 'diff' or 'rehearse' found differences or problems
        64  wrong usage
        65  the data is damaged, not a Core Data store, not migrated yet, or was refused (--strict)
        66  the library, backup or model does not exist or cannot be read
        69  the library's version is unknown, or the model has no such version
        70  'redact' found words of the store in the copy, which is a bug; no file was written
        73  the result cannot be created
        74  reading or writing failed
        75  temporary failure: the library is in use, or the disk is full
        76  the library is newer than this program
        78  a mapping model does not fit, or its policy is not registered

      With "--errors json" anywhere on the line, errors and warnings are written as one line of JSON each, with a \
      stable code, the path, the exit status and what to do next. With "--color always" or "--color never" anywhere on \
      the line, text has colours or has none, whatever it goes to.

      A model may be Swift source with @Model classes. It is compiled and run with your permissions, so name only source \
      that you trust. With "--stub FILE" anywhere on the line, it may use what FILE declares in place of types that this \
      machine does not have. Repeat it for more files. With "--types NAMES", the current version of the source consists \
      of these classes, separated by commas, and of those that they refer to.

      Ctrl-C, SIGTERM and SIGHUP stop the command after it has cleaned up; shells then report status 130, 143 or 129. A \
      reader that stops reading ends it by SIGPIPE (141), or with 74 if the caller ignores that signal.

      ENVIRONMENT
        TRACKS_MIGRATE_COLOR   what '--color' is if it is not given
        TRACKS_MIGRATE_ERRORS  what '--errors' is if it is not given
        TRACKS_MIGRATE_STUB    files as with '--stub', separated by colons
        TRACKS_MIGRATE_TYPES   classes as with '--types'
        TRACKS_MIGRATE_JOBS    what '--jobs' of 'migrate' is if it is not given
        TRACKS_MIGRATE_WAIT    what '--wait' is if it is not given
        NO_COLOR               no colours, if it is not empty
        CLICOLOR_FORCE         colours also where the output is not a terminal, if it is neither empty nor 0
        COLUMNS                the width of tables and help
        TMPDIR                 where temporary databases lie
        XDG_CACHE_HOME         where models of Swift source are kept, in 'tracks-migrate' (default: ~/.cache)

      FILES
        LIBRARY.v1-backup         the old library, which 'restore' brings back
        LIBRARY.migration.json    what the migration did
        LIBRARY.rejects.ndjson    the JSON that could not be read, or what 'salvage' found and left out
        LIBRARY.report.html       what 'report' makes

      SEE ALSO
        sqlite3(1), jq(1)
      """,
    introduction: """
      The old library stays beside the new one, as a backup.

        tracks-migrate Library.sqlite --dry-run     show what would happen
        tracks-migrate Library.sqlite               migrate
        tracks-migrate restore Library.sqlite       undo the migration
        tracks-migrate sample 1000 Try.sqlite       make a library to try it with
      """,
    version: toolVersion,
    groupedSubcommands: [
      CommandGroup(name: "Migrate and undo", subcommands: [Migrate.self, Restore.self, Verify.self, Batch.self]),
      CommandGroup(
        name: "Look",
        subcommands: [Artists.self, ShowArtist.self, Tracks.self, Stats.self, Report.self, Info.self]),
      CommandGroup(
        name: "Import and export", subcommands: [Import.self, Export.self, Presets.self, Sample.self]),
      CommandGroup(name: "Damaged stores", subcommands: [Doctor.self, Salvage.self, Redact.self]),
      CommandGroup(
        name: "App teams",
        subcommands: [Models.self, Query.self, DiffStores.self, Fixture.self, Rehearse.self]),
      CommandGroup(name: "Clusters", subcommands: [Extract.self, Assemble.self]),
    ],
    defaultSubcommand: Migrate.self, extraWords: MistakenWords.hint,
    otherOptions: otherWords)

  private static let completions =
    "Print the script of a shell with: tracks-migrate --generate-completion-script bash (or zsh, or fish)"

  /// The likely meaning of words that people try as commands and as options.
  fileprivate static let otherWords = [
    "completions": completions, "completion": completions,
    "man": "Print the manual page with: tracks-migrate --generate-man-page",
  ]
}

/// Tells a mistyped command from the name of a library.
///
/// A library may be named without any command. So a bare word (no slash, no dot) that is not an existing path is taken
/// for a command that does not exist.
private enum UnknownCommand {
  static func error(in arguments: [String]) -> ValidationError? {
    guard let word = bareWord(arguments) else { return nil }
    if word.isEmpty {
      return ValidationError("the name of the library is empty. If it is a variable of the shell, that is not set.")
    }
    if Migrate.optionNames.contains("--\(word)") {
      return ValidationError(
        "there is no command '\(word)'. It is an option, as in: tracks-migrate Library.sqlite --\(word)")
    }
    if let sentence = TracksMigrate.otherWords[word] {
      return ValidationError("there is no command '\(word)'. \(sentence)")
    }
    let suggestion = TracksMigrate.commandMeant(by: word).map { " Did you mean '\($0)'?" } ?? ""
    let hint = suggestion.isEmpty ? " There is no file with that name either." : ""
    return ValidationError("there is no command '\(word)'.\(suggestion)\(hint)")
  }

  /// Whether the version is asked for, in the ways of other tools.
  ///
  /// `-v` alone is no more than that: there is no library of which each step could be printed.
  static func isVersionRequest(_ arguments: [String]) -> Bool {
    arguments == ["-v"] || arguments == ["-V"] || arguments == ["version"] && bareWord(arguments) != nil
  }

  /// The first word, if it can neither be a command nor a library.
  private static func bareWord(_ arguments: [String]) -> String? {
    guard let word = arguments.first, !word.hasPrefix("-"), !word.contains("/"), !word.contains("."),
      !word.contains(where: { "*?[".contains($0) }), !TracksMigrate.subcommandNames.contains(word),
      access(word, F_OK) != 0
    else { return nil }
    return word
  }
}

/// Core Data's launch arguments, which may stand anywhere on the command line:
/// `-com.apple.CoreData.MigrationDebug 1` and `-com.apple.CoreData.SQLDebug 1`.
enum LaunchArguments {
  private static let prefix = "-com.apple.CoreData."

  /// Writes what a migration does to standard error, if that is wanted.
  nonisolated(unsafe) private(set) static var migrationLog: ((String) -> Void)?

  /// Takes the launch arguments out of the command line, and heeds them.
  ///
  /// - Returns: The other arguments.
  static func apply(_ arguments: [String]) -> [String] {
    var others: [String] = []
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      // What follows "--" is the user's own, whatever it looks like.
      if argument == "--" { return others + [argument] + rest }
      guard argument.hasPrefix(prefix) else {
        others.append(argument)
        continue
      }
      let level = rest.first.flatMap { Int($0) }
      if level != nil { rest.removeFirst() }
      apply(String(argument.dropFirst(prefix.count)), level ?? 1)
    }
    return others
  }

  private static func apply(_ name: String, _ level: Int) {
    guard level > 0 else { return }
    switch name {
    case "MigrationDebug":
      migrationLog = { StandardError.debug("CoreData: annotation: (migration)  \($0)") }
    case "SQLDebug":
      let level = StatementTrace.Level(rawValue: min(level, StatementTrace.Level.values.rawValue)) ?? .values
      StatementTrace.current = StatementTrace(level: level) { StandardError.debug($0) }
    default:
      StandardError.note("'\(prefix)\(name)' is not known here and has no effect.")
    }
  }
}

/// Runs a command's work, and turns what goes wrong into one line on standard error and an exit status.
///
/// If a signal has asked the process to end, it ends by that, whatever came of the work.
func reportingErrors(_ work: () throws -> Void) throws {
  defer { SignalCancellation.endIfAsked() }
  do {
    try work()
    // What is in place is not taken back; but a user who wants an end shall not take it for undone.
    if EndRequest.isMade { StandardError.note("The signal came after the work was complete.") }
  } catch let error as MigrationError {
    StandardError.error(error)
    throw ExitCode(error.exitStatus)
  } catch let error as BrokenPipe {
    // A signal that asks for an end comes first.
    if !EndRequest.isMade { BrokenPipe.endProcess() }
    throw told(error.outputError)
  } catch let error as OutputError {
    throw told(error)
  } catch  where !(error is ExitCode || error is ValidationError) {
    let error = MigrationError(unforeseen: error)
    StandardError.error(error)
    throw ExitCode(error.exitStatus)
  }
}

/// Says that output could not be written, and returns the status to end with.
private func told(_ error: OutputError) -> ExitCode {
  // It was not read, and that is why an end is wanted.
  if !EndRequest.isMade { StandardError.error(error) }
  return ExitCode(error.exitStatus)
}

/// Does the same for a question about a library: a signal does not end it before it has tidied up.
func answering(_ work: () throws -> Void) throws {
  SignalCancellation.listen()
  try reportingErrors {
    do {
      try work()
    } catch var error as MigrationError where error.code == .unknownVersion {
      // Migrating the store would not make it a track library.
      error.advice =
        "This command works with track libraries only; see what any other store holds with: \(.info(error.subject.path ?? ""))"
      throw error
    }
  }
}
