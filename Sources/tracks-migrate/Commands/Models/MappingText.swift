import CommandLineKit
import DataModel
import Migration

/// A mapping model and how it fits its models, as text for people.
enum MappingText {
  static func write(_ explanation: MappingExplanation, to output: any TextOutput, terminal: Terminal) throws {
    try output.writeLine(verdict(explanation).visible)
    try output.writeLine(names(explanation.file).visible)
    try output.writeLine()
    try writeVersions(explanation, to: output, terminal: terminal)
    if explanation.fits {
      for (place, mapping) in explanation.mappingModel.entityMappings.enumerated() {
        try output.writeLine()
        try write(mapping, number: place + 1, to: output)
      }
    } else if explanation.file.isCompiled {
      try output.writeLine()
      try MappingHashes.write(explanation, to: output, terminal: terminal)
      try MappingDifferences.write(explanation, to: output, terminal: terminal)
    }
    let records = explanation.remarks.map { LintRecord($0) }
    guard !records.isEmpty else { return }
    try output.writeLine()
    let writer = OutputFormat.table.makeWriter(to: output, terminal: terminal)
    try writer.begin(columns: ["severity", "entity mapping", "property", "finding", "advice"])
    for record in records {
      try writer.write([
        .string(record.severity.rawValue), FieldValue(record.entityMapping), FieldValue(record.property),
        .string(record.problem), .string(record.advice),
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
    let reasons = ChangeWording.count(errors, "reason", "reasons")
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
