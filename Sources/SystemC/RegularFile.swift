/// Opens what has to be a regular file; -1 with `errno` set when it cannot be opened or is something else.
///
/// Whoever opens a pipe waits until somebody else does so too, perhaps for ever and deaf to signals. So nothing is waited
/// for, and what was opened is looked at before anything else is done with it.
///
/// - Parameters:
///   - flags: What `open` is asked for.
///   - mode: Who may read and write a file that comes into being.
///   - followsLinks: Whether a symbolic link may stand there: only where a person has named the file.
package func openRegularFile(
  _ path: String, _ flags: Int32, mode: mode_t = 0o600, followsLinks: Bool = false
) -> Int32 {
  opening(flags | (followsLinks ? 0 : O_NOFOLLOW)) { open(path, $0, mode) }
}

/// Opens a file, or for SQLite a folder, as `openRegularFile` does.
package func opening(_ flags: Int32, allowsFolders: Bool = false, _ open: (_ flags: Int32) -> Int32) -> Int32 {
  let flags = flags | O_CLOEXEC | O_NONBLOCK | O_NOCTTY
  var descriptor = open(flags)
  // A program that holds a lease on the file has been asked to let go, which takes it a moment.
  for _ in 0..<10 where descriptor < 0 && (errno == EWOULDBLOCK || errno == EINTR) {
    usleep(10_000)
    descriptor = open(flags)
  }
  guard descriptor >= 0 else { return -1 }
  var status = stat()
  guard fstat(descriptor, &status) == 0 else {
    let number = errno
    close(descriptor)
    errno = number
    return -1
  }
  let kind = status.st_mode & S_IFMT
  if kind == S_IFREG || allowsFolders && kind == S_IFDIR { return descriptor }
  close(descriptor)
  errno = notARegularFile
  return -1
}

/// What `errno` is after `openRegularFile` has found something else: as the system says of a pipe that nobody reads.
package let notARegularFile = ENXIO

/// The system's words for why `openRegularFile` has opened nothing.
package func openingFailure(_ number: Int32) -> String {
  switch number {
  case notARegularFile: "it is not a regular file"
  case ELOOP: "it is a symbolic link"
  default: String(cString: strerror(number))
  }
}
