extension UnsafeRawBufferPointer {
  /// How many bytes of a UTF-8 byte-order mark a document begins with: three, or none.
  var lengthOfByteOrderMark: Int {
    count >= 3 && self[0] == 0xef && self[1] == 0xbb && self[2] == 0xbf ? 3 : 0
  }
}
