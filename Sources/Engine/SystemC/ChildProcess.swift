/// A program that this process has started, with pipes to it.
///
/// Foundation's `Process` waits for programs on threads of its own, and forever if the system refuses them.
package final class ChildProcess {
  /// The number of the process.
  package let identifier: pid_t
  /// The descriptor of its standard input.
  package let input: Int32
  /// The descriptor of its standard output.
  package let output: Int32
  /// The descriptor of its standard error; -1 if it is this process's own.
  package let errors: Int32
  private var isOpen = true

  /// Starts a program; `nil`, with `errno` set, if it cannot be started.
  ///
  /// - Parameters:
  ///   - words: The program, which is searched for as shells do, and its arguments.
  ///   - readsErrors: Whether standard error is read, too.
  package init?(_ words: [String], readsErrors: Bool = false) {
    // Reading and writing end of each standard stream.
    var pipes: [[Int32]] = []
    for _ in 0..<(readsErrors ? 3 : 2) {
      var ends: [Int32] = [-1, -1]
      guard pipe(&ends) == 0 else {
        let number = errno
        for end in pipes.joined() { close(end) }
        errno = number
        return nil
      }
      for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
      pipes.append(ends)
    }
    let own = pipes.enumerated().map { $1[$0 == 0 ? 1 : 0] }
    let other = pipes.enumerated().map { $1[$0 == 0 ? 0 : 1] }
    var (actions, attributes) = (posix_spawn_file_actions_t(), posix_spawnattr_t())
    posix_spawn_file_actions_init(&actions)
    posix_spawnattr_init(&attributes)
    for (number, end) in other.enumerated() { posix_spawn_file_actions_adddup2(&actions, end, Int32(number)) }
    // Ctrl-C reaches a whole group, and a second signal would end the program before it has tidied up.
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF))
    posix_spawnattr_setpgroup(&attributes, 0)
    // This process ignores the signal of a pipe without a reader, which the program would inherit.
    var defaults = sigset_t()
    sigemptyset(&defaults)
    sigaddset(&defaults, SIGPIPE)
    posix_spawnattr_setsigdefault(&attributes, &defaults)
    let arguments = words.map { strdup($0.pathBytes.map(CChar.init(bitPattern:)) + [0]) }
    var process: pid_t = 0
    let failure = (words.first ?? "").withPath {
      posix_spawnp(&process, $0, &actions, &attributes, arguments + [nil], environ)
    }
    arguments.forEach { free($0) }
    posix_spawn_file_actions_destroy(&actions)
    posix_spawnattr_destroy(&attributes)
    for end in other { close(end) }
    guard failure == 0 else {
      for end in own { close(end) }
      errno = failure
      return nil
    }
    (identifier, input, output, errors) = (process, own[0], own[1], readsErrors ? own[2] : -1)
  }

  deinit { if isOpen { end() } }

  /// The output of a program and its end.
  package struct Answer {
    /// The bytes of its standard output.
    package var output: [UInt8] = []
    /// The bytes of its standard error.
    package var errors: [UInt8] = []
    /// The status of `waitpid`: 0 if it has ended with exit status 0.
    package var status: Int32 = 0
  }

  /// Reads everything that the program writes, and waits for its end.
  ///
  /// - Returns: `nil`, with `errno` set, if that fails, or if this process was asked to end (`EINTR`).
  package func answer() -> Answer? {
    var answer = Answer()
    var open = [output, errors].filter { $0 >= 0 }
    var buffer = [UInt8](repeating: 0, count: 65536)
    // Both are read at once: the program would wait for room in a pipe that is not emptied.
    while !open.isEmpty {
      var waiting = open.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
      let count = poll(&waiting, nfds_t(waiting.count), 1000)
      if EndRequest.isMade {
        kill(identifier, SIGTERM)
        end()
        errno = EINTR
        return nil
      }
      for entry in waiting where count > 0 && entry.revents != 0 {
        let size = read(entry.fd, &buffer, buffer.count)
        if size < 0, errno == EINTR { continue }
        if size <= 0 { open.removeAll { $0 == entry.fd } }
        let bytes = buffer[..<max(size, 0)]
        if entry.fd == output { answer.output += bytes } else { answer.errors += bytes }
      }
    }
    answer.status = end()
    return answer
  }

  /// Closes the pipes, and waits until the program has ended.
  ///
  /// - Returns: The status of `waitpid`.
  @discardableResult
  package func end() -> Int32 {
    guard isOpen else { return 0 }
    isOpen = false
    for end in [input, output, errors] where end >= 0 { close(end) }
    var status: Int32 = 0
    while waitpid(identifier, &status, 0) < 0, errno == EINTR {}
    return status
  }
}
