/// The figures of one program over all rounds.
struct Series: Sendable {
  private let sorted: [Double]

  init(_ values: [Double]) {
    sorted = values.sorted()
  }

  var median: Double {
    guard let first = sorted.first else { return .nan }
    let middle = sorted.count / 2
    guard sorted.count > 1 else { return first }
    return sorted.count.isMultiple(of: 2) ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
  }

  /// The median, and the least and the greatest.
  func text(_ metric: Metric) -> String {
    guard let first = sorted.first, let last = sorted.last else { return "–" }
    return "\(metric.text(median)) (\(metric.text(first))–\(metric.text(last)))"
  }
}
