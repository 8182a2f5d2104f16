internal import CoreDataExpressions

/// A path to values in a JSON document: the part of JSONPath (RFC 9535) that a single pass over the document can follow.
///
/// A path is a chain of members (`.name`, `['#text']`), elements (`[*]`, `[0]`, `[-1]` for the last one), and, at the end of
/// a path to artists, one filter (`[?@.type == 'artist']`). The leading `$` (the document) or `@` (the artist) may be left
/// out. A path without steps, `@`, means the value itself.
///
/// Recursive descent (`..`), slices and general filters would require the whole document in memory, and are refused.
package struct JSONPath: Sendable, Hashable {
  /// One step on the way to a value.
  package enum Step: Sendable, Hashable {
    case member(String)
    /// Every element of an array.
    case every
    /// One element of an array, counted from 0.
    case element(Int)
    /// The last element of an array.
    case last
    /// The elements of an array that have a value with this text at a path of members.
    case filter([String], equals: String)
  }

  package let steps: [Step]

  package init(steps: [Step]) { self.steps = steps }

  /// Reads a path.
  package init(_ text: String) throws(JSONPathError) {
    var parser = JSONPathParser(text)
    self = try parser.path()
  }

  /// The filter at the end of the path, if there is one.
  package var filter: (members: [String], value: String)? {
    guard case .filter(let members, let value) = steps.last else { return nil }
    return (members, value)
  }

  /// Whether the path leads to the elements of an array.
  package var leadsToElements: Bool {
    switch steps.last {
    case .every, .filter: true
    default: false
    }
  }
}

extension JSONPath: CustomStringConvertible {
  /// The path as it is written, without the leading `$` or `@`.
  package var description: String {
    guard !steps.isEmpty else { return "@" }
    let text = steps.map(Self.text).joined()
    return text.hasPrefix(".") ? String(text.dropFirst()) : text
  }

  /// The path from the root of a document.
  package var fromRoot: String { "$" + steps.map(Self.text).joined() }

  private static func text(_ step: Step) -> String {
    switch step {
    case .member(let name): member(name)
    case .every: "[*]"
    case .element(let index): "[\(index)]"
    case .last: "[-1]"
    case .filter(let members, let value): "[?@\(members.map(member).joined()) == \(quoted(value))]"
    }
  }

  private static func member(_ name: String) -> String {
    JSONPathParser.isShorthand(name) ? ".\(name)" : "[\(quoted(name))]"
  }

  static func quoted(_ text: String) -> String {
    var quoted = "'"
    for scalar in text.unicodeScalars {
      switch scalar {
      case "'", "\\": quoted += "\\\(scalar)"
      case _ where scalar.value < 0x20:
        let digits = String(scalar.value, radix: 16)
        quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + "'"
  }
}

extension JSONPath: ExpressibleByStringLiteral {
  /// A path that is written in the source code.
  package init(stringLiteral text: String) {
    do throws(JSONPathError) { try self.init(text) } catch { preconditionFailure("\(error)") }
  }
}

/// A condition for a document to match a preset: values at paths, some of them with a certain text.
///
/// It is written as in a filter of RFC 9535: `$.artist.name`, `$.type == 'track'`, `!$.id`, and several of these with `||`
/// between them. A path alone means that there is a value, `null` included.
package struct JSONCondition: Sendable, Hashable, CustomStringConvertible {
  /// One of the alternatives.
  package struct Test: Sendable, Hashable {
    package let path: JSONPath
    /// The text that the value must have; `nil` if any value will do.
    package let value: String?
    /// Whether the document must not have this.
    package let isNegated: Bool

    package init(path: JSONPath, value: String?, isNegated: Bool) {
      (self.path, self.value, self.isNegated) = (path, value, isNegated)
    }

    /// Whether `null` is a value here: only of the track's artists, of which it says that there are none.
    ///
    /// Elsewhere services write it for what they do not have.
    package var countsNull: Bool { path.steps == [.member("artists")] }
  }

  /// At least one of these must hold.
  package let tests: [Test]

  /// Reads a condition.
  package init(_ text: String) throws(JSONPathError) {
    var parser = JSONPathParser(text)
    tests = try parser.tests()
  }

  package var description: String {
    tests.map { test in
      let path = test.path.fromRoot
      return test.isNegated ? "!\(path)" : test.value.map { "\(path) == \(JSONPath.quoted($0))" } ?? path
    }.joined(separator: " || ")
  }
}

extension JSONCondition: ExpressibleByStringLiteral {
  /// A condition that is written in the source code.
  package init(stringLiteral text: String) {
    do throws(JSONPathError) { try self.init(text) } catch { preconditionFailure("\(error)") }
  }
}

/// A problem in a path, with its place.
package struct JSONPathError: Error, Sendable, Hashable, CustomStringConvertible {
  package enum Problem: Sendable, Hashable {
    case expected(String)
    case recursiveDescent
    case slice
    case index
    case misplacedFilter
    case misplacedLast
    case unterminatedText
    case unknownEscape
    /// A member that must be in brackets and quotes.
    case unquoted(String)
    case tooLong
  }

  package let problem: Problem
  /// The place, in bytes of UTF-8.
  package let offset: Int
  /// The whole path.
  package let path: String

  /// A sentence, the path, and a caret under the place.
  package var description: String {
    let excerpt = FormatExcerpt(path, offset: offset)
    return "\(sentence) (at byte \(offset))\n  \(excerpt.line)\n  \(excerpt.caretLine)"
  }

  private var sentence: String {
    switch problem {
    case .expected(let what): "expected \(what)"
    case .recursiveDescent: "'..' would need the whole document in memory; write each member on the way"
    case .slice: "slices and lists of elements are not supported; there are [*], [0] and [-1]"
    case .index: "an element is a number from 0 to 9999, or -1 for the last one"
    case .misplacedFilter: "a filter must be the last step, and only of a path to artists"
    case .misplacedLast: "only a path to a detail of an artist may have [-1]"
    case .unterminatedText: "this text has no closing quote"
    case .unknownEscape: "this escape is unknown; a backslash itself is written \\\\"
    case .unquoted(let name): "this member must be quoted: [\(JSONPath.quoted(name))]"
    case .tooLong: "a path has at most \(JSONPathParser.stepLimit) steps"
    }
  }
}

/// Parses paths and conditions.
struct JSONPathParser {
  private let text: String
  private let bytes: [UInt8]
  private var index = 0

  static let stepLimit = 32

  init(_ text: String) {
    self.text = text
    bytes = Array(text.utf8)
  }

  /// A path, and nothing after it.
  mutating func path() throws(JSONPathError) -> JSONPath {
    skipSpace()
    let path = try steps(allowsFilter: true)
    skipSpace()
    guard index == bytes.count else { throw unexpected("'.', '[' or the end of the path") }
    return path
  }

  /// The alternatives of a condition, and nothing after them.
  mutating func tests() throws(JSONPathError) -> [JSONCondition.Test] {
    var tests: [JSONCondition.Test] = []
    repeat {
      skipSpace()
      let isNegated = take("!")
      skipSpace()
      let path = try steps(allowsFilter: false)
      skipSpace()
      var value: String?
      if !isNegated, take("==") {
        skipSpace()
        value = try literal()
        skipSpace()
      }
      if path.steps.contains(.last) { throw error(.misplacedLast) }
      tests.append(JSONCondition.Test(path: path, value: value, isNegated: isNegated))
    } while take("||")
    guard index == bytes.count else { throw unexpected("'.', '[', '==', '||' or the end of the condition") }
    return tests
  }

  private mutating func steps(allowsFilter: Bool) throws(JSONPathError) -> JSONPath {
    var steps: [JSONPath.Step] = []
    // A path may begin with a member, without "$." in front of it.
    if !take("$"), !take("@"), peek != UInt8(ascii: "["), peek != UInt8(ascii: ".") {
      steps.append(.member(try shorthand()))
    }
    while let byte = peek, byte == UInt8(ascii: ".") || byte == UInt8(ascii: "[") {
      guard steps.count < Self.stepLimit else { throw error(.tooLong) }
      if case .filter = steps.last { throw error(.misplacedFilter) }
      if take(".") {
        if peek == UInt8(ascii: ".") { throw error(.recursiveDescent) }
        steps.append(take("*") ? .every : .member(try shorthand()))
      } else {
        index += 1
        skipSpace()
        if peek == UInt8(ascii: "?"), !allowsFilter { throw error(.misplacedFilter) }
        steps.append(try bracket())
        skipSpace()
        guard take("]") else {
          throw [UInt8(ascii: ","), UInt8(ascii: ":")].contains(peek) ? error(.slice) : unexpected("']'")
        }
      }
    }
    return JSONPath(steps: steps)
  }

  /// Reads the contents of brackets.
  private mutating func bracket() throws(JSONPathError) -> JSONPath.Step {
    if take("*") { return .every }
    if take("?") { return try filter() }
    if peek == UInt8(ascii: "'") || peek == UInt8(ascii: "\"") { return .member(try quotedText()) }
    if peek == UInt8(ascii: ":") { throw error(.slice) }
    let start = index
    let isNegative = take("-")
    let digits = index
    while let byte = peek, isDigit(byte) { index += 1 }
    let number = Int(String(decoding: bytes[digits..<index], as: UTF8.self))
    guard index > digits else {
      index = start
      throw unexpected("a quoted member, '*', a number or a filter such as ?@.type == 'artist'")
    }
    let hasLeadingZero = index - digits > 1 && bytes[digits] == UInt8(ascii: "0")
    guard let number, number < 10_000, !hasLeadingZero, !isNegative || number == 1 else {
      index = start
      throw error(.index)
    }
    return isNegative ? .last : .element(number)
  }

  private mutating func filter() throws(JSONPathError) -> JSONPath.Step {
    skipSpace()
    guard peek == UInt8(ascii: "@") else { throw unexpected("'@', the element") }
    let start = index
    let path = try steps(allowsFilter: false)
    var members: [String] = []
    for step in path.steps {
      guard case .member(let name) = step else {
        index = start
        throw unexpected("members only, such as @.artist.type")
      }
      members.append(name)
    }
    skipSpace()
    guard !members.isEmpty else { throw unexpected("a member of the element, such as @.type") }
    guard take("==") else { throw unexpected("'=='") }
    skipSpace()
    return .filter(members, equals: try literal())
  }

  /// Quoted text, a number, `true` or `false`, as text.
  private mutating func literal() throws(JSONPathError) -> String {
    if peek == UInt8(ascii: "'") || peek == UInt8(ascii: "\"") { return try quotedText() }
    let start = index
    while let byte = peek, isDigit(byte) || isLetter(byte) || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".") {
      index += 1
    }
    let word = String(decoding: bytes[start..<index], as: UTF8.self)
    guard word == "true" || word == "false" || word.first?.isNumber == true || word.first == "-" else {
      index = start
      throw unexpected("text in quotes, a number, true or false")
    }
    return word
  }

  /// A member without quotes.
  private mutating func shorthand() throws(JSONPathError) -> String {
    let start = index
    while let byte = peek, isLetter(byte) || isDigit(byte) { index += 1 }
    let name = String(decoding: bytes[start..<index], as: UTF8.self)
    guard Self.isShorthand(name), !isOddMember else {
      // All text up to the next step is part of the name.
      while let byte = peek, !".[]=|!@ '\"".utf8.contains(byte) { index += 1 }
      let meant = String(decoding: bytes[start..<index], as: UTF8.self)
      index = start
      throw meant.isEmpty ? unexpected("the name of a member") : error(.unquoted(meant))
    }
    return name
  }

  /// Whether a character follows that belongs to the member but requires quotes.
  private var isOddMember: Bool { peek.map { "-#:/".utf8.contains($0) } ?? false }

  /// Whether RFC 9535 allows a member without quotes.
  static func isShorthand(_ name: String) -> Bool {
    guard let first = name.utf8.first, first >= 0x80 || isLetter(first) else { return false }
    return name.utf8.allSatisfy { isLetter($0) || isDigit($0) }
  }

  private mutating func quotedText() throws(JSONPathError) -> String {
    let start = index
    let quote = bytes[index]
    index += 1
    var content: [UInt8] = []
    while let byte = peek {
      index += 1
      if byte == quote { return String(decoding: content, as: UTF8.self) }
      guard byte == UInt8(ascii: "\\") else {
        content.append(byte)
        continue
      }
      content += Array(String(try escape()).utf8)
    }
    index = start
    throw error(.unterminatedText)
  }

  private mutating func escape() throws(JSONPathError) -> Unicode.Scalar {
    let start = index - 1
    guard let byte = peek else { throw error(.unterminatedText) }
    index += 1
    switch byte {
    case UInt8(ascii: "'"), UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
    case UInt8(ascii: "b"): return "\u{8}"
    case UInt8(ascii: "f"): return "\u{c}"
    case UInt8(ascii: "n"): return "\n"
    case UInt8(ascii: "r"): return "\r"
    case UInt8(ascii: "t"): return "\t"
    case UInt8(ascii: "u"):
      let digits = String(decoding: bytes[index...].prefix(4), as: UTF8.self)
      if digits.utf8.count == 4, let value = UInt32(digits, radix: 16), let scalar = Unicode.Scalar(value) {
        index += 4
        return scalar
      }
    default: break
    }
    index = start
    throw error(.unknownEscape)
  }

  // MARK: - Bytes

  private var peek: UInt8? { index < bytes.count ? bytes[index] : nil }

  private mutating func take(_ text: StaticString) -> Bool {
    let count = text.utf8CodeUnitCount
    guard index + count <= bytes.count else { return false }
    for place in 0..<count where bytes[index + place] != text.utf8Start[place] { return false }
    index += count
    return true
  }

  private mutating func skipSpace() {
    while let byte = peek, [0x20, 0x09, 0x0a, 0x0d].contains(byte) { index += 1 }
  }

  private func error(_ problem: JSONPathError.Problem) -> JSONPathError {
    JSONPathError(problem: problem, offset: index, path: text)
  }

  private func unexpected(_ what: String) -> JSONPathError { error(.expected(what)) }

  private func isLetter(_ byte: UInt8) -> Bool { Self.isLetter(byte) }
  private func isDigit(_ byte: UInt8) -> Bool { Self.isDigit(byte) }

  private static func isLetter(_ byte: UInt8) -> Bool {
    byte >= 0x80 || byte == UInt8(ascii: "_") || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}
