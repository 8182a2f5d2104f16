extension PropertyList {
  /// Reads a property list and finds out by itself whether it is a binary or an XML one.
  ///
  /// - Throws: `PropertyListError` where the bytes are neither, or damaged.
  public init(contentsOf bytes: [UInt8]) throws(PropertyListError) {
    if bytes.starts(with: BinaryTrailer.magic) {
      try self.init(binary: bytes)
    } else {
      try self.init(xml: bytes)
    }
  }
}
