internal import SystemC

/// The properties of a stream that matter when writing to it.
package struct Terminal: Sendable, Hashable {
  /// Whether the stream is shown on a screen, rather than going to a file or a program.
  package var isTerminal: Bool
  /// The number of columns of a line.
  package var width: Int
  /// Whether to use colours.
  package var usesColor: Bool

  /// Describes a stream; by default, one that is not a terminal.
  package init(isTerminal: Bool = false, width: Int = 80, usesColor: Bool = false) {
    self.isTerminal = isTerminal
    self.width = width
    self.usesColor = usesColor
  }
}

extension Terminal {
  /// The current properties of standard output.
  package static var standardOutput: Terminal { Terminal(descriptor: 1) }

  /// The current properties of standard error.
  package static var standardError: Terminal { Terminal(descriptor: 2) }

  init(descriptor: Int32) {
    let isTerminal = isatty(descriptor) == 1
    self.init(
      isTerminal: isTerminal, windowWidth: isTerminal ? Self.windowWidth(descriptor) : nil,
      environment: Self.environmentVariable)
  }

  /// Combines what the system reports with what the environment requests.
  ///
  /// - Parameters:
  ///   - isTerminal: Whether the stream is a terminal.
  ///   - windowWidth: The width of its window, if known.
  ///   - environment: Looks up a variable.
  init(isTerminal: Bool, windowWidth: Int?, environment: (String) -> String?) {
    let plausible = 1...100_000
    let wish = environment("COLUMNS").flatMap { Int($0) }
    let width = [wish, windowWidth].compactMap(\.self).first(where: plausible.contains) ?? 80
    self.init(
      isTerminal: isTerminal, width: width, usesColor: ColorChoice.current.isMade(isTerminal: isTerminal, environment))
  }

  private static func windowWidth(_ descriptor: Int32) -> Int? {
    var size = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 else { return nil }
    return Int(size.ws_col)
  }

  private static func environmentVariable(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }
  }
}

/// Whether text has colours.
package enum ColorChoice: String, CaseIterable, Sendable {
  /// On a terminal, unless the environment says otherwise.
  case auto
  case always
  case never

  /// The choice on the command line.
  nonisolated(unsafe) package static var current = ColorChoice.auto

  /// - Parameter environment: Looks up a variable.
  func isMade(isTerminal: Bool, _ environment: (String) -> String?) -> Bool {
    switch self {
    case .always: return true
    case .never: return false
    case .auto:
      func isSet(_ name: String) -> Bool { environment(name).map { !$0.isEmpty && $0 != "0" } ?? false }
      // https://no-color.org: any value that is not empty counts, and it goes before what forces colours.
      if environment("NO_COLOR").map({ !$0.isEmpty }) ?? false { return false }
      if isSet("CLICOLOR_FORCE") { return true }
      return isTerminal && environment("TERM") != "dumb" && environment("CLICOLOR") != "0"
    }
  }
}

/// The styles of text, with their colours.
package enum TextStyle: String, Sendable {
  case heading = "1"
  case error = "1;31"
  case warning = "1;33"
  case added = "32"
  case removed = "31"
  case changed = "33"
}

extension String {
  /// The text in its colour, if the stream has colours.
  ///
  /// Only for text without control characters; what comes out of a library has to be made visible first.
  package func styled(_ style: TextStyle, on terminal: Terminal) -> String {
    terminal.usesColor && !isEmpty ? "\u{1B}[\(style.rawValue)m\(self)\u{1B}[0m" : self
  }
}

/// The progress of a task as a line of text.
package struct ProgressBar: Sendable, Hashable {
  /// The number of completed units.
  package var completed: Int
  /// The total number of units, or nil if unknown.
  package var total: Int?
  /// The name of the units, in the plural: "tracks".
  package var unit: String
  /// The time so far.
  package var elapsed: Duration

  /// Describes the state of a task.
  package init(completed: Int, total: Int?, unit: String, elapsed: Duration) {
    self.completed = completed
    self.total = total
    self.unit = unit
    self.elapsed = elapsed
  }

  /// The line, such as `"  42% ████▌       420,000/1,000,000 tracks  151,000/s  0:04 left"`.
  ///
  /// - Parameter width: The number of columns. If there are too few, the rate is dropped first, then the bar, then the time
  ///   left, then the counts.
  /// - Returns: The line; empty if nothing fits.
  package func render(width: Int) -> String {
    guard let total, total > 0 else { return renderCount(width: width) }
    let percent = percentText(of: total)
    let counts = "\(NumberFormat.grouped(completed))/\(NumberFormat.grouped(total)) \(unit)"
    let rate = rateText.map { "  " + $0 } ?? ""
    let timeLeft = timeLeftText(until: total).map { "  " + $0 } ?? ""

    for hasRate in [true, false] {
      let cells = barWidth(width: width, total: total, hasRate: hasRate)
      guard cells >= Self.leastBar else { continue }
      let head = "\(percent) \(barText(cells: cells, of: total)) \(counts)"
      // The text of a slow task may be wider than the line.
      let fitting = [hasRate ? rate + timeLeft : timeLeft, timeLeft, ""].map { head + $0 }
      return fitting.first { DisplayWidth.of($0) <= width } ?? percent
    }
    let fitting = ["\(percent) \(counts)\(timeLeft)", "\(percent) \(counts)", percent]
    return fitting.first { DisplayWidth.of($0) <= width } ?? ""
  }

  private static let leastBar = 8
  private static let greatestBar = 40

  /// The line for a task whose total is unknown.
  private func renderCount(width: Int) -> String {
    let count = " \(NumberFormat.grouped(completed)) \(unit)"
    let fitting = [count + (rateText.map { "  " + $0 } ?? ""), count]
    return fitting.first { DisplayWidth.of($0) <= width } ?? ""
  }

  private func percentText(of total: Int) -> String {
    // Rounded down: 100% is shown only for a completed task.
    let text = String(share(of: total, among: 100))
    return String(repeating: " ", count: 4 - text.count) + text + "%"
  }

  private func barText(cells: Int, of total: Int) -> String {
    let eighths = share(of: total, among: cells * 8)
    let parts = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"]
    let bar = String(repeating: "█", count: eighths / 8) + parts[eighths % 8]
    return bar + String(repeating: " ", count: cells - (eighths + 7) / 8)
  }

  /// The width of the bar, which depends on nothing that changes during the task: otherwise it would flicker.
  private func barWidth(width: Int, total: Int, hasRate: Bool) -> Int {
    let counts = NumberFormat.grouped(total).count * 2 + 1 + 1 + DisplayWidth.of(unit)
    let rate = hasRate ? "  100,000/s".count : 0
    let timeLeft = "  10:00 left".count
    return min(width - "100%  ".count - counts - rate - timeLeft - 1, Self.greatestBar)
  }

  /// The number of completed parts, rounded down.
  private func share(of total: Int, among parts: Int) -> Int {
    // Multiplied first: 29 of 100 should not become 28% because of binary rounding.
    Int(Double(min(max(0, completed), total)) * Double(parts) / Double(total))
  }

  /// The shortest time for which a rate is shown: a shorter measurement is not reliable.
  private static let patience = Duration.milliseconds(200)

  private var rateText: String? {
    completed > 0 && elapsed >= Self.patience ? NumberFormat.rate(completed, in: elapsed) : nil
  }

  private func timeLeftText(until total: Int) -> String? {
    guard completed > 0, elapsed >= Self.patience else { return nil }
    let perThing = (elapsed / .seconds(1)) / Double(completed)
    let seconds = perThing * Double(max(0, total - completed))
    // A longer estimate is of no use, and the first moments of a task produce such ones.
    guard seconds < 100 * 3600 else { return nil }
    return NumberFormat.clock(.seconds(seconds)) + " left"
  }
}

/// Shows a progress bar on the last line of a terminal while a task runs.
///
/// Without a terminal it does nothing. Failures to write are ignored: a task must not fail because of its decoration.
package final class ProgressMeter {
  private let total: Int?
  private let unit: String
  private let terminal: () -> Terminal
  private let output: any TextOutput
  private let now: () -> Duration
  private let start: Duration
  private var nextDrawing: Duration
  private var drawnWidth = 0
  /// The columns that the line had when the bar was drawn.
  private var drawnColumns = 0
  private var isFinished = false

  /// The minimum time between two drawings.
  private static let interval = Duration.milliseconds(100)
  /// Starts measuring time; draws nothing yet.
  ///
  /// - Parameters:
  ///   - unit: The name of the units, in the plural: "tracks".
  ///   - total: The total number of units, or nil if unknown.
  ///   - terminal: The properties of the output's stream, asked for at each drawing: people resize windows.
  ///   - output: Where the bar is drawn.
  ///   - now: A monotonic clock.
  package init(
    unit: String, total: Int?, terminal: @autoclosure @escaping () -> Terminal = .standardError,
    output: any TextOutput = StandardOutput(descriptor: 2), now: @escaping () -> Duration = MonotonicTime.now
  ) {
    self.unit = unit
    self.total = total
    self.terminal = terminal
    self.output = output
    self.now = now
    start = now()
    nextDrawing = start
  }

  /// Draws the bar, unless it was drawn less than a tenth of a second ago.
  package func update(completed: Int) {
    guard !isFinished else { return }
    let time = now()
    guard time >= nextDrawing else { return }
    let terminal = terminal()
    guard terminal.isTerminal else {
      isFinished = true
      return
    }
    nextDrawing = time + Self.interval
    let bar = ProgressBar(completed: completed, total: total, unit: unit, elapsed: time - start)
    // The last column stays free: a character there makes some terminals start a new line.
    draw(bar.render(width: terminal.width - 1), columns: terminal.width - 1)
  }

  /// Removes the bar from the screen, so that a message can be printed; the next update draws it again at once.
  package func clear() {
    guard drawnWidth > 0 else { return }
    // Blanks rather than an escape sequence, because they work on every terminal.
    send("\r" + String(repeating: " ", count: reach(terminal().width - 1)) + "\r")
    drawnWidth = 0
    nextDrawing = start
  }

  /// Removes the bar from the screen for good.
  package func finish() {
    clear()
    isFinished = true
  }

  private func draw(_ line: String, columns: Int) {
    let width = DisplayWidth.of(line)
    guard max(width, drawnWidth) > 0 else { return }
    send("\r" + line + String(repeating: " ", count: max(0, reach(columns) - width)))
    (drawnWidth, drawnColumns) = (width, columns)
  }

  /// Returns the columns that the last drawing may cover: the whole line after the window was resized, which moves
  /// earlier text.
  ///
  /// Never more than the line has, or each drawing would scroll the window.
  private func reach(_ columns: Int) -> Int {
    columns == drawnColumns || drawnColumns == 0 ? min(drawnWidth, columns) : columns
  }

  private func send(_ text: String) {
    try? output.write(text)
    try? output.flush()
  }
}

/// A clock that is unaffected by changes of the date.
package enum MonotonicTime {
  /// The time since a fixed moment in the past.
  package static func now() -> Duration {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return .seconds(Int64(time.tv_sec)) + .nanoseconds(Int64(time.tv_nsec))
  }
}
