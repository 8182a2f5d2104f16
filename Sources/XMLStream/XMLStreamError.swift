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
