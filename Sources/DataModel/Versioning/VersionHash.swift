/// The SHA-256 fingerprint of an entity, as Core Data computes and stores it.
public struct VersionHash: Sendable, Hashable, CustomStringConvertible {
  /// Thirty-two bytes.
  public let bytes: [UInt8]

  /// Creates a hash from its bytes.
  public init(bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// The hash in lowercase hexadecimal, as error messages and `info` print it.
  public var description: String {
    let digits = Array("0123456789abcdef".utf8)
    return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
  }
}
