public import DataModel

/// Something about a mapping model that will or may lead to trouble: what its file holds, or how it fits its models.
///
/// A remark holds facts only; whoever shows it to people finds the words.
public struct MappingRemark: Sendable, Hashable {
  /// What it is.
  public enum Problem: Sendable, Hashable {
    /// The file cannot be used at all.
    case unreadable(MappingModelFileError)
    /// What was found when the file was read or joined with its models.
    case finding(MappingModelFinding)
    /// How many remains of deleted mappings the file holds.
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

  /// How bad it is.
  public let severity: ModelFinding.Severity
  /// The file.
  public let path: String
  /// The entity mapping, if it is about one.
  public let entityMappingName: String?
  /// The destination property, if it is about one.
  public let propertyName: String?
  /// What it is.
  public let problem: Problem

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
