internal import XMLStream

extension PropertyList {
  /// Reads an XML property list.
  ///
  /// Entities cannot be declared, so nothing is ever expanded or fetched.
  ///
  /// - Parameter bytes: The whole file, in UTF-8.
  /// - Throws: `PropertyListError` where the bytes are no XML property list.
  public init(xml bytes: [UInt8]) throws(PropertyListError) {
    guard bytes.count > XMLStreamLimits.size || bytes.contains(UInt8(ascii: "<")) else { throw .notAPropertyList }
    self = try XMLPropertyListReader.read(bytes)
  }
}
