internal import XMLStream

/// Follows the events of an XML parser and builds the value they describe.
///
/// It keeps a stack of its own, so deep nesting costs no call frames, and an error stops the parser at once.
struct XMLPropertyListReader: XMLVisitor {
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

  static func read(_ bytes: [UInt8]) throws(PropertyListError) -> PropertyList {
    // The elements around the containers and inside them count, too. Containers that are too deep are told of below.
    let limits = XMLStreamLimits(depth: BinaryReader.depthLimit + 3)
    let reader: XMLPropertyListReader
    do {
      reader = try XMLStreamParser.parse(bytes, with: XMLPropertyListReader(), limits: limits)
    } catch {
      throw error.reason
    }
    guard let result = reader.result else { throw bad("It holds no value.", 1) }
    return result
  }

  static func failure(_ error: XMLStreamError, line: Int) -> PropertyListError {
    switch error {
    case .tooLarge(let limit): .tooLarge(limit: limit)
    case .tooComplex(let limit): .tooManyObjects(limit: limit)
    case .notUTF8: bad("It is not in UTF-8.", line)
    case .declaresEntities: bad("It declares entities of its own.", line)
    case .malformed: bad("It is not well-formed.", line)
    }
  }

  mutating func begin(_ name: String, _ attributes: [String: String], line: Int) throws(PropertyListError) {
    guard scalar == nil else { throw Self.bad("<\(name)> stands inside a plain value.", line) }
    switch name {
    case "plist" where !sawRoot: sawRoot = true
    case _ where !sawRoot: throw .notAPropertyList
    case "array", "dict": try open(Container(isDictionary: name == "dict"))
    case "key", "string", "integer", "real", "true", "false", "date", "data": scalar = (name, "")
    default: throw Self.bad("<\(name)> is not known in property lists.", line)
    }
  }

  mutating func end(line: Int) throws(PropertyListError) {
    if let (kind, text) = scalar {
      scalar = nil
      if kind == "key" { return try setKey(text, line) }
      guard let value = XMLScalar.value(kind, text) else { throw Self.bad("'\(text.prefix(40))' is no \(kind).", line) }
      try add(value, line)
    } else if let container = containers.popLast() {
      guard container.key == nil else { throw Self.bad("The last key has no value.", line) }
      try add(
        container.isDictionary ? XMLScalar.uidOrDictionary(container.dictionary) : .array(container.elements), line)
    }
  }

  mutating func append(_ text: String, line: Int) throws(PropertyListError) {
    if scalar != nil {
      scalar?.text += text
    } else if !text.allSatisfy(\.isWhitespace) {
      throw Self.bad("Text stands between the values.", line)
    }
  }

  private mutating func open(_ container: Container) throws(PropertyListError) {
    guard containers.count < BinaryReader.depthLimit else { throw .tooDeep(limit: BinaryReader.depthLimit) }
    containers.append(container)
  }

  private mutating func setKey(_ key: String, _ line: Int) throws(PropertyListError) {
    guard let last = containers.indices.last, containers[last].isDictionary, containers[last].key == nil else {
      throw Self.bad("The key '\(key)' stands where a value belongs.", line)
    }
    guard containers[last].dictionary[key] == nil else { throw .duplicateKey(key) }
    containers[last].key = key
  }

  private mutating func add(_ value: PropertyList, _ line: Int) throws(PropertyListError) {
    guard let last = containers.indices.last else {
      guard result == nil else { throw Self.bad("It holds more than one value.", line) }
      result = value
      return
    }
    guard containers[last].isDictionary else { return containers[last].elements.append(value) }
    guard let key = containers[last].key else { throw Self.bad("A value in a dictionary has no key.", line) }
    containers[last].dictionary[key] = value
    containers[last].key = nil
  }

  private static func bad(_ reason: String, _ line: Int) -> PropertyListError { .badXML(line: line, reason: reason) }
}
