internal import CTracksExpat

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

/// Why a document is not read as XML.
package enum XMLStreamError: Error, Sendable, Hashable {
  case tooLarge(limit: Int)
  case notUTF8
  case declaresEntities
  /// It is nested too deeply, or has too many elements.
  case tooComplex(limit: Int)
  case malformed
}

/// What ended the reading of a document, and where.
package struct XMLStreamFailure<Reason: Error>: Error {
  package let reason: Reason
  /// The line, where there is one.
  package let line: Int?
}

/// How much a document may ask.
package struct XMLStreamLimits: Sendable {
  /// The largest document that is read, in bytes.
  package static let size = 8 << 20

  /// How deeply elements may be nested.
  package var depth = 64
  /// How many elements there may be.
  package var elementCount = 1_000_000

  package init(depth: Int = 64) { self.depth = depth }
}

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
