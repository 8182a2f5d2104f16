internal import DataModel
package import MigrationDiagnostics
internal import PersistentStore
internal import SystemC
internal import TerminalOutput
package import Verification

/// The text for people about a plan and its result.
package struct MigrationText {
  /// Whether all examples and remarks are told, or the first few.
  package var isVerbose: Bool
  /// Whether entities with rows may be removed, so that the text need not say how to allow it.
  package var allowsLoss: Bool
  /// Writes a count, in groups of digits if that is wanted.
  package var number: (Int) -> String
  /// Returns the reader's name for a way out.
  package var name: (Advice.WayOut) -> String

  /// Decides how much is told, and in which terms.
  package init(
    isVerbose: Bool = false, allowsLoss: Bool = false, number: @escaping (Int) -> String = { "\($0)" },
    naming name: @escaping (Advice.WayOut) -> String = \.swiftName
  ) {
    self.isVerbose = isVerbose
    self.allowsLoss = allowsLoss
    self.number = number
    self.name = name
  }

  /// The hops of a plan.
  package func plan(_ plan: MigrationPlan, of path: String) -> [String] {
    guard !plan.steps.isEmpty else { return [current(plan.destination, path)] }
    let hops = plan.steps.count { !$0.staysAtVersion }
    let count = hops == 1 ? "one hop" : hops.counting("hop")
    return ["'\(path)' goes from '\(plan.source.name)' to '\(plan.destination.name)' in \(count):"]
      + plan.steps.indices.flatMap { hop(plan, $0) } + doubts(plan)
  }

  private func hop(_ plan: MigrationPlan, _ index: Int) -> [String] {
    let step = plan.steps[index]
    guard !step.staysAtVersion else { return ["  \(index + 1). \(step.summary)"] }
    let strategy = plan.strategies.indices.contains(index) ? ["     \(plan.strategies[index])"] : []
    let need = allowsLoss ? "" : " (needs \(name(.allowLoss)))"
    let removals = plan.removals.filter { $0.sourceVersion == step.source.name }.map {
      "     '\($0.entity)': \(number($0.count)) \($0.count == 1 ? "row" : "rows") would be lost\(need)"
    }
    let dropped = plan.droppedValues.filter { $0.sourceVersion == step.source.name }.map {
      "     warning: \($0.warning.worded(name))"
    }
    let unused = plan.unusedMappings.filter { $0.sourceVersionName == step.source.name }.map {
      "     not used: the mapping model '\($0.name)' to '\($0.destinationVersionName)'"
    }
    let code = step.moment.map { ["     then '\($0.name)' runs"] } ?? []
    return ["  \(index + 1). \(step.summary)"]
      + code + strategy + remarks(step.remarks).map { "     \($0)" } + removals + dropped + unused
  }

  /// The tables whose names are best guesses.
  package func doubts(_ plan: MigrationPlan) -> [String] {
    plan.doubtfulJoinTables.map { "  in doubt: \($0.doubt); decide it with \(name(.joinTable))" }
  }

  /// The hops of a plan, and what of the store does not come along.
  package func plan(_ survey: StoreMigration.Survey, of path: String) -> [String] {
    plan(survey.plan, of: path) + (survey.surroundings.map { surroundings($0, uncopied: survey.uncopied) } ?? [])
  }

  /// Returns the sentences about the outcome.
  ///
  /// - Parameters:
  ///   - outcome: What came of the migration.
  ///   - path: The store, as the user named it.
  ///   - time: How long it took, as a person reads it.
  package func outcome(_ outcome: StoreMigration.Outcome, of path: String, time: String? = nil) -> [String] {
    switch outcome {
    case .alreadyCurrent(let version): [current(version, path)]
    case .migrated(let result): migrated(result, path, time)
    }
  }

  private func current(_ version: LoadedModelVersion, _ path: String) -> String {
    "'\(path)' has the version '\(version.name)' already; nothing to do."
  }

  private func migrated(_ result: StoreMigration.Result, _ path: String, _ time: String?) -> [String] {
    let target = FileSystem.areSame(result.path, path) ? "" : " to '\(result.path)'"
    let (old, new) = (result.plan.source.name, result.plan.destination.name)
    var lines = ["Migrated '\(path)'\(target) from '\(old)' to '\(new)'\(time.map { " in \($0)" } ?? "")."]
    for (planned, step) in zip(result.plan.steps, result.steps) {
      lines.append("  \(planned.summary):")
      lines += (counts(step.statistics) + remarks(step.remarks)).map { "    \($0)" }
    }
    lines += doubts(result.plan)
    lines += surroundings(
      result.surroundings, keptTables: result.keptTables, uncopied: result.uncopied, omissions: result.omissions)
    if let backup = result.backupPath { lines.append("Backup: \(backup)") }
    if result.otherNamesCount > 0 {
      lines.append("Other names: \(number(result.otherNamesCount)) (hard links), which still lead to the old store")
    }
    if !result.lostAttributes.isEmpty {
      lines.append("Not carried over: \(result.lostAttributes.joined(separator: ", "))")
    }
    if let rejects = result.rejectsPath { lines.append("Rejects: \(rejects) (\(number(result.rejectsCount)))") }
    return lines
  }

  /// Returns the result of the verification, if there was one.
  package func verification(_ result: StoreMigration.Result) -> [String] {
    result.verified.map { ["Verified: \($0.figures)."] + $0.lines } ?? []
  }

  /// Returns the fate of contents outside the model, and of values in files.
  private func surroundings(
    _ surroundings: NonModelContent, keptTables: [String] = [], uncopied: [DroppedContent],
    omissions: [StoreSchema.Omission] = []
  ) -> [String] {
    let missing = surroundings.missingFiles
    return surroundings.leftBehind.map { content in
      let note = content.kind == .cloudKitMirror ? ", a CloudKit mirror: set it up again in the app" : ""
      return "  left behind: \(content.name.shownTableName) (\(number(Int(clamping: content.count))))\(note)"
    }
      + keptTables.map { "  kept unchanged: \($0.shownTableName)" }
      + uncopied.sorted { $0.name < $1.name }.map { "  not kept: \($0.name.shownTableName) (\($0.reason.explanation))" }
      + omissions.map { "  not written: \($0.kind.words) '\($0.entityName).\($0.name)'" }
      + surroundings.danglingLinks.map { "  links left out: \($0.entity).\($0.property): \($0)" }
      + (missing.isEmpty ? [] : ["  files that are missing: \(number(missing.count))"])
      + examples(
        missing.map { "\($0.entityName) \($0.primaryKey), \($0.attributeName): \($0.fileName)" }, of: missing.count
      ).map { "    \($0)" }
  }

  /// Returns the number of instances of each entity, and the counters with a few examples.
  private func counts(_ statistics: MigrationStatistics) -> [String] {
    let entities = statistics.destinationInstanceCounts.sorted { $0.key < $1.key }.map { name, count in
      "\(name): \(number(count))"
    }
    func list(_ counts: [String: Int], _ text: (String) -> String) -> [String] {
      counts.sorted { $0.key < $1.key }.map { "\(text($0.key)): \(number($0.value))" }
    }
    let omitted =
      list(statistics.removedInstanceCounts) { "removed with the entity \($0)" }
      + list(statistics.filteredInstanceCounts) { "passed over by the filter of '\($0)'" }
      + list(statistics.sourcesWithoutDestinationCounts) { "given no destination by the policy of '\($0)'" }
    let counters = statistics.counters.filter { $0.value > 0 }.sorted { $0.key < $1.key }.flatMap { name, count in
      ["\(Self.words(ofCounter: name)): \(number(count))"]
        + examples(statistics.examples[name] ?? [], of: count).map { "  \($0)" }
    }
    return (entities.isEmpty ? ["no instances"] : entities) + omitted + counters
  }

  /// A counter for people: "broken rule, missing value" for `validation.missing-value`.
  private static func words(ofCounter name: String) -> String {
    if name == MigrationManager.repairedTextCounter {
      return "texts with invalid UTF-8 that a policy or an expression has read, with U+FFFD for the invalid bytes"
    }
    let prefix = MigrationManager.validationCounter
    guard name.hasPrefix(prefix) else { return name.replacing("_", with: " ") }
    return "broken rule, \(name.dropFirst(prefix.count).replacing("-", with: " "))"
  }

  /// The first examples of what was counted, or all that are kept.
  private func examples(_ examples: [String], of count: Int) -> [String] {
    let shown = Array(examples.prefix(isVerbose ? MigrationStatistics.exampleLimit : 3))
    let rest = count - shown.count
    return shown + (rest > 0 && !shown.isEmpty ? ["… and \(number(rest)) more"] : [])
  }

  private func remarks(_ remarks: [String]) -> [String] {
    let shown = Array(remarks.prefix(isVerbose ? .max : 5))
    let rest = remarks.count - shown.count
    guard rest > 0 else { return shown }
    let noun = rest == 1 ? "remark; see it" : "remarks; see them"
    return shown + ["… and \(number(rest)) more \(noun) with \(name(.verbose))"]
  }
}

extension StoreVerification.Findings {
  /// Such as "60 rows and 12 links", which is not all where something is not judged.
  package var figures: String {
    let rows = NumberFormat.counted(Int(rowCountByEntity.values.reduce(0, +)), "row")
    let links = NumberFormat.counted(Int(linksCount), "link")
    return "\(rows) and \(links)\(unchecked.isEmpty ? "" : ", as far as the mapping models tell")"
  }

  /// The contents that were not carried over, and those that were not judged.
  package var lines: [String] {
    removedCountByEntity.sorted { $0.key < $1.key }.map { entity, count in
      "Not carried over: \(NumberFormat.counted(Int(count), "row")) of '\(entity)'"
    }
      + droppedLinkCounts.sorted { $0.key < $1.key }.map { relationship, count in
        "Not carried over: \(NumberFormat.counted(Int(count), "link")) of '\(relationship)'"
      } + unchecked.map { "Not judged: \($0)" }
  }
}

extension JoinTable {
  /// Which name may be wrong, for people.
  package var doubt: String {
    let relationships = [naming, inverse].map { "\($0.entityName).\($0.relationshipName)" }
    return "Core Data may expect the table '\(name)' to be named after '\(relationships[1])' and not after "
      + "'\(relationships[0])'"
  }
}

extension StoreSchema.Omission.Kind {
  /// The missing parts, as text for people.
  fileprivate var words: String {
    switch self {
    case .derivedAttributeTriggers: "the triggers of the derived attribute"
    case .spatialIndex: "the spatial index"
    case .partialIndex: "the partial index"
    case .expressionIndex: "the index of expressions"
    }
  }
}

extension MigrationStep {
  /// Whether code works on the instances before the first hop of a stage, so that the version stays the same.
  var staysAtVersion: Bool { if case .willMigrate? = moment { true } else { false } }

  /// The versions and the method, as text for people.
  fileprivate var summary: String {
    staysAtVersion
      ? "'willMigrate' runs on '\(source.name)'"
      : "'\(source.name)' to '\(destination.name)', \(method.summary)"
  }

  /// Returns the log message before a hop: the version hashes of both models, and the method.
  func announcement(path: String, _ index: Int, _ count: Int) -> String {
    let hop = count == 1 ? "" : ", hop \(index + 1) of \(count)"
    let lines =
      ["migrating '\(path)' from \(summary)\(hop)", "source model"]
      + Self.hashes(source.model) + ["destination model"] + Self.hashes(destination.model) + method.mappingLines
    return lines.joined(separator: "\n")
  }

  private static func hashes(_ model: ManagedObjectModel) -> [String] {
    model.entities.map { "  \($0.name) = \($0.versionHash)" }
  }
}

extension MigrationStep.Method {
  /// The method of the hop, as text for people.
  public var summary: String {
    switch self {
    case .mapping(let mappings): "by " + mappings.map { "'\($0.name)'" }.joined(separator: ", then ")
    case .inferred: "by inference (lightweight)"
    }
  }

  fileprivate var mappingLines: [String] {
    switch self {
    case .mapping(let mappings):
      mappings.flatMap { ["mapping model '\($0.name)'"] + Self.lines($0.mappingModel) }
    case .inferred(let inferred): ["inferred mapping model"] + Self.lines(inferred.mappingModel)
    }
  }

  private static func lines(_ mappingModel: MappingModel) -> [String] {
    mappingModel.entityMappings.map { mapping in
      let entities = [mapping.sourceEntityName, mapping.destinationEntityName].map { $0 ?? "nothing" }
      let policy = mapping.entityMigrationPolicyClassName.map { ", policy \($0)" } ?? ""
      return "  \(mapping.name): \(entities[0]) to \(entities[1]), \(mapping.mappingType)\(policy)"
    }
  }
}
