/// A kind of attribute.
///
/// The raw values are those of `NSAttributeType`: they enter the version hash and compiled models.
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
  /// Several named values, each with a column of its own: a struct or an enumeration of SwiftData, for example.
  case composite = 2100

  /// Creates the type that Xcode writes under this name in a model's XML.
  package init?(xmlName: String) {
    guard let type = Self.allCases.first(where: { $0.xmlName == xmlName }) else { return nil }
    self = type
  }
}

extension AttributeType {
  /// The facts about a type of attribute.
  ///
  /// A new type is a case and its entry below. The compiler then names each place that converts values.
  fileprivate struct Traits {
    let xmlName: String
    let columnType: ColumnType
    let columnGroup: Int
    let storedForm: StoredForm
    let valueClass: ValueClass
    var limit: Limit?
    var xmlDefault: String?
  }

  /// The type that Core Data declares for a column.
  package enum ColumnType: String, Sendable {
    case integer = "INTEGER"
    case decimal = "DECIMAL"
    case float = "FLOAT"
    case varchar = "VARCHAR"
    case timestamp = "TIMESTAMP"
    case blob = "BLOB"
  }

  /// The form that SQLite stores values in.
  package enum StoredForm: Sendable {
    case integer, number, text, blob
    /// A blob of sixteen bytes.
    case uuid
    /// Any form, or none.
    case any
  }

  /// The class of the values that apps see.
  package enum ValueClass: Sendable, Equatable {
    case named(String)
    /// The one that the model names, if any.
    case ofModel
    case unknown
  }

  /// The kind of limits that a model may set.
  package enum Limit: Sendable {
    case number, date, length
  }

  private var traits: Traits {
    switch self {
    case .undefined:
      Traits(xmlName: "Undefined", columnType: .integer, columnGroup: 0, storedForm: .any, valueClass: .ofModel)
    case .integer16: .integer("Integer 16")
    case .integer32: .integer("Integer 32")
    case .integer64: .integer("Integer 64")
    case .decimal:
      Traits(
        xmlName: "Decimal", columnType: .decimal, columnGroup: 2, storedForm: .number,
        valueClass: .named("NSDecimalNumber"), limit: .number, xmlDefault: Traits.plainDefault)
    case .double: .float("Double")
    case .float: .float("Float")
    case .string:
      Traits(
        xmlName: "String", columnType: .varchar, columnGroup: 3, storedForm: .text, valueClass: .named("NSString"),
        limit: .length, xmlDefault: Traits.plainDefault)
    case .boolean:
      Traits(
        xmlName: "Boolean", columnType: .integer, columnGroup: 0, storedForm: .integer, valueClass: .named("NSNumber"),
        xmlDefault: Traits.plainDefault)
    case .date:
      Traits(
        xmlName: "Date", columnType: .timestamp, columnGroup: 1, storedForm: .number, valueClass: .named("NSDate"),
        limit: .date, xmlDefault: "defaultDateTimeInterval")
    case .binaryData:
      Traits(xmlName: "Binary", columnType: .blob, columnGroup: 7, storedForm: .blob, valueClass: .named("NSData"))
    case .uuid:
      Traits(
        xmlName: "UUID", columnType: .blob, columnGroup: 5, storedForm: .uuid, valueClass: .named("NSUUID"),
        xmlDefault: Traits.plainDefault)
    case .uri:
      Traits(
        xmlName: "URI", columnType: .varchar, columnGroup: 4, storedForm: .text, valueClass: .named("NSURL"),
        xmlDefault: Traits.plainDefault)
    case .transformable:
      Traits(xmlName: "Transformable", columnType: .blob, columnGroup: 6, storedForm: .blob, valueClass: .ofModel)
    case .objectID:
      Traits(xmlName: "ObjectID", columnType: .integer, columnGroup: 0, storedForm: .any, valueClass: .unknown)
    case .composite:
      Traits(
        xmlName: "Composite", columnType: .blob, columnGroup: 6, storedForm: .any, valueClass: .named("NSDictionary"))
    }
  }

  /// The name that Xcode writes for this type in a model's XML.
  package var xmlName: String { traits.xmlName }

  /// Xcode's name for the default value of this type; `nil` for types without defaults in a model's XML.
  var defaultTextName: String? { traits.xmlDefault }

  /// The type that Core Data declares for columns of this type.
  package var columnType: ColumnType { traits.columnType }

  /// The index of the group in which Core Data places columns of this type.
  package var columnGroup: Int { traits.columnGroup }

  /// The number of groups of columns.
  package static let columnGroupCount = allCases.reduce(0) { max($0, $1.columnGroup) } + 1

  /// The form in which a store keeps values of this type.
  package var storedForm: StoredForm { traits.storedForm }

  /// The class that compiled models name for values of this type.
  var valueClass: ValueClass { traits.valueClass }

  /// The kind of the limits that a model may set for values of this type; `nil` if there are none.
  package var limit: Limit? { traits.limit }
}

extension AttributeType.Traits {
  static let plainDefault = "defaultValueString"

  static func integer(_ xmlName: String) -> Self {
    Self(
      xmlName: xmlName, columnType: .integer, columnGroup: 0, storedForm: .integer, valueClass: .named("NSNumber"),
      limit: .number, xmlDefault: plainDefault)
  }

  static func float(_ xmlName: String) -> Self {
    Self(
      xmlName: xmlName, columnType: .float, columnGroup: 1, storedForm: .number, valueClass: .named("NSNumber"),
      limit: .number, xmlDefault: plainDefault)
  }
}
