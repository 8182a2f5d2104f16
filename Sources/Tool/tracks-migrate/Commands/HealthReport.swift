import MigrationDiagnostics
import StoreHealth
import TerminalOutput

/// The outcome of an examination or a repair, as text or JSON.
struct HealthReport {
  /// The findings that there are now.
  let document: HealthDocument
  /// The repair, if one was asked for.
  let outcome: StoreRepair.Outcome?
  private let isModelGiven: Bool

  init(_ document: HealthDocument, isModelGiven: Bool) {
    (self.document, outcome, self.isModelGiven) = (document, nil, isModelGiven)
  }

  init(_ outcome: StoreRepair.Outcome, isModelGiven: Bool) {
    (document, self.outcome, self.isModelGiven) = (outcome.after ?? outcome.before, outcome, isModelGiven)
  }

  // MARK: - Text

  var lines: [String] {
    repairLines + [headline] + groups.flatMap { [""] + lines(of: $0) } + [""] + checkLines
  }

  /// The findings, those together about which there is the same to say.
  private var groups: [[Finding]] {
    var groups: [[Finding]] = []
    for finding in document.findings {
      if let last = groups.last?.first, last.code == finding.code, advice(last) == advice(finding) {
        groups[groups.count - 1].append(finding)
      } else {
        groups.append([finding])
      }
    }
    return groups
  }

  private var headline: String {
    let count = document.findings.count
    let name = "'\(document.path)'"
    let remains = outcome?.deeds.isEmpty == false
    guard count > 0 else { return "\(name) has no \(remains ? "other " : "")findings." }
    return
      "\(name) has \(NumberFormat.counted(count, "finding"))\(remains ? count == 1 ? " that remains" : " that remain" : "")."
  }

  private var repairLines: [String] {
    guard let outcome else { return [] }
    guard !outcome.deeds.isEmpty else {
      return ["Nothing was changed: there is nothing that can be repaired without a loss."]
    }
    return ["Repaired '\(document.path)':"] + outcome.deeds.map { "  \($0)" }
      + (outcome.backupPath.map { ["The store as it was: \($0)"] } ?? [])
      + MigrationSummary.otherNames(outcome.otherNamesCount, "still lead to the store as it was") + [""]
  }

  private func lines(of findings: [Finding]) -> [String] {
    guard let first = findings.first else { return [] }
    let facts = findings.flatMap { finding in
      ["  \(finding.fact.asSentence)"] + (rows(finding).map { ["    \($0)"] } ?? [])
    }
    return [first.code.rawValue] + facts + ["  For the app: \(first.code.meaning)", "  To do: \(advice(first))"]
  }

  /// The rows and files.
  private func rows(_ finding: Finding) -> String? {
    guard let count = finding.count, !finding.rows.isEmpty || !finding.files.isEmpty else { return nil }
    let (shown, noun) = finding.files.isEmpty ? (finding.rows.map(String.init), "row") : (finding.files, "file")
    // Values that occur more than once are counted, and not their rows.
    let isOfValues = finding.code == .notUnique
    let rest = isOfValues ? shown.count == Finding.exampleLimit : count > Int64(shown.count)
    let number = isOfValues ? "two rows with each value" : NumberFormat.counted(Int(clamping: count), noun)
    return "\(number): \(shown.joined(separator: ", "))\(rest ? ", …" : "")"
  }

  private func advice(_ finding: Finding) -> String {
    let path = Advice.WayOut.word(document.path)
    let usual =
      switch finding.remedy {
      case .nothing: "nothing"
      case .migrate: "a migration, which is due, makes it right: tracks-migrate \(path)"
      case .repair: "tracks-migrate doctor \(path) --repair"
      case .salvage: "restore a backup, or tracks-migrate salvage \(path) --output NEW"
      case .backup: "restore a backup, or correct it in the app"
      }
    guard let statement = finding.statement else { return usual }
    return "\(usual); \(finding.statementCondition), in the program 'sqlite3': \(statement)"
  }

  private var checkLines: [String] {
    let made = document.checks.filter { $0.obstacle == nil }.map(\.check.title)
    // Most checks share a reason.
    var missed: [(reason: String, titles: [String])] = []
    for check in document.checks {
      guard let reason = check.obstacle else { continue }
      if missed.last?.reason == reason {
        missed[missed.count - 1].titles.append(check.check.title)
      } else {
        missed.append((reason, [check.check.title]))
      }
    }
    return ["Checked: \(made.joined(separator: "; "))\(modelName)."]
      + missed.map { "Not checked: \($0.titles.joined(separator: "; ")), because \($0.reason).\(modelHint)" }
      + document.unchecked.map { "Not checked: \($0)." }
  }

  private var modelName: String {
    switch document.model {
    case .own: " (with the store's own copy of its model)"
    case .named(let name): " (with the model '\(name)')"
    case .unknown, nil: ""
    }
  }

  private var modelHint: String {
    document.model == .unknown && !isModelGiven ? " Name the app's model with --model." : ""
  }

  // MARK: - JSON

  var json: String {
    JSONObject {
      $0.add("format_version", .integer(1))
      $0.add("store", .path(document.path))
      $0.add("model", FieldValue(modelKey))
      $0.add("findings_count", .integer(Int64(document.findings.count)))
      $0.add("findings", objects: document.findings.map(object))
      $0.add("checks", objects: document.checks.map(object))
      $0.add("unchecked", .strings(document.unchecked))
      if let outcome {
        $0.add("repaired", .strings(outcome.deeds))
        $0.add("backup", .path(outcome.backupPath))
      }
    }.text
  }

  private var modelKey: String? {
    switch document.model {
    case .own: "own"
    case .named(let name): name
    case .unknown, nil: nil
    }
  }

  private func object(_ finding: Finding) -> JSONObject {
    JSONObject {
      $0.add("code", .string(finding.code.rawValue))
      $0.add("check", .string(finding.code.check.rawValue))
      $0.add("table", FieldValue(finding.table))
      $0.add("entity", FieldValue(finding.entity))
      $0.add("property", FieldValue(finding.property))
      $0.add("count", FieldValue(finding.count))
      $0.add("rows", .strings(finding.rows.map(String.init)))
      $0.add("files", .strings(finding.files))
      $0.add("fact", .string(finding.fact))
      $0.add("meaning", .string(finding.code.meaning))
      $0.add("remedy", .string(finding.remedy.rawValue))
      $0.add("sql", FieldValue(finding.statement))
    }
  }

  private func object(_ check: MadeCheck) -> JSONObject {
    JSONObject {
      $0.add("check", .string(check.check.rawValue))
      $0.add("made", .boolean(check.obstacle == nil))
      $0.add("obstacle", FieldValue(check.obstacle))
    }
  }
}

extension String {
  /// A clause as a sentence.
  fileprivate var asSentence: String {
    (first.map { $0.uppercased() } ?? "") + dropFirst() + (hasSuffix("…") ? "" : ".")
  }
}
