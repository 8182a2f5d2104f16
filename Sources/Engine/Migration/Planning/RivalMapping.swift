package import MigrationDiagnostics

/// A mapping model that fits a hop, does something else than the ones that make it, and is passed over because they are
/// nearer to the model.
///
/// Which of them an app is built with is not known: a project may have both, or one may be an old copy.
package struct RivalMapping: Sendable, Hashable {
  /// The mapping model that is not used.
  package let mapping: LoadedMappingModel
  /// The files that are used.
  package let usedPaths: [String]

  /// The problem.
  var problem: String {
    let used = usedPaths.map { "'\($0)'" }.joined(separator: ", ")
    return "the mapping model '\(mapping.path)' fits the hop from '\(mapping.sourceVersionName)' to "
      + "'\(mapping.destinationVersionName)' too and does something else, but \(used) is used, which is nearer to the "
      + "model"
  }

  /// The problem, and the advice.
  package var warning: Advice { "\(problem); name the one that is meant with \(.mapping), or remove the other" }
}

extension MigrationPlan {
  /// Returns those of the mapping models that were passed over which would do something else in a hop of the plan.
  func rivals(among displaced: [LoadedMappingModel], of mappings: [LoadedMappingModel]) -> [RivalMapping] {
    displaced.compactMap { mapping in
      guard steps.contains(where: { $0.isMade(by: mapping) }) else { return nil }
      let used = mappings.filter {
        $0.sourceVersionName == mapping.sourceVersionName && $0.destinationVersionName == mapping.destinationVersionName
      }
      guard !used.isEmpty, !used.contains(where: mapping.isCopy) else { return nil }
      return RivalMapping(mapping: mapping, usedPaths: used.map(\.path))
    }
  }
}
