import CommandLineKit
import TrackLibrary

/// What a person is told of a migration that was only tried out.
enum RehearsalText {
  static func lines(_ outcome: LibraryMigration.Outcome, path: String, isVerbose: Bool) -> [String] {
    // The plan has said so already.
    guard case .migrated(let result) = outcome else { return [] }
    let report = result.report
    let target = result.path == path ? "" : " to '\(result.path)'"
    return [
      "Tried out: migrating '\(path)'\(target) took \(NumberFormat.duration(.seconds(report.elapsedSeconds))). "
        + "It would take \(NumberFormat.bytes(report.destinationSizeBytes))."
    ]
      + MigrationSummary.figures(report, isVerbose)
      + (isVerbose ? MigrationSummary.fallbackExamples(result) : [])
      + (result.backupPath.map { ["Backup would be: \($0)"] } ?? [])
      + MigrationSummary.otherNames(report.otherNamesCount, "would still lead to the old library")
      + (result.rejectsPath.map { ["Rejects would be: \($0) (tracks: \(NumberFormat.grouped(report.rejectsCount)))"] }
        ?? [])
      + MigrationSummary.verification(result)
      + MigrationSummary.warnings(report).map { "Warning: \($0)" }
      + ["Nothing was changed."]
  }
}
