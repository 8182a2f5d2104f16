internal import Foundation

#if canImport(FoundationXML)
  internal import FoundationXML
#endif

/// Follows the events of an XML parser and builds the value they describe.
///
/// It keeps a stack of its own, so deep nesting costs no call frames, and an error stops the parser at once.
final class XMLPropertyListReader: NSObject, XMLParserDelegate {
  /// A container that is still open.
  private struct Container {
    var isDictionary: Bool
    var elements: [PropertyList] = []
    var dictionary = PropertyListDictionary()
    var key: String?
  }

  private var containers: [Container] = []
  /// The scalar element that is open, and its text so far.
  private var scalar: (name: String, text: String)?
  private var sawRoot = false
  private var result: PropertyList?
  private var failure: PropertyListError?

  func read(_ bytes: [UInt8]) throws(PropertyListError) -> PropertyList {
    let parser = XMLParser(data: Data(bytes))
    parser.shouldResolveExternalEntities = false
    parser.delegate = self
    // The parser may report an error and still return true, so only our own notes count.
    _ = parser.parse()
    if let failure { throw failure }
    guard let result, containers.isEmpty, scalar == nil else {
      throw sawRoot ? .badXML(line: parser.lineNumber, reason: "It holds no complete value.") : .notAPropertyList
    }
    return result
  }

  func parser(
    _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
    attributes: [String: String]
  ) {
    guard failure == nil else { return }
    guard scalar == nil else { return fail(parser, "<\(name)> stands inside a plain value.") }
    switch name {
    case "plist" where !sawRoot: sawRoot = true
    case _ where !sawRoot: stop(parser, .notAPropertyList)
    case "array", "dict": open(Container(isDictionary: name == "dict"), parser)
    case "key", "string", "integer", "real", "true", "false", "date", "data": scalar = (name, "")
    default: fail(parser, "<\(name)> is not known in property lists.")
    }
  }

  func parser(_ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?) {
    guard failure == nil else { return }
    if let (kind, text) = scalar {
      scalar = nil
      if kind == "key" { return setKey(text, parser) }
      guard let value = XMLScalar.value(kind, text) else { return fail(parser, "'\(text.prefix(40))' is no \(kind).") }
      add(value, parser)
    } else if let container = containers.popLast() {
      guard container.key == nil else { return fail(parser, "The last key has no value.") }
      add(container.isDictionary ? XMLScalar.uidOrDictionary(container.dictionary) : .array(container.elements), parser)
    }
  }

  func parser(_ parser: XMLParser, foundCharacters text: String) {
    if scalar != nil {
      scalar?.text += text
    } else if !text.allSatisfy(\.isWhitespace) {
      fail(parser, "Text stands between the values.")
    }
  }

  func parser(_ parser: XMLParser, foundCDATA block: Data) {
    self.parser(parser, foundCharacters: String(decoding: block, as: UTF8.self))
  }

  func parser(_ parser: XMLParser, parseErrorOccurred error: any Error) {
    fail(parser, "It is not well-formed.")
  }

  private func open(_ container: Container, _ parser: XMLParser) {
    guard containers.count < BinaryReader.depthLimit else {
      return stop(parser, .tooDeep(limit: BinaryReader.depthLimit))
    }
    containers.append(container)
  }

  private func setKey(_ key: String, _ parser: XMLParser) {
    guard let last = containers.indices.last, containers[last].isDictionary, containers[last].key == nil else {
      return fail(parser, "The key '\(key)' stands where a value belongs.")
    }
    guard containers[last].dictionary[key] == nil else { return stop(parser, .duplicateKey(key)) }
    containers[last].key = key
  }

  private func add(_ value: PropertyList, _ parser: XMLParser) {
    guard let last = containers.indices.last else {
      guard result == nil else { return fail(parser, "It holds more than one value.") }
      result = value
      return
    }
    guard containers[last].isDictionary else { return containers[last].elements.append(value) }
    guard let key = containers[last].key else { return fail(parser, "A value in a dictionary has no key.") }
    containers[last].dictionary[key] = value
    containers[last].key = nil
  }

  private func fail(_ parser: XMLParser, _ reason: String) {
    stop(parser, .badXML(line: parser.lineNumber, reason: reason))
  }

  private func stop(_ parser: XMLParser, _ error: PropertyListError) {
    // The first error is the cause; those that follow are its echo.
    guard failure == nil else { return }
    failure = error
    parser.abortParsing()
  }
}
