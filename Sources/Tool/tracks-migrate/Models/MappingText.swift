import CommandLineArguments
import DataModel
import Migration
import MigrationDiagnostics
import ModelInspection
import Policies
import TerminalOutput

extension MappingExplanation {
  /// The strategy for the mapping model with this program's policies, as text for people.
  fileprivate var strategy: String {
    MigrationStrategy.summary(of: mappingModel, from: source.model, to: destination.model, policies: .builtIn())
  }
}

/// A mapping model and how it fits its models, as text for people.
enum MappingText {
  static func write(_ explanation: MappingExplanation, to output: any TextOutput, terminal: Terminal) throws {
    try output.writeLine(verdict(explanation).visible)
    try output.writeLine(names(explanation.file).visible)
    try output.writeLine()
    try writeVersions(explanation, to: output, terminal: terminal)
    if explanation.fits {
      try output.writeLine()
      try output.writeLine(explanation.strategy.visible)
      for (place, mapping) in explanation.mappingModel.entityMappings.enumerated() {
        try output.writeLine()
        try write(mapping, number: place + 1, to: output)
      }
    } else if explanation.file.isCompiled {
      try output.writeLine()
      try MappingHashes.write(explanation, to: output, terminal: terminal)
      try MappingDifferences.write(explanation, to: output, terminal: terminal)
    }
    let records = explanation.remarks
    guard !records.isEmpty else { return }
    try output.writeLine()
    let writer = OutputFormat.table.makeWriter(to: output, terminal: terminal)
    try writer.begin(columns: ["severity", "entity mapping", "property", "finding", "advice"])
    for record in records {
      try writer.write([
        .string(record.severity.rawValue), FieldValue(record.entityMappingName), FieldValue(record.propertyName),
        .string(record.problem), .string(record.adviceText),
      ])
    }
    try writer.end()
  }

  private static func verdict(_ explanation: MappingExplanation) -> String {
    let (source, destination) = (explanation.source.name, explanation.destination.name)
    guard !explanation.fits else {
      return "'\(explanation.file.path)' fits: it leads from '\(source)' to '\(destination)'."
    }
    let errors = explanation.remarks.count { $0.severity == .error }
    let reasons = errors.counting("reason")
    return "'\(explanation.file.path)' does not lead from '\(source)' to '\(destination)', for \(reasons)."
  }

  private static func names(_ file: MappingModelFile) -> String {
    guard !file.isCompiled else {
      return "It is compiled and names no versions: the version hashes of its entities tell which ones fit."
    }
    let source = file.sourceModelVersionName.map { "'\($0)'" } ?? "no version"
    let destination = file.destinationModelVersionName.map { "'\($0)'" } ?? "no version"
    return "Its file names \(source) as the source and \(destination) as the destination."
  }

  private static func writeVersions(
    _ explanation: MappingExplanation, to output: any TextOutput, terminal: Terminal
  ) throws {
    let writer = OutputFormat.table.makeWriter(to: output, terminal: terminal)
    try writer.begin(columns: ["version", "as source", "as destination"])
    for version in explanation.versions {
      let text: (MappingSideFit?) -> FieldValue = { side in
        version.model == nil ? .string("cannot be read") : FieldValue(side.map(Self.text))
      }
      try writer.write([.string(version.versionName), text(version.asSource), text(version.asDestination)])
    }
    try writer.end()
  }

  private static func text(_ fit: MappingSideFit) -> String {
    var words = fit.isNamed.map { [$0 ? "named" : "not named"] } ?? []
    if !fit.missing.isEmpty { words.append("\(fit.missing.count) missing") }
    if !fit.differing.isEmpty { words.append("\(fit.differing.count) differing") }
    if fit.fits { words.append("fits") }
    return words.joined(separator: ", ")
  }

  private static func write(_ mapping: EntityMapping, number: Int, to output: any TextOutput) throws {
    let entities = [mapping.sourceEntityName.map { "from \($0)" }, mapping.destinationEntityName.map { "to \($0)" }]
    let words = [mapping.mappingType.word] + entities.compactMap(\.self)
    try output.writeLine("\(number). \(mapping.name): \(words.joined(separator: " "))".visible)
    var facts: [EntityFacts.Fact] = []
    if let policy = mapping.entityMigrationPolicyClassName { facts.append(("policy", policy)) }
    if let filter = mapping.filterPredicate { facts.append(("filter", "\(filter)")) }
    for (key, value) in mapping.userInfo.sorted(by: { $0.key < $1.key }) {
      facts.append(("user info", "\(key)=\(value)"))
    }
    try IndentedText.write(facts, indent: "  ", to: output)
    let rows: [[FieldValue]] =
      mapping.attributeMappings.map { row($0, "attribute", "default value") }
      + mapping.relationshipMappings.map { row($0, "relationship", "empty") }
    if !rows.isEmpty { try IndentedText.write(["property", "kind", "value"], rows, to: output) }
  }

  private static func row(_ property: PropertyMapping, _ kind: String, _ absence: String) -> [FieldValue] {
    [.string(property.name), .string(kind), .string(property.valueExpression.map { "\($0)" } ?? absence)]
  }
}

extension EntityMapping.MappingType {
  /// The type as a word.
  var word: String {
    switch self {
    case .undefined: "undefined"
    case .custom: "custom"
    case .add: "add"
    case .remove: "remove"
    case .copy: "copy"
    case .transform: "transform"
    }
  }
}

/// A mapping model and how it matches its models, as JSON.
enum MappingJSON {
  static func text(of explanation: MappingExplanation) -> String {
    let file = explanation.file
    return JSONObject {
      $0.add("format_version", .integer(1))
      $0.add("mapping_model", .path(file.path))
      $0.add("is_compiled", .boolean(file.isCompiled))
      $0.add("source_model_path", FieldValue(file.sourceModelPath))
      $0.add("destination_model_path", FieldValue(file.destinationModelPath))
      $0.add("verdict", .string(explanation.fits ? "fits" : "differs"))
      if explanation.fits { $0.add("strategy", .string(explanation.strategy)) }
      $0.add("source", .path(explanation.source.name))
      $0.add("destination", .path(explanation.destination.name))
      $0.add(
        "version_pairs",
        objects: explanation.pairs.map { pair in
          JSONObject {
            $0.add("source", .string(pair.source))
            $0.add("destination", .string(pair.destination))
          }
        })
      $0.add("versions", objects: explanation.versions.map(object))
      $0.add("entity_mappings", objects: explanation.mappingModel.entityMappings.map(object))
      $0.add("findings", objects: explanation.remarks.map(object))
      $0.add("differences", objects: MappingDifferences.objects(explanation))
    }.text
  }

  private static func object(_ version: MappingVersionFit) -> JSONObject {
    JSONObject {
      $0.add("name", .string(version.versionName))
      $0.add("is_readable", .boolean(version.model != nil))
      if let fit = version.asSource { $0.add("as_source", object: object(fit)) }
      if let fit = version.asDestination { $0.add("as_destination", object: object(fit)) }
    }
  }

  private static func object(_ fit: MappingSideFit) -> JSONObject {
    JSONObject {
      $0.add("fits", .boolean(fit.fits))
      $0.add("is_named", fit.isNamed.map { .boolean($0) } ?? .null)
      $0.add(
        "entities",
        objects: fit.entities.map { entity in
          JSONObject {
            $0.add("name", .string(entity.name))
            $0.add("fits", .boolean(entity.fits))
            $0.add("mapping_model_version_hash", FieldValue(entity.fileHash?.description))
            $0.add("version_hash", FieldValue(entity.modelHash?.description))
          }
        })
    }
  }

  private static func object(_ mapping: EntityMapping) -> JSONObject {
    JSONObject {
      $0.add("name", .string(mapping.name))
      $0.add("type", .string(mapping.mappingType.word))
      $0.add("source", FieldValue(mapping.sourceEntityName))
      $0.add("destination", FieldValue(mapping.destinationEntityName))
      $0.add("policy", FieldValue(mapping.entityMigrationPolicyClassName))
      $0.add("filter", FieldValue(mapping.filterPredicate.map { "\($0)" }))
      $0.add(
        "user_info",
        object: JSONObject { info in
          for (key, value) in mapping.userInfo.sorted(by: { $0.key < $1.key }) { info.add(key, .string(value)) }
        })
      $0.add("attributes", objects: mapping.attributeMappings.map(object))
      $0.add("relationships", objects: mapping.relationshipMappings.map(object))
    }
  }

  private static func object(_ property: PropertyMapping) -> JSONObject {
    JSONObject {
      $0.add("name", .string(property.name))
      $0.add("expression", FieldValue(property.valueExpression.map { "\($0)" }))
    }
  }

  private static func object(_ record: ModelFinding) -> JSONObject {
    JSONObject {
      $0.add("severity", .string(record.severity.rawValue))
      $0.add("id", .string(record.id))
      $0.add("entity_mapping", FieldValue(record.entityMappingName))
      $0.add("property", FieldValue(record.propertyName))
      $0.add("finding", .string(record.problem))
      $0.add("advice", .string(record.adviceText))
    }
  }
}
