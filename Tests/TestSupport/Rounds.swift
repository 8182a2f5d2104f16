import Foundation

/// The random cases of a test: few for `make test`, and as many as `DIFFERENTIAL_COUNT` says for `make differential`.
///
/// `DIFFERENTIAL_SEED` is the seed of the first one, and of the only one unless a count is given.
public enum Rounds {
  private static let wanted = number("DIFFERENTIAL_COUNT")
  private static let first = number("DIFFERENTIAL_SEED")

  /// Whether a test that could try everything should do so.
  public static let areMany = wanted != nil

  /// The number of cases, if few are as many as said.
  public static func count(_ few: Int) -> Int { wanted ?? few }

  /// The seeds of the cases, in order.
  public static func seeds(_ few: Int) -> Range<UInt64> {
    let (start, count) = (UInt64(first ?? 1), wanted ?? (first == nil ? few : 1))
    return start..<(start + UInt64(count))
  }

  private static func number(_ name: String) -> Int? {
    ProcessInfo.processInfo.environment[name].flatMap { Int($0) }.flatMap { $0 >= 0 ? $0 : nil }
  }
}
