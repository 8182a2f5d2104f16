import Foundation

/// The random cases of a test: few for `make test`, and as many as `DIFFERENTIAL_COUNT` says for `make differential`.
///
/// `DIFFERENTIAL_SEED` is the seed of the first one, and of the only one unless a count is given.
public enum Rounds {
  private static let wanted = number("DIFFERENTIAL_COUNT", atLeast: 1)
  private static let first = number("DIFFERENTIAL_SEED", atLeast: 0)

  /// Whether a test that could try everything should do so.
  public static let areMany = wanted != nil

  /// The number of cases, if few are as many as said.
  public static func count(_ few: Int) -> Int { wanted ?? few }

  /// Some of all cases, evenly spread: `few` of them, or all if many are wanted.
  public static func some<Case>(_ few: Int, of all: [Case]) -> [Case] {
    areMany || all.count <= few ? all : (0..<few).map { all[$0 * all.count / few] }
  }

  /// The seeds of the cases, in order.
  public static func seeds(_ few: Int) -> Range<UInt64> {
    let (start, count) = (UInt64(first ?? 1), wanted ?? (first == nil ? few : 1))
    return start..<(start + UInt64(count))
  }

  /// Returns the number in a variable, which must be one: tests of other cases than are wanted would pass unnoticed.
  private static func number(_ name: String, atLeast least: Int) -> Int? {
    guard let text = ProcessInfo.processInfo.environment[name], !text.isEmpty else { return nil }
    guard let number = Int(text), number >= least else {
      fatalError("\(name) is '\(text)'; it must be a number from \(least) on")
    }
    return number
  }
}
