/// The value of a binary attribute that may lie in a file beside the store, as it stands in its column.
public enum ExternalValue: Sendable, Hashable {
  /// The value itself, which was small enough: a byte 1, then the value.
  case inline([UInt8])
  /// The name of the file that holds the value, a UUID: a byte 2, the name, a NUL.
  case file(String)

  /// Reads what a column holds.
  ///
  /// - Returns: `nil` for bytes of no known form. A name that is no UUID is among these: it could lead anywhere.
  public init?(_ bytes: [UInt8]) {
    switch bytes.first {
    case 1: self = .inline(Array(bytes.dropFirst()))
    case 2:
      let name = bytes.dropFirst().dropLast()
      guard bytes.last == 0, Self.isUUID(name) else { return nil }
      self = .file(String(decoding: name, as: UTF8.self))
    default: return nil
    }
  }

  /// What the column holds.
  public var bytes: [UInt8] {
    switch self {
    case .inline(let value): [1] + value
    case .file(let name): [2] + Array(name.utf8) + [0]
    }
  }

  static func isUUID(_ text: some Collection<UInt8>) -> Bool {
    text.count == 36
      && text.enumerated().allSatisfy { place, byte in
        switch byte {
        case UInt8(ascii: "-"): [8, 13, 18, 23].contains(place)
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "F"),
          UInt8(ascii: "a")...UInt8(ascii: "f"):
          ![8, 13, 18, 23].contains(place)
        default: false
        }
      }
  }
}
