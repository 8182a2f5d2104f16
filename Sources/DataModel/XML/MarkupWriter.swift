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
      if let value { text += " \(name)=\"\(MarkupText.attribute.escaped(value))\"" }
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
