/// One attribute of an entity.
public struct AttributeDescription: PropertyDescription, Hashable {
  /// The name of the property.
  public var name: String
  /// The kind of values that the attribute holds.
  public var type: AttributeType
  /// Whether the property may have no value.
  public var isOptional: Bool
  /// Whether the property is never stored.
  public var isTransient: Bool
  /// The value of new instances.
  public var defaultValue: AttributeValue?
  /// Whether large values may be stored in external data files.
  public var allowsExternalBinaryDataStorage: Bool
  /// Whether persistent history keeps the value when its row is deleted.
  public var preservesValueInHistoryOnDeletion: Bool
  /// The name of the transformer of a transformable attribute.
  public var valueTransformerName: String?
  /// The name in an earlier model if it was changed; otherwise the name.
  public var renamingIdentifier: String
  /// Text that changes the version hash even if nothing else changes.
  public var versionHashModifier: String?
  /// The information that the model's author added.
  ///
  /// It does not affect the version hash.
  public var userInfo: [String: String]
  /// The limits of the value.
  package var validation = AttributeValidation()
  /// The format of the expression that computes a derived attribute, such as `count:(pages)`.
  public var derivationExpression: String?
  /// The format of the predicate that restricts what a derived attribute is computed from.
  public var derivationFilterPredicate: String?
  /// The elements of a composite attribute, in the order in which they were declared.
  package var elements: [AttributeDescription] = []
  /// The composite attribute that this one is an element of, if an entity lists it for its column.
  package internal(set) var compositeName: String?
  /// Other attributes that Xcode wrote, such as code generation settings.
  ///
  /// It affects neither store nor version hash.
  package var editorAttributes: [String: String] = [:]

  /// The model's text for the default value, if it is not a value of the attribute's type.
  package var unreadableDefault: String? {
    defaultValue == nil ? type.defaultTextName.flatMap { editorAttributes[$0] } : nil
  }

  /// Whether the store computes the value from other values.
  public var isDerived: Bool { derivationExpression != nil }

  /// Creates an attribute; as in Xcode's editor, attributes are optional by default.
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
    derivationExpression: String? = nil,
    elements: [AttributeDescription] = []
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
    self.elements = elements
  }
}

/// The limits that an app checks when it saves an attribute's value.
///
/// They do not affect the version hash.
package struct AttributeValidation: Sendable, Hashable {
  /// The minimum number, date or string length.
  package var minimum: AttributeValue?
  /// The maximum number, date or string length.
  package var maximum: AttributeValue?
  /// The pattern that a string must match.
  package var regularExpression: String?

  /// Creates limits; by default, there are none.
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
