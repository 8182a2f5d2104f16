/// What learns of the elements of an XML document, one after the other, while an `XMLStreamParser` reads it.
///
/// An error that it throws ends the reading.
package protocol XMLVisitor {
  /// What can be wrong with the document.
  associatedtype Failure: Error

  /// What it means that the document cannot be read as XML.
  static func failure(_ error: XMLStreamError, line: Int) -> Failure

  /// An element begins.
  mutating func begin(_ name: String, _ attributes: [String: String], line: Int) throws(Failure)

  /// A piece of the text of the innermost element.
  mutating func append(_ text: String, line: Int) throws(Failure)

  /// The innermost element ends.
  mutating func end(line: Int) throws(Failure)
}

extension XMLVisitor {
  /// Text means nothing.
  package mutating func append(_ text: String, line: Int) throws(Failure) {}
}
