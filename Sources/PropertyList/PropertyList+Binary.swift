extension PropertyList {
  /// Reads a binary property list.
  ///
  /// Sets become arrays, and numbers of four bytes become numbers of eight. Hostile bytes are safe: every place is
  /// checked, containers may be nested 512 levels deep, and shared objects may not multiply without bounds.
  ///
  /// - Parameter bytes: The whole file.
  /// - Throws: `PropertyListError` where the bytes are no binary property list, or a damaged one.
  public init(binary bytes: [UInt8]) throws(PropertyListError) {
    var reader = try BinaryReader(bytes)
    self = try reader.topObject()
  }

  /// The value as a binary property list.
  ///
  /// Equal values give the same bytes, as small as Apple's writer makes them.
  public func binary() -> [UInt8] {
    BinaryWriter.bytes(of: self)
  }
}
