import CommandLineArguments
import DataModel
import Migration
import MigrationDiagnostics
import ModelInspection
import TerminalOutput

/// The English text of why a store and a model do not match.
enum ExplanationText {
  static func write(_ result: ExplanationResult, to output: any TextOutput, terminal: Terminal) throws {
    let explanation = result.explanation
    if !result.versions.isEmpty { try writeVersions(result, to: output, terminal: terminal) }
    try output.writeLine(verdict(explanation).visible)
    let records = Self.records(explanation)
    if !explanation.fits { try output.writeLine(evidence(explanation.evidence)) }
    guard !records.isEmpty else { return }
    try output.writeLine()
    let writer = OutputFormat.table.makeWriter(to: output, terminal: terminal)
    try writer.begin(columns: ChangeRecord.columns(for: .table))
    for record in records { try writer.write(record.values(for: .table)) }
    try writer.end()
  }

  static func json(_ result: ExplanationResult) -> String {
    let explanation = result.explanation
    return JSONObject {
      $0.add("format_version", .integer(1))
      $0.add("store", .path(explanation.storePath))
      $0.add("model", .path(explanation.model.name))
      $0.add("verdict", .string(explanation.fits ? "fits" : "differs"))
      $0.add("configuration", FieldValue(explanation.configurationName))
      $0.add("evidence", .string(name(explanation.evidence)))
      $0.add(
        "versions",
        objects: result.versions.map { version in
          JSONObject {
            $0.add("name", .string(version.versionName))
            $0.add("verdict", .string(version.fits ? "fits" : version.model == nil ? "unreadable" : "differs"))
            $0.add("equal_entities_count", FieldValue(version.equalCount))
            $0.add("differing_entities", .strings(version.differing))
            $0.add("entities_only_in_store", .strings(version.onlyInStore))
            $0.add("entities_only_in_model", .strings(version.onlyInModel))
          }
        })
      $0.add("differences", objects: records(explanation).map(\.object))
    }.text
  }

  private static func writeVersions(_ result: ExplanationResult, to output: any TextOutput, terminal: Terminal) throws {
    let writer = OutputFormat.table.makeWriter(to: output, terminal: terminal)
    try writer.begin(columns: ["version", "fits", "equal", "differing", "only in store", "only in model"])
    for version in result.versions {
      let isReadable = version.model != nil
      let isNearest = version.model?.name == result.explanation.model.name
      try writer.write([
        .string(version.versionName),
        .string(version.fits ? "yes" : !isReadable ? "cannot be read" : isNearest ? "no, but nearest" : "no"),
        isReadable ? FieldValue(version.equalCount) : .null, isReadable ? FieldValue(version.differing.count) : .null,
        isReadable ? FieldValue(version.onlyInStore.count) : .null,
        isReadable ? FieldValue(version.onlyInModel.count) : .null,
      ])
    }
    try writer.end()
    try output.writeLine()
  }

  private static func verdict(_ explanation: StoreExplanation) -> String {
    let (store, model) = (explanation.storePath, explanation.model.name)
    guard explanation.fits else {
      let entities = explanation.entities.count.counting("entity is", plural: "entities are")
      return "'\(store)' does not fit '\(model)': \(entities) not the same."
    }
    if let name = explanation.configurationName {
      return "'\(store)' fits the configuration '\(name)' of '\(model)': it can be opened without a migration."
    }
    return "'\(store)' fits '\(model)': it can be opened without a migration."
  }

  private static func evidence(_ evidence: StoreExplanation.Evidence) -> String {
    switch evidence {
    case .modelCache: "The store keeps the model that it was written with; it says:"
    case .versionHashes: "The store keeps no model; its version hashes and columns say:"
    case .versionHashesDespiteModelCache:
      "The model that the store keeps is not the one that it was written with; its version hashes and columns say:"
    }
  }

  private static func name(_ evidence: StoreExplanation.Evidence) -> String {
    switch evidence {
    case .modelCache: "model_cache"
    case .versionHashes, .versionHashesDespiteModelCache: "version_hashes"
    }
  }

  private static func records(_ explanation: StoreExplanation) -> [ExplanationRecord] {
    if let difference = explanation.difference, let storeModel = explanation.storeModel {
      return ChangeRecord.all(difference, from: storeModel, to: explanation.model.model).map { .change($0) }
    }
    return explanation.entities.flatMap { records($0, explanation.model.model) }
      + explanation.columns.map { .column($0) }
  }

  private static func records(
    _ entity: StoreExplanation.Entity, _ model: ManagedObjectModel
  ) -> [ExplanationRecord] {
    switch entity.finding {
    case .changes(let changes): return changes.map { .change(ChangeRecord($0, nil, model)) }
    case .inherited: return [.change(ChangeRecord(inheritedBy: entity.name))]
    case .unknown, nil: break
    }
    if entity.storeHash != nil, entity.modelHash != nil { return [.unknown(entity.name)] }
    let change = ModelChange(
      entityName: entity.name, subject: .entity, kind: entity.storeHash == nil ? .added : .removed,
      affectsVersionHash: true)
    return [.change(ChangeRecord(change, nil, model))]
  }
}

/// Whether stores can be migrated without a mapping model, as text and as JSON.
enum InferenceWording {
  /// Lines for people; empty if nothing needs to be migrated.
  static func lines(_ verdict: InferenceVerdict) -> [String] {
    guard verdict.isMigrationNeeded else { return [] }
    guard verdict.canInfer else {
      return ["They need a mapping model:"] + verdict.reasons.map { "  \($0)" }
    }
    let (losses, cautions) = (verdict.losses, verdict.cautions)
    return [
      losses.isEmpty
        ? "They can be migrated without a mapping model, and nothing is lost."
        : "They can be migrated without a mapping model, but this is lost:"
    ] + losses.map { "  \($0)" } + (cautions.isEmpty ? [] : ["Be sure of this:"]) + cautions.map { "  \($0)" }
  }

  static func object(_ verdict: InferenceVerdict) -> JSONObject {
    JSONObject {
      $0.add("is_migration_needed", .boolean(verdict.isMigrationNeeded))
      $0.add("needs_mapping_model", .boolean(verdict.isMigrationNeeded && !verdict.canInfer))
      $0.add("losses", objects: verdict.losses.map(object))
      $0.add("cautions", objects: verdict.cautions.map(object))
      $0.add(
        "reasons",
        objects: verdict.reasons.map { reason in
          JSONObject {
            $0.add("entity", .string(reason.entity))
            $0.add("property", FieldValue(reason.property))
            $0.add("finding", .string(reason.kind.problem))
            $0.add("advice", .string(reason.kind.advice))
            $0.add("likely_old_name", FieldValue(reason.likelyOldName))
          }
        })
    }
  }

  private static func object(_ finding: InferenceFinding) -> JSONObject {
    JSONObject {
      $0.add("entity", .string(finding.entity))
      $0.add("property", FieldValue(finding.property))
      $0.add("finding", .string("\(finding.kind)"))
    }
  }
}

/// Facts and tables that belong to the line above them.
enum IndentedText {
  /// Writes facts with their values aligned in one column.
  static func write(_ facts: [EntityFacts.Fact], indent: String, to output: any TextOutput) throws {
    let width = facts.map(\.name.count).max() ?? 0
    for (name, value) in facts {
      let gap = String(repeating: " ", count: width - name.count)
      try output.writeLine("\(indent)\(name)\(gap)  \(value.visible)")
    }
  }

  /// Writes a table without cutting anything off.
  static func write(_ columns: [String], _ rows: [[FieldValue]], to output: any TextOutput) throws {
    let memory = MemoryOutput()
    let writer = OutputFormat.table.makeWriter(to: memory, terminal: Terminal())
    try writer.begin(columns: columns)
    for row in rows { try writer.write(row) }
    try writer.end()
    for line in memory.text.split(separator: "\n") { try output.writeLine("  \(line)") }
  }
}
