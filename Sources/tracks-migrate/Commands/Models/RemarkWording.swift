import DataModel
import Migration

/// The English of what is found in mapping models.
struct RemarkWording {
  /// What was found, without a period.
  let problem: String
  /// What to do about it, without a period.
  let advice: String

  init(_ remark: MappingRemark) {
    (problem, advice) =
      switch remark.problem {
      case .unreadable(let error):
        (
          (error.line.map { "line \($0): " } ?? "") + Self.phrase("\(error.problem)"),
          "correct the file, or save it in Xcode again"
        )
      case .finding(let finding): (finding.sentence, Self.advice(finding.kind))
      case .leftovers(let entityMappings, let propertyMappings):
        (Self.leftovers(entityMappings, propertyMappings), "leave them; 'models lint --verbose' lists them")
      case .unregisteredPolicy(let policy):
        (
          "the policy '\(policy)' is none of this program",
          "name one for it when you migrate, as in --policy \(policy)=…, or add it to a migrator of your own"
        )
      default: Self.wording(remark.problem)
      }
  }

  /// A sentence as part of a row.
  private static func phrase(_ sentence: String) -> String {
    sentence.hasSuffix(".") ? String(sentence.dropLast()) : sentence
  }

  private static func wording(_ problem: MappingRemark.Problem) -> (String, String) {
    switch problem {
    case .unknownVersion(let name, let side, let nearest):
      (
        "the file names '\(name)' as its \(side.rawValue), which the bundle does not have"
          + (nearest.map { "; the nearest is '\($0)'" } ?? ""),
        "choose the \(side.rawValue) model in Xcode again"
      )
    case .otherVersion(let named, let side, let actual):
      (
        "the file names '\(named)' as its \(side.rawValue), not '\(actual)'",
        "compare it with '\(named)', or choose the \(side.rawValue) model in Xcode again"
      )
    case .sameVersion(let name):
      ("it leads from '\(name)' to the same version", "a mapping model leads from one version to another")
    case .coveredTwice(let source, let destination, let path, let hasSameName):
      (
        "'\(path)' makes instances of '\(destination)' out of those of '\(source)' too"
          + (hasSameName ? ", under the same name" : ", so that there would be twice as many"),
        "leave one of the two out"
      )
    case .unknownSourceKey(let key, let entity, let nearest):
      (
        "the entity '\(entity)' of the source has no property '\(key)'"
          + (nearest.map { "; the nearest is '\($0)'" } ?? ""),
        "correct the expression"
      )
    case .unsetRelationship:
      (
        "the relationship is left empty, though the source has it too",
        "give it an expression, or be sure that a policy sets it"
      )
    default: ("\(problem)", "")
    }
  }

  private static func advice(_ kind: MappingModelFinding.Kind) -> String {
    switch kind {
    case .orphanEntityMapping, .orphanPropertyMapping, .orphanNumberClash, .unexpectedType: "leave it"
    case .numberClash, .missingNumber: "set the order in Xcode, if it matters"
    case .unknownObject, .unknownAttribute, .unknownMappingType: "be sure that it can be passed over"
    case .duplicateProperty: "remove all but one"
    case .userInfoDescribed, .unreadableUserInfo: "use text"
    case .unmentionedProperty: "add it to the mapping, if it should have a value"
    case .unknownProperty: "correct its name, or remove it"
    case .renamedProperty: "write the expression out"
    case .noDestinationInstances: "add an entity mapping, or leave it to a policy"
    case .duplicateEntityMapping: "rename all but one"
    case .noEntities: "choose its entities, or remove it"
    case .unreadableExpression: "correct the expression"
    case .unreadableFilterPredicate: "correct the filter"
    case .missingEntity: "choose the entity again, or another version"
    case .versionHashMismatch: "make the mapping model again for this version, or use the one it was made for"
    case .unknownEntityMapping, .unclearEntityMapping: "choose the entity mapping again"
    }
  }

  private static func leftovers(_ entityMappings: Int, _ propertyMappings: Int) -> String {
    let counts = [
      (entityMappings, "entity mapping", "entity mappings"),
      (propertyMappings, "property mapping", "property mappings"),
    ].filter { $0.0 > 0 }.map { ChangeWording.count($0, $1, $2) }
    return "the file holds remains that nothing uses: \(counts.joined(separator: " and "))"
  }
}
