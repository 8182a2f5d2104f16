internal import DataModel

extension MappingInference {
  /// The reasons in their order, without those that an entity only inherits.
  var sortedReasons: [InferenceError.Reason] {
    let all = Set(reasons)
    return all.filter { reason in
      var inherited = reason
      guard reason.property != nil, let parent = destination.entity(reason.entity)?.superentityName else { return true }
      inherited.entity = parent
      return !all.contains(inherited)
    }
    .sorted { Self.precedes(($0.entity, $0.property, "\($0)"), ($1.entity, $1.property, "\($1)")) }
  }

  /// The findings in their order, without those that an entity only inherits.
  var sortedFindings: [InferenceFinding] {
    let all = Set(findings)
    return all.filter { finding in
      var inherited = finding
      let tree = finding.kind.isOfSource ? source : destination
      guard finding.property != nil, let parent = tree.entity(finding.entity)?.superentityName else { return true }
      inherited.entity = parent
      return !all.contains(inherited)
    }
    .sorted { Self.precedes(($0.entity, $0.property, "\($0)"), ($1.entity, $1.property, "\($1)")) }
  }

  private static func precedes(
    _ left: (entity: String, property: String?, text: String),
    _ right: (entity: String, property: String?, text: String)
  ) -> Bool {
    if left.entity != right.entity { return left.entity.precedesByBytes(right.entity) }
    if left.property != right.property { return (left.property ?? "").precedesByBytes(right.property ?? "") }
    return left.text.precedesByBytes(right.text)
  }
}

extension InferenceFinding.Kind {
  /// Whether the finding has the names of the source.
  fileprivate var isOfSource: Bool {
    switch self {
    case .entityRemoved, .attributeRemoved, .relationshipRemoved: true
    default: false
    }
  }
}
