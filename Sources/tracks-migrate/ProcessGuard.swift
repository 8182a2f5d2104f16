import SystemC

/// Makes what the caller may have left odd about the process harmless.
enum ProcessGuard {
  /// Called once, before any file is opened.
  static func prepare() {
    // A file that is opened while a standard stream is closed takes its number, and messages would go into a library.
    // These cannot be written to, so that whoever closed standard output is still told that nothing arrives there.
    for descriptor in Int32(0)...2 where fcntl(descriptor, F_GETFD) < 0 { _ = open("/dev/null", O_RDONLY) }
    // A file that grows beyond the limit of the process shows as an error of the write, and can be cleaned up after.
    signal(SIGXFSZ, SIG_IGN)
  }
}
