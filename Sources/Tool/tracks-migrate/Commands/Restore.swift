import CommandLineArguments
import MigrationDiagnostics
import PersistentStore
import TerminalOutput
import TrackLibrary

/// Takes a migration back.
struct Restore: WorkingCommand {
  static let work = Advice.Work(verb: "restore", participle: "restored", noun: "restoration")

  static let configuration = CommandConfiguration(
    abstract: "Undo a migration by restoring the backup.",
    discussion: """
      Renames the backup to the library's name and keeps the current library as <library>.replaced, including \
      everything the app has written since the migration. To switch back, name that file with --backup. External data \
      files are kept for both. Works for the store of any app.

      Neither file may be open in another program. The backup is checked completely first. The path always leads to \
      one of the two files, even after a crash; the next run then finishes the work, or says that it is done.

      If there are several backups of the library, the latest is used. A backup that does not hold an older version, \
      because it was migrated itself, is refused. The statistics and rejects of the current library go with it, as \
      <library>.replaced.migration.json and <library>.replaced.rejects.ndjson, and those beside the backup go with the \
      backup. With --no-backup, the statistics are deleted, and the rejects stay.

      EXAMPLES
        tracks-migrate restore Library.sqlite
        tracks-migrate restore Library.sqlite --dry-run
        tracks-migrate restore Library.sqlite --backup Library.sqlite.v1-backup-2
      """,
    otherNames: ["undo", "revert", "rollback", "unmigrate", "back"],
    extraWords: { extra, _ in
      extra.count == 1 ? "Name the backup with: --backup \(ErrorMessage.shellPath(extra[0]))" : nil
    })

  @OptionGroup var source: ChangedLibraryArgument

  @Option(
    help: ArgumentHelp(
      "The backup to restore; it must be in the library's folder. (default: the latest)", valueName: "file",
      otherNames: ["to", "from", "source"]),
    completion: .file(.readsStore))
  var backup: String?

  @Flag(name: .customLong("no-backup"), help: "Delete the current library instead of keeping it.")
  var declinesBackup = false

  @OptionGroup var waiting: WaitOption

  @Flag(
    name: .customLong("dry-run"), help: "Check the backup, print what would happen, and change nothing."
  )
  var isDryRun = false

  @Flag(name: .shortAndLong, help: "Only print errors.")
  var quiet = false

  mutating func validate() throws {
    if backup == "" { throw ValidationError("'--backup' requires a file name.") }
  }

  mutating func run() throws {
    var restoration = StoreRestoration(path: source.library)
    restoration.backupPath = backup
    restoration.keepsReplaced = !declinesBackup
    restoration.version = { store in
      guard let version = (try? TrackLibraryModel(of: store))?.version else { return nil }
      return (version.rawValue, TrackModelVersion.allCases.firstIndex(of: version) ?? 0)
    }
    restoration.waiting = waiting.patience(isQuiet: quiet, SignalCancellation.listen())
    let (path, isQuiet, isDryRun) = (source.library, quiet, isDryRun)
    // Said before the last trace is gone by which a killed run is known: one that has said nothing can be repeated.
    restoration.onResult = { result in
      result.warnings.forEach(StandardError.risk)
      if !isQuiet { RestorationText.outcome(result, of: path).forEach(StandardError.note) }
    }
    try reportingErrors {
      do {
        guard isDryRun else {
          _ = try restoration.run()
          return
        }
        let plan = try restoration.plan()
        try StandardOutput.print(RestorationText.plan(plan, of: path))
        if !plan.isRepeated { try restoration.requireWritable() }
      } catch let error as MigrationError where [.noBackup, .missing].contains(error.code) {
        guard let replaced = try restoration.replacedBefore(isDryRun: isDryRun) else { throw error }
        let lines = RestorationText.nothingToDo(path, replaced)
        if isDryRun { try StandardOutput.print(lines) } else if !isQuiet { lines.forEach(StandardError.note) }
      }
    }
  }
}

/// The text for people about a migration that is undone.
private enum RestorationText {
  static func plan(_ result: StoreRestoration.Result, of path: String) -> [String] {
    if result.isRepeated { return nothingToDo(path, result.replacedPath) }
    let replaced = result.replacedPath.map { ", which would be kept as '\($0)'" } ?? ""
    return [
      "'\(result.backupPath)' (\(facts(result))) would take the place of '\(path)'\(replaced).", "Nothing was changed.",
    ] + damage(result) + MigrationSummary.otherNames(result.otherNamesCount, "would still lead to what was replaced")
      + others(result)
  }

  static func outcome(_ result: StoreRestoration.Result, of path: String) -> [String] {
    if result.isRepeated { return nothingToDo(path, result.replacedPath) }
    return ["Restored '\(path)' from '\(result.backupPath)' (\(facts(result)))."] + damage(result)
      + (result.replacedPath.map { ["Replaced library: \($0)"] } ?? [])
      + MigrationSummary.otherNames(result.otherNamesCount, "still lead to what was replaced") + others(result)
  }

  static func nothingToDo(_ path: String, _ replaced: String?) -> [String] {
    ["'\(path)' is restored already; nothing to do." + (replaced.map { " Replaced library: \($0)" } ?? "")]
  }

  private static func damage(_ result: StoreRestoration.Result) -> [String] {
    (result.damage.map { ["The backup is damaged, as the library was before the migration: \($0)"] } ?? [])
      + (result.missingFilesCount == 0
        ? [] : ["Files that are missing: \(NumberFormat.grouped(result.missingFilesCount)) (external data)"])
  }

  private static func others(_ result: StoreRestoration.Result) -> [String] {
    result.otherBackupPaths.map { "Other backup: \($0)" }
  }

  private static func facts(_ result: StoreRestoration.Result) -> String {
    let version = TrackModelVersion(versionHashes: result.metadata.versionHashes)?.rawValue
    return [version, NumberFormat.bytes(result.size)].compactMap { $0 }.joined(separator: ", ")
  }
}
