/// What a command needs to know about one of its streams before it writes to it.
public struct Terminal: Sendable, Hashable {
  /// Whether a person sees the stream on a screen, rather than a file or a program that gets it.
  public var isTerminal: Bool
  /// How many columns a line has.
  public var width: Int
  /// Whether colour codes are welcome.
  public var usesColor: Bool

  /// Describes a stream; without arguments one that is not a terminal.
  public init(isTerminal: Bool = false, width: Int = 80, usesColor: Bool = false) {
    self.isTerminal = isTerminal
    self.width = width
    self.usesColor = usesColor
  }
}
