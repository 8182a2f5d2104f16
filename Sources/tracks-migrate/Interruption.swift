import Migration
import SystemC

/// Makes the signals that ask a process to end stop the migration, so that it can clean up.
enum Interruption {
  /// Global, because a signal handler can capture nothing.
  private static let cancellation = MigrationCancellation()

  /// Begins to listen; a second signal ends the process at once.
  static func listen() -> MigrationCancellation {
    // Initialised before any signal can come: the handler itself only sets a flag.
    let cancellation = cancellation
    for number in [SIGINT, SIGTERM, SIGHUP] {
      let previous = signal(number) { _ in
        Interruption.cancellation.cancel()
        signal(SIGINT, SIG_DFL)
        signal(SIGTERM, SIG_DFL)
        signal(SIGHUP, SIG_DFL)
      }
      // Whoever started the process with `nohup`, or in the background of a script, wants it to go on.
      if unsafeBitCast(previous, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self) { signal(number, SIG_IGN) }
    }
    return cancellation
  }
}
