// The platform's C library under one name, so that no other file has to tell the platforms apart. Foundation stays out:
// a process is said to have used at least as much memory as the one that started it, so this one must be small.

#if canImport(Darwin)
  @_exported public import Darwin
#elseif canImport(Musl)
  @_exported public import Musl
#else
  @_exported public import Glibc
#endif
