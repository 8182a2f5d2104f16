package import DataModel
package import MappingModels
package import Migration
internal import MigrationDiagnostics

/// Looks for what will lead to trouble in mapping models: in each of them, and in all of them together.
package struct MappingLint {
  /// The remarks, file by file.
  package private(set) var remarks: [MappingRemark] = []
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
      remarks.append(MappingRemark(.error, .unreadable(error), path: path))
    }
  }

  private mutating func check(_ file: MappingModelFile) {
    var found: [MappingRemark]
    var leadsBetween: [[String?]] = []
    let fits = versions.map { MappingVersionFit($0.name, $0.model, file) }
    if let explanation = MappingExplanation(of: file, among: fits, listsLeftovers: listsLeftovers) {
      found = explanation.remarks
      pairs.formUnion(explanation.pairs)
      leadsBetween = explanation.pairs.map { [$0.source, $0.destination] }
    } else {
      found = MappingRemark.all(about: file, listsLeftovers: listsLeftovers)
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
      found.append(MappingRemark(.suggestion, .unregisteredPolicy(policy), in: file, mapping: mapping.name))
    }
    var overlaps: [MappingRemark] = []
    for versions in leadsBetween { overlaps += self.overlaps(of: file, between: versions) }
    // Between several pairs of versions it is told once.
    var seen: Set<MappingRemark> = []
    found += overlaps.filter { seen.insert($0).inserted }
    remarks += found.worstFirst()
  }

  /// Instances that another file makes already.
  private mutating func overlaps(of file: MappingModelFile, between versions: [String?]) -> [MappingRemark] {
    let known = makers
    return file.entityMappings.compactMap { mapping in
      guard let source = mapping.sourceEntityName, let destination = mapping.destinationEntityName else { return nil }
      let work = Work(versions: versions, source: source, destination: destination)
      makers[work] = makers[work] ?? (file.path, mapping.name)
      // Two mappings within one file may share the work by their filters.
      guard let other = known[work] else { return nil }
      let hasSameName = other.name == mapping.name
      return MappingRemark(
        hasSameName ? .error : .warning,
        .coveredTwice(
          source: source, destination: destination, otherPath: other.path, hasSameName: hasSameName), in: file,
        mapping: mapping.name)
    }
  }
}

/// Something about a mapping model that will or may lead to trouble: what its file holds, or how it fits its models.
///
/// A remark holds facts only; the code that presents it writes the text.
package struct MappingRemark: Sendable, Hashable {
  /// The kinds of problems.
  package enum Problem: Sendable, Hashable {
    /// The file cannot be used at all.
    case unreadable(MappingModelFileError)
    /// A finding from reading the file or joining it with its models.
    case finding(MappingModelFinding)
    /// The remains of deleted mappings in the file.
    case leftovers(entityMappings: Int, propertyMappings: Int)

    // Versions.
    /// The file names a version that the bundle does not have.
    case unknownVersion(String, MappingModelFinding.Side, nearest: String?)
    /// The file names another version than the one it is compared with.
    case otherVersion(named: String, MappingModelFinding.Side, actual: String)
    /// The file leads from a version to the same version.
    case sameVersion(String)
    /// Two mapping models make instances of one entity out of the same instances, between the same versions.
    case coveredTwice(source: String, destination: String, otherPath: String, hasSameName: Bool)

    // Values.
    /// An expression or filter asks for a property that the source entity lacks.
    case unknownSourceKey(String, entity: String, nearest: String?)
    /// A relationship that the source has too is left empty.
    case unsetRelationship
    /// The policy is none of those that are registered.
    case unregisteredPolicy(String)
  }

  package let severity: ModelFinding.Severity
  /// The file.
  package let path: String
  /// The entity mapping, if it is about one.
  package let entityMappingName: String?
  /// The destination property, if it is about one.
  package let propertyName: String?
  /// The problem.
  package let problem: Problem

  init(
    _ severity: ModelFinding.Severity, _ problem: Problem, in file: MappingModelFile, mapping: String? = nil,
    property: String? = nil
  ) {
    self.init(severity, problem, path: file.path, mapping: mapping, property: property)
  }

  init(
    _ severity: ModelFinding.Severity, _ problem: Problem, path: String, mapping: String? = nil,
    property: String? = nil
  ) {
    self.severity = severity
    self.path = path
    entityMappingName = mapping
    propertyName = property
    self.problem = problem
  }
}

extension [MappingRemark] {
  /// The worst first, and otherwise as they are.
  func worstFirst() -> [MappingRemark] {
    ModelFinding.Severity.allCases.flatMap { severity in filter { $0.severity == severity } }
  }
}

extension MappingRemark {
  /// Returns the remarks on the file itself, without any model.
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
  /// The severity, as far as it does not depend on the models.
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

extension MappingRemark {
  /// A stable name, for programs.
  package var name: String {
    switch problem {
    case .unreadable: "unreadable-mapping-model"
    case .finding(let finding): finding.kind.name
    case .leftovers: "leftovers"
    case .unknownVersion: "unknown-version"
    case .otherVersion: "other-version"
    case .sameVersion: "same-version"
    case .coveredTwice: "covered-twice"
    case .unknownSourceKey: "unknown-source-key"
    case .unsetRelationship: "unset-relationship"
    case .unregisteredPolicy: "unregistered-policy"
    }
  }
}

extension MappingModelFinding.Kind {
  /// A stable name, for programs.
  fileprivate var name: String {
    switch self {
    case .orphanEntityMapping: "orphan-entity-mapping"
    case .orphanPropertyMapping: "orphan-property-mapping"
    case .orphanNumberClash: "orphan-number-clash"
    case .numberClash: "number-clash"
    case .missingNumber: "missing-number"
    case .unknownObject: "unknown-object"
    case .unknownAttribute: "unknown-attribute"
    case .unexpectedType: "unexpected-type"
    case .unknownMappingType: "unknown-mapping-type"
    case .duplicateProperty: "duplicate-property"
    case .userInfoDescribed: "user-info-not-text"
    case .unmentionedProperty: "unmentioned-property"
    case .unknownProperty: "unknown-property"
    case .renamedProperty: "renamed-property"
    case .noDestinationInstances: "no-destination-instances"
    case .duplicateEntityMapping: "duplicate-entity-mapping"
    case .noEntities: "no-entities"
    case .unreadableExpression: "unreadable-expression"
    case .unreadableFilterPredicate: "unreadable-filter-predicate"
    case .unreadableUserInfo: "unreadable-user-info"
    case .missingEntity: "missing-entity"
    case .versionHashMismatch: "version-hash-mismatch"
    case .unknownEntityMapping: "unknown-entity-mapping"
    case .unclearEntityMapping: "unclear-entity-mapping"
    }
  }
}
