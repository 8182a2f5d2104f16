package import MigrationDiagnostics

/// Instances of a finished store that break one rule of their model.
package struct ValidationFailure: Sendable, Hashable {
  /// The kinds of broken rules.
  package enum Kind: String, Sendable, Hashable, CaseIterable {
    /// A required attribute has no value.
    case missingValue = "missing-value"
    /// A required to-one relationship has no destination.
    case missingDestination = "missing-destination"
    /// A relationship refers to a missing instance, or to one of an entity that is not allowed.
    case danglingKey = "dangling-key"
    /// The entity stored with a key does not match the destination's.
    case wrongEntity = "wrong-entity"
    /// A to-many relationship has fewer destinations than its minimum.
    case tooFewDestinations = "too-few-destinations"
    /// A to-many relationship has more destinations than its maximum.
    case tooManyDestinations = "too-many-destinations"
    case numberTooSmall = "number-too-small"
    case numberTooLarge = "number-too-large"
    case dateTooSoon = "date-too-soon"
    case dateTooLate = "date-too-late"
    case stringTooShort = "string-too-short"
    case stringTooLong = "string-too-long"
    /// Several instances have the same values, which a constraint forbids.
    case notUnique = "not-unique"
    /// A column holds a value of another kind than its type, such as text in a column of numbers.
    case unfitStorageClass = "unfit-storage-class"
  }

  /// The entity of the instances; for a constraint, the one that declares it.
  package let entity: String
  /// The attribute or relationship; for a constraint, all of its properties.
  package let property: String
  /// The kind of the failure.
  package let kind: Kind
  /// The number of instances that break the rule; for a constraint, the number of values that occur more than once.
  package let count: Int
  /// The primary keys of the first few instances, in their order.
  package let rows: [Int64]

  /// The number of primary keys that are kept.
  package static let rowLimit = 5

  /// Describes a failure.
  package init(entity: String, property: String, kind: Kind, count: Int, rows: [Int64]) {
    self.entity = entity
    self.property = property
    self.kind = kind
    self.count = count
    self.rows = rows
  }
}

extension ValidationFailure.Kind {
  /// Core Data's own code for it.
  package var errorCode: Int {
    switch self {
    case .missingValue, .missingDestination: 1570
    case .danglingKey, .wrongEntity, .unfitStorageClass: 1550
    case .tooFewDestinations: 1580
    case .tooManyDestinations: 1590
    case .numberTooLarge: 1610
    case .numberTooSmall: 1620
    case .dateTooLate: 1630
    case .dateTooSoon: 1640
    case .stringTooLong: 1660
    case .stringTooShort: 1670
    case .notUnique: 134_111
    }
  }
}

extension MigrationError {
  /// Describes failures; `nil` if there are none.
  ///
  /// The error is about the first of them and tells how many there are besides.
  package init?(_ failures: [ValidationFailure], path: String) {
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
  /// The broken rule, with the number of instances: `2 instances have no value (1570)`.
  package var rule: String {
    "\(count.counting(kind == .notUnique ? "value" : "instance")) \(kind.predicate(count)) (\(kind.errorCode))"
  }

  /// The broken rule, with the keys of the instances: `2 instances have no value (1570): rows 3, 7`.
  package var description: String {
    let keys = rows.map(String.init).joined(separator: ", ")
    let isComplete = kind == .notUnique ? count * 2 == rows.count : count == rows.count
    return "\(rule): \(rows.count == 1 ? "row" : "rows") \(keys)\(isComplete ? "" : " …")"
  }
}

extension ValidationFailure.Kind {
  fileprivate func predicate(_ count: Int) -> String {
    let has = count == 1 ? "has" : "have"
    return switch self {
    case .missingValue: "\(has) no value, which the model requires"
    case .missingDestination: "\(has) no destination, which the model requires"
    case .danglingKey: count == 1 ? "refers to a missing row" : "refer to missing rows"
    case .wrongEntity: "\(has) the wrong entity number for its key"
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
