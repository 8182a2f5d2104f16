import CommandLineKit
import DataModel
import Migration
import PersistentStore

/// A model as text for people.
enum ModelText {
  static func text(of model: NamedModel, _ versions: ModelVersionList) throws -> String {
    let output = MemoryOutput()
    try IndentedText.write(facts(of: model, versions), indent: "", to: output)
    for entity in model.model.entities {
      try output.writeLine()
      try output.writeLine(entity.name.visible)
      try IndentedText.write(EntityFacts.all(of: entity), indent: "  ", to: output)
      let records = PropertyRecord.all(of: entity)
      if !records.isEmpty {
        let rows = records.map { [FieldValue($0.property)] + $0.values }
        try IndentedText.write(["property"] + PropertyRecord.columns, rows, to: output)
      }
    }
    return output.text
  }

  private static func facts(of model: NamedModel, _ versions: ModelVersionList) -> [EntityFacts.Fact] {
    var facts: [EntityFacts.Fact] = [("model", model.name)]
    if !versions.names.isEmpty {
      let names = versions.names.map { $0 == versions.current ? "\($0) (current)" : $0 }
      facts.append(("versions", names.joined(separator: ", ")))
    }
    let identifiers = model.model.versionIdentifiers.map { "\"\($0)\"" }
    facts.append(("identifiers", identifiers.isEmpty ? "none" : identifiers.joined(separator: ", ")))
    facts.append(("checksum", model.model.versionChecksum.base64))
    facts.append(("entities", NumberFormat.grouped(model.model.entities.count)))
    for (name, members) in model.model.configurations.sorted(by: { $0.key < $1.key }) {
      facts.append(("configuration", "\(name) (\(members.joined(separator: ", ")))"))
    }
    for request in model.model.fetchRequestTemplates {
      let condition = request.predicate.map { " where \($0)" } ?? ""
      facts.append(("fetch request", "\(request.name) (\(request.entityName)\(condition))"))
    }
    return facts
  }
}
