internal import Foundation
internal import SystemC
internal import XMLStream

/// Builds a value from the events of an XML parser.
///
/// It uses an explicit stack, so deep nesting needs no call frames, and an error stops the parser at once.
private struct XMLPropertyListReader: XMLVisitor {
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
  /// Whether the outermost element has begun: `<plist>`, or, as Apple's reader also accepts, the value itself.
  private var sawRoot = false
  private var result: PropertyList?

  static func read(_ bytes: [UInt8]) throws(PropertyListError) -> PropertyList {
    // Elements around and inside the containers also count. The depth of containers is checked below.
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
    case .notUTF8: bad("It is not in UTF-8, UTF-16 or Latin-1.", line)
    case .declaresEntities: bad("It declares entities of its own.", line)
    case .malformed: bad("It is not well-formed.", line)
    }
  }

  mutating func begin(_ name: String, _ attributes: [String: String], line: Int) throws(PropertyListError) {
    guard scalar == nil else { throw Self.bad("<\(name)> is inside a plain value.", line) }
    switch name {
    case "plist" where !sawRoot: break
    case "array", "dict": try open(Container(isDictionary: name == "dict"))
    case "key", "string", "integer", "real", "true", "false", "date", "data": scalar = (name, "")
    default: throw sawRoot ? Self.bad("<\(name)> is not known in property lists.", line) : .notAPropertyList
    }
    sawRoot = true
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
      throw Self.bad("There is text between the values.", line)
    }
  }

  private mutating func open(_ container: Container) throws(PropertyListError) {
    guard containers.count < BinaryReader.depthLimit else { throw .tooDeep(limit: BinaryReader.depthLimit) }
    containers.append(container)
  }

  private mutating func setKey(_ key: String, _ line: Int) throws(PropertyListError) {
    guard let last = containers.indices.last, containers[last].isDictionary, containers[last].key == nil else {
      throw Self.bad("The key '\(key)' is in the place of a value.", line)
    }
    // Of equal keys, the last one counts, as in Apple's reader.
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

/// Decodes scalars of an XML property list.
private enum XMLScalar {
  static func value(_ kind: String, _ text: String) -> PropertyList? {
    switch kind {
    case "string": .string(text)
    case "true": .boolean(true)
    case "false": .boolean(false)
    case "integer": integer(trimmed(text))
    case "real": Double(trimmed(text)).map { .real($0) }
    case "date": seconds(trimmed(text)).map { .date($0) }
    case "data": [UInt8](base64: text).map { .data($0) }
    default: nil
    }
  }

  /// A dictionary, or a reference of a keyed archive, which XML represents as a dictionary with one key.
  static func uidOrDictionary(_ dictionary: PropertyListDictionary) -> PropertyList {
    guard dictionary.count == 1, let number = dictionary["CF$UID"]?.integer, let uid = UInt64(exactly: number) else {
      return .dictionary(dictionary)
    }
    return .uid(uid)
  }

  private static func integer(_ text: String) -> PropertyList? {
    let isNegative = text.hasPrefix("-")
    let digits = text.hasPrefix("-") || text.hasPrefix("+") ? String(text.dropFirst()) : text
    let isHex = digits.hasPrefix("0x") || digits.hasPrefix("0X")
    guard digits.first?.isASCII == true, digits.first != "-", digits.first != "+",
      let magnitude = isHex ? Int128(digits.dropFirst(2), radix: 16) : Int128(digits)
    else { return nil }
    guard magnitude >= 0 else { return nil }
    let value = isNegative ? -magnitude : magnitude
    return Int64(exactly: value).map { .integer($0) } ?? .wideInteger(value)
  }

  /// Parses a date in the only form that property lists allow, `2001-01-01T00:00:00Z`.
  private static func seconds(_ text: String) -> Double? {
    let parts = text.split(omittingEmptySubsequences: false) { "-T:Z".contains($0) }
    guard text.utf8.count == 20, text.hasSuffix("Z"), parts.count == 7,
      parts.map(\.utf8.count) == [4, 2, 2, 2, 2, 2, 0]
    else { return nil }
    let numbers = parts.dropLast().compactMap { $0.allSatisfy(\.isNumber) ? Int($0) : nil }
    guard numbers.count == 6, (1...12).contains(numbers[1]), (1...31).contains(numbers[2]) else { return nil }
    guard numbers[3] < 24, numbers[4] < 60, numbers[5] < 61 else { return nil }
    let days = GregorianDay.daysSince2001(year: numbers[0], month: numbers[1], day: numbers[2])
    return Double(days * 86400 + numbers[3] * 3600 + numbers[4] * 60 + numbers[5])
  }

  private static func trimmed(_ text: String) -> String {
    text.trimmingCharacters(in: .whitespacesAndNewlines)
  }
}

extension [UInt8] {
  /// Decodes base64, which may contain line breaks; `nil` if the text is invalid.
  package init?(base64 text: String) {
    let digits = text.filter { !$0.isWhitespace }
    // Foundation accepts too much padding, and padding in the middle.
    guard digits.utf8.count.isMultiple(of: 4), ["", "=", "=="].contains(digits.drop { $0 != "=" }),
      let data = Data(base64Encoded: digits)
    else { return nil }
    self = Array(data)
  }
}

extension PropertyList {
  /// Reads an XML property list.
  ///
  /// Declared entities are an error, so nothing is ever expanded or fetched.
  ///
  /// - Parameter bytes: The whole file.
  /// - Throws: `PropertyListError` if the bytes are not an XML property list.
  package init(xml bytes: [UInt8]) throws(PropertyListError) {
    guard bytes.count > XMLStreamLimits.size || bytes.contains(UInt8(ascii: "<")) else { throw .notAPropertyList }
    self = try XMLPropertyListReader.read(bytes)
  }
}
