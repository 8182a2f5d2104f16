package import Migration
package import Pictures

extension Diagram {
  /// The versions that a migration goes through, and how each hop is made.
  package init(_ plan: MigrationPlan, of name: String) {
    let versions = [plan.source] + plan.steps.map(\.destination)
    let boxes = versions.enumerated().map { place, version in
      Diagram.Box(version.name, note: place == 0 ? "what \(name) has" : place == versions.count - 1 ? "wanted" : nil)
    }
    let arrows = plan.steps.enumerated().map { place, step in
      let strategy = plan.strategies.indices.contains(place) ? ["\(plan.strategies[place])"] : []
      let removals = plan.removals.filter { $0.sourceVersion == step.source.name }.map {
        "loses \($0.count) of '\($0.entity)'"
      }
      let remarks = step.remarks
      return Diagram.Arrow(
        place, place + 1,
        [step.method.summary] + strategy + remarks.prefix(4)
          + (remarks.count > 4 ? ["and \(remarks.count - 4) more remarks"] : []) + removals)
    }
    self.init(.chain, "From '\(plan.source.name)' to '\(plan.destination.name)'", boxes, arrows)
  }
}
