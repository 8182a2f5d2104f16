/// Refuses XML whose entities could grow, reach outside, or vanish unseen.
package enum XMLGuard {
  /// Why XML is refused.
  package enum Refusal: Error, Sendable, Hashable {
    case tooLarge(limit: Int)
    case notUTF8
    case declaresEntities
  }

  /// The largest file that is read: libxml2 takes no more than ten million bytes at once.
  package static let sizeLimit = 8 << 20

  /// Checks bytes before the parser sees them.
  ///
  /// Foundation's parser on Linux drops an entity that the document itself declares, without a word; hence no such
  /// declaration may come near it. Looking for one is sound in UTF-8 only, hence no other encoding.
  package static func check(_ bytes: [UInt8]) throws(Refusal) {
    guard bytes.count <= sizeLimit else { throw .tooLarge(limit: sizeLimit) }
    guard !bytes.contains(0), String(validating: bytes, as: UTF8.self) != nil, declaresUTF8(bytes) else {
      throw .notUTF8
    }
    guard !bytes.contains(Array("<!ENTITY".utf8)) else { throw .declaresEntities }
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
