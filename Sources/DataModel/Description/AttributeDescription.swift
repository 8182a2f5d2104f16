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
  public var validation = AttributeValidation()
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
  public init(
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
