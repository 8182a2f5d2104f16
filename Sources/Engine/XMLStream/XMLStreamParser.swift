internal import CTracksExpat

/// Reads XML with expat, and reports its contents to a visitor.
///
/// A document may be in UTF-8, UTF-16 or Latin-1, as editors and Apple's tools write it.
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
    let text = byteOrder(bytes).map { wideText(bytes, isBigEndian: $0) } ?? narrowText(bytes)
    guard let text, !text.contains(0) else { throw .notUTF8 }
    return text
  }

  /// Whether the document is in UTF-16 with the high bytes first; `nil` if it is not in UTF-16.
  ///
  /// Without its mark, the first character tells the order (www.w3.org/TR/xml/#sec-guessing). As in Apple's reader, both
  /// count more than what the document declares, which editors forget to change.
  private static func byteOrder(_ bytes: [UInt8]) -> Bool? {
    if bytes.starts(with: [0xFE, 0xFF]) || bytes.starts(with: [0, 0x3C]) { return true }
    return bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0x3C, 0]) ? false : nil
  }

  /// The document in UTF-8, from UTF-16; `nil` if it is not valid.
  private static func wideText(_ bytes: [UInt8], isBigEndian: Bool) -> [UInt8]? {
    guard bytes.count.isMultiple(of: 2) else { return nil }
    let hasMark = bytes.first.map { $0 >= 0xFE } ?? false
    let (high, low) = isBigEndian ? (0, 1) : (1, 0)
    let units = stride(from: hasMark ? 2 : 0, to: bytes.count, by: 2).map { index -> UInt16 in
      UInt16(bytes[index + high]) << 8 | UInt16(bytes[index + low])
    }
    return String(validating: units, as: UTF16.self).map { Array($0.utf8) }
  }

  /// The document in UTF-8, from an encoding that has ASCII as its first half; `nil` if it is not valid.
  private static func narrowText(_ bytes: [UInt8]) -> [UInt8]? {
    // The mark of UTF-8 counts more than what the document declares, too.
    let hasMark = bytes.starts(with: [0xEF, 0xBB, 0xBF])
    guard !hasMark, let encoding = declaredEncoding(bytes), !utf8Names.contains(encoding) else {
      return String(validating: bytes, as: UTF8.self).map { _ in bytes }
    }
    guard latin1Names.contains(encoding) else { return nil }
    // Its bytes are the numbers of the first 256 characters of Unicode.
    var text = String.UnicodeScalarView()
    text.append(contentsOf: bytes.lazy.map { Unicode.Scalar($0) })
    return Array(String(text).utf8)
  }

  /// ASCII is UTF-8 as well.
  private static let utf8Names = ["utf-8", "utf8", "us-ascii", "ascii"]
  private static let latin1Names = ["iso-8859-1", "iso_8859-1", "iso8859-1", "latin1", "latin-1", "l1"]

  /// The encoding that the document says that it has.
  private static func declaredEncoding(_ bytes: [UInt8]) -> String? {
    guard bytes.starts(with: Array("<?xml".utf8)), let end = bytes.firstRange(of: Array("?>".utf8)),
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
  /// It is not text in UTF-8, UTF-16 or Latin-1, or declares another encoding.
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
