import Foundation

/// Starts processes.
enum Spawn {
  /// - Parameter descriptors: The descriptors that become 0, 1 and 2 of the process.
  static func start(_ runner: CommandRunner, descriptors: [Int32]) throws -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for (number, descriptor) in descriptors.enumerated() {
      posix_spawn_file_actions_adddup2(&actions, descriptor, Int32(number))
    }
    #if os(Linux)
      // Other tests' open files would count for a process with a low limit of files. Elsewhere all of them would have
      // to be open.
      for descriptor in Int32(3)..<32 { posix_spawn_file_actions_addclose(&actions, descriptor) }
    #endif

    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // The signal handling that a shell in a terminal would leave, whatever the tests' own process has.
    var defaults = sigset_t()
    sigfillset(&defaults)
    posix_spawnattr_setsigdefault(&attributes, &defaults)
    var mask = sigset_t()
    sigemptyset(&mask)
    posix_spawnattr_setsigmask(&attributes, &mask)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))

    var line = [runner.executable] + runner.arguments
    // A shell changes the folder and then becomes the command.
    if let folder = runner.folder { line = ["/bin/sh", "-c", #"cd "$0" && exec "$@""#, folder] + line }
    let words = line.map { strdup($0) } + [nil]
    let variables = runner.wholeEnvironment.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for text in words + variables { free(text) } }
    var processID: pid_t = 0
    let number = posix_spawn(&processID, line[0], &actions, &attributes, words, variables)
    guard number == 0 else {
      errno = number
      throw SystemFailure(call: "posix_spawn \(line[0])")
    }
    return processID
  }
}
