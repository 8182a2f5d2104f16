internal import CExpat

/// Reads XML with expat, and tells a visitor of what it finds.
///
/// Nothing is expanded or fetched, and depth and number of the elements are limited, so hostile files do no harm.
package enum XMLStreamParser {
  /// Reads a document, and gives the visitor with what it has learnt.
  ///
  /// - Throws: The first thing that is wrong.
  package static func parse<Visitor: XMLVisitor>(
    _ bytes: [UInt8], with visitor: Visitor, limits: XMLStreamLimits = XMLStreamLimits()
  ) throws(XMLStreamFailure<Visitor.Failure>) -> Visitor {
    do {
      try requirePlainText(bytes)
    } catch {
      throw XMLStreamFailure(reason: Visitor.failure(error, line: 1), line: nil)
    }
    let listener = VisitorListener(visitor, limits)
    bytes.withUnsafeBufferPointer { ExpatParser.parse($0, listener) }
    if let failure = listener.failure { throw failure }
    return listener.visitor
  }

  /// Expat reads other encodings, too; but the bytes of property lists and models are text in UTF-8, and what is refused
  /// is so for the same reason everywhere.
  private static func requirePlainText(_ bytes: [UInt8]) throws(XMLStreamError) {
    guard bytes.count <= XMLStreamLimits.size else { throw .tooLarge(limit: XMLStreamLimits.size) }
    guard !bytes.contains(0), String(validating: bytes, as: UTF8.self) != nil, declaresUTF8(bytes) else {
      throw .notUTF8
    }
  }

  private static func declaresUTF8(_ bytes: [UInt8]) -> Bool {
    guard let end = bytes.firstRange(of: Array("?>".utf8)),
      let name = bytes[..<end.lowerBound].firstRange(of: Array("encoding".utf8))
    else { return true }
    let value = bytes[name.upperBound..<end.lowerBound]
      .drop { " \t\r\n='\"".utf8.contains($0) }
      .prefix { !"'\"".utf8.contains($0) }
    return ["utf-8", "us-ascii", "ascii"].contains(String(decoding: value, as: UTF8.self).lowercased())
  }
}
