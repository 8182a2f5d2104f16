/// Instances of a finished store that break one rule of their model.
public struct ValidationFailure: Sendable, Hashable {
  /// What is wrong with them.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// A required attribute has no value.
    case missingValue = "missing-value"
    /// A required to-one relationship has no destination.
    case missingDestination = "missing-destination"
    /// A relationship leads to an instance that is not there, or that is of an entity it may not lead to.
    case danglingKey = "dangling-key"
    /// The entity that is kept beside a key is not that of the destination.
    case wrongEntity = "wrong-entity"
    /// A to-many relationship has fewer destinations than it must have.
    case tooFewDestinations = "too-few-destinations"
    /// A to-many relationship has more destinations than it may have.
    case tooManyDestinations = "too-many-destinations"
    case numberTooSmall = "number-too-small"
    case numberTooLarge = "number-too-large"
    case dateTooSoon = "date-too-soon"
    case dateTooLate = "date-too-late"
    case stringTooShort = "string-too-short"
    case stringTooLong = "string-too-long"
    /// Several instances have the same values, which a constraint forbids.
    case notUnique = "not-unique"
    /// A column holds another kind of value than its type has, such as text in a column of numbers.
    case unfitStorageClass = "unfit-storage-class"
  }

  /// The entity of the instances; for a constraint, the one that declares it.
  public let entity: String
  /// The attribute or relationship; for a constraint, all of its properties.
  public let property: String
  /// What is wrong.
  public let kind: Kind
  /// How many instances it is wrong with; for a constraint, how many values occur more than once.
  public let count: Int
  /// The primary keys of the first few instances, in their order.
  public let rows: [Int64]

  /// How many primary keys are kept.
  public static let rowLimit = 5

  /// Describes a failure.
  public init(entity: String, property: String, kind: Kind, count: Int, rows: [Int64]) {
    self.entity = entity
    self.property = property
    self.kind = kind
    self.count = count
    self.rows = rows
  }
}

extension ValidationFailure.Kind {
  /// Core Data's own code for it.
  public var errorCode: Int {
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
