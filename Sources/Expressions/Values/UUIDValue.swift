/// A UUID, without Foundation.
public struct UUIDValue: Sendable, Hashable, CustomStringConvertible {
  /// The sixteen bytes, as Core Data stores them.
  public let bytes: [UInt8]

  /// Creates a UUID from sixteen bytes, or `nil` if there are more or fewer.
  public init?(bytes: [UInt8]) {
    guard bytes.count == 16 else { return nil }
    self.bytes = bytes
  }

  /// Reads the usual form with four hyphens, in either case.
  public init?(_ text: String) {
    let groups = text.split(separator: "-", omittingEmptySubsequences: false)
    guard groups.map(\.utf8.count) == [8, 4, 4, 4, 12], let bytes = HexadecimalText.decode(groups.joined()) else {
      return nil
    }
    self.init(bytes: bytes)
  }

  /// The usual form, in capitals.
  public var description: String {
    let digits = HexadecimalText.encode(bytes).uppercased()
    var rest = Substring(digits)
    let groups = [8, 4, 4, 4, 12].map { count -> Substring in
      defer { rest = rest.dropFirst(count) }
      return rest.prefix(count)
    }
    return groups.joined(separator: "-")
  }
}
