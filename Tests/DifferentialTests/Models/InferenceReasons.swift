import Migration

/// Compares the reasons for a refused inference with the expected ones.
enum InferenceReasons {
  /// Returns the reasons in an error, in the words of the expectation.
  static func facts(_ error: InferenceError) -> Set<[String]> {
    Set(
      error.reasons.map { reason in
        let what =
          switch reason.kind {
          case .attributeNeedsDefault: "needs default"
          case .relationshipNeedsDestination: "needs destination"
          case .incompatibleTypes: "types"
          case .toManyBecomesToOne: "becomes to-one"
          case .destinationOutside(let entity, _): "leads outside to \(entity)"
          case .mergedHierarchies: "merged hierarchies"
          case .ambiguousRenaming: "ambiguous renaming"
          case .defaultNotExpressible: "\(reason.kind)"
          }
        return [reason.entity, reason.property ?? "", what]
      })
  }

  /// An entity need not repeat a reason that it inherits.
  static func difference(_ facts: Set<[String]>, from expected: ExpectedInference) -> String? {
    let excess = facts.subtracting(expected.reasons)
    let missing = expected.reasons.filter { reason in
      !expected.new.lineage(reason[0]).contains { facts.contains([$0, reason[1], reason[2]]) }
    }
    guard !excess.isEmpty || !missing.isEmpty else { return nil }
    return "reasons that are not expected: \(excess), that are missing: \(missing)"
  }
}
