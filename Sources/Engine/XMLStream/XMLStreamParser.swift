internal import CTracksExpat

/// Reads XML with expat, and reports its contents to a visitor.
///
/// A document may be in UTF-8, or in UTF-16 with its byte order mark, as editors and Apple's tools write it.
/// Nothing is expanded or fetched, and the depth and number of elements are limited, so hostile files do no harm.
package enum XMLStreamParser {
  /// Reads a document, and returns the visitor with its results.
  ///
  /// - Throws: The first error.
  package static func parse<Visitor: XMLVisitor>(
    _ bytes: [UInt8], with visitor: Visitor, limits: XMLStreamLimits = XMLStreamLimits()
  ) throws(XMLStreamFailure<Visitor.Failure>) -> Visitor {
    let text: [UInt8]
    do {
      text = try plainText(bytes)
    } catch {
      throw XMLStreamFailure(reason: Visitor.failure(error, line: 1), line: nil)
    }
    let listener = VisitorListener(visitor, limits)
    text.withUnsafeBufferPointer { ExpatParser.parse($0, listener) }
    if let failure = listener.failure { throw failure }
    return listener.visitor
  }

  /// The document in UTF-8.
  ///
  /// Expat also reads other encodings, but files should be rejected for the same reason everywhere.
  private static func plainText(_ bytes: [UInt8]) throws(XMLStreamError) -> [UInt8] {
    guard bytes.count <= XMLStreamLimits.size else { throw .tooLarge(limit: XMLStreamLimits.size) }
    guard let isBigEndian = byteOrder(bytes) else {
      guard !bytes.contains(0), String(validating: bytes, as: UTF8.self) != nil,
        declaredEncoding(bytes).map(["utf-8", "us-ascii", "ascii"].contains) ?? true
      else { throw .notUTF8 }
      return bytes
    }
    let (high, low) = isBigEndian ? (0, 1) : (1, 0)
    let units = stride(from: 2, to: bytes.count - 1, by: 2).map { index -> UInt16 in
      UInt16(bytes[index + high]) << 8 | UInt16(bytes[index + low])
    }
    guard bytes.count.isMultiple(of: 2), let text = String(validating: units, as: UTF16.self) else {
      throw .notUTF8
    }
    let utf8 = Array(text.utf8)
    guard !utf8.contains(0), declaredEncoding(utf8).map({ $0.hasPrefix("utf-16") }) ?? true else {
      throw .notUTF8
    }
    return utf8
  }

  /// Whether the document is in UTF-16 with the high bytes first; `nil` without the mark of UTF-16.
  private static func byteOrder(_ bytes: [UInt8]) -> Bool? {
    if bytes.starts(with: [0xFE, 0xFF]) { return true }
    return bytes.starts(with: [0xFF, 0xFE]) ? false : nil
  }

  /// The encoding that the document says that it has.
  private static func declaredEncoding(_ bytes: [UInt8]) -> String? {
    guard let end = bytes.firstRange(of: Array("?>".utf8)),
      let name = bytes[..<end.lowerBound].firstRange(of: Array("encoding".utf8))
    else { return nil }
    let value = bytes[name.upperBound..<end.lowerBound]
      .drop { " \t\r\n='\"".utf8.contains($0) }
      .prefix { !"'\"".utf8.contains($0) }
    return String(decoding: value, as: UTF8.self).lowercased()
  }
}

/// A reason why a document cannot be read as XML.
package enum XMLStreamError: Error, Sendable, Hashable {
  case tooLarge(limit: Int)
  /// It is not text in UTF-8, nor in UTF-16 with a byte order mark.
  case notUTF8
  case declaresEntities
  /// It is nested too deeply, or has too many elements.
  case tooComplex(limit: Int)
  case malformed
}

/// The error that ended reading, and its position.
package struct XMLStreamFailure<Reason: Error>: Error {
  package let reason: Reason
  /// The line, if there is one.
  package let line: Int?
}

/// The limits for a document.
package struct XMLStreamLimits: Sendable {
  /// The maximum size of a document, in bytes.
  package static let size = 8 << 20

  /// The maximum nesting depth of elements.
  package var depth = 64
  /// The maximum number of elements.
  package var elementCount = 1_000_000

  package init(depth: Int = 64) { self.depth = depth }
}

/// Receives the elements of an XML document, one after the other, while an `XMLStreamParser` reads it.
///
/// An error that it throws stops the parser.
package protocol XMLVisitor {
  /// The possible errors of the document.
  associatedtype Failure: Error

  /// Returns the visitor's error for a document that cannot be read as XML.
  static func failure(_ error: XMLStreamError, line: Int) -> Failure

  /// Called when an element begins.
  mutating func begin(_ name: String, _ attributes: [String: String], line: Int) throws(Failure)

  /// Called with a piece of the text of the innermost element.
  mutating func append(_ text: String, line: Int) throws(Failure)

  /// Called when the innermost element ends.
  mutating func end(line: Int) throws(Failure)
}

extension XMLVisitor {
  /// Ignores text.
  package mutating func append(_ text: String, line: Int) throws(Failure) {}
}
