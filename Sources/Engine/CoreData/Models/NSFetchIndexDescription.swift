internal import DataModel

/// The forms in which a fetch index keeps values.
public enum NSFetchIndexElementType: UInt, Sendable {
  /// An ordinary index.
  case binary = 0
  /// An index of ranges and areas of numbers.
  case rTree = 1
}

/// One element of a fetch index: a property that it sorts by.
open class NSFetchIndexElementDescription: NSObject {
  /// The name of the property.
  public let propertyName: String?
  /// The property, if it was given.
  public private(set) weak var property: NSPropertyDescription?
  /// The form in which the index keeps the values.
  open var collationType: NSFetchIndexElementType
  /// Whether the smallest values come first.
  open var isAscending = true
  private let subject: FetchIndexSubject

  /// Creates an element for a property.
  public init(property: NSPropertyDescription, collationType: NSFetchIndexElementType) {
    (self.property, propertyName, self.collationType) = (property, property.name, collationType)
    subject = .property(property.name)
  }

  init(_ element: FetchIndexElementDescription) {
    (subject, propertyName) = (element.subject, element.propertyName)
    collationType = NSFetchIndexElementType(rawValue: UInt(element.collationType.rawValue)) ?? .binary
    super.init()
    isAscending = element.isAscending
  }

  /// The element in the engine's form.
  var value: FetchIndexElementDescription {
    FetchIndexElementDescription(
      property.map { .property($0.name) } ?? subject, collationType: collationType == .rTree ? .rTree : .binary,
      isAscending: isAscending)
  }
}

/// An index that speeds up fetches.
open class NSFetchIndexDescription: NSObject {
  /// The name, unique within its entity.
  open var name: String
  /// The elements that it sorts by, the most significant first.
  open var elements: [NSFetchIndexElementDescription]
  /// The predicate that restricts the index to some instances.
  open var partialIndexPredicate: NSPredicate?

  /// Creates an index.
  public init(name: String, elements: [NSFetchIndexElementDescription]?) {
    (self.name, self.elements) = (name, elements ?? [])
  }

  convenience init(_ index: FetchIndexDescription) {
    self.init(name: index.name, elements: index.elements.map { NSFetchIndexElementDescription($0) })
    partialIndexPredicate = index.partialIndexPredicate.map { NSPredicate(format: $0) }
  }

  /// The index in the engine's form.
  var value: FetchIndexDescription {
    FetchIndexDescription(
      name, elements: elements.map(\.value), partialIndexPredicate: partialIndexPredicate?.format)
  }
}
