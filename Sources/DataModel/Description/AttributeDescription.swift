/// One attribute of an entity.
public struct AttributeDescription: PropertyDescription, Hashable {
  /// The name of the property.
  public var name: String
  /// What kind of values the attribute holds.
  public var type: AttributeType
  /// Whether the property may be without a value.
  public var isOptional: Bool
  /// Whether the property is never stored.
  public var isTransient: Bool
  /// The value of new instances.
  public var defaultValue: AttributeValue?
  /// Whether large values may lie in files beside the store.
  public var allowsExternalBinaryDataStorage: Bool
  /// Whether persistent history keeps the value when its row is deleted.
  public var preservesValueInHistoryOnDeletion: Bool
  /// The name of the transformer of a transformable attribute.
  public var valueTransformerName: String?
  /// The name in an earlier model, where it was changed; otherwise the name.
  public var renamingIdentifier: String
  /// Text that changes the version hash where nothing else does.
  public var versionHashModifier: String?
  /// The notes of the model's author.
  ///
  /// They do not enter the version hash.
  public var userInfo: [String: String]
  /// The limits of the value.
  package var validation = AttributeValidation()
  /// The format of the expression that a derived attribute is computed by, such as `count:(pages)`.
  public var derivationExpression: String?
  /// The format of the predicate that restricts what a derived attribute is computed from.
  public var derivationFilterPredicate: String?
  /// What Xcode wrote besides, such as code generation settings.
  ///
  /// It affects neither store nor version hash.
  public var editorAttributes: [String: String] = [:]

  /// The text that the model has for a default value, where it is none of the attribute's type: then there is none.
  public var unreadableDefault: String? {
    defaultValue == nil ? type.defaultTextName.flatMap { editorAttributes[$0] } : nil
  }

  /// Whether the store itself computes the value from others.
  public var isDerived: Bool { derivationExpression != nil }

  /// Creates an attribute; as in Xcode's editor, an attribute is optional unless said otherwise.
  package init(
    _ name: String,
    _ type: AttributeType,
    isOptional: Bool = true,
    isTransient: Bool = false,
    defaultValue: AttributeValue? = nil,
    allowsExternalBinaryDataStorage: Bool = false,
    preservesValueInHistoryOnDeletion: Bool = false,
    valueTransformerName: String? = nil,
    renamingIdentifier: String? = nil,
    versionHashModifier: String? = nil,
    userInfo: [String: String] = [:],
    validation: AttributeValidation = AttributeValidation(),
    derivationExpression: String? = nil
  ) {
    self.name = name
    self.type = type
    self.isOptional = isOptional
    self.isTransient = isTransient
    self.defaultValue = defaultValue
    self.allowsExternalBinaryDataStorage = allowsExternalBinaryDataStorage
    self.preservesValueInHistoryOnDeletion = preservesValueInHistoryOnDeletion
    self.valueTransformerName = valueTransformerName
    self.renamingIdentifier = renamingIdentifier ?? name
    self.versionHashModifier = versionHashModifier
    self.userInfo = userInfo
    self.validation = validation
    self.derivationExpression = derivationExpression
  }
}

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

/// The limits that an app checks when it saves an attribute's value.
///
/// They do not enter the version hash.
package struct AttributeValidation: Sendable, Hashable {
  /// The smallest number or date, or for strings the smallest length.
  package var minimum: AttributeValue?
  /// The greatest number or date, or for strings the greatest length.
  package var maximum: AttributeValue?
  /// The pattern that a string must match.
  package var regularExpression: String?

  /// Creates limits; without arguments there are none.
  package init(minimum: AttributeValue? = nil, maximum: AttributeValue? = nil, regularExpression: String? = nil) {
    self.minimum = minimum
    self.maximum = maximum
    self.regularExpression = regularExpression
  }

  /// Whether there are no limits.
  package var isEmpty: Bool { self == AttributeValidation() }
}

/// A value that an attribute can hold.
///
/// The absence of a value is `nil`, as in Core Data.
public enum AttributeValue: Sendable, Hashable {
  case integer(Int64)
  case double(Double)
  case string(String)
  case boolean(Bool)
  /// Seconds since 2001-01-01 00:00:00 UTC.
  case date(Double)
  case data([UInt8])
  /// Sixteen bytes.
  case uuid([UInt8])
  /// An absolute URL, as text.
  case uri(String)
}
