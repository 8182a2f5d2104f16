/// The links of one join table, before they are written.
///
/// As long as all keys are positive and below 2³², which they nearly always are, a link takes eight bytes.
public struct LinkList: Sendable {
  /// Both keys in one word, the first in its upper half.
  private(set) var narrow: [UInt64] = []
  /// All links, from the first on whose keys need more room.
  private(set) var wide: [Link] = []

  /// Creates an empty list.
  public init() {}

  /// The number of links.
  public var count: Int { narrow.count + wide.count }

  /// Adds a link.
  @inline(__always)
  public mutating func append(_ link: Link) {
    if wide.isEmpty, let first = UInt32(exactly: link.first), let second = UInt32(exactly: link.second) {
      narrow.append(UInt64(first) << 32 | UInt64(second))
    } else {
      appendWide(link)
    }
  }

  private mutating func appendWide(_ link: Link) {
    if !narrow.isEmpty {
      wide = narrow.map { Link(first: Int64($0 >> 32), second: Int64($0 & 0xFFFF_FFFF)) }
      narrow = []
    }
    wide.append(link)
  }

  /// Sorts the links by the first key, then by the second, and leaves each once.
  mutating func sortAndUnique() {
    narrow.radixSort()
    narrow.removeRepetitions()
    wide.sort()
    wide.removeRepetitions()
  }
}

extension Array where Element: Equatable {
  /// Leaves one of equal neighbours.
  fileprivate mutating func removeRepetitions() {
    guard count > 1 else { return }
    var end = 1
    for place in 1..<count where self[place] != self[end - 1] {
      self[end] = self[place]
      end += 1
    }
    removeLast(count - end)
  }
}
