/// Counts differences, and hands on the first of them.
package final class DifferenceLog {
  /// The number of differences.
  package private(set) var count = 0
  /// The same by kind.
  package private(set) var countByKind: [Difference.Kind: Int] = [:]
  private let limit: Int
  private let report: (Difference) throws -> Void

  /// Creates a log.
  ///
  /// - Parameters:
  ///   - limit: How many differences are handed on.
  ///   - report: Gets them.
  package init(limit: Int, report: @escaping (Difference) throws -> Void) {
    self.limit = limit
    self.report = report
  }

  /// Adds a difference, which is only made if anybody gets to see it: there may be millions.
  package func add(_ kind: Difference.Kind, _ fill: (inout Difference) throws -> Void) throws {
    count += 1
    countByKind[kind, default: 0] += 1
    guard count <= limit else { return }
    var difference = Difference(kind)
    try fill(&difference)
    try report(difference)
  }
}
