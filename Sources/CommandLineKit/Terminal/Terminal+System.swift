internal import SystemC

extension Terminal {
  /// Standard output as it is now.
  public static var standardOutput: Terminal { Terminal(descriptor: 1) }

  /// Standard error as it is now.
  public static var standardError: Terminal { Terminal(descriptor: 2) }

  init(descriptor: Int32) {
    let isTerminal = isatty(descriptor) == 1
    self.init(
      isTerminal: isTerminal, windowWidth: isTerminal ? Self.windowWidth(descriptor) : nil,
      environment: Self.environmentVariable)
  }

  /// Weighs what the system says against what the environment wishes.
  ///
  /// - Parameters:
  ///   - isTerminal: Whether the stream is a terminal.
  ///   - windowWidth: The width of its window, if known.
  ///   - environment: Looks up a variable.
  init(isTerminal: Bool, windowWidth: Int?, environment: (String) -> String?) {
    let plausible = 1...100_000
    let wish = environment("COLUMNS").flatMap { Int($0) }
    let width = [wish, windowWidth].compactMap(\.self).first(where: plausible.contains) ?? 80
    // https://no-color.org: any value but the empty one counts.
    let refusesColor = environment("NO_COLOR").map { !$0.isEmpty } ?? false
    let isDumb = environment("TERM") == "dumb"
    self.init(isTerminal: isTerminal, width: width, usesColor: isTerminal && !refusesColor && !isDumb)
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
