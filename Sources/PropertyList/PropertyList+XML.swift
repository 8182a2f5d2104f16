extension PropertyList {
  /// Reads an XML property list.
  ///
  /// Entities cannot be declared, so nothing is ever expanded or fetched.
  ///
  /// - Parameter bytes: The whole file, in UTF-8.
  /// - Throws: `PropertyListError` where the bytes are no XML property list.
  public init(xml bytes: [UInt8]) throws(PropertyListError) {
    guard bytes.count > XMLGuard.sizeLimit || bytes.contains(UInt8(ascii: "<")) else { throw .notAPropertyList }
    do {
      try XMLGuard.check(bytes)
    } catch {
      switch error {
      case .tooLarge(let limit): throw .tooLarge(limit: limit)
      case .notUTF8: throw .badXML(line: 1, reason: "It is not in UTF-8.")
      case .unsafeMarkup(let markup): throw .badXML(line: 1, reason: "It holds '\(markup)', which is not supported.")
      case .declaresEntities: throw .badXML(line: 1, reason: "It declares entities of its own.")
      }
    }
    self = try XMLPropertyListReader().read(bytes)
  }
}
