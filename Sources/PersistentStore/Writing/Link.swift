/// One row of a join table.
public struct Link: Sendable, Hashable, Comparable {
  /// The key in the first column of the table.
  public var first: Int64
  /// The key in the second column.
  public var second: Int64

  /// Creates a link.
  public init(first: Int64, second: Int64) {
    self.first = first
    self.second = second
  }

  /// Sorts by the first key, then by the second.
  public static func < (left: Link, right: Link) -> Bool {
    left.first == right.first ? left.second < right.second : left.first < right.first
  }
}
