internal import CoreDataExpressions

/// The model of an `xcmapping.xml`, which is a Core Data store.
enum MappingSchema {
  static let mappingModel = "XDDEVMAPPINGMODEL"
  static let entityMapping = "XDDEVENTITYMAPPING"
  static let attributeMapping = "XDDEVATTRIBUTEMAPPING"
  static let relationshipMapping = "XDDEVRELATIONSHIPMAPPING"

  /// The attributes and their types.
  static let attributes: [String: [String: String]] = [
    mappingModel: [
      "sourcemodelpath": "string", "sourcemodeldata": "binary", "destinationmodelpath": "string",
      "destinationmodeldata": "binary",
    ],
    entityMapping: [
      "userinfodata": "binary", "migrationpolicyclassname": "string", "sourcename": "string", "name": "string",
      "sourcefilterpredicatestring": "string", "mappingtypename": "string", "mappingnumber": "int16",
      "destinationname": "string", "autogenerateexpression": "bool",
    ],
    attributeMapping: ["valueexpressiondata": "binary", "name": "string"],
    relationshipMapping: [
      "valueexpressiondata": "binary", "autogenerateexpression": "bool", "name": "string", "sourcekeypath": "string",
      "sourcemappingname": "string",
    ],
  ]

  static let relationships: [String: Set<String>] = [
    mappingModel: ["entitymappings"],
    entityMapping: ["mappingmodel", "attributemappings", "relationshipmappings"],
    attributeMapping: ["entitymapping"],
    relationshipMapping: ["entitymapping"],
  ]

  /// The names of `NSEntityMappingType`; Xcode itself writes only the first one.
  static let mappingTypeNames: [String: EntityMapping.MappingType] = [
    "Undefined": .undefined, "Custom": .custom, "Add": .add, "Remove": .remove, "Copy": .copy, "Transform": .transform,
  ]
}

/// The escapes in the texts of an `xcmapping.xml`, which is a Core Data store in XML.
///
/// Xcode writes some characters, `<` among them, as the hexadecimal digits of their UTF-16 units, with the low byte
/// first: `\u3c00` is `<`.
enum MappingStoreText {
  /// The text without escapes.
  static func decoded(_ text: String) -> String {
    guard text.utf8.contains(UInt8(ascii: "\\")) else { return text }
    var decoded: [UInt16] = []
    var rest = Array(text.utf16)[...]
    while let unit = rest.first {
      if let character = escapedCharacter(rest) {
        decoded += character
        rest = rest.dropFirst(character.count * length)
      } else {
        decoded.append(unit)
        rest = rest.dropFirst()
      }
    }
    return String(decoding: decoded, as: UTF16.self)
  }

  /// The text, with backslashes escaped where they would begin an escape.
  static func encoded(_ text: String) -> String {
    guard text.utf8.contains(UInt8(ascii: "\\")) else { return text }
    let units = Array(text.utf16)
    let backslash = Array(#"\u5c00"#.utf16)
    return String(
      decoding: units.indices.flatMap { escapedUnit(units[$0...]) == nil ? [units[$0]] : backslash }, as: UTF16.self)
  }

  /// The units of an escape.
  private static let length = 6

  /// The escaped unit, or surrogate pair, at the start of a text; a lone surrogate is not an escape.
  private static func escapedCharacter(_ text: ArraySlice<UInt16>) -> [UInt16]? {
    guard let first = escapedUnit(text) else { return nil }
    if !UTF16.isLeadSurrogate(first) { return UTF16.isTrailSurrogate(first) ? nil : [first] }
    guard let second = escapedUnit(text.dropFirst(length)), UTF16.isTrailSurrogate(second) else { return nil }
    return [first, second]
  }

  private static func escapedUnit(_ text: ArraySlice<UInt16>) -> UInt16? {
    let digits = String(decoding: text.prefix(length).dropFirst(2), as: UTF16.self)
    guard text.prefix(2).elementsEqual(#"\u"#.utf16), digits.utf8.count == 4,
      digits.allSatisfy({ $0.isASCII && $0.isHexDigit }), let unit = UInt16(digits, radix: 16)
    else { return nil }
    return unit.byteSwapped
  }
}
