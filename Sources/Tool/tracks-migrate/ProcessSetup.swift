import CommandLineArguments
import Migration
import MigrationDiagnostics
import PersistentStore
import SystemC
import TerminalOutput

/// Makes what the caller may have left odd about the process harmless.
enum ProcessSetup {
  #if canImport(Glibc)
    private static let streamSocket = Int32(SOCK_STREAM.rawValue)
  #else
    private static let streamSocket = SOCK_STREAM
  #endif

  /// Called once, before any file is opened.
  static func prepare() {
    // A file that is opened while a standard stream is closed takes its number, and messages would go into a library.
    // These cannot be used, so that a closed standard input is not an empty one, and a closed output no success.
    for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
      // A socket without a peer can neither be read nor, by a name such as '/dev/stdin', be opened.
      if descriptor == STDIN_FILENO, socket(AF_UNIX, Self.streamSocket, 0) == descriptor { continue }
      _ = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
    }
    #if canImport(Glibc)
      // Otherwise the limit rises with each large block that is freed, and the next ones leave holes that stay.
      mallopt(M_MMAP_THRESHOLD, 1 << 20)
    #endif
    // A file that grows beyond the limit of the process shows as an error of the write, and can be cleaned up after.
    signal(SIGXFSZ, SIG_IGN)
  }
}

/// Makes the signals that ask a process to end stop the migration, so that it can clean up.
enum SignalCancellation {
  /// Global, because a signal handler can capture nothing.
  private static let cancellation = MigrationCancellation()
  private static let signals = [SIGINT, SIGTERM, SIGHUP]

  /// Begins to listen; a signal more than a second after the first ends the process at once.
  ///
  /// Before that it may be the same request: `timeout` signals its child and then the child's whole group.
  @discardableResult
  static func listen() -> MigrationCancellation {
    // Initialised before any signal can come: the handler itself only sets flags.
    let (cancellation, _) = (cancellation, EndRequest.isMade)
    for number in signals {
      // A caller that started the process with `nohup`, or in the background of a script, wants it to go on.
      guard !isIgnored(number) else { continue }
      handle(number) { number in
        if !EndRequest.isMade { alarm(1) }
        EndRequest.note(number)
        SignalCancellation.cancellation.cancel()
      }
    }
    // A wait that began just after the signal would not hear of it, so it is told again and again.
    handle(SIGALRM) { _ in
      for number in [SIGINT, SIGTERM, SIGHUP] { signal(number, SIG_DFL) }
      alarm(1)
    }
    return cancellation
  }

  /// Ends the process by the signal that has asked for it, if one has, once all is cleaned up and said.
  ///
  /// Only so does a shell know that the user wants an end, and stop its loop; it reports 130 for Ctrl-C.
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

/// The messages for people on standard error.
enum StandardError {
  /// Writes a line.
  ///
  /// Names out of libraries cannot steer the terminal with it.
  static func note(_ text: String) {
    let output = StandardOutput(descriptor: 2)
    // When standard error is closed, there is no reader.
    try? output.writeLine(text.visible)
    try? output.flush()
  }

  /// Writes a warning: the command goes on.
  static func warning(_ text: String) { write(ErrorRecord(.warning, text)) }

  /// Writes what could not be made sure of although the work is done, be it with `--quiet`.
  static func risk(_ risk: MigrationError) { write(ErrorRecord(.warning, risk)) }

  /// Writes an error.
  static func error(_ text: String) { write(ErrorRecord(.error, text)) }

  /// Writes that the output could not be written.
  static func error(_ error: OutputError) { write(ErrorRecord(error)) }

  /// Writes an error that ends the command.
  static func error(_ error: MigrationError) {
    // In JSON, they are part of the record.
    if ErrorFormat.current == .text { error.report.forEach(debug) }
    write(ErrorRecord(.error, error))
  }

  private static func write(_ record: ErrorRecord) {
    guard ErrorFormat.current == .text else {
      // In JSON, what would steer a terminal has JSON's own escapes.
      let output = StandardOutput(descriptor: 2)
      try? output.write(utf8: JSONText.escapingControls(inJSON: Array(record.line.utf8)) + [0x0A])
      try? output.flush()
      return
    }
    // The colour is put on after everything else has been made visible.
    let text = record.text.visible
    let word = "\(record.level.rawValue):"
    let head = "tracks-migrate: "
    let styled =
      text.hasPrefix(head + word)
      ? head + word.styled(record.level == .error ? .error : .warning, on: .standardError)
        + text.dropFirst(head.count + word.count) : text
    let output = StandardOutput(descriptor: 2)
    try? output.writeLine(styled)
    try? output.flush()
  }

  /// Writes what a launch argument for debugging asks for; of several lines all but the first are indented.
  static func debug(_ text: String) {
    for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      note((number == 0 ? "" : "    ") + String(line.map { $0 == "\t" ? " " : $0 }))
    }
  }
}
