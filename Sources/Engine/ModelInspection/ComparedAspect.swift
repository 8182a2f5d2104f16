internal import DataModel

/// The comparison of one aspect of entities or properties.
struct ComparedAspect<Element> {
  let aspect: ModelAspect
  /// The value as text; `nil` where there is none.
  let text: (Element) -> String?
  /// Copies the value from another element.
  let assign: (inout Element, Element) -> Void

  init(_ aspect: ModelAspect, _ path: WritableKeyPath<Element, Bool>) {
    self.init(aspect, path) { $0 ? "YES" : "NO" }
  }

  init(_ aspect: ModelAspect, _ path: WritableKeyPath<Element, String?>) {
    self.init(aspect, path, text: \.self)
  }

  init(_ aspect: ModelAspect, _ path: WritableKeyPath<Element, AttributeValue?>) {
    self.init(aspect, path) { $0?.comparedText }
  }

  init<Value>(_ aspect: ModelAspect, _ path: WritableKeyPath<Element, Value>, text: @escaping (Value) -> String?) {
    self.aspect = aspect
    self.text = { text($0[keyPath: path]) }
    assign = { $0[keyPath: path] = $1[keyPath: path] }
  }

  /// Compares two elements.
  ///
  /// - Parameters:
  ///   - old: The element of the old model.
  ///   - translated: The same, referring to other elements by their names in the new model.
  ///   - new: The element of the new model.
  ///   - hash: What an element contributes to the version hash of its entity.
  ///   - report: Called with the change, whether it affects the hash, and whether it only follows from renamings.
  func compare(
    _ old: Element, translated: Element, _ new: Element, hash: (Element) -> [UInt8]?,
    report: (ModelChange.Kind, Bool, Bool) -> Void
  ) {
    let (before, after) = (text(old), text(new))
    guard !before.hasSameBytes(as: after) else { return }
    var altered = old
    assign(&altered, new)
    report(
      .changed(aspect, from: before, to: after), hash(altered) != hash(old), text(translated).hasSameBytes(as: after))
  }
}

extension AttributeValue {
  /// The value as Xcode writes it; data, which Xcode does not write, is hexadecimal.
  var comparedText: String {
    switch self {
    case .data(let bytes): VersionHash(bytes: bytes).description
    default: xcodeText ?? ""
    }
  }
}

extension [String: String] {
  /// The entries, sorted by their keys.
  var comparedText: String? {
    if isEmpty { return nil }
    return sorted { $0.key.precedesByBytes($1.key) }.map { "\($0.key)=\($0.value)" }.joined(separator: "; ")
  }
}

extension String? {
  /// Whether both have the same bytes, as in a version hash; Swift's `==` compares canonical equivalents.
  func hasSameBytes(as other: String?) -> Bool {
    switch (self, other) {
    case (nil, nil): true
    case (let text?, let other?): text.utf8.elementsEqual(other.utf8)
    default: false
    }
  }
}

extension ComparedAspect where Element == EntityDescription {
  static var all: [ComparedAspect] {
    [
      ComparedAspect(.isAbstract, \.isAbstract),
      ComparedAspect(.superentity, \.superentityName),
      ComparedAspect(.uniquenessConstraints, \.uniquenessConstraints) { $0.comparedText },
      ComparedAspect(.versionHashModifier, \.versionHashModifier),
      ComparedAspect(.managedObjectClassName, \.managedObjectClassName) { $0 == "NSManagedObject" ? nil : $0 },
      ComparedAspect(.renamingIdentifier, \.renamingIdentifier) { $0 },
      ComparedAspect(.userInfo, \.userInfo) { $0.comparedText },
    ]
  }
}

extension EntityDescription {
  /// The entity's own part of its version hash, without its properties.
  var ownHashMessage: [UInt8] {
    var message = HashMessage()
    message.append(byte: isAbstract ? 1 : 0)
    message.append(superentityName.map { "parent \($0)" } ?? "root")
    message.append(versionHashModifier.map { "modifier \($0)" } ?? "none")
    message.append(uniquenessConstraints.comparedText ?? "")
    return message.bytes
  }

  /// Whether two entities name the same class.
  ///
  /// Xcode writes `.Track` for a class of the app's module, and the compiler inserts the name of the module.
  func hasSameClass(as other: EntityDescription) -> Bool {
    guard let name = managedObjectClassName, let otherName = other.managedObjectClassName else { return false }
    return name.hasPrefix(".") && otherName.hasSuffix(name) || otherName.hasPrefix(".") && name.hasSuffix(otherName)
  }
}

extension [[String]] {
  /// The constraints as `(a, b), (c)`.
  ///
  /// The order of constraints has no meaning, and their version hash sorts them.
  fileprivate var comparedText: String? {
    if isEmpty { return nil }
    return map { "(\($0.joined(separator: ", ")))" }.sorted { $0.precedesByBytes($1) }.joined(separator: ", ")
  }
}

extension ComparedAspect where Element == AttributeDescription {
  /// All aspects of an attribute, except those that only code generation uses.
  static func all(_ precision: ModelDifference.Precision) -> [ComparedAspect] {
    let aspects: [ComparedAspect] = [
      ComparedAspect(.attributeType, \.type) { $0.xmlName },
      ComparedAspect(.isOptional, \.isOptional),
      ComparedAspect(.isTransient, \.isTransient),
      ComparedAspect(.defaultValue, \.defaultValue),
      ComparedAspect(.allowsExternalBinaryDataStorage, \.allowsExternalBinaryDataStorage),
      ComparedAspect(.preservesValueInHistoryOnDeletion, \.preservesValueInHistoryOnDeletion),
      ComparedAspect(.derivationExpression, \.derivationExpression),
      ComparedAspect(.derivationFilterPredicate, \.derivationFilterPredicate),
      ComparedAspect(.valueTransformerName, \.valueTransformerName),
      ComparedAspect(.attributeValueClassName, \.editorAttributes["customClassName"]),
      ComparedAspect(.isIndexedBySpotlight, \.editorAttributes["spotlightIndexingEnabled"]),
      ComparedAspect(.allowsCloudEncryption, \.editorAttributes["allowsCloudEncryption"]),
      ComparedAspect(.versionHashModifier, \.versionHashModifier),
      ComparedAspect(.renamingIdentifier, \.renamingIdentifier) { $0 },
      ComparedAspect(.userInfo, \.userInfo) { $0.comparedText },
    ]
    guard precision == .source else { return aspects }
    return aspects + [
      ComparedAspect(.minimumValue, \.validation.minimum),
      ComparedAspect(.maximumValue, \.validation.maximum),
      ComparedAspect(.regularExpression, \.validation.regularExpression),
    ]
  }
}

extension ComparedAspect where Element == RelationshipDescription {
  static var all: [ComparedAspect] {
    [
      ComparedAspect(.destinationEntity, \.destinationEntityName) { $0 },
      ComparedAspect(.inverseRelationship, \.inverseName),
      ComparedAspect(.isOptional, \.isOptional),
      ComparedAspect(.isTransient, \.isTransient),
      ComparedAspect(.minCount, \.minCount) { "\($0)" },
      ComparedAspect(.maxCount, \.maxCount) { "\($0)" },
      ComparedAspect(.isOrdered, \.isOrdered),
      ComparedAspect(.deleteRule, \.deleteRule) { $0.xmlName },
      ComparedAspect(.versionHashModifier, \.versionHashModifier),
      ComparedAspect(.renamingIdentifier, \.renamingIdentifier) { $0 },
      ComparedAspect(.userInfo, \.userInfo) { $0.comparedText },
    ]
  }
}

extension ComparedAspect where Element == FetchedPropertyDescription {
  static var all: [ComparedAspect] {
    [
      ComparedAspect(.fetchedEntity, \.fetchRequest.entityName) { $0 },
      ComparedAspect(.predicate, \.fetchRequest.predicate),
      ComparedAspect(.isOptional, \.isOptional),
      ComparedAspect(.renamingIdentifier, \.renamingIdentifier) { $0 },
      ComparedAspect(.userInfo, \.userInfo) { $0.comparedText },
    ]
  }
}

extension ComparedAspect where Element == FetchIndexDescription {
  static var all: [ComparedAspect] {
    [
      ComparedAspect(.elements, \.elements) { $0.map(\.comparedText).joined(separator: ", ") },
      ComparedAspect(.partialIndexPredicate, \.partialIndexPredicate),
    ]
  }
}

extension FetchIndexElementDescription {
  /// The element as SQL would say it.
  fileprivate var comparedText: String {
    (propertyName ?? expressionText ?? "") + (isAscending ? "" : " DESC") + (collationType == .rTree ? " RTREE" : "")
  }
}

/// An aspect of a model, entity or property that can change.
///
/// The raw values are Core Data's names; they appear in output that programs read.
package enum ModelAspect: String, Sendable, Hashable, CaseIterable {
  // Of the model.
  case versionIdentifiers
  case members
  case predicate
  case fetchedEntity

  // Of entities.
  case isAbstract
  case superentity
  case managedObjectClassName
  case uniquenessConstraints

  // Of entities and properties.
  case versionHashModifier
  case renamingIdentifier
  case userInfo

  // Of properties.
  case isOptional
  case isTransient

  // Of attributes.
  case attributeType
  case defaultValue
  case allowsExternalBinaryDataStorage
  case preservesValueInHistoryOnDeletion
  case valueTransformerName
  case attributeValueClassName
  case isIndexedBySpotlight
  case allowsCloudEncryption
  case minimumValue
  case maximumValue
  case regularExpression
  case derivationExpression
  case derivationFilterPredicate

  // Of relationships.
  case destinationEntity
  case inverseRelationship
  case minCount
  case maxCount
  case isOrdered
  case deleteRule

  // Of indexes.
  case elements
  case partialIndexPredicate
}
