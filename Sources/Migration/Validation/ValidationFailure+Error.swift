public import Diagnostics

extension MigrationError {
  /// Words failures; `nil` where there are none.
  ///
  /// The error is about the first of them and tells how many there are besides.
  public init?(_ failures: [ValidationFailure], path: String) {
    guard let first = failures.first else { return nil }
    var detail = first.description
    if failures.count > 1 {
      detail +=
        "; and also "
        + failures.dropFirst().prefix(3).map { "\($0.entity).\($0.property): \($0)" }
        .joined(separator: "; ")
      if failures.count > 4 { detail += "; and \(failures.count - 4) more" }
    }
    self.init(
      .validationFailed, Subject(path: path, entity: first.entity, property: first.property), detail: detail)
  }
}

extension ValidationFailure: CustomStringConvertible {
  /// What is wrong, with how many instances and which: `2 instances have no value (1570): rows 3 and 7`.
  public var description: String {
    let subject = kind == .notUnique ? (count == 1 ? "value" : "values") : (count == 1 ? "instance" : "instances")
    let keys = rows.map(String.init).joined(separator: ", ")
    let isComplete = kind == .notUnique ? count * 2 == rows.count : count == rows.count
    return
      "\(count) \(subject) \(kind.predicate(count)) (\(kind.errorCode)): \(rows.count == 1 ? "row" : "rows") \(keys)\(isComplete ? "" : " …")"
  }
}

extension ValidationFailure.Kind {
  fileprivate func predicate(_ count: Int) -> String {
    let has = count == 1 ? "has" : "have"
    return switch self {
    case .missingValue: "\(has) no value, which the model requires"
    case .missingDestination: "\(has) no destination, which the model requires"
    case .danglingKey: count == 1 ? "leads to nothing that is there" : "lead to nothing that is there"
    case .wrongEntity: "\(has) the wrong entity beside the key"
    case .tooFewDestinations: "\(has) too few destinations"
    case .tooManyDestinations: "\(has) too many destinations"
    case .numberTooSmall: "\(has) a number below the minimum"
    case .numberTooLarge: "\(has) a number above the maximum"
    case .dateTooSoon: "\(has) a date before the earliest"
    case .dateTooLate: "\(has) a date after the latest"
    case .stringTooShort: "\(has) too short a string"
    case .stringTooLong: "\(has) too long a string"
    case .notUnique: count == 1 ? "occurs more than once" : "occur more than once"
    case .unfitStorageClass: "\(has) a value of another kind than the attribute's"
    }
  }
}
