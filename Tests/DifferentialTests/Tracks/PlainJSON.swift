/// A complete JSON value, with texts and numbers as bytes.
indirect enum PlainJSON {
  case null
  case boolean
  /// A number as written.
  case number([UInt8])
  case string([UInt8])
  case array([PlainJSON])
  /// An object, which may contain duplicate keys.
  case object([(key: [UInt8], value: PlainJSON)])

  /// The reason why a document is not JSON, as the code used in reports, and the offset of the first wrong byte.
  struct Fault: Error, Equatable {
    let code: String
    let offset: Int
  }

  /// Returns the first value of a key.
  subscript(key: String) -> PlainJSON? {
    guard case .object(let members) = self else { return nil }
    return members.first { $0.key == Array(key.utf8) }?.value
  }

  var bytes: [UInt8]? {
    switch self {
    case .string(let bytes), .number(let bytes): bytes
    default: nil
    }
  }
}
