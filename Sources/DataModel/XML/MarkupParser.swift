internal import XMLStream

/// Reads XML into elements.
struct MarkupParser: XMLVisitor {
  typealias Failure = ModelFileProblem

  // A stack of its own instead of recursion.
  private var open: [MarkupElement] = []
  private var root: MarkupElement?

  /// Reads a document; the file only serves to name it in errors.
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
