internal import ProcessControl

/// A program to run, and what it is given.
struct Command {
  let words: [String]
  /// Where what it prints goes.
  var outputPath = "/dev/null"
  var errorPath = "/dev/null"

  init(_ words: [String]) {
    self.words = words
  }

  /// Runs it to its end.
  ///
  /// - Returns: What it used, and its exit status; one that a signal ended has 128 and the signal's number.
  func run() throws(BenchmarkError) -> (usage: Usage, status: Int32) {
    let start = Self.now()
    let process = try spawn()
    var status: Int32 = 0
    var used = rusage()
    while wait4(process, &status, 0, &used) < 0 {
      guard errno == EINTR else { throw BenchmarkError("cannot wait for '\(words[0])': \(Self.systemError(errno))") }
      if is_interrupted() != 0 { kill(process, SIGTERM) }
    }
    let usage = Usage(
      wall: Self.now() - start, processor: Self.seconds(used.ru_utime) + Self.seconds(used.ru_stime),
      memory: Double(used.ru_maxrss) * Self.memoryUnit)
    // What WIFEXITED and WEXITSTATUS do, which are macros.
    let signal = status & 0x7f
    return (usage, signal == 0 ? status >> 8 & 0xff : 128 + signal)
  }

  private func spawn() throws(BenchmarkError) -> pid_t {
    var actions = Self.makeFileActions()
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&actions, 1, outputPath, O_WRONLY | O_CREAT | O_TRUNC, 0o644)
    posix_spawn_file_actions_addopen(&actions, 2, errorPath, O_WRONLY | O_CREAT | O_TRUNC, 0o644)
    var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) }
    defer { arguments.forEach { free($0) } }
    arguments.append(nil)
    var process: pid_t = 0
    let code = posix_spawnp(&process, words[0], &actions, nil, arguments, environ)
    guard code == 0 else { throw BenchmarkError("cannot run '\(words[0])': \(Self.systemError(code))") }
    return process
  }

  #if canImport(Darwin)
    private static func makeFileActions() -> posix_spawn_file_actions_t? {
      var actions: posix_spawn_file_actions_t?
      posix_spawn_file_actions_init(&actions)
      return actions
    }
    /// The unit of `ru_maxrss`.
    private static let memoryUnit = 1.0
  #else
    private static func makeFileActions() -> posix_spawn_file_actions_t {
      var actions = posix_spawn_file_actions_t()
      posix_spawn_file_actions_init(&actions)
      return actions
    }
    /// The unit of `ru_maxrss`.
    private static let memoryUnit = 1024.0
  #endif

  private static func now() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  private static func seconds(_ time: timeval) -> Double {
    Double(time.tv_sec) + Double(time.tv_usec) / 1e6
  }

  private static func systemError(_ number: Int32) -> String { String(cString: strerror(number)) }
}
