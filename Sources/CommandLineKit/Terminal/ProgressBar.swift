/// How far a task has come, as a line of text.
public struct ProgressBar: Sendable, Hashable {
  /// How many things are done.
  public var completed: Int
  /// How many there are, or nil if that is not known.
  public var total: Int?
  /// What they are, in the plural: "tracks".
  public var unit: String
  /// How long it took so far.
  public var elapsed: Duration

  /// Describes the state of a task.
  public init(completed: Int, total: Int?, unit: String, elapsed: Duration) {
    self.completed = completed
    self.total = total
    self.unit = unit
    self.elapsed = elapsed
  }

  /// The line, such as `"  42% ████▌       420,000/1,000,000 tracks  151,000/s  0:04 left"`.
  ///
  /// - Parameter width: How many columns there are. Where they are few, first the rate goes, then the bar, then the time
  ///   left, then the counts.
  /// - Returns: At most so many columns; empty if nothing fits.
  public func render(width: Int) -> String {
    guard let total, total > 0 else { return renderCount(width: width) }
    let percent = percentText(of: total)
    let counts = "\(NumberFormat.grouped(completed))/\(NumberFormat.grouped(total)) \(unit)"
    let rate = rateText.map { "  " + $0 } ?? ""
    let timeLeft = timeLeftText(until: total).map { "  " + $0 } ?? ""

    for hasRate in [true, false] {
      let cells = barWidth(width: width, total: total, hasRate: hasRate)
      guard cells >= Self.leastBar else { continue }
      let head = "\(percent) \(barText(cells: cells, of: total)) \(counts)"
      // A slow task may say more than there is room for.
      let fitting = [hasRate ? rate + timeLeft : timeLeft, timeLeft, ""].map { head + $0 }
      return fitting.first { DisplayWidth.of($0) <= width } ?? percent
    }
    let fitting = ["\(percent) \(counts)\(timeLeft)", "\(percent) \(counts)", percent]
    return fitting.first { DisplayWidth.of($0) <= width } ?? ""
  }

  private static let leastBar = 8
  private static let greatestBar = 40

  /// The line for a task whose end is not known.
  private func renderCount(width: Int) -> String {
    let count = " \(NumberFormat.grouped(completed)) \(unit)"
    let fitting = [count + (rateText.map { "  " + $0 } ?? ""), count]
    return fitting.first { DisplayWidth.of($0) <= width } ?? ""
  }

  private func percentText(of total: Int) -> String {
    // Rounded down: 100% is for what is done.
    let text = String(share(of: total, among: 100))
    return String(repeating: " ", count: 4 - text.count) + text + "%"
  }

  private func barText(cells: Int, of total: Int) -> String {
    let eighths = share(of: total, among: cells * 8)
    let parts = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"]
    let bar = String(repeating: "█", count: eighths / 8) + parts[eighths % 8]
    return bar + String(repeating: " ", count: cells - (eighths + 7) / 8)
  }

  /// The width of the bar, which depends on nothing that changes as the task goes on: otherwise it would flicker.
  private func barWidth(width: Int, total: Int, hasRate: Bool) -> Int {
    let counts = NumberFormat.grouped(total).count * 2 + 1 + 1 + DisplayWidth.of(unit)
    let rate = hasRate ? "  100,000/s".count : 0
    let timeLeft = "  10:00 left".count
    return min(width - "100%  ".count - counts - rate - timeLeft - 1, Self.greatestBar)
  }

  /// How many of the parts are done, rounded down.
  private func share(of total: Int, among parts: Int) -> Int {
    // Multiplied first: 29 of 100 shall not become 28% for want of a binary fraction.
    Int(Double(min(max(0, completed), total)) * Double(parts) / Double(total))
  }

  private var rateText: String? {
    completed > 0 ? NumberFormat.rate(completed, in: elapsed) : nil
  }

  private func timeLeftText(until total: Int) -> String? {
    guard completed > 0, elapsed > .zero else { return nil }
    let perThing = (elapsed / .seconds(1)) / Double(completed)
    let seconds = perThing * Double(max(0, total - completed))
    // Beyond this nobody waits, and the first moments of a task say such things.
    guard seconds < 100 * 3600 else { return nil }
    return NumberFormat.clock(.seconds(seconds)) + " left"
  }
}
