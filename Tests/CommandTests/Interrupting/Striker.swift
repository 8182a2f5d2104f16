import Foundation
import TestSupport

/// A shared library that makes one call of a process fail, or ends the process in front of it.
struct Striker: Sendable {
  private let folder: TemporaryFolder

  /// - Returns: `nil` where there is no C compiler.
  init?() throws {
    folder = try TemporaryFolder()
    try folder.write(Array(Self.source.utf8), to: "striker.c")
    var runner = CommandRunner.shell(
      "${CC:-$(command -v cc || command -v clang)} -shared -fPIC -O1 -o striker.so striker.c -ldl", in: folder.path)
    runner.timeout = 120
    guard try runner.run().status == 0 else { return nil }
  }

  /// What makes a process load the library.
  ///
  /// - Parameters:
  ///   - call: Which call is struck; the first is 1.
  ///   - action: `kill`, or the error number that the call fails with.
  func environment(call: Int, action: String) -> [String: String] {
    ["LD_PRELOAD": folder.file("striker.so"), "STRIKE_CALL": "\(call)", "STRIKE_ACTION": action]
  }

  private static let source = """
    #define _GNU_SOURCE
    #include <dlfcn.h>
    #include <errno.h>
    #include <fcntl.h>
    #include <signal.h>
    #include <stdarg.h>
    #include <stdio.h>
    #include <stdlib.h>
    #include <string.h>
    #include <sys/types.h>
    #include <unistd.h>

    // Writes to one file that follow each other count as one: between them nothing changes that anybody could see.
    static int strike(const char *name, int descriptor) {
      static int count, last = -1;
      if (descriptor >= 0 && descriptor == last) return 0;
      last = descriptor;
      const char *call = getenv("STRIKE_CALL"), *action = getenv("STRIKE_ACTION");
      if (!call || !action || ++count != atoi(call)) return 0;
      if (!strcmp(action, "kill")) kill(getpid(), SIGKILL);
      dprintf(2, "struck %s\\n", name);
      errno = atoi(action);
      return 1;
    }

    #define CALL(type, name, descriptor, parameters, arguments) \\
      type name parameters { \\
        static type (*real) parameters; \\
        if (!real) real = (type (*) parameters)dlsym(RTLD_NEXT, #name); \\
        if (strike(#name, descriptor)) return -1; \\
        return real arguments; \\
      }

    CALL(int, rename, -1, (const char *a, const char *b), (a, b))
    CALL(int, link, -1, (const char *a, const char *b), (a, b))
    CALL(int, unlink, -1, (const char *a), (a))
    CALL(int, fsync, -1, (int d), (d))
    CALL(int, fdatasync, -1, (int d), (d))
    CALL(int, ftruncate, -1, (int d, off_t n), (d, n))
    CALL(int, ftruncate64, -1, (int d, off_t n), (d, n))
    CALL(ssize_t, pwrite, d, (int d, const void *b, size_t n, off_t o), (d, b, n, o))
    CALL(ssize_t, pwrite64, d, (int d, const void *b, size_t n, off_t o), (d, b, n, o))

    ssize_t write(int d, const void *b, size_t n) {
      static ssize_t (*real)(int, const void *, size_t);
      if (!real) real = (ssize_t (*)(int, const void *, size_t))dlsym(RTLD_NEXT, "write");
      if (d > 2 && strike("write", d)) return -1;
      return real(d, b, n);
    }

    static int opening(const char *name, const char *path, int flags, mode_t mode) {
      int (*real)(const char *, int, ...) = (int (*)(const char *, int, ...))dlsym(RTLD_NEXT, name);
      if ((flags & O_CREAT) && strike(name, -1)) return -1;
      return real(path, flags, mode);
    }

    int open(const char *path, int flags, ...) {
      va_list list;
      va_start(list, flags);
      mode_t mode = flags & O_CREAT ? va_arg(list, mode_t) : 0;
      va_end(list);
      return opening("open", path, flags, mode);
    }

    int open64(const char *path, int flags, ...) {
      va_list list;
      va_start(list, flags);
      mode_t mode = flags & O_CREAT ? va_arg(list, mode_t) : 0;
      va_end(list);
      return opening("open64", path, flags, mode);
    }
    """
}
