/// A row of the table: a promise.
struct Row {
  /// The word by which `--rows` selects it.
  let name: String
  let title: String
  let metric: Metric
  /// The contender that keeps the promise.
  let ours: String
  /// The one that it is compared with.
  var peer: String?
  var comparison = Comparison.ratio
  /// A contender whose figure is taken off ours first: what does only what is not ours to do.
  var without: String?
  /// The most that keeps the promise.
  let bar: Double

  enum Comparison {
    /// Ours divided by the peer's.
    case ratio
    /// Ours less the peer's.
    case difference
    /// Ours alone.
    case alone
  }

  var contenders: [String] { [ours] + [peer, without].compactMap { $0 } }

  /// The row in Markdown.
  func line(_ usages: [String: [Usage]]) -> String {
    let series = usages.mapValues { Series($0.map(metric.value)) }
    let (mine, other) = (series[ours], peer.flatMap { series[$0] })
    let share = without.flatMap { series[$0]?.median } ?? 0
    let (text, value) = result((mine?.median ?? .nan) - share, other?.median)
    let limit = comparison == .ratio ? decimal(bar, 2) : metric.text(bar)
    let cells = [
      "`\(name)`", title, (mine?.text(metric) ?? "–") + (share > 0 ? " − \(metric.text(share))" : ""),
      other?.text(metric) ?? "", text, "≤ \(limit)",
      value <= bar ? "met" : "**missed**", processorRatio(usages),
    ]
    return "| " + cells.joined(separator: " | ") + " |"
  }

  /// The processor time of a ratio, which a busy machine disturbs less than the wall time.
  private func processorRatio(_ usages: [String: [Usage]]) -> String {
    guard comparison == .ratio, let mine = usages[ours], let other = peer.flatMap({ usages[$0] }) else { return "" }
    let medians = [mine, other].map { Series($0.map(\.processor)).median }
    return decimal(medians[0] / medians[1], 2)
  }

  private func result(_ mine: Double, _ other: Double?) -> (text: String, value: Double) {
    switch comparison {
    case .ratio:
      let value = mine / (other ?? .nan)
      return (value.isFinite ? decimal(value, 2) : "–", value)
    case .difference:
      let value = mine - (other ?? .nan)
      return (value.isFinite ? metric.text(value) : "–", value)
    case .alone: return (mine.isFinite ? metric.text(mine) : "–", mine)
    }
  }
}
