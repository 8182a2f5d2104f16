package import DataModel
package import MappingModels
package import Migration
internal import MigrationDiagnostics

/// Looks for what will lead to trouble in mapping models: in each of them, and in all of them together.
package struct MappingLint {
  /// The remarks, file by file.
  package private(set) var remarks: [ModelFinding] = []
  /// The pairs of versions that the mapping models lead between.
  package private(set) var pairs: Set<ModelVersionPair> = []

  private let versions: [(name: String, model: Result<NamedModel, MigrationError>)]
  private let policies: PolicyRegistry
  private let listsLeftovers: Bool
  /// Which file makes instances of a destination entity out of those of a source entity, between two versions.
  private var makers: [Work: (path: String, name: String)] = [:]

  private struct Work: Hashable {
    let versions: [String?]
    let source: String
    let destination: String
  }

  /// Begins to look.
  ///
  /// - Parameters:
  ///   - bundle: The versions that the mapping models lead between; without it only the files themselves are looked at.
  ///   - policies: The policies that a migration would have.
  ///   - listsLeftovers: Whether every object that Xcode's editor left behind is told, or only their number.
  package init(bundle: ModelBundle?, policies: PolicyRegistry, listsLeftovers: Bool = false) {
    // The versions are read once, however many mapping models there are.
    versions = bundle?.loadVersions() ?? []
    self.policies = policies
    self.listsLeftovers = listsLeftovers
  }

  /// Looks at one more mapping model.
  package mutating func check(path: String) {
    do throws(MappingModelFileError) {
      check(try MappingModelFile(path: path))
    } catch {
      var finding = ModelFinding(
        "unreadable-mapping-model", .error,
        (error.line.map { "line \($0): " } ?? "") + "\(error.problem)".withoutPeriod,
        "correct the file, or save it in Xcode again")
      finding.mappingModelPath = path
      remarks.append(finding)
    }
  }

  private mutating func check(_ file: MappingModelFile) {
    var found: [ModelFinding]
    var leadsBetween: [[String?]] = []
    let fits = versions.map { MappingVersionFit($0.name, $0.model, file) }
    if let explanation = MappingExplanation(of: file, among: fits, listsLeftovers: listsLeftovers) {
      found = explanation.remarks
      pairs.formUnion(explanation.pairs)
      leadsBetween = explanation.pairs.map { [$0.source, $0.destination] }
    } else {
      found = ModelFinding.all(about: file, listsLeftovers: listsLeftovers)
      if file.sourceModelPath != nil, file.destinationModelPath != nil {
        leadsBetween = [
          [
            file.sourceModelBundleName, file.sourceModelVersionName, file.destinationModelBundleName,
            file.destinationModelVersionName,
          ]
        ]
      }
    }
    for mapping in file.entityMappings {
      guard let policy = mapping.entityMigrationPolicyClassName, policies.makePolicy(named: policy) == nil else {
        continue
      }
      found.append(
        ModelFinding(
          "unregistered-policy", .suggestion, "the policy '\(policy)' is none of this program",
          "name one for it with \(.policy), as in '\(policy)=…', or add it to a migrator of your own", in: file,
          mapping: mapping.name))
    }
    var overlaps: [ModelFinding] = []
    for versions in leadsBetween { overlaps += self.overlaps(of: file, between: versions) }
    // Between several pairs of versions it is told once.
    var seen: Set<ModelFinding> = []
    found += overlaps.filter { seen.insert($0).inserted }
    remarks += found.worstFirst()
  }

  /// Instances that another file makes already.
  private mutating func overlaps(of file: MappingModelFile, between versions: [String?]) -> [ModelFinding] {
    let known = makers
    return file.entityMappings.compactMap { mapping in
      guard let source = mapping.sourceEntityName, let destination = mapping.destinationEntityName else { return nil }
      let work = Work(versions: versions, source: source, destination: destination)
      makers[work] = makers[work] ?? (file.path, mapping.name)
      // Two mappings within one file may share the work by their filters.
      guard let other = known[work] else { return nil }
      let hasSameName = other.name == mapping.name
      return ModelFinding(
        "covered-twice", hasSameName ? .error : .warning,
        "'\(other.path)' makes instances of '\(destination)' out of those of '\(source)' too"
          + (hasSameName ? ", under the same name" : ", so that there would be twice as many"),
        "leave one of the two out", in: file, mapping: mapping.name)
    }
  }
}

extension ModelFinding {
  /// A finding about a mapping model.
  init(
    _ id: String, _ severity: Severity, _ problem: String, _ advice: Advice, in file: MappingModelFile,
    mapping: String? = nil, property: String? = nil
  ) {
    self.init(id, severity, problem, advice, property: property)
    (mappingModelPath, entityMappingName) = (file.path, mapping)
  }

  /// A finding of the reader or the resolver.
  init(_ finding: MappingModelFinding, in file: MappingModelFile, severity: Severity? = nil) {
    let rule = finding.rule
    self.init(
      rule.id, severity ?? rule.severity, finding.sentence, "\(rule.advice)", in: file,
      mapping: finding.entityMappingName,
      property: finding.propertyName)
  }

  /// The finding that a mapping model leads nowhere.
  static func sameVersion(_ name: String, in file: MappingModelFile) -> ModelFinding {
    ModelFinding(
      "same-version", .error, "it leads from '\(name)' to the same version",
      "a mapping model leads from one version to another", in: file)
  }

  /// Returns the remarks on the file itself, without any model.
  ///
  /// - Parameter listsLeftovers: Whether every object that Xcode's editor left behind is told, or only their number.
  static func all(about file: MappingModelFile, listsLeftovers: Bool) -> [ModelFinding] {
    let (leftovers, others) = (file.findings.filter(\.isLeftover), file.findings.filter { !$0.isLeftover })
    var remarks = others.map { ModelFinding($0, in: file) }
    if listsLeftovers {
      remarks += leftovers.map { ModelFinding($0, in: file) }
    } else if !leftovers.isEmpty {
      let entityMappings = leftovers.count { $0.kind == .orphanEntityMapping }
      let propertyMappings = leftovers.count { $0.kind == .orphanPropertyMapping }
      if entityMappings + propertyMappings > 0 {
        let counts = [
          entityMappings > 0 ? entityMappings.counting("entity mapping") : nil,
          propertyMappings > 0 ? propertyMappings.counting("property mapping") : nil,
        ].compactMap(\.self)
        remarks.append(
          ModelFinding(
            "leftovers", .suggestion, "the file holds remains that nothing uses: \(counts.joined(separator: " and "))",
            "leave them; \(.verbose) lists them", in: file))
      }
    }
    if let source = file.sourceModelVersionName, source == file.destinationModelVersionName,
      file.sourceModelBundleName == file.destinationModelBundleName
    {
      remarks.append(.sameVersion(source, in: file))
    }
    return remarks
  }
}

extension MappingModelFinding {
  /// The stable name, the severity as far as it does not depend on the models, and the advice.
  fileprivate var rule: (id: String, severity: ModelFinding.Severity, advice: String) {
    switch kind {
    case .orphanEntityMapping: ("orphan-entity-mapping", .suggestion, "leave it")
    case .orphanPropertyMapping: ("orphan-property-mapping", .suggestion, "leave it")
    case .orphanNumberClash: ("orphan-number-clash", .suggestion, "leave it")
    case .numberClash: ("number-clash", .warning, "set the order in Xcode, if it matters")
    case .missingNumber: ("missing-number", .warning, "set the order in Xcode, if it matters")
    case .unknownObject: ("unknown-object", .warning, "be sure that it can be passed over")
    case .unknownAttribute: ("unknown-attribute", .warning, "be sure that it can be passed over")
    case .unexpectedType: ("unexpected-type", .suggestion, "leave it")
    case .unknownMappingType: ("unknown-mapping-type", .warning, "be sure that it can be passed over")
    case .duplicateProperty: ("duplicate-property", .warning, "remove all but one")
    case .userInfoDescribed: ("user-info-not-text", .warning, "use text")
    case .unmentionedProperty: ("unmentioned-property", .suggestion, "add it to the mapping, if it should have a value")
    case .unknownProperty: ("unknown-property", .warning, "correct its name, or remove it")
    case .renamedProperty: ("renamed-property", .suggestion, "write the expression out")
    case .noDestinationInstances:
      ("no-destination-instances", .warning, "add an entity mapping, or leave it to a policy")
    case .duplicateEntityMapping: ("duplicate-entity-mapping", .error, "rename all but one")
    case .noEntities: ("no-entities", .error, "choose its entities, or remove it")
    case .unreadableExpression: ("unreadable-expression", .error, "correct the expression")
    case .unreadableFilterPredicate: ("unreadable-filter-predicate", .error, "correct the filter")
    case .unreadableUserInfo: ("unreadable-user-info", .error, "use text")
    case .missingEntity: ("missing-entity", .error, "choose the entity again, or another version")
    case .versionHashMismatch:
      ("version-hash-mismatch", .error, "make the mapping model again for this version, or use the one it was made for")
    case .unknownEntityMapping: ("unknown-entity-mapping", .error, "choose the entity mapping again")
    case .unclearEntityMapping: ("unclear-entity-mapping", .error, "choose the entity mapping again")
    }
  }
}
