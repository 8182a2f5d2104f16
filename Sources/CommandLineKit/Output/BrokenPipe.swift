internal import SystemC

/// Says that nobody reads the output any more, as after `tracks-migrate list | head`.
///
/// This is not a failure: the reader has what it wanted, and a command ends quietly.
public struct BrokenPipe: Error, Sendable, Hashable {
  /// Creates the error.
  public init() {}

  /// Makes writes to a closed pipe throw this error instead of ending the process.
  ///
  /// A command calls this once, before it writes. The default action of `SIGPIPE` would end a migration half way, without
  /// a chance to clean up, only because its report was piped into `head`.
  public static func ignoreSignal() {
    signal(SIGPIPE, SIG_IGN)
  }
}
