internal import DataModel

extension MappingRemark {
  /// What the file tells of itself, without any model.
  ///
  /// - Parameter listsLeftovers: Whether every object that Xcode's editor left behind is told, or only their number.
  static func all(about file: MappingModelFile, listsLeftovers: Bool) -> [MappingRemark] {
    let (leftovers, others) = (file.findings.filter(\.isLeftover), file.findings.filter { !$0.isLeftover })
    var remarks = others.map { MappingRemark($0, in: file) }
    if listsLeftovers {
      remarks += leftovers.map { MappingRemark($0, in: file) }
    } else if !leftovers.isEmpty {
      let entityMappings = leftovers.count { $0.kind == .orphanEntityMapping }
      let propertyMappings = leftovers.count { $0.kind == .orphanPropertyMapping }
      if entityMappings + propertyMappings > 0 {
        remarks.append(
          MappingRemark(
            .suggestion, .leftovers(entityMappings: entityMappings, propertyMappings: propertyMappings), in: file))
      }
    }
    if let source = file.sourceModelVersionName, source == file.destinationModelVersionName,
      file.sourceModelBundleName == file.destinationModelBundleName
    {
      remarks.append(MappingRemark(.error, .sameVersion(source), in: file))
    }
    return remarks
  }

  /// A finding of the reader or the resolver.
  init(_ finding: MappingModelFinding, in file: MappingModelFile, severity: ModelFinding.Severity? = nil) {
    self.init(
      severity ?? finding.severity, .finding(finding), in: file, mapping: finding.entityMappingName,
      property: finding.propertyName)
  }
}

extension MappingModelFinding {
  /// Whether it is about a remain of what was deleted in Xcode's editor.
  fileprivate var isLeftover: Bool {
    switch kind {
    case .orphanEntityMapping, .orphanPropertyMapping, .orphanNumberClash: true
    default: false
    }
  }

  /// How bad it is, as far as that does not depend on the models.
  fileprivate var severity: ModelFinding.Severity {
    if isBlocking { return .error }
    switch kind {
    case .orphanEntityMapping, .orphanPropertyMapping, .orphanNumberClash, .unexpectedType, .unmentionedProperty,
      .renamedProperty:
      return .suggestion
    default: return .warning
    }
  }
}
