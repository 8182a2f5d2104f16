import CommandLineKit
import TrackLibrary

/// What a person is told of a migration.
enum MigrationSummary {
  /// What is going to be done, for `--verbose`.
  static func plan(from path: String) -> [String] {
    let current = TrackModelVersion.current
    var lines = ["Wanted: \(current.rawValue)"]
    for entity in current.model.entities { lines.append("  \(entity.name) \(entity.versionHash)") }
    if let info = try? LibraryInfo(path: path) {
      lines.append("Found: \(info.version?.rawValue ?? "an unknown version")")
      for entity in info.entities {
        lines.append("  \(entity.name) \(entity.versionHash.map { "\($0)" } ?? "without a version hash")")
      }
      if let version = info.version, version != current {
        lines.append("Plan: \(version.rawValue) to \(current.rawValue), with the policy TrackToTrackMigrationPolicy")
      }
    }
    return lines
  }

  /// What was done.
  static func lines(_ outcome: LibraryMigration.Outcome, path: String, isVerbose: Bool) -> [String] {
    switch outcome {
    case .alreadyCurrent(let version):
      ["'\(path)' is a \(version.rawValue) library already; nothing to do."]
    case .migrated(let result):
      lines(result, path: path, isVerbose: isVerbose)
    }
  }

  private static func lines(_ result: LibraryMigration.Result, path: String, isVerbose: Bool) -> [String] {
    let report = result.report
    let target = result.path == path ? "" : " to '\(result.path)'"
    var lines = [
      "Migrated '\(path)'\(target) from \(report.sourceVersion) to \(report.destinationVersion) in "
        + "\(NumberFormat.duration(.seconds(report.elapsedSeconds))).",
      row("tracks", report.tracksCount),
      row("artists", report.artistsCount),
      row("links", report.linksCount),
      row("fallbacks", report.fallbackTracksCount, "tracks that use their artistName"),
    ]
    for fallback in report.fallbacks { lines.append("  \(padded(fallback.count))      \(fallback.summary)") }
    if report.tracksWithoutArtistCount > 0 {
      lines.append(row("no artist", report.tracksWithoutArtistCount, "tracks without an artistName either"))
    }
    if report.namelessArtistsCount > 0 {
      lines.append(row("nameless", report.namelessArtistsCount, "artists in the JSON without a name, passed over"))
    }
    if report.duplicateKeysCount > 0 {
      lines.append(row("duplicates", report.duplicateKeysCount, "keys that occur twice in the JSON; the first counts"))
    }
    lines += conflicts(report, isVerbose: isVerbose)
    lines.append(
      "  \(NumberFormat.grouped(Int64(report.tracksPerSecond))) tracks/s, "
        + "peak memory \(NumberFormat.bytes(report.peakMemoryBytes))")
    if isVerbose { lines += examples(result) }
    if let backup = result.backupPath { lines.append("Backup: \(backup)") }
    if let rejects = result.rejectsPath {
      lines.append("Rejects: \(rejects) (\(NumberFormat.grouped(report.rejectsCount)) tracks, raw JSON)")
    }
    lines.append("Statistics: \(result.reportPath)")
    return lines
  }

  private static func conflicts(_ report: MigrationReport, isVerbose: Bool) -> [String] {
    var lines = [row("name conflicts", report.nameConflictsCount, "names with several ids")]
    lines += report.nameConflictExamples.prefix(isVerbose ? 20 : 3).map { "              \($0)" }
    if report.idConflictsCount > 0 {
      lines.append(row("id conflicts", report.idConflictsCount, "ids with several names"))
      lines += report.idConflictExamples.prefix(isVerbose ? 20 : 3).map { "              \($0)" }
    }
    return lines
  }

  private static func examples(_ result: LibraryMigration.Result) -> [String] {
    result.examples.sorted { $0.key < $1.key }.filter { $0.key.hasPrefix("fallback.") }.flatMap { name, examples in
      ["Examples of \(name.dropFirst("fallback.".count)):"] + examples.map { "  \($0)" }
    }
  }

  private static func row(_ name: String, _ count: Int, _ explanation: String = "") -> String {
    let line = "  \(padded(count))  \(name)"
    return explanation.isEmpty ? line : "\(line): \(explanation)"
  }

  private static func padded(_ count: Int) -> String {
    let text = NumberFormat.grouped(count)
    return String(repeating: " ", count: max(0, 12 - text.count)) + text
  }
}
