/// What learns of the elements of an XML document, one after the other, while a `MarkupReader` reads it.
package protocol MarkupHandler {
  /// What can be wrong with the document.
  associatedtype Problem: Error

  /// What it means that the document cannot be read as XML.
  static func problem(_ problem: ModelFileProblem) -> Problem

  /// An element begins.
  mutating func begin(_ name: String, _ attributes: [String: String], line: Int) throws(Problem)

  /// A piece of the text of the innermost element.
  mutating func append(_ text: String)

  /// The innermost element ends.
  mutating func end()
}

extension MarkupHandler {
  /// Text means nothing.
  package mutating func append(_ text: String) {}
}
