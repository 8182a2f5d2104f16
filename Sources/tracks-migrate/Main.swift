import CommandLineArguments
import Migration
import MigrationDiagnostics
import SQLiteDatabase
import SystemC
import TerminalOutput
import TrackLibrary

/// Where the process begins.
@main
enum Main {
  static func main() {
    // A reader that stops reading ("| head") shows as an error of the write, and ends the command quietly.
    BrokenPipe.ignoreSignal()
    ProcessSetup.prepare()
    let arguments = LaunchArguments.apply(Array(CommandLine.exactArguments.dropFirst()))
    if let error = UnknownCommand.error(in: arguments) { TracksMigrate.exit(withError: error) }
    TracksMigrate.main(arguments)
  }
}

/// The command with all its subcommands.
private struct TracksMigrate: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "tracks-migrate",
    abstract: "Migrate Core Data stores: a library of music tracks, or any app's store.",
    usage: """
      tracks-migrate <library> [<options>]
      tracks-migrate <subcommand>
      """,
    discussion: """
      A v1 library keeps each track's server answer as raw JSON. Migrating it to v2 turns the artists in there into \
      entities of their own, in a many-to-many relationship with the tracks. The old library is kept as a backup, and \
      at every instant the path leads to the whole old library or to the whole new one.

      With --model, any app's store is migrated: with the app's own models, mapping models and policies, over as many \
      versions as it takes.

      EXAMPLES
        tracks-migrate Library.sqlite                     migrate it, with a backup
        tracks-migrate Library.sqlite --output New.sqlite leave it alone, write a new one
        tracks-migrate Library.sqlite --dry-run           what that would make of it
        tracks-migrate restore Library.sqlite             take the migration back
        tracks-migrate artists New.sqlite --name bjork    find Björk
        tracks-migrate stats New.sqlite --format json     what the migration did
        tracks-migrate verify Library.sqlite              prove that nothing was lost
        tracks-migrate sample 1000 Try.sqlite             a library to try it on
        tracks-migrate App.sqlite --model App.xcdatamodeld --dry-run
                                                          the steps for an app's store

      EXIT STATUS
        0   done, or nothing to do
        1   no such artist, or several
        3   'verify' or 'models' found a difference, or something that leads to trouble
        64  wrong usage
        65  damaged, no Core Data store, not migrated yet, or --strict found something
        66  no such library, backup or model, or not readable
        69  the library's version is not known, or the model has no such version
        73  the result cannot be created
        74  reading or writing failed
        75  try again later: in use, no space left
        76  the library is newer than this program
        78  the mapping model does not fit, or its policy is missing

      Ctrl-C and the signals TERM and HUP end the command as they end any other, after it has cleaned up: shells tell \
      130, 143 and 129.
      """,
    version: toolVersion,
    subcommands: [
      Migrate.self, Restore.self, Artists.self, ShowArtist.self, Tracks.self, Stats.self, Verify.self, Info.self,
      Models.self, Sample.self,
    ],
    defaultSubcommand: Migrate.self)

  /// What may stand where a command stands.
  static let commandNames = [
    "migrate", "restore", "artists", "artist", "tracks", "stats", "verify", "info", "models", "sample",
    "help",
  ]
}

/// Tells a mistyped command from the name of a library.
///
/// A library may be named without any command. So a bare word (no slash, no dot) that is no existing path is taken for
/// a command that does not exist.
private enum UnknownCommand {
  static func error(in arguments: [String]) -> ValidationError? {
    guard let word = arguments.first, !word.hasPrefix("-"), !word.contains("/"), !word.contains(".") else { return nil }
    let names = TracksMigrate.commandNames
    guard !names.contains(word), access(word, F_OK) != 0 else { return nil }
    let suggestion = nearest(to: word, in: names).map { " Did you mean '\($0)'?" } ?? ""
    let hint = suggestion.isEmpty ? " There is no file of this name either." : ""
    return ValidationError("Unknown command '\(word)'.\(suggestion)\(hint)")
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
    // What is in place is not taken back; but whoever wants an end shall not take it for undone.
    if EndRequest.isMade { StandardError.note("The signal came after the work was complete.") }
  } catch let error as MigrationError {
    let message = ErrorMessage(command: error)
    StandardError.error("\(message.problem). \(message.advice)")
    throw ExitCode(error.exitStatus)
  } catch is BrokenPipe {
    throw ExitCode.success
  } catch let error as OutputError {
    // Nobody has read it, and that is why somebody wants an end.
    if !EndRequest.isMade { StandardError.error("\(error). Check where the output goes.") }
    throw ExitCode(74)
  }
}

/// Does the same for a question about a library: a signal does not end it before it has tidied up.
func answering(_ work: () throws -> Void) throws {
  SignalCancellation.listen()
  try reportingErrors(work)
}
