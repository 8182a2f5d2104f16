/// Collects what an examination finds.
struct HealthNotes {
  let path: String
  var model: HealthDocument.Model?
  /// Whether a migration is due, which mends some findings.
  var isMigrationDue = false
  private(set) var findings: [Finding] = []
  private var obstacles: [HealthCheck: String] = [:]
  private var unchecked: [String] = []

  init(path: String) {
    self.path = path
  }

  /// The document.
  var document: HealthDocument {
    let order = Dictionary(
      HealthCheck.allCases.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
    let sorted = findings.enumerated().sorted {
      (order[$0.element.code.check] ?? 0, $0.offset) < (order[$1.element.code.check] ?? 0, $1.offset)
    }.map { _, finding in
      var finding = finding
      if isMigrationDue, finding.repair == nil, finding.code.isMendedByMigration { finding.remedy = .migrate }
      return finding
    }
    return HealthDocument(
      path: path, model: model, findings: sorted,
      checks: HealthCheck.allCases.map { MadeCheck(check: $0, obstacle: obstacles[$0]) }, unchecked: unchecked)
  }

  mutating func add(_ finding: Finding) { findings.append(finding) }

  /// Whether there is a finding of a kind.
  func has(_ code: Finding.Code) -> Bool { findings.contains { $0.code == code } }

  /// Notes that checks cannot be made.
  mutating func leave(_ checks: [HealthCheck], because reason: String) {
    for check in checks where obstacles[check] == nil { obstacles[check] = reason }
  }

  /// Notes that no rows can be looked at.
  mutating func leaveRows(because reason: String) {
    leaveRowsOfModel(because: reason)
    leave([.history], because: reason)
  }

  /// Notes that the rows of the model cannot be looked at.
  mutating func leaveRowsOfModel(because reason: String) {
    leave([.entities, .values, .links, .text, .externalFiles], because: reason)
  }

  /// Notes that a part of a check cannot be made.
  mutating func leave(part: String) { unchecked.append(part) }

  /// Withholds the repair of unique indexes of tables in which values occur more than once: SQLite would refuse them.
  mutating func withholdUniqueIndexes() {
    let tables = Set(findings.filter { $0.code == .notUnique }.compactMap(\.table))
    for index in findings.indices where findings[index].code == .missingIndex {
      guard let table = findings[index].table, tables.contains(table), findings[index].makesUniqueIndex else {
        continue
      }
      findings[index].repair = nil
      findings[index].remedy = .backup
    }
  }
}

extension Finding {
  /// Whether the repair makes a unique index.
  fileprivate var makesUniqueIndex: Bool {
    guard case .statements(let sql)? = repair?.work else { return false }
    return sql.contains("CREATE UNIQUE INDEX ")
  }
}
