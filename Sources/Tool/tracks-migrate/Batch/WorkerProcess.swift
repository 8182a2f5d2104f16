import MigrationDiagnostics
import PersistentStore
import SystemC

/// A process of this program that migrates the libraries that it is told of.
final class WorkerProcess {
  /// The library that it is at work on.
  private(set) var path: String?
  /// The descriptor from which its answers are read.
  var answers: Int32 { process.output }
  private let process: ChildProcess
  private var answer: [UInt8] = []

  /// Starts the process.
  ///
  /// - Parameter arguments: The words after the command's name.
  init(_ arguments: [String]) throws {
    guard let process = ChildProcess([Self.executable] + arguments) else {
      var error = FileSystem.failure(.processLimit, "a worker process")
      if error.code == .processLimit {
        error.advice =
          "No library was begun. Allow more processes (ulimit -u, or the limit of the container), or fewer '--jobs'."
      }
      throw error
    }
    self.process = process
  }

  /// The program itself, even if its file has been replaced meanwhile.
  private static let executable: String = {
    let link = "/proc/self/exe"
    return access(link, X_OK) == 0 ? link : CommandLine.exactArguments.first ?? link
  }()

  /// Tells it of a library.
  ///
  /// If it cannot be told, it has died, which shows where it would answer.
  func begin(_ path: String) {
    self.path = path
    let job = path.pathBytes + [0]
    var written = 0
    while written < job.count {
      let count = job[written...].withUnsafeBytes { write(process.input, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return }
      written += count
    }
  }

  /// An answer of a worker.
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
  func interrupt() { kill(process.identifier, SIGTERM) }

  /// Waits until it has ended.
  ///
  /// - Returns: How it ended, in a few words.
  @discardableResult
  func end() -> String {
    let status = process.end()
    let signal = status & 0x7f
    return signal == 0
      ? "with status \((status >> 8) & 0xff)" : "by signal \(signal) (\(String(cString: strsignal(signal))))"
  }
}
