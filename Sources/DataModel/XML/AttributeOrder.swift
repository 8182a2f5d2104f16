/// The order in which Xcode writes the attributes of XML elements.
enum AttributeOrder {
  static func model(_ attributes: [String: String]) -> [(name: String, value: String?)] {
    // Up to version 7 Xcode wrote the identifier first, and did not yet tell the language.
    let isOld = attributes["sourceLanguage"] == nil && attributes["systemVersion"] != nil
    return sorted(attributes, isOld ? oldModel : newModel)
  }

  static func entity(_ attributes: [String: String]) -> [(name: String, value: String?)] {
    sorted(
      attributes,
      [
        "name", "representedClassName", "isAbstract", "parentEntity", "elementID", "versionHashModifier", "syncable",
        "codeGenerationType",
      ])
  }

  static func attribute(_ attributes: [String: String]) -> [(name: String, value: String?)] {
    sorted(
      attributes,
      [
        "name", "optional", "transient", "attributeType", "valueTransformerName", "minValueString", "maxValueString",
        "minDateTimeInterval", "maxDateTimeInterval", "defaultValueString", "defaultDateTimeInterval",
        "usesScalarValueType", "derived", "derivationExpression", "regularExpressionString",
        "allowsExternalBinaryDataStorage", "preserveAfterDeletion", "customClassName", "allowsCloudEncryption",
        "indexed",
        "spotlightIndexingEnabled", "storedInTruthFile", "elementID", "versionHashModifier", "syncable",
      ])
  }

  static func relationship(_ attributes: [String: String]) -> [(name: String, value: String?)] {
    sorted(
      attributes,
      [
        "name", "optional", "transient", "toMany", "minCount", "maxCount", "deletionRule", "ordered",
        "destinationEntity", "inverseName", "inverseEntity", "indexed", "spotlightIndexingEnabled", "storedInTruthFile",
        "elementID", "versionHashModifier", "syncable",
      ])
  }

  static func fetchRequest(_ attributes: [String: String]) -> [(name: String, value: String?)] {
    sorted(attributes, ["name", "entity", "predicateString"])
  }

  private static let newModel = [
    "type", "documentVersion", "lastSavedToolsVersion", "systemVersion", "minimumToolsVersion", "sourceLanguage",
    "usedWithCloudKit", "usedWithSwiftData", "userDefinedModelVersionIdentifier",
  ]

  private static let oldModel = [
    "name", "userDefinedModelVersionIdentifier", "type", "documentVersion", "lastSavedToolsVersion", "systemVersion",
    "minimumToolsVersion", "macOSVersion", "iOSVersion",
  ]

  /// Known attributes come in Xcode's order, others after them by name.
  private static func sorted(
    _ attributes: [String: String], _ order: [String]
  ) -> [(name: String, value: String?)] {
    let known = order.map { (name: $0, value: attributes[$0]) }
    let others = attributes.keys.filter { !order.contains($0) }.sorted { $0.precedesByBytes($1) }
    return known + others.map { (name: $0, value: attributes[$0]) }
  }
}
