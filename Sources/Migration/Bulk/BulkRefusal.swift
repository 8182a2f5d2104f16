/// Why a mapping model cannot be carried out by statements on whole tables.
///
/// This is no fault of the mapping model: it is carried out instance by instance instead.
public struct BulkRefusal: Error, Sendable, Hashable {
  /// All that stands in the way, in the order of the mappings.
  public let reasons: [Reason]

  /// One thing that stands in the way.
  public enum Reason: Sendable, Hashable {
    /// A policy decides for each instance.
    case customPolicy(String, mapping: String)
    /// There is no such entity in its model.
    case unknownEntity(String, mapping: String)
    /// The destination entity has no such property that is stored.
    case unknownProperty(String, mapping: String)
    /// SQL does not give the value of an attribute; the text says why.
    case value(String, property: String, mapping: String)
    /// SQL cannot choose the instances; the text says why.
    case filter(String, mapping: String)
    /// Instances of two mappings would have the same primary keys in one table.
    case sharedKeys(mapping: String, other: String)
    /// The expression of a relationship has none of the forms that mapping models are generated with.
    case relationshipExpression(String, property: String, mapping: String)
    /// The expression of a relationship names a mapping that is not there.
    case unknownMapping(String, property: String, mapping: String)
    /// The instances of a mapping are none that the relationship may lead to.
    case unsuitableMapping(String, property: String, mapping: String)
    /// A to-one relationship is given the destinations of a to-many one.
    case severalDestinations(property: String, mapping: String)
    /// Both sides of a relationship are given destinations, and not by the two sides of another.
    case bothSides(property: String, entity: String)
    /// The store has no column or table for a relationship.
    case notStored(property: String, entity: String)
    /// A relationship is given destinations by more mappings than one statement can have.
    case tooManyMappings(property: String, entity: String)
    /// The expressions and filters have more values than one statement can have.
    case tooLarge(mapping: String)
  }
}

extension BulkRefusal: CustomStringConvertible {
  /// One line for each reason.
  public var description: String { reasons.map(\.description).joined(separator: "\n") }
}

extension BulkRefusal.Reason: CustomStringConvertible {
  /// A sentence without a full stop.
  public var description: String {
    switch self {
    case .customPolicy(let name, let mapping): "mapping '\(mapping)' has the policy '\(name)'"
    case .unknownEntity(let name, let mapping): "mapping '\(mapping)': there is no entity '\(name)'"
    case .unknownProperty(let name, let mapping): "mapping '\(mapping)': there is no stored property '\(name)'"
    case .value(let text, let property, let mapping): "mapping '\(mapping)', \(property): \(text)"
    case .filter(let text, let mapping): "the filter of mapping '\(mapping)' \(text)"
    case .sharedKeys(let mapping, let other):
      "mappings '\(mapping)' and '\(other)' would give instances in one table the same primary keys"
    case .relationshipExpression(let format, let property, let mapping):
      "mapping '\(mapping)', \(property): '\(format)' is none of the known forms"
    case .unknownMapping(let name, let property, let mapping):
      "mapping '\(mapping)', \(property): there is no mapping '\(name)'"
    case .unsuitableMapping(let name, let property, let mapping):
      "mapping '\(mapping)', \(property): the relationship cannot lead to what mapping '\(name)' makes"
    case .severalDestinations(let property, let mapping):
      "mapping '\(mapping)', \(property): a to-one relationship is given several destinations"
    case .bothSides(let property, let entity):
      "\(entity).\(property): both sides of the relationship are given destinations, which may contradict each other"
    case .notStored(let property, let entity): "\(entity).\(property) is not stored"
    case .tooManyMappings(let property, let entity): "\(entity).\(property) is given destinations by too many mappings"
    case .tooLarge(let mapping): "mapping '\(mapping)' has more values than one statement can have"
    }
  }
}
