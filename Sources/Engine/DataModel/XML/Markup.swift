internal import XMLStream

/// An XML element with its attributes and child elements.
///
/// Text between elements has no meaning in a model.
struct MarkupElement {
  let name: String
  let attributes: [String: String]
  let line: Int
  var children: [MarkupElement] = []

  /// The children of this name.
  func children(named name: String) -> [MarkupElement] {
    children.filter { $0.name == name }
  }
}

/// Reads XML into elements.
struct MarkupParser: XMLVisitor {
  typealias Failure = ModelFileProblem

  // An explicit stack instead of recursion.
  private var open: [MarkupElement] = []
  private var root: MarkupElement?

  /// Reads a document; the file is only used in errors.
  static func parse(_ bytes: [UInt8], file: String) throws(ModelFileError) -> MarkupElement {
    do {
      let parser = try XMLStreamParser.parse(bytes, with: MarkupParser())
      if let root = parser.root { return root }
    } catch {
      throw ModelFileError(error.reason, file: file, line: error.line)
    }
    throw ModelFileError(.malformedXML, file: file)
  }

  static func failure(_ error: XMLStreamError, line: Int) -> ModelFileProblem { ModelFileProblem(error) }

  mutating func begin(_ name: String, _ attributes: [String: String], line: Int) {
    open.append(MarkupElement(name: name, attributes: attributes, line: line))
  }

  mutating func end(line: Int) {
    guard let element = open.popLast() else { return }
    guard let parent = open.indices.last else { return root = element }
    open[parent].children.append(element)
  }
}

/// The place of a text in XML.
package enum XMLEscaping {
  /// Between the tags of an element.
  case content
  /// In the value of an attribute.
  case attribute

  /// The text with all characters escaped that would have another meaning there.
  package func escaped(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"" where self == .attribute: result += "&quot;"
      // Parsers turn newlines and tabs in attributes into spaces, and carriage returns everywhere into newlines.
      case "\n" where self == .attribute, "\t" where self == .attribute, "\r": result += "&#\(scalar.value);"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  /// The first character that XML cannot represent, written as `U+1`.
  package static func forbiddenCharacter(in text: String) -> String? {
    text.unicodeScalars.first { !isAllowed($0) }.map { "U+" + String($0.value, radix: 16, uppercase: true) }
  }

  private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x09, 0x0A, 0x0D, 0x20...0xFFFD, 0x10000...: true
    default: false
    }
  }
}

/// Writes XML in Xcode's layout: four spaces a level, one element a line, no newline at the end.
struct MarkupWriter {
  private(set) var text = #"<?xml version="1.0" encoding="UTF-8" standalone="yes"?>"#
  private var depth = 0

  /// Writes an element and what `content` writes inside it.
  mutating func element(
    _ name: String, _ attributes: [(name: String, value: String?)] = [],
    content: (inout MarkupWriter) -> Void = { _ in }
  ) {
    text += "\n" + String(repeating: "    ", count: depth) + "<\(name)"
    for (name, value) in attributes {
      if let value { text += " \(name)=\"\(XMLEscaping.attribute.escaped(value))\"" }
    }
    var inner = MarkupWriter()
    inner.text = ""
    inner.depth = depth + 1
    content(&inner)
    if inner.text.isEmpty {
      text += "/>"
    } else {
      text += ">" + inner.text + "\n" + String(repeating: "    ", count: depth) + "</\(name)>"
    }
  }
}
