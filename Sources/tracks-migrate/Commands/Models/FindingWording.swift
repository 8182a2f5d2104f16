import DataModel

/// The English of what is found in models.
struct FindingWording {
  /// What was found, without a period.
  let problem: String
  /// What to do about it, without a period.
  let advice: String

  init(_ finding: ModelFinding) {
    switch finding.problem {
    case .unreadableVersion(let error), .currentVersionUnknown(let error):
      problem = (error.line.map { "line \($0): " } ?? "") + Self.phrase(error.problem.problem)
      advice = Self.phrase(error.problem.advice)
    case .currentVersionIsNotNewest(let newest):
      problem = "this is the current version, but '\(newest)' comes after it"
      advice = "choose the current version in Xcode, if this was forgotten"
    case .sameAsVersion(let other):
      problem = "the version says the same as '\(other)'"
      advice = "remove one of them, unless stores or apps name it"
    case .sameHashesAsVersion(let other, let changes):
      problem = "the version hashes are those of '\(other)', though it differs: \(Self.list(changes))"
      advice = "set a version hash modifier where stores must be migrated for that"
    default:
      (problem, advice) = Self.wording(finding.problem)
    }
  }

  private static func wording(_ problem: ModelFinding.Problem) -> (String, String) {
    switch problem {
    case .noInverse:
      ("the relationship has no inverse", "give it one, so that both sides are kept in step")
    case .inverseDisagrees(let inverse, let back):
      (
        "its inverse '\(inverse)' leads back by \(back.map { "'\($0)'" } ?? "nothing")",
        "make both relationships name each other"
      )
    case .contradictoryCounts(let minimum, let maximum):
      ("at least \(minimum) and at most \(maximum) destinations cannot be", "correct the counts")
    case .orderedToOne: ("a to-one relationship is ordered", "turn the order off; it has no effect")
    case .optionalWithMinimum(let minimum, _):
      ("the relationship is optional, but wants at least \(minimum)", "make it required, or the minimum 0")
    case .cascadeFromBothSides(let inverse):
      (
        "deleting either side deletes the other, by '\(inverse)' too",
        "use nullify on the side that does not own the other"
      )
    case .noActionOnDelete:
      ("deleting leaves references that lead nowhere", "use nullify, cascade or deny")
    case .newlyRequiredWithoutDefault(let version):
      (
        "the attribute is required since '\(version)' and has no default, so old instances have no value for it",
        "give it a default, make it optional, or migrate with a mapping model"
      )
    default: laterWording(problem)
    }
  }

  private static func laterWording(_ problem: ModelFinding.Problem) -> (String, String) {
    switch problem {
    case .differsInCaseOnly(let other):
      ("the name differs from '\(other)' in capitals only, and columns are in capitals", "rename one of them")
    case .manyColumns(let count):
      (
        "the entity has \(count) columns, and every fetch reads them all",
        "move what is seldom used to an entity of its own"
      )
    case .abstractWithoutSubentities:
      ("the entity is abstract and has no subentities, so it never has instances", "remove it, or make it concrete")
    case .withoutProperties: ("the entity has no properties", "remove it, unless it is kept for a later version")
    case .requiredWithoutDefault:
      (
        "the attribute is required and has no default",
        "a default lets later versions be inferred without a mapping model"
      )
    case .unreadableDefault(let text):
      (
        "the default '\(text)' is not a value of the attribute's type, so there is no default",
        "correct it in Xcode's model editor"
      )
    case .spareRoom:
      (
        "this version can still change as long as no app with it was shipped",
        "add optional attributes and entities that later versions will need now: that saves a migration"
      )
    default: ("\(problem)", "")
    }
  }

  /// A sentence as part of a row.
  private static func phrase(_ sentence: String) -> String {
    let text = sentence.hasSuffix(".") ? String(sentence.dropLast()) : sentence
    return text.prefix(1).lowercased() + text.dropFirst()
  }

  private static func list(_ changes: [ModelChange]) -> String {
    let shown = changes.prefix(3).map { change in
      let place = [change.entityName, change.subject.name].compactMap(\.self).joined(separator: ".")
      return "\(place.isEmpty ? "model" : place) (\(ChangeWording.text(change.kind)))"
    }
    let rest = changes.count > 3 ? " and \(changes.count - 3) more" : ""
    return shown.joined(separator: ", ") + rest
  }
}
