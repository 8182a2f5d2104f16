/// Refuses XML whose entities could grow, reach outside, or vanish unseen, and what Foundation's parser does not bear.
package enum XMLGuard {
  /// Why XML is refused.
  package enum Refusal: Error, Sendable, Hashable {
    case tooLarge(limit: Int)
    case notUTF8
    case declaresEntities
    /// A declaration or instruction that ends the process in Foundation's parser on Linux; it begins so.
    case unsafeMarkup(String)
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
    if let markup = unsafeMarkup(bytes) { throw .unsafeMarkup(markup) }
  }

  /// The first declaration of a notation or of attributes, or instruction without content: `<?a?>`.
  ///
  /// Foundation's parser on Linux passes them on as strings that are not there.
  private static func unsafeMarkup(_ bytes: [UInt8]) -> String? {
    var rest = bytes[...]
    while let start = rest.firstIndex(of: UInt8(ascii: "<")) {
      rest = rest[(start + 1)...]
      if let declaration = declarations.first(where: { rest.starts(with: $0.utf8) }) { return "<" + declaration }
      guard rest.first == UInt8(ascii: "?") else { continue }
      let name = rest.dropFirst().prefix { !" \t\r\n?".utf8.contains($0) }
      guard rest[name.endIndex...].starts(with: "?>".utf8) else { continue }
      return "<?\(String(decoding: name.prefix(40), as: UTF8.self))?>"
    }
    return nil
  }

  private static let declarations = ["!NOTATION", "!ATTLIST"]

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
