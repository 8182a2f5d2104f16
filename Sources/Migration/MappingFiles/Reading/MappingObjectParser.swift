internal import Foundation
internal import PropertyList

#if canImport(FoundationXML)
  internal import FoundationXML
#endif

/// Reads the objects of an `xcmapping.xml`.
///
/// Nothing is looked up while reading and each byte is seen once, so large files take no longer than they must.
final class MappingObjectParser: NSObject, XMLParserDelegate {
  private static let elementLimit = 1_000_000
  private static let depthLimit = 64

  private var path: [String] = []
  private var count = 0
  private var rootName: String?
  private var objects: [MappingObject] = []
  private var object: MappingObject?
  private var attribute: (name: String, value: MappingObject.Attribute)?
  private var failure: (problem: MappingModelFileProblem, line: Int)?

  /// Reads a document; the file only serves to name it in errors.
  static func parse(_ bytes: [UInt8], file: String) throws(MappingModelFileError) -> [MappingObject] {
    do {
      try XMLGuard.check(bytes)
    } catch {
      throw MappingModelFileError(MappingModelFileProblem(error), file: file)
    }
    let reader = MappingObjectParser()
    let parser = XMLParser(data: Data(bytes))
    parser.shouldResolveExternalEntities = false
    parser.delegate = reader
    // The parser may report an error and still return true, so only our own notes count.
    _ = parser.parse()
    if let (problem, line) = reader.failure { throw MappingModelFileError(problem, file: file, line: line) }
    guard reader.rootName != nil, reader.path.isEmpty else {
      throw MappingModelFileError(.malformedXML, file: file, line: parser.lineNumber)
    }
    return reader.objects
  }

  func parser(
    _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
    attributes: [String: String]
  ) {
    guard failure == nil else { return }
    count += 1
    guard count <= Self.elementLimit, path.count < Self.depthLimit else {
      return stop(parser, .tooComplex(limit: Self.elementLimit))
    }
    if path.isEmpty {
      guard name == "database" else {
        return stop(parser, .notAMappingModel("it begins with <\(name)> instead of <database>"))
      }
      rootName = name
    }
    path.append(name)
    switch path {
    case ["database", "object"]:
      guard let identifier = attributes["id"], let type = attributes["type"] else {
        return stop(parser, .missingAttribute(object: "an object", attribute: attributes["id"] == nil ? "id" : "type"))
      }
      object = MappingObject(type: type.uppercased(), identifier: identifier, line: parser.lineNumber)
    case ["database", "object", "attribute"]: beginAttribute(parser, attributes)
    case ["database", "object", "relationship"]: addRelationship(parser, attributes)
    default: break
    }
  }

  // The object is changed where it stands: a copy of it, even one only looked at, would cost time with each part.
  private func beginAttribute(_ parser: XMLParser, _ attributes: [String: String]) {
    guard let subject = object?.subject else { return }
    guard let name = attributes["name"] else {
      return stop(parser, .missingAttribute(object: "an attribute of \(subject)", attribute: "name"))
    }
    guard object?.attributes[name] == nil else {
      return stop(parser, .repeatedAttribute(object: subject, attribute: name))
    }
    attribute = (name, MappingObject.Attribute(type: attributes["type"] ?? "", text: "", line: parser.lineNumber))
  }

  private func addRelationship(_ parser: XMLParser, _ attributes: [String: String]) {
    guard let subject = object?.subject else { return }
    guard let name = attributes["name"] else {
      return stop(parser, .missingAttribute(object: "a relationship of \(subject)", attribute: "name"))
    }
    guard object?.relationships[name] == nil else {
      return stop(parser, .repeatedAttribute(object: subject, attribute: name))
    }
    let references = (attributes["idrefs"] ?? "").split(whereSeparator: \.isWhitespace).map(String.init)
    object?.relationships[name] = references
  }

  func parser(_ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?) {
    guard failure == nil, path.popLast() != nil else { return }
    if path.count == 2, let (name, value) = attribute {
      object?.attributes[name] = value
      attribute = nil
    } else if path.count == 1, let finished = object {
      objects.append(finished)
      object = nil
    }
  }

  func parser(_ parser: XMLParser, foundCharacters text: String) { append(text) }

  func parser(_ parser: XMLParser, foundCDATA block: Data) { append(String(decoding: block, as: UTF8.self)) }

  private func append(_ text: String) {
    // The copies of the models are in a form of Xcode's own and are most of the file.
    guard let name = attribute?.name, name != "sourcemodeldata", name != "destinationmodeldata" else { return }
    attribute?.value.text += text
  }

  func parser(_ parser: XMLParser, parseErrorOccurred error: any Error) {
    stop(parser, .malformedXML)
  }

  private func stop(_ parser: XMLParser, _ problem: MappingModelFileProblem) {
    // The first error is the cause; those that follow are its echo.
    guard failure == nil else { return }
    failure = (problem, parser.lineNumber)
    parser.abortParsing()
  }
}

extension MappingModelFileProblem {
  fileprivate init(_ refusal: XMLGuard.Refusal) {
    switch refusal {
    case .tooLarge(let limit): self = .tooLarge(limit: limit)
    case .notUTF8: self = .notUTF8
    case .declaresEntities: self = .declaresEntities
    }
  }
}
