/// Shows a progress bar on the last line of a terminal while a task runs.
///
/// Without a terminal it does nothing. Failures to write are ignored: a task must not fail because of its decoration.
public final class ProgressMeter {
  private let total: Int?
  private let unit: String
  private let terminal: Terminal
  private let output: any TextOutput
  private let now: () -> Duration
  private let start: Duration
  private var nextDrawing: Duration
  private var drawnWidth = 0
  private var isFinished = false

  /// The least time between two drawings.
  private static let interval = Duration.milliseconds(100)

  /// Begins to measure the time; draws nothing yet.
  ///
  /// - Parameters:
  ///   - unit: What is counted, in the plural: "tracks".
  ///   - total: How many there are, or nil if that is not known.
  ///   - terminal: What is known about the stream of the output.
  ///   - output: Where the bar goes.
  ///   - now: A monotonic clock.
  public init(
    unit: String, total: Int?, terminal: Terminal = .standardError,
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
  public func update(completed: Int) {
    guard terminal.isTerminal, !isFinished else { return }
    let time = now()
    guard time >= nextDrawing else { return }
    nextDrawing = time + Self.interval
    let bar = ProgressBar(completed: completed, total: total, unit: unit, elapsed: time - start)
    // The last column stays free: a character there makes some terminals begin a new line.
    draw(bar.render(width: terminal.width - 1))
  }

  /// Removes the bar from the screen, so that a message can be printed; the next update draws it again at once.
  public func clear() {
    guard drawnWidth > 0 else { return }
    // Blanks rather than an escape sequence, because they work on every terminal.
    send("\r" + String(repeating: " ", count: drawnWidth) + "\r")
    drawnWidth = 0
    nextDrawing = start
  }

  /// Removes the bar from the screen for good.
  public func finish() {
    clear()
    isFinished = true
  }

  private func draw(_ line: String) {
    let width = DisplayWidth.of(line)
    guard max(width, drawnWidth) > 0 else { return }
    send("\r" + line + String(repeating: " ", count: max(0, drawnWidth - width)))
    drawnWidth = width
  }

  private func send(_ text: String) {
    try? output.write(text)
    try? output.flush()
  }
}
