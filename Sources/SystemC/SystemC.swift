// The platform's C library under one name, so that no other file has to tell the platforms apart.

#if canImport(Darwin)
  @_exported public import Darwin
#elseif canImport(Musl)
  @_exported public import Musl
  @_exported public import CXattr
#else
  @_exported public import Glibc
  @_exported public import CXattr
#endif
