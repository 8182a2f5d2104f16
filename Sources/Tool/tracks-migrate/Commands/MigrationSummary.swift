import CommandLineArguments
import JSONPresets
import PersistentStore
import Policies
import TerminalOutput
import TrackLibrary

/// The text for people about a migration.
enum MigrationSummary {
  /// Returns the text of the plan, for `--dry-run` and `--verbose`.
  static func plan(from path: String) throws -> [String] {
    let current = TrackModelVersion.current
    let info = try LibraryInfo(path: path)
    var lines = ["Wanted: \(current.rawValue)" + (info.hasCustomModel ? ", made from the library's own model" : "")]
    if !info.hasCustomModel {
      for entity in current.model.entities { lines.append("  \(entity.name) \(entity.versionHash)") }
    }
    lines.append("Found: \(name(of: info, unknown: "an unknown version"))")
    for entity in info.entities {
      lines.append("  \(entity.name) \(entity.versionHash.map { "\($0)" } ?? "without a version hash")")
    }
    switch info.version {
    case current? where try TrackLibraryReader(path: path).isCurrent(): lines.append("Plan: nothing to do")
    case let version?:
      lines.append("Plan: \(version.rawValue) to \(current.rawValue), with the policy TrackToTrackMigrationPolicy")
    case nil: lines.append("Plan: none for a version that is not known")
    }
    return lines
  }

  /// The version of a store, for people.
  static func name(of info: LibraryInfo, unknown: String = "unknown") -> String {
    guard let version = info.version else { return unknown }
    return version.rawValue + (info.hasCustomModel ? ", with a model of its own" : "")
  }

  /// Returns the warnings after an import that a person should act on.
  static func warnings(_ result: LibraryImport.Result, hasMatch: Bool) -> [String] {
    importedBefore(result, hasMatch: hasMatch) + places(result.facts) + unreadTimes(result.unreadTimes)
      + (result.unmatchedJSON.map { [unmatched($0)] } ?? [])
      + (result.foreignContents.map(ForeignContentText.warnings) ?? [])
      + result.skippedTriggers.map {
        "the trigger '\($0)' did not run for the rows that were added. Bring what it keeps up to date in the app."
      }
  }

  private static func importedBefore(_ result: LibraryImport.Result, hasMatch: Bool) -> [String] {
    guard let feed = result.importedBefore else { return [] }
    let time =
      feed.finishedAtSeconds.map { " on " + ReferenceDate.iso8601(($0 - ReferenceDate.sinceEpoch).rounded()) } ?? ""
    let advice = hasMatch ? "" : ". With '--match title-and-artists', tracks that the library has are skipped."
    return [
      "this feed was imported before\(time), and \(NumberFormat.counted(result.facts[.addedTracks] ?? 0, "track")) of it "
        + "\(result.facts[.addedTracks] == 1 ? "is" : "are") added\(hasMatch ? " now." : " once more")\(advice)"
    ]
  }

  /// Returns a warning about times that are not dates.
  static func unreadTimes(_ times: (count: Int, example: String)?) -> [String] {
    times.map {
      [
        "\(NumberFormat.counted($0.count, "time")) cannot be read as \($0.count == 1 ? "a date" : "dates"), such as in "
          + "\($0.example), so that \($0.count == 1 ? "the track has" : "the tracks have") none."
      ]
    } ?? []
  }

  /// Returns the text about the result.
  static func lines(
    _ outcome: LibraryMigration.Outcome, path: String, output: String?, isVerbose: Bool
  ) -> [String] {
    switch outcome {
    case .alreadyCurrent(let version):
      ["'\(path)' is a \(version.rawValue) library already; nothing to do."]
        + (output.map { ["'\($0)' was not written."] } ?? [])
    case .migrated(let result):
      lines(result, path: path, isVerbose: isVerbose)
    }
  }

  private static func lines(_ result: LibraryMigration.Result, path: String, isVerbose: Bool) -> [String] {
    let report = result.report
    let target = FileSystem.areSame(result.path, path) ? "" : " to '\(result.path)'"
    var lines = [
      "Migrated '\(path)'\(target) from \(report.sourceVersion) to \(report.destinationVersion)"
        + (report.hasOwnModel == true ? ", with a model of its own," : "") + " in "
        + "\(NumberFormat.duration(.seconds(report.elapsedSeconds)))."
    ]
    lines += figures(report, isVerbose)
    if isVerbose { lines += strategy(result) + fallbackExamples(result) }
    if let backup = result.backupPath { lines.append("Backup: \(backup)") }
    lines += otherNames(report.otherNamesCount, "still lead to the old library")
    if let rejects = result.rejectsPath {
      lines.append("Rejects: \(rejects) (raw JSON, tracks: \(NumberFormat.grouped(report.facts[.rejects] ?? 0)))")
    }
    lines.append("Statistics: \(result.reportPath)")
    return lines + verification(result)
  }

  static func strategy(_ result: LibraryMigration.Result) -> [String] {
    result.result.steps.first.map { ["Carried out \($0.strategy)."] } ?? []
  }

  /// Whether what was made was compared with the library.
  static func verification(_ result: LibraryMigration.Result) -> [String] {
    result.isVerified ? ["Verified: every track, artist and link is as expected."] : []
  }

  /// Returns the warnings that a person should act on.
  static func warnings(_ report: MigrationReport) -> [String] {
    ForeignContentText.warnings(report.foreignContents) + places(report.facts)
      + (report.unmatchedJSON.map { [unmatched($0)] } ?? [])
  }

  /// Returns the places in which chosen paths found nothing.
  private static func places(_ facts: Facts) -> [String] {
    Fact.all(of: .place).flatMap { facts.examples(of: $0) ?? [] }.map { "\($0)." }
  }

  /// The same of a migration that has been carried out.
  static func warnings(_ result: LibraryMigration.Result) -> [String] {
    let lost = result.result.lostAttributes.joined(separator: ", ")
    return warnings(result.report)
      + (lost.isEmpty ? [] : ["'\(result.path)' could not be given the old library's \(lost)."])
  }

  /// That the JSON of most tracks was not understood.
  static func unmatched(_ finding: String) -> String {
    "\(finding). Their tracks use artistName, and the new library does not have the JSON."
  }

  /// That the library has other names, and where they lead once another file has its place.
  static func otherNames(_ count: Int?, _ destination: String) -> [String] {
    guard let count, count > 0 else { return [] }
    return ["Other names: \(NumberFormat.grouped(count)) (hard links), which \(destination)"]
  }

  /// Returns the counts and measurements, with examples.
  static func figures(_ report: MigrationReport, _ isVerbose: Bool) -> [String] {
    let facts = report.facts
    var lines = rows(Fact.all(of: .result), facts, isVerbose)
    lines += facts.fallbackReasons.map { row("", $0.count, "  \($0.reason.summary)") }
    lines += presets(facts) + suggestions(report.suggestedPresets ?? [])
    lines += rows(Fact.all(of: .document, .detail), facts, isVerbose)
    lines += ForeignContentText.lines(report.foreignContents)
    lines += optionalRow("model changes", report.modelRemarks?.count ?? 0, "besides the artists:")
    lines += indented(report.modelRemarks ?? [])
    lines += rows(Fact.all(of: .conflict), facts, isVerbose)
    lines += decisions(facts)
    lines += rows(Fact.all(of: .name), facts, isVerbose)
    lines.append(
      "  \(NumberFormat.grouped(Int64(report.tracksPerSecond))) tracks/s, "
        + "peak memory \(NumberFormat.bytes(report.peakMemoryBytes))")
    return lines
  }

  /// Returns the findings of an import, as far as a migration would report them.
  static func lines(_ result: LibraryImport.Result, isVerbose: Bool) -> [String] {
    suggestions(result.suggestedPresets)
      + rows(Fact.all(of: .document, .detail), result.facts, isVerbose, hidesZero: true)
      + (result.foreignContents.map { ForeignContentText.lines($0, kept: "things of the app's own:") } ?? [])
      + rows(Fact.all(of: .conflict), result.facts, isVerbose, hidesZero: true)
  }

  /// Returns the facts that were looked for, with examples.
  private static func rows(
    _ all: [Fact], _ facts: Facts, _ isVerbose: Bool, hidesZero: Bool = false
  ) -> [String] {
    all.flatMap { fact -> [String] in
      guard let count = facts[fact], count > 0 || !hidesZero && fact.traits.tellsZero else { return [] }
      return [row(fact.traits.label, count, fact.traits.explanation)]
        + (facts.examples(of: fact).map { examples($0, of: count, isVerbose) } ?? [])
    }
  }

  /// The number of documents by preset.
  private static func presets(_ facts: Facts) -> [String] {
    let counts = facts[.presets].sorted { ($1.value, $0.key) < ($0.value, $1.key) }
    let roles = facts[.roles].sorted { ($1.value, $0.key) < ($0.value, $1.key) }
    // The program's own shape alone is nothing to tell.
    return (counts.map(\.key) == ["v1"] ? [] : counts)
      .enumerated().map { row($0.offset == 0 ? "presets" : "", $0.element.value, description($0.element.key)) }
      + roles.enumerated().map { row($0.offset == 0 ? "roles" : "", $0.element.value, "\($0.element.key) artists") }
  }

  private static func description(_ name: String) -> String {
    guard let preset = Preset.named(name) else { return name }
    return "\(name) (\(preset.title))" + (preset.kind == .track ? "" : ": not an answer for one track")
  }

  /// Returns the number of uses of the decisions.
  private static func decisions(_ facts: Facts) -> [String] {
    let counts = facts[.decisions].sorted { $0.key < $1.key }
    return counts.enumerated().map { place, count in
      row(place == 0 ? "decisions" : "", count.value, "mentions of artists to \(count.key)")
    }
  }

  /// Returns the ways to read the JSON that was not understood.
  static func suggestions(_ presets: [Preset]) -> [String] {
    guard !presets.isEmpty else { return [] }
    return ["  Where no preset matches, these may be the names of artists:"]
      + presets.flatMap { preset in
        preset.artists.map { "    \(preset.title): \(JSONOptions.arguments(for: $0))".visible }
      }
  }

  /// The first examples of a finding; all that are kept, for `--verbose`.
  private static func examples(_ examples: [String], of count: Int, _ isVerbose: Bool) -> [String] {
    let shown = examples.prefix(isVerbose ? .max : 3)
    let rest = count - shown.count
    return indented(shown + (rest > 0 ? ["… and \(NumberFormat.grouped(rest)) more"] : []))
  }

  /// Lines that explain a row.
  static func indented(_ lines: [String]) -> [String] {
    lines.map { String(repeating: " ", count: nameWidth + countWidth + 4) + $0 }
  }

  static func fallbackExamples(_ result: LibraryMigration.Result) -> [String] {
    result.examples.sorted { $0.key < $1.key }.filter { $0.key.hasPrefix("fallback.") }.flatMap { name, examples in
      let code = String(name.dropFirst("fallback.".count))
      return ["Examples (\(FallbackReason(rawValue: code)?.summary ?? code)):"] + examples.map { "  \($0)" }
    }
  }

  private static let nameWidth = 16
  private static let countWidth = 12

  /// A row that is left out where there is nothing to tell.
  static func optionalRow(_ name: String, _ count: Int, _ explanation: String) -> [String] {
    count == 0 ? [] : [row(name, count, explanation)]
  }

  private static func row(_ name: String, _ count: Int, _ explanation: String = "") -> String {
    let number = NumberFormat.grouped(count)
    let gap = String(repeating: " ", count: max(1, nameWidth + countWidth - name.count - number.count))
    return "  \(name)\(gap)\(number)" + (explanation.isEmpty ? "" : "  \(explanation)")
  }
}

/// The text for people about a library's contents besides those of its model.
private enum ForeignContentText {
  static func lines(_ contents: ForeignContents, kept title: String = "tables of the app's own:") -> [String] {
    let kept = contents.kept.sorted { $0.key < $1.key }
    return MigrationSummary.optionalRow("kept", kept.count, title)
      + MigrationSummary.indented(kept.map { "\($0.key.shownTableName): \(rows($0.value))" })
      + leftBehind(contents)
  }

  /// Returns the warnings that a person should act on.
  static func warnings(_ contents: ForeignContents) -> [String] {
    let mirrored = contents.reasons.values.contains("cloudkit-mirror")
    return mirrored
      ? [
        "the CloudKit mirror was left behind, because it refers to rows by their old numbers. Set it up again in the app."
      ]
      : []
  }

  private static func leftBehind(_ contents: ForeignContents) -> [String] {
    let (counts, reasons) = (contents.leftBehind, contents.reasons)
    let names = Set(counts.keys).union(reasons.keys).sorted()
    return MigrationSummary.optionalRow(
      "left behind", names.count, "things that the new library does not have:")
      + MigrationSummary.indented(
        names.map { name in
          let facts = [counts[name].map(rows), reasons[name].flatMap(explanation)].compactMap { $0 }
          return "\(name.shownTableName): \(facts.joined(separator: ", "))"
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
    case "dangling-links": "with links to missing rows"
    default: DroppedContent.Reason(rawValue: reason)?.explanation ?? reason
    }
  }
}
