import Migration
import SystemC

/// Makes the signals that ask a process to end stop the migration, so that it can clean up.
enum Interruption {
  /// Global, because a signal handler can capture nothing.
  private static let cancellation = MigrationCancellation()
  private static let signals = [SIGINT, SIGTERM, SIGHUP]

  /// Begins to listen; a second signal ends the process at once.
  @discardableResult
  static func listen() -> MigrationCancellation {
    // Initialised before any signal can come: the handler itself only sets flags.
    let (cancellation, _) = (cancellation, EndRequest.isMade)
    for number in signals {
      // Whoever started the process with `nohup`, or in the background of a script, wants it to go on.
      guard !isIgnored(number) else { continue }
      handle(number) { number in
        EndRequest.note(number)
        Interruption.cancellation.cancel()
        for number in [SIGINT, SIGTERM, SIGHUP] { signal(number, SIG_DFL) }
        alarm(1)
      }
    }
    // A wait that began just after the signal would not hear of it, so it is told again and again.
    handle(SIGALRM) { _ in alarm(1) }
    return cancellation
  }

  /// Ends the process by the signal that has asked for it, if one has, once all is cleaned up and said.
  ///
  /// Only so does a shell know that somebody wants an end, and stops its loop; it tells 130 for Ctrl-C.
  static func endIfAsked() {
    guard let number = EndRequest.signalNumber else { return }
    signal(number, SIG_DFL)
    raise(number)
  }

  /// Calls a handler at a signal, which also ends the call to the system that the process is in (`EINTR`).
  private static func handle(_ number: Int32, _ handler: @escaping @convention(c) (Int32) -> Void) {
    var action = sigaction()
    #if canImport(Darwin)
      action.__sigaction_u.__sa_handler = handler
    #else
      action.__sigaction_handler.sa_handler = handler
    #endif
    // `signal` would have calls begun anew.
    action.sa_flags = 0
    sigaction(number, &action, nil)
  }

  private static func isIgnored(_ number: Int32) -> Bool {
    var action = sigaction()
    sigaction(number, nil, &action)
    #if canImport(Darwin)
      let handler = action.__sigaction_u.__sa_handler
    #else
      let handler = action.__sigaction_handler.sa_handler
    #endif
    return unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
  }
}
