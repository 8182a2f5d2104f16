import CommandLineKit
import PersistentStore
import TrackLibrary

/// What a person is told of what a library held besides what its model asks for.
enum ForeignContentText {
  static func lines(_ report: MigrationReport) -> [String] {
    let kept = (report.keptCountByName ?? [:]).sorted { $0.key < $1.key }
    return MigrationSummary.optionalRow("kept", kept.count, "tables of the app's own:")
      + MigrationSummary.indented(kept.map { "\($0.key): \(rows($0.value))" })
      + leftBehind(report)
      + MigrationSummary.optionalRow("model changes", report.modelRemarks?.count ?? 0, "besides the artists:")
      + MigrationSummary.indented(report.modelRemarks ?? [])
  }

  /// What a person should do something about.
  static func warnings(_ report: MigrationReport) -> [String] {
    let mirrored = (report.leftBehindReasonByName ?? [:]).values.contains("cloudkit-mirror")
    return mirrored
      ? [
        "the mirror to CloudKit was left behind: it names rows by numbers that are new now. Set it up anew in the app."
      ]
      : []
  }

  private static func leftBehind(_ report: MigrationReport) -> [String] {
    let counts = report.leftBehindCountByName
    let reasons = report.leftBehindReasonByName ?? [:]
    let names = Set(counts.keys).union(reasons.keys).sorted()
    return MigrationSummary.optionalRow(
      "left behind", names.count, "things that the new library does not have:")
      + MigrationSummary.indented(
        names.map { name in
          let facts = [counts[name].map(rows), reasons[name].flatMap(explanation)].compactMap { $0 }
          return "\(name): \(facts.joined(separator: ", "))"
        })
  }

  private static func rows(_ count: Int64) -> String { NumberFormat.counted(count, "row") }

  private static func explanation(_ reason: String) -> String? {
    switch reason {
    case "not-in-model": nil
    case "persistent-history": "persistent history"
    case "cloudkit-mirror": "the mirror to CloudKit"
    case "spatial-index": "a spatial index"
    case "no-entity": "of no entity"
    case "dangling-links": "with links to nothing that is there"
    default: UncopiedContent.Reason(rawValue: reason)?.explanation ?? reason
    }
  }
}
