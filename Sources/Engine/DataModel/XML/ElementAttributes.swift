internal import Foundation

/// The attributes of an XML element, taken one by one.
///
/// The rest has a meaning only for Xcode.
struct ElementAttributes {
  /// The element's name in errors: "Attribute 'Track.title'".
  let subject: String
  private(set) var rest: [String: String]

  init(_ element: MarkupElement, subject: String) {
    self.subject = subject
    rest = element.attributes
  }

  /// Takes a required text.
  mutating func required(_ name: String) throws(ModelFileProblem) -> String {
    guard let value = optional(name) else { throw .missingAttribute(subject: subject, attribute: name) }
    return value
  }

  /// Takes a text that may be missing; an empty one counts as missing.
  mutating func optional(_ name: String) -> String? {
    guard let value = rest.removeValue(forKey: name), !value.isEmpty else { return nil }
    return value
  }

  /// Takes a text that may be missing or empty.
  mutating func text(_ name: String) -> String? {
    rest.removeValue(forKey: name)
  }

  /// Takes a Boolean.
  ///
  /// Xcode writes `YES` and `NO`; some tools write `true` and `false`.
  mutating func boolean(_ name: String) throws(ModelFileProblem) -> Bool {
    guard let value = optional(name) else { return false }
    guard let boolean = Bool(xcodeText: value) else {
      throw .badValue(subject: subject, attribute: name, value: value, expected: "YES or NO")
    }
    return boolean
  }

  /// Takes a count; 0 if it is missing.
  mutating func count(_ name: String) throws(ModelFileProblem) -> Int32 {
    guard let value = optional(name) else { return 0 }
    guard let count = Int32(value) else {
      throw .badValue(subject: subject, attribute: name, value: value, expected: "a whole number")
    }
    return count
  }
}

extension Bool {
  /// Reads a Boolean as Xcode writes it in models.
  init?(xcodeText text: String) {
    switch text.uppercased() {
    case "YES", "TRUE", "1": self = true
    case "NO", "FALSE", "0": self = false
    default: return nil
    }
  }
}

extension AttributeValue {
  /// Reads a default value from its text in a model.
  ///
  /// Xcode keeps the text of a default when an attribute's type changes, and Core Data reads it as the new type: "NO"
  /// is 0, "1.0" is true, and integers drop a fraction.
  init?(xcodeDefault text: String, type: AttributeType) {
    let text = type == .string || type == .uri ? text : text.trimmingCharacters(in: .whitespaces)
    if let value = AttributeValue(xcodeText: text, type: type) {
      self = value
      return
    }
    guard let number = Double(text) ?? Bool(xcodeText: text).map({ $0 ? 1 : 0 }) else { return nil }
    let whole = Int64(exactly: number.rounded(.towardZero))
    switch type {
    case .boolean where whole != nil: self = .boolean(whole != 0)
    case .integer16, .integer32, .integer64:
      guard let whole else { return nil }
      self.init(xcodeText: "\(whole)", type: type)
    case .decimal, .double, .float: self = .double(number)
    case .undefined, .string, .boolean, .date, .binaryData, .uuid, .uri, .transformable, .objectID, .composite:
      return nil
    }
  }

  /// Reads a default value or a limit from its text in a model.
  init?(xcodeText text: String, type: AttributeType) {
    switch type {
    case .integer16: self.init(integer: text, in: Int64(Int16.min)...Int64(Int16.max))
    case .integer32: self.init(integer: text, in: Int64(Int32.min)...Int64(Int32.max))
    case .integer64: self.init(integer: text, in: .min ... .max)
    case .decimal, .double, .float:
      guard let value = Double(text) else { return nil }
      self = .double(value)
    case .date:
      guard let value = Double(text) else { return nil }
      self = .date(value)
    case .string: self = .string(text)
    case .boolean:
      guard let value = Bool(xcodeText: text) else { return nil }
      self = .boolean(value)
    case .uuid:
      guard let uuid = UUID(uuidString: text) else { return nil }
      self = .uuid(withUnsafeBytes(of: uuid.uuid) { Array($0) })
    case .uri: self = .uri(text)
    case .undefined, .binaryData, .transformable, .objectID, .composite: return nil
    }
  }

  /// Xcode keeps "0.0" when an attribute changes from a fraction to an integer; that is still a whole number.
  private init?(integer text: String, in range: ClosedRange<Int64>) {
    guard let value = Int64(text) ?? Double(text).flatMap({ Int64(exactly: $0) }), range.contains(value) else {
      return nil
    }
    self = .integer(value)
  }

  /// The text of this value in a model, if it has one.
  package var xcodeText: String? {
    switch self {
    case .integer(let value): return "\(value)"
    case .double(let value): return "\(value)"
    case .date(let value): return Int64(exactly: value).map { "\($0)" } ?? "\(value)"
    case .string(let text), .uri(let text): return text
    case .boolean(let value): return value ? "YES" : "NO"
    case .uuid(let bytes):
      guard bytes.count == 16 else { return nil }
      return bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)).uuidString }
    case .data: return nil
    }
  }
}

/// The order in which Xcode writes the attributes of an XML element.
struct AttributeOrder {
  private let names: [String]

  private init(_ names: String...) { self.names = names }

  static let entity = AttributeOrder(
    "name", "representedClassName", "isAbstract", "parentEntity", "elementID", "versionHashModifier", "syncable",
    "codeGenerationType")

  static let attribute = AttributeOrder(
    "name", "optional", "transient", "attributeType", "composite", "valueTransformerName", "minValueString",
    "maxValueString", "minDateTimeInterval", "maxDateTimeInterval", "defaultValueString", "defaultDateTimeInterval",
    "usesScalarValueType", "derived", "derivationExpression", "regularExpressionString",
    "allowsExternalBinaryDataStorage", "preserveAfterDeletion", "customClassName", "allowsCloudEncryption", "indexed",
    "spotlightIndexingEnabled", "storedInTruthFile", "elementID", "versionHashModifier", "syncable")

  static let relationship = AttributeOrder(
    "name", "optional", "transient", "toMany", "minCount", "maxCount", "deletionRule", "ordered", "destinationEntity",
    "inverseName", "inverseEntity", "indexed", "spotlightIndexingEnabled", "storedInTruthFile", "elementID",
    "versionHashModifier", "syncable")

  static let fetchRequest = AttributeOrder("name", "entity", "predicateString")

  private static let newModel = AttributeOrder(
    "type", "documentVersion", "lastSavedToolsVersion", "systemVersion", "minimumToolsVersion", "sourceLanguage",
    "usedWithCloudKit", "usedWithSwiftData", "userDefinedModelVersionIdentifier")

  /// The order up to Xcode 7, which wrote the identifier first.
  private static let oldModel = AttributeOrder(
    "name", "userDefinedModelVersionIdentifier", "type", "documentVersion", "lastSavedToolsVersion", "systemVersion",
    "minimumToolsVersion", "macOSVersion", "iOSVersion")

  /// The order for a model.
  static func model(_ attributes: [String: String]) -> AttributeOrder {
    // Xcode 7 did not write the language yet.
    attributes["sourceLanguage"] == nil && attributes["systemVersion"] != nil ? oldModel : newModel
  }

  /// The attributes: known ones in Xcode's order, then others by name.
  func sorted(_ attributes: [String: String]) -> [(name: String, value: String?)] {
    let others = attributes.keys.filter { !names.contains($0) }.sorted { $0.precedesByBytes($1) }
    return (names + others).map { (name: $0, value: attributes[$0]) }
  }
}
