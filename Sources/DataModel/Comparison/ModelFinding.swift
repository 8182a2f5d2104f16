/// Something in a model, or in the versions of a model, that will or may lead to trouble.
///
/// A finding holds facts only; whoever shows it to people finds the words.
public struct ModelFinding: Sendable, Hashable {
  /// How bad it is.
  public enum Severity: String, Sendable, Hashable, CaseIterable {
    /// It cannot work.
    case error
    /// It works, but hardly as it is meant.
    case warning
    /// It would be better otherwise, now or one day.
    case suggestion
  }

  /// What was found.
  public enum Problem: Sendable, Hashable {
    // Versions.
    case unreadableVersion(ModelFileError)
    case currentVersionUnknown(ModelFileError)
    case currentVersionIsNotNewest(newest: String)
    case sameAsVersion(String)
    /// Equal version hashes, but not the same content: stores will not be migrated.
    case sameHashesAsVersion(String, changes: [ModelChange])

    // Relationships.
    case noInverse
    /// The inverse leads back by another relationship, or by none.
    case inverseDisagrees(inverse: String, inverseOfInverse: String?)
    case contradictoryCounts(minCount: Int32, maxCount: Int32)
    case orderedToOne
    /// Old versions of Xcode wrote this for every to-one relationship.
    case optionalWithMinimum(minCount: Int32, isToMany: Bool)
    case cascadeFromBothSides(inverse: String)
    case noActionOnDelete

    // Attributes.
    /// Neither a lightweight migration nor an old instance has a value for it.
    case newlyRequiredWithoutDefault(since: String)
    case requiredWithoutDefault
    /// The text of the default value is none of the attribute's type.
    case unreadableDefault(String)
    case differsInCaseOnly(other: String)

    // Entities.
    case manyColumns(Int)
    case abstractWithoutSubentities
    case withoutProperties

    /// Nothing is wrong; a last chance to add what later versions need.
    case spareRoom
  }

  /// The version that it was found in; `nil` when it is about the bundle.
  public let versionName: String?
  /// The entity.
  public let entityName: String?
  /// The property.
  public let propertyName: String?
  /// What was found.
  public let problem: Problem

  /// Creates a finding.
  public init(
    _ problem: Problem, versionName: String? = nil, entityName: String? = nil, propertyName: String? = nil
  ) {
    self.problem = problem
    self.versionName = versionName
    self.entityName = entityName
    self.propertyName = propertyName
  }
}

extension ModelFinding {
  /// How bad it is.
  public var severity: Severity {
    switch problem {
    case .unreadableVersion, .currentVersionUnknown, .contradictoryCounts: .error
    case .currentVersionIsNotNewest, .sameAsVersion, .sameHashesAsVersion, .noInverse, .inverseDisagrees,
      .orderedToOne, .cascadeFromBothSides, .noActionOnDelete, .newlyRequiredWithoutDefault, .unreadableDefault,
      .differsInCaseOnly, .manyColumns:
      .warning
    case .optionalWithMinimum(_, let isToMany): isToMany ? .warning : .suggestion
    case .requiredWithoutDefault, .abstractWithoutSubentities, .withoutProperties, .spareRoom: .suggestion
    }
  }

  /// A stable name, for programs.
  public var name: String {
    switch problem {
    case .unreadableVersion: "unreadable-version"
    case .currentVersionUnknown: "current-version-unknown"
    case .currentVersionIsNotNewest: "current-version-not-newest"
    case .sameAsVersion: "identical-versions"
    case .sameHashesAsVersion: "same-hashes"
    case .noInverse: "no-inverse"
    case .inverseDisagrees: "inverse-disagrees"
    case .contradictoryCounts: "contradictory-counts"
    case .orderedToOne: "ordered-to-one"
    case .optionalWithMinimum: "optional-with-minimum"
    case .cascadeFromBothSides: "cascade-from-both-sides"
    case .noActionOnDelete: "no-action-on-delete"
    case .newlyRequiredWithoutDefault: "newly-required"
    case .requiredWithoutDefault: "required-without-default"
    case .unreadableDefault: "unreadable-default"
    case .differsInCaseOnly: "differs-in-case-only"
    case .manyColumns: "many-columns"
    case .abstractWithoutSubentities: "abstract-without-subentities"
    case .withoutProperties: "without-properties"
    case .spareRoom: "spare-room"
    }
  }
}
