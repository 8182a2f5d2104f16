/// A kind of attribute, with Core Data's own number for it.
///
/// The raw values are those of `NSAttributeType`: they enter the version hash and stand in compiled models.
public enum AttributeType: Int32, Sendable, Hashable, CaseIterable {
  /// No type: only transient attributes may have it.
  case undefined = 0
  case integer16 = 100
  case integer32 = 200
  case integer64 = 300
  case decimal = 400
  case double = 500
  case float = 600
  case string = 700
  case boolean = 800
  /// Seconds since 2001-01-01 00:00:00 UTC.
  case date = 900
  case binaryData = 1000
  case uuid = 1100
  case uri = 1200
  case transformable = 1800
  case objectID = 2000
  case composite = 2100

  /// The name that Xcode writes for this type in a model's XML.
  public var xmlName: String {
    switch self {
    case .undefined: "Undefined"
    case .integer16: "Integer 16"
    case .integer32: "Integer 32"
    case .integer64: "Integer 64"
    case .decimal: "Decimal"
    case .double: "Double"
    case .float: "Float"
    case .string: "String"
    case .boolean: "Boolean"
    case .date: "Date"
    case .binaryData: "Binary"
    case .uuid: "UUID"
    case .uri: "URI"
    case .transformable: "Transformable"
    case .objectID: "ObjectID"
    case .composite: "Composite"
    }
  }

  /// Creates the type that Xcode writes under this name in a model's XML.
  public init?(xmlName: String) {
    guard let type = Self.allCases.first(where: { $0.xmlName == xmlName }) else { return nil }
    self = type
  }
}
