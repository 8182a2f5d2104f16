internal import DataModel
internal import Foundation
internal import PropertyListFormat

/// The values of attributes that an app can read only some of.
enum FixtureChoices {
  /// The values of an attribute; `nil` if the app can read all values of its type.
  static func all(of attribute: AttributeDescription) -> [AttributeValue]? {
    let values = attribute.type == .transformable ? arrays(of: attribute) : rawValues(of: attribute)
    return values.isEmpty ? nil : values
  }

  /// The raw values of an enumeration in Swift source, which the model of that lists.
  private static func rawValues(of attribute: AttributeDescription) -> [AttributeValue] {
    guard let text = attribute.userInfo["tracks-migrate.values"],
      let list = try? JSONSerialization.jsonObject(with: Data(text.utf8)) as? [Any]
    else { return [] }
    return list.compactMap { value in
      switch (attribute.type, value) {
      case (.string, let text as String): .string(text)
      case (.integer16, let number as NSNumber), (.integer32, let number as NSNumber),
        (.integer64, let number as NSNumber):
        .integer(number.int64Value)
      default: nil
      }
    }
  }

  /// Archived arrays, for attributes that are arrays in Swift.
  private static func arrays(of attribute: AttributeDescription) -> [AttributeValue] {
    guard let element = attribute.editorAttributes["customClassName"], element.hasPrefix("[") else { return [] }
    let values: [PropertyList] =
      switch element {
      case "[String]": [.string("one"), .string(""), .string("Ünïcödé 👩‍👩‍👧‍👦")]
      case "[Int]", "[Int8]", "[Int16]", "[Int32]", "[Int64]", "[UInt]", "[UInt8]", "[UInt16]", "[UInt32]", "[UInt64]":
        [.integer(1), .integer(0), .integer(100)]
      case "[Double]", "[Float]": [.real(0.5), .real(0), .real(-1.25)]
      case "[Bool]": [.boolean(true), .boolean(false)]
      // An empty array is one of all elements.
      default: []
      }
    return Set([0, 1, values.count]).sorted().filter { $0 <= values.count }.map { .data(archive(values.prefix($0))) }
  }

  private static func archive(_ values: ArraySlice<PropertyList>) -> [UInt8] {
    var writer = KeyedArchiveWriter()
    let root = writer.reserve()
    let elements = values.map { value -> PropertyList in
      if case .string(let text) = value { writer.add(text) } else { writer.add(value) }
    }
    writer.fill(root, ["NSArray"], ["NS.objects": .array(elements)])
    return writer.propertyList(root: root).binary()
  }
}
