extension MappingRemark {
  /// A stable name, for programs.
  public var name: String {
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
