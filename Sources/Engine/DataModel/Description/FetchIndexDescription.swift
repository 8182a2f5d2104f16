/// An index that speeds up fetches.
///
/// Indexes do not affect the version hash.
///
/// Models of old Xcode versions mark single attributes as indexed and list compound indexes. Both become indexes with
/// the names that Core Data gives them: the attribute's name, or the properties' names joined by `_`.
package struct FetchIndexDescription: Sendable, Hashable {
  /// The name, unique within its entity.
  package var name: String
  /// The sort elements, the most significant first.
  package var elements: [FetchIndexElementDescription]
  /// The format of the predicate that restricts the index to some instances.
  package var partialIndexPredicate: String?

  /// Creates an index.
  package init(_ name: String, elements: [FetchIndexElementDescription], partialIndexPredicate: String? = nil) {
    self.name = name
    self.elements = elements
    self.partialIndexPredicate = partialIndexPredicate
  }

  /// Creates an index that sorts by properties in ascending order.
  package init(_ name: String, properties: [String]) {
    self.init(name, elements: properties.map { FetchIndexElementDescription(property: $0) })
  }
}

/// The subject that one element of a fetch index sorts by.
package enum FetchIndexSubject: Sendable, Hashable {
  /// The attribute or to-one relationship of this name.
  case property(String)
  /// The instance itself: its primary key.
  case instance
  /// The entity of the instance.
  case entity
  /// Any other expression, as its format text.
  case expression(String)
}

/// The way in which a fetch index stores the values of an element.
///
/// The raw values are those of `NSFetchIndexElementType`.
package enum FetchIndexElementType: Int, Sendable, Hashable {
  /// An ordinary index.
  case binary = 0
  /// An index of ranges and areas of numbers.
  case rTree = 1
}

/// One element of a fetch index, usually a property.
package struct FetchIndexElementDescription: Sendable, Hashable {
  /// The subject of the sort order.
  package var subject: FetchIndexSubject
  /// The way in which the index stores the values.
  package var collationType: FetchIndexElementType
  /// Whether the smallest values come first.
  package var isAscending: Bool

  /// Creates an element of any kind.
  package init(
    _ subject: FetchIndexSubject, collationType: FetchIndexElementType = .binary, isAscending: Bool = true
  ) {
    self.subject = subject
    self.collationType = collationType
    self.isAscending = isAscending
  }

  /// Creates an element that sorts by a property.
  package init(property name: String, collationType: FetchIndexElementType = .binary, isAscending: Bool = true) {
    self.init(.property(name), collationType: collationType, isAscending: isAscending)
  }

  /// The name of the property that the element sorts by; `nil` for other expressions.
  package var propertyName: String? {
    if case .property(let name) = subject { name } else { nil }
  }

  /// The expression that the element sorts by, as Xcode writes it; `nil` for a property.
  package var expressionText: String? {
    switch subject {
    case .property: nil
    case .instance: "self"
    case .entity: "entity"
    case .expression(let text): text
    }
  }
}
