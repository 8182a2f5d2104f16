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
      if let value { text += " \(name)=\"\(Self.escaped(value))\"" }
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

  private static func escaped(_ value: String) -> String {
    var result = ""
    for scalar in value.unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      // Readers turn plain line ends and tabs in attributes into spaces.
      case "\n", "\r", "\t": result += "&#\(scalar.value);"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}
