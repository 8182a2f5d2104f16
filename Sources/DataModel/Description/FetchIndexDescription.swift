/// An index that a store keeps so that fetches are quick.
///
/// Indexes do not enter the version hash.
///
/// Models of old Xcode versions mark single attributes as indexed and list compound indexes; both are described here
/// too, under the names that Core Data gives them: that of the attribute, or those of the properties joined by `_`.
public struct FetchIndexDescription: Sendable, Hashable {
  /// The name, unique within its entity.
  public var name: String
  /// What the index sorts by, the most significant element first.
  public var elements: [FetchIndexElementDescription]
  /// The format of a predicate that restricts the index to some instances.
  public var partialIndexPredicate: String?

  /// Creates an index.
  public init(_ name: String, elements: [FetchIndexElementDescription], partialIndexPredicate: String? = nil) {
    self.name = name
    self.elements = elements
    self.partialIndexPredicate = partialIndexPredicate
  }

  /// Creates an index that sorts by properties, upwards.
  public init(_ name: String, properties: [String]) {
    self.init(name, elements: properties.map { FetchIndexElementDescription(property: $0) })
  }
}
