import CommandLineKit
import PersistentStore
import TrackLibrary

/// What a person is told of a migration that is taken back.
enum RestorationText {
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
