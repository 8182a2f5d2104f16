// Lets the static binary start where /proc is not mounted.
//
// Swift's runtime asks /proc twice. Before main it wants to know where it lies, to find the program that draws backtraces,
// and aborts without an answer; it does not ask if SWIFT_ROOT is set. Later it reads the command line there, unless it has
// been given one.

#include <stdlib.h>
#include <unistd.h>

// swift/stdlib/public/SwiftShims/swift/shims/RuntimeShims.h
void _swift_stdlib_overrideUnsafeArgvArgc(char **argv, int argc);

// glibc hands the command line to constructors.
__attribute__((constructor(101))) static void standInForProc(int argc, char **argv) {
  if (access("/proc/self/exe", F_OK) == 0) return;
  setenv("SWIFT_ROOT", "/usr", 0);
  _swift_stdlib_overrideUnsafeArgvArgc(argv, argc);
}
