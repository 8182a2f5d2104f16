import MigrationDiagnostics
import SystemC

/// A process of this program that migrates the libraries that it is told of.
final class WorkerProcess {
  /// The library that it is at work on.
  private(set) var path: String?
  /// Where its answers come from.
  let answers: Int32
  private let identifier: pid_t
  private let jobs: Int32
  private var answer: [UInt8] = []

  /// Starts the process.
  ///
  /// - Parameter arguments: The words after the command's name.
  init(_ arguments: [String]) throws {
    let (jobPipe, answerPipe) = (try Self.pipe(), try Self.pipe())
    (jobs, answers) = (jobPipe.writing, answerPipe.reading)
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    posix_spawn_file_actions_adddup2(&actions, jobPipe.reading, STDIN_FILENO)
    posix_spawn_file_actions_adddup2(&actions, answerPipe.writing, STDOUT_FILENO)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    // Ctrl-C reaches a whole group, and a second signal would end a worker before it has tidied up. If the batch is
    // gone, a worker ends quietly once it has finished its library.
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF))
    var defaults = sigset_t()
    sigemptyset(&defaults)
    sigaddset(&defaults, SIGPIPE)
    posix_spawnattr_setsigdefault(&attributes, &defaults)
    posix_spawnattr_setpgroup(&attributes, 0)
    defer {
      posix_spawn_file_actions_destroy(&actions)
      posix_spawnattr_destroy(&attributes)
      close(jobPipe.reading)
      close(answerPipe.writing)
    }
    let words = ([Self.executable] + arguments).map { strdup($0.pathBytes.map(CChar.init(bitPattern:)) + [0]) }
    defer { words.forEach { free($0) } }
    var process: pid_t = 0
    // A name without a folder was found in PATH.
    let number = words[0].map { posix_spawnp(&process, $0, &actions, &attributes, words + [nil], environ) } ?? ENOMEM
    identifier = process
    guard number == 0 else {
      close(jobs)
      close(answers)
      throw MigrationError(
        .outOfMemory, path: Self.executable,
        detail: "a worker process cannot be started: \(String(cString: strerror(number)))")
    }
  }

  /// The program itself, even if its file has been replaced meanwhile.
  private static let executable: String = {
    let link = "/proc/self/exe"
    return access(link, X_OK) == 0 ? link : CommandLine.exactArguments.first ?? link
  }()

  private static func pipe() throws -> (reading: Int32, writing: Int32) {
    var ends: [Int32] = [-1, -1]
    guard SystemC.pipe(&ends) == 0 else {
      throw MigrationError(.inputOutput, path: "a pipe", detail: String(cString: strerror(errno)))
    }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (ends[0], ends[1])
  }

  /// Tells it of a library.
  ///
  /// If it cannot be told, it has died, which shows where it would answer.
  func begin(_ path: String) {
    self.path = path
    let job = path.pathBytes + [0]
    var written = 0
    while written < job.count {
      let count = job[written...].withUnsafeBytes { write(jobs, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return }
      written += count
    }
  }

  /// What a worker says.
  enum Answer {
    /// Nothing yet.
    case partial
    /// The line with the result of a library.
    case line(path: String, [UInt8])
    /// It has died: how, and what it was at work on.
    case end(path: String?, how: String)
  }

  /// Reads what there is.
  func read() -> Answer {
    var buffer = [UInt8](repeating: 0, count: 65536)
    let count = SystemC.read(answers, &buffer, buffer.count)
    if count < 0, errno == EINTR { return .partial }
    guard count > 0 else { return .end(path: path, how: end()) }
    answer += buffer[..<count]
    guard answer.last == 0x0a, let path else { return .partial }
    defer { (self.path, answer) = (nil, []) }
    return .line(path: path, answer)
  }

  /// Asks it to finish, or to roll back, what it is at work on.
  func interrupt() { kill(identifier, SIGTERM) }

  /// Waits until it has ended.
  ///
  /// - Returns: How it ended, in a few words.
  @discardableResult
  func end() -> String {
    close(jobs)
    close(answers)
    var status: Int32 = 0
    while waitpid(identifier, &status, 0) < 0, errno == EINTR {}
    let signal = status & 0x7f
    return signal == 0
      ? "with status \((status >> 8) & 0xff)" : "by signal \(signal) (\(String(cString: strsignal(signal))))"
  }
}
