internal import DataModel
internal import XMLStream

/// Reads the objects of an `xcmapping.xml`.
///
/// Nothing is looked up while reading and each byte is seen once, so large files take no longer than they must.
struct MappingObjectParser: XMLVisitor {
  typealias Failure = MappingModelFileProblem

  private var path: [String] = []
  private var objects: [MappingObject] = []
  private var object: MappingObject?
  private var attribute: (name: String, value: MappingObject.Attribute)?

  /// Reads a document; the file only serves to name it in errors.
  static func parse(_ bytes: [UInt8], file: String) throws(MappingModelFileError) -> [MappingObject] {
    do {
      return try XMLStreamParser.parse(bytes, with: MappingObjectParser()).objects
    } catch {
      throw MappingModelFileError(error.reason, file: file, line: error.line)
    }
  }

  static func failure(_ error: XMLStreamError, line: Int) -> MappingModelFileProblem {
    MappingModelFileProblem(ModelFileProblem(error))
  }

  mutating func begin(
    _ name: String, _ attributes: [String: String], line: Int
  ) throws(MappingModelFileProblem) {
    if path.isEmpty, name != "database" {
      throw .notAMappingModel("it begins with <\(name)> instead of <database>")
    }
    path.append(name)
    switch path {
    case ["database", "object"]:
      guard let identifier = attributes["id"], let type = attributes["type"] else {
        throw .missingAttribute(object: "an object", attribute: attributes["id"] == nil ? "id" : "type")
      }
      object = MappingObject(type: type.uppercased(), identifier: identifier, line: line)
    case ["database", "object", "attribute"]: try beginAttribute(attributes, line: line)
    case ["database", "object", "relationship"]: try addRelationship(attributes)
    default: break
    }
  }

  // The object is changed where it stands: a copy of it, even one only looked at, would cost time with each part.
  private mutating func beginAttribute(
    _ attributes: [String: String], line: Int
  ) throws(MappingModelFileProblem) {
    guard let subject = object?.subject else { return }
    guard let name = attributes["name"] else {
      throw .missingAttribute(object: "an attribute of \(subject)", attribute: "name")
    }
    guard object?.attributes[name] == nil else { throw .repeatedAttribute(object: subject, attribute: name) }
    attribute = (name, MappingObject.Attribute(type: attributes["type"] ?? "", text: "", line: line))
  }

  private mutating func addRelationship(_ attributes: [String: String]) throws(MappingModelFileProblem) {
    guard let subject = object?.subject else { return }
    guard let name = attributes["name"] else {
      throw .missingAttribute(object: "a relationship of \(subject)", attribute: "name")
    }
    guard object?.relationships[name] == nil else { throw .repeatedAttribute(object: subject, attribute: name) }
    let references = (attributes["idrefs"] ?? "").split(whereSeparator: \.isWhitespace).map(String.init)
    object?.relationships[name] = references
  }

  mutating func append(_ text: String, line: Int) {
    // The copies of the models are in a form of Xcode's own and are most of the file.
    guard let name = attribute?.name, name != "sourcemodeldata", name != "destinationmodeldata" else { return }
    attribute?.value.text += text
  }

  mutating func end(line: Int) {
    guard path.popLast() != nil else { return }
    if path.count == 2, let (name, value) = attribute {
      object?.attributes[name] = value
      if value.type == "string" { object?.attributes[name]?.text = MappingStoreText.decoded(value.text) }
      attribute = nil
    } else if path.count == 1, let finished = object {
      objects.append(finished)
      object = nil
    }
  }
}
