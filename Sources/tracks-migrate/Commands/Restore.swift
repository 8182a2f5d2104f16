import CommandLineArguments
import PersistentStore
import TerminalOutput
import TrackLibrary

/// Takes a migration back.
struct Restore: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Take a migration back: put the backup in the library's place again.",
    discussion: """
      The backup gets the library's name, and what the library is now is kept as <library>.replaced, with all that the \
      app has written since. So nothing is lost, and that can be brought back in the same way: name it with --backup. \
      The files of large values are kept for both. It works for the store of any app.

      Both files must not be open elsewhere. The backup is read as a whole and checked first. At every instant, and \
      after a crash, the path leads to one of the two; the next run finishes the work. No room on the disk is needed.

      Of several backups it is the latest that this library has. Statistics and rejects of the migration stay.

      EXAMPLES
        tracks-migrate restore Library.sqlite
        tracks-migrate restore Library.sqlite --dry-run
        tracks-migrate restore Library.sqlite --backup Library.sqlite.v1-backup-2
      """)

  @OptionGroup var source: LibraryArgument

  @Option(
    help: ArgumentHelp("The backup to use, which lies beside the library.", valueName: "file"), completion: .file())
  var backup: String?

  @Flag(name: .customLong("no-backup"), help: "Do not keep what the library is now.")
  var declinesBackup = false

  @OptionGroup var waiting: WaitOption

  @Flag(
    name: .customLong("dry-run"), help: "Check the backup, print to standard output what would be done, and do nothing."
  )
  var isDryRun = false

  @Flag(name: .shortAndLong, help: "Say nothing but errors.")
  var quiet = false

  mutating func validate() throws {
    if backup == "" { throw ValidationError("'--backup' needs the name of a file.") }
  }

  mutating func run() throws {
    var restoration = StoreRestoration(path: source.library)
    restoration.backupPath = backup
    restoration.keepsReplaced = !declinesBackup
    restoration.patience = waiting.patience(isQuiet: quiet, SignalCancellation.listen())
    let (isQuiet, isDryRun) = (quiet, isDryRun)
    try reportingErrors {
      if isDryRun {
        let output = StandardOutput()
        for line in RestorationText.plan(try restoration.plan(), of: restoration.path) {
          try output.writeLine(line.visible)
        }
        return try output.flush()
      }
      let result = try restoration.run()
      result.warnings.forEach(StandardError.risk)
      if !isQuiet { RestorationText.outcome(result, of: restoration.path).forEach(StandardError.note) }
    }
  }
}

/// What a person is told of a migration that is taken back.
private enum RestorationText {
  static func plan(_ result: StoreRestoration.Result, of path: String) -> [String] {
    let replaced = result.replacedPath.map { ", which would be kept as '\($0)'" } ?? ""
    return [
      "'\(result.backupPath)' (\(facts(result))) would take the place of '\(path)'\(replaced).", "Nothing was changed.",
    ] + damage(result) + MigrationSummary.otherNames(result.otherNamesCount, "would still lead to what was replaced")
      + others(result)
  }

  static func outcome(_ result: StoreRestoration.Result, of path: String) -> [String] {
    ["Restored '\(path)' from '\(result.backupPath)' (\(facts(result)))."] + damage(result)
      + (result.replacedPath.map { ["Replaced library: \($0)"] } ?? [])
      + MigrationSummary.otherNames(result.otherNamesCount, "still lead to what was replaced") + others(result)
  }

  private static func damage(_ result: StoreRestoration.Result) -> [String] {
    result.damage.map { ["The backup is damaged, as the library was before the migration: \($0)"] } ?? []
  }

  private static func others(_ result: StoreRestoration.Result) -> [String] {
    result.otherBackupPaths.map { "Other backup: \($0)" }
  }

  private static func facts(_ result: StoreRestoration.Result) -> String {
    let version = TrackModelVersion(versionHashes: result.metadata.versionHashes)?.rawValue
    return [version, NumberFormat.bytes(result.size)].compactMap { $0 }.joined(separator: ", ")
  }
}
