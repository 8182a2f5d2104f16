internal import DataModel

extension MigrationStep {
  /// What is logged of a hop before it is carried out: both models by their version hashes, and what is done.
  func announcement(path: String, _ index: Int, _ count: Int) -> String {
    let hop = count == 1 ? "" : ", hop \(index + 1) of \(count)"
    let lines =
      ["migrating '\(path)' from '\(source.name)' to '\(destination.name)', \(method.summary)\(hop)", "source model"]
      + Self.hashes(source.model) + ["destination model"] + Self.hashes(destination.model) + method.mappingLines
    return lines.joined(separator: "\n")
  }

  private static func hashes(_ model: ManagedObjectModel) -> [String] {
    model.entities.map { "  \($0.name) = \($0.versionHash)" }
  }
}

extension MigrationStep.Method {
  /// How a hop is done, for people.
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
