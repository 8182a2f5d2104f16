/// Opens a regular file; returns -1, with `errno` set, if it cannot be opened or is something else.
///
/// Opening a pipe waits until another process opens it too, perhaps forever and without responding to signals. Files
/// are therefore opened without waiting, and checked before they are used.
///
/// - Parameters:
///   - flags: The flags for `open`.
///   - mode: The permissions of a newly created file.
///   - followsLinks: Whether the path may be a symbolic link, which is appropriate only for a file that a person has
///     named.
package func openRegularFile(
  _ path: String, _ flags: Int32, mode: mode_t = 0o600, followsLinks: Bool = false
) -> Int32 {
  opening(flags | (followsLinks ? 0 : O_NOFOLLOW)) { open(path, $0, mode) }
}

/// Opens a file, or for SQLite a folder, like `openRegularFile`.
package func opening(_ flags: Int32, allowsFolders: Bool = false, _ open: (_ flags: Int32) -> Int32) -> Int32 {
  let flags = flags | O_CLOEXEC | O_NONBLOCK | O_NOCTTY
  var descriptor = open(flags)
  // A program that holds a lease on the file has been asked to release it, which takes a moment.
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

/// The value of `errno` after `openRegularFile` found something else: the system's error for a pipe without a reader.
package let notARegularFile = ENXIO

/// Describes why a file cannot be opened.
package func openingFailure(_ number: Int32) -> String {
  switch number {
  case notARegularFile: "it is not a regular file"
  case EISDIR: "it is a folder"
  case ENOTDIR: "one of its folders is a file"
  default: String(cString: strerror(number))
  }
}

/// Advises on a file that cannot be opened because of its path or its kind; `nil` if neither is the reason.
package func openingAdvice(_ number: Int32, _ path: String) -> String? {
  switch number {
  case notARegularFile: "Name a regular file."
  case EISDIR: "Name a file, not a folder."
  case ENOENT, ENOTDIR: "Check the path."
  case ELOOP: loopAdvice(path)
  case ENAMETOOLONG where path.utf8.count > 4095: "Choose a shorter path: one has at most 4095 bytes."
  case ENAMETOOLONG: "Choose a shorter name: with what is added for files beside it, one has at most 255 bytes."
  default: nil
  }
}

private func loopAdvice(_ path: String) -> String {
  var status = stat()
  guard lstat(path, &status) == 0 else {
    return "One of its folders is a symbolic link that leads back to itself: remove that, or name another path."
  }
  return stat(path, &status) != 0 && errno == ELOOP
    ? "It is a symbolic link that leads back to itself: remove it, or name another file."
    : "It is a symbolic link, and links in this place are not followed: remove it, or name another file."
}
