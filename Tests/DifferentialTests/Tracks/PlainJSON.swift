/// A JSON value in full, with texts and numbers as bytes.
indirect enum PlainJSON {
  case null
  case boolean
  /// As written.
  case number([UInt8])
  case string([UInt8])
  case array([PlainJSON])
  /// With keys that occur twice.
  case object([(key: [UInt8], value: PlainJSON)])

  /// Why a document is none, by the code that stands in reports, and the first byte that does not fit.
  struct Fault: Error, Equatable {
    let code: String
    let offset: Int
  }

  /// The first value of a key.
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
