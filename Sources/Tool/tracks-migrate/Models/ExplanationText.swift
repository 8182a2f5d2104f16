import CommandLineArguments
import DataModel
import Migration
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
      let entities = ChangeWording.count(explanation.entities.count, "entity is", "entities are")
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

/// The English text of findings in models.
struct FindingWording {
  /// The finding, without a period.
  let problem: String
  /// The advice, without a period.
  let advice: String

  init(_ finding: ModelFinding) {
    switch finding.problem {
    case .unreadableVersion(let error), .currentVersionUnknown(let error):
      problem = (error.line.map { "line \($0): " } ?? "") + Self.phrase(error.problem.problem)
      advice = Self.phrase(error.problem.advice)
    case .currentVersionIsNotNewest(let newest):
      problem = "this is the current version, but '\(newest)' comes after it"
      advice = "choose the current version in Xcode, if this was forgotten"
    case .sameAsVersion(let other):
      problem = "the version says the same as '\(other)'"
      advice = "remove one of them, unless stores or apps name it"
    case .sameHashesAsVersion(let other, let changes):
      problem = "the version hashes are those of '\(other)', though it differs: \(Self.list(changes))"
      advice = "set a version hash modifier where stores must be migrated for that"
    default:
      (problem, advice) = Self.wording(finding.problem)
    }
  }

  private static func wording(_ problem: ModelFinding.Problem) -> (String, String) {
    switch problem {
    case .noInverse:
      ("the relationship has no inverse", "give it one, so that both sides are kept in step")
    case .inverseDisagrees(let inverse, let back):
      (
        "its inverse '\(inverse)' leads back by \(back.map { "'\($0)'" } ?? "nothing")",
        "make both relationships name each other"
      )
    case .contradictoryCounts(let minimum, let maximum):
      ("at least \(minimum) and at most \(maximum) destinations cannot be", "correct the counts")
    case .orderedToOne: ("a to-one relationship is ordered", "turn the order off; it has no effect")
    case .optionalWithMinimum(let minimum, _):
      ("the relationship is optional, but requires at least \(minimum)", "make it required, or the minimum 0")
    case .cascadeFromBothSides(let inverse):
      (
        "deleting either side deletes the other, by '\(inverse)' too",
        "use nullify on the side that does not own the other"
      )
    case .noActionOnDelete:
      ("deleting leaves references that lead nowhere", "use nullify, cascade or deny")
    case .newlyRequiredWithoutDefault(let version):
      (
        "the attribute is required since '\(version)' and has no default, so old instances have no value for it",
        "give it a default, make it optional, or migrate with a mapping model"
      )
    default: laterWording(problem)
    }
  }

  private static func laterWording(_ problem: ModelFinding.Problem) -> (String, String) {
    switch problem {
    case .differsInCaseOnly(let other):
      ("the name differs from '\(other)' in capitals only, and columns are in capitals", "rename one of them")
    case .manyColumns(let count):
      (
        "the entity has \(count) columns, and every fetch reads them all",
        "move what is seldom used to an entity of its own"
      )
    case .abstractWithoutSubentities:
      ("the entity is abstract and has no subentities, so it never has instances", "remove it, or make it concrete")
    case .withoutProperties: ("the entity has no properties", "remove it, unless it is kept for a later version")
    case .requiredWithoutDefault:
      (
        "the attribute is required and has no default",
        "a default lets later versions be inferred without a mapping model"
      )
    case .unreadableDefault(let text):
      (
        "the default '\(text)' is not a value of the attribute's type, so there is no default",
        "correct it in Xcode's model editor"
      )
    case .unusableDerivation(let fault):
      ("the expression '\(fault.expression)' cannot be derived: \(text(of: fault.reason))", advice(for: fault.reason))
    case .spareRoom:
      (
        "this version can still change as long as no app with it was shipped",
        "add optional attributes and entities that later versions will need now: that saves a migration"
      )
    default: ("\(problem)", "")
    }
  }

  private static func text(of reason: DerivationFault.Reason) -> String {
    switch reason {
    case .unreadable(let text): phrase(text)
    case .unknownProperty(let name, let entity, let nearest):
      "'\(entity)' has no property '\(name)'\(nearest.map { "; did you mean '\($0)'?" } ?? "")"
    case .followsAttribute(let name): "'\(name)' is an attribute, and no key can follow it"
    case .endsWithRelationship(let name): "'\(name)' is a relationship, and an attribute is needed"
    case .manyValues(let path): "'\(path)' has many values"
    case .oneValue: "the function needs a to-many relationship"
    case .unsupported: "Core Data does not derive values in this way"
    }
  }

  private static func advice(for reason: DerivationFault.Reason) -> String {
    switch reason {
    case .unknownProperty, .followsAttribute, .endsWithRelationship, .unreadable: "correct it in Xcode's model editor"
    case .manyValues: "use count:, sum:, average:, min: or max:"
    case .oneValue: "use @count, sum: and the like for a to-many relationship only"
    case .unsupported:
      "use a key path, a count, a sum or another function of one key path, or now(); or compute the value in the app"
    }
  }

  /// A sentence as part of a row.
  private static func phrase(_ sentence: String) -> String {
    let text = sentence.hasSuffix(".") ? String(sentence.dropLast()) : sentence
    return text.prefix(1).lowercased() + text.dropFirst()
  }

  private static func list(_ changes: [ModelChange]) -> String {
    let shown = changes.prefix(3).map { change in
      let place = [change.entityName, change.subject.name].compactMap(\.self).joined(separator: ".")
      return "\(place.isEmpty ? "model" : place) (\(ChangeWording.text(change.kind)))"
    }
    let rest = changes.count > 3 ? " and \(changes.count - 3) more" : ""
    return shown.joined(separator: ", ") + rest
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

/// The English text of findings in mapping models.
struct RemarkWording {
  /// The finding, without a period.
  let problem: String
  /// The advice, without a period.
  let advice: String

  init(_ remark: MappingRemark) {
    (problem, advice) =
      switch remark.problem {
      case .unreadable(let error):
        (
          (error.line.map { "line \($0): " } ?? "") + Self.phrase("\(error.problem)"),
          "correct the file, or save it in Xcode again"
        )
      case .finding(let finding): (finding.sentence, Self.advice(finding.kind))
      case .leftovers(let entityMappings, let propertyMappings):
        (Self.leftovers(entityMappings, propertyMappings), "leave them; 'models lint --verbose' lists them")
      case .unregisteredPolicy(let policy):
        (
          "the policy '\(policy)' is none of this program",
          "name one for it when you migrate, as in --policy \(policy)=…, or add it to a migrator of your own"
        )
      default: Self.wording(remark.problem)
      }
  }

  /// A sentence as part of a row.
  private static func phrase(_ sentence: String) -> String {
    sentence.hasSuffix(".") ? String(sentence.dropLast()) : sentence
  }

  private static func wording(_ problem: MappingRemark.Problem) -> (String, String) {
    switch problem {
    case .unknownVersion(let name, let side, let nearest):
      (
        "the file names '\(name)' as its \(side.rawValue), which the bundle does not have"
          + (nearest.map { "; the nearest is '\($0)'" } ?? ""),
        "choose the \(side.rawValue) model in Xcode again"
      )
    case .otherVersion(let named, let side, let actual):
      (
        "the file names '\(named)' as its \(side.rawValue), not '\(actual)'",
        "compare it with '\(named)', or choose the \(side.rawValue) model in Xcode again"
      )
    case .sameVersion(let name):
      ("it leads from '\(name)' to the same version", "a mapping model leads from one version to another")
    case .coveredTwice(let source, let destination, let path, let hasSameName):
      (
        "'\(path)' makes instances of '\(destination)' out of those of '\(source)' too"
          + (hasSameName ? ", under the same name" : ", so that there would be twice as many"),
        "leave one of the two out"
      )
    case .unknownSourceKey(let key, let entity, let nearest):
      (
        "the entity '\(entity)' of the source has no property '\(key)'"
          + (nearest.map { "; the nearest is '\($0)'" } ?? ""),
        "correct the expression"
      )
    case .unsetRelationship:
      (
        "the relationship is left empty, though the source has it too",
        "give it an expression, or be sure that a policy sets it"
      )
    default: ("\(problem)", "")
    }
  }

  private static func advice(_ kind: MappingModelFinding.Kind) -> String {
    switch kind {
    case .orphanEntityMapping, .orphanPropertyMapping, .orphanNumberClash, .unexpectedType: "leave it"
    case .numberClash, .missingNumber: "set the order in Xcode, if it matters"
    case .unknownObject, .unknownAttribute, .unknownMappingType: "be sure that it can be passed over"
    case .duplicateProperty: "remove all but one"
    case .userInfoDescribed, .unreadableUserInfo: "use text"
    case .unmentionedProperty: "add it to the mapping, if it should have a value"
    case .unknownProperty: "correct its name, or remove it"
    case .renamedProperty: "write the expression out"
    case .noDestinationInstances: "add an entity mapping, or leave it to a policy"
    case .duplicateEntityMapping: "rename all but one"
    case .noEntities: "choose its entities, or remove it"
    case .unreadableExpression: "correct the expression"
    case .unreadableFilterPredicate: "correct the filter"
    case .missingEntity: "choose the entity again, or another version"
    case .versionHashMismatch: "make the mapping model again for this version, or use the one it was made for"
    case .unknownEntityMapping, .unclearEntityMapping: "choose the entity mapping again"
    }
  }

  private static func leftovers(_ entityMappings: Int, _ propertyMappings: Int) -> String {
    let counts = [
      (entityMappings, "entity mapping", "entity mappings"),
      (propertyMappings, "property mapping", "property mappings"),
    ].filter { $0.0 > 0 }.map { ChangeWording.count($0, $1, $2) }
    return "the file holds remains that nothing uses: \(counts.joined(separator: " and "))"
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
