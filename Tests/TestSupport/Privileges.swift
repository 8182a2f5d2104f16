#if canImport(Glibc)
  internal import Glibc
#endif

/// The rights that tests run with.
public enum Privileges {
  /// Runs work without root's right to ignore permissions, for this thread only.
  ///
  /// For anybody else nothing changes.
  public static func asNobody<Result>(_ work: () throws -> Result) throws -> Result {
    #if canImport(Glibc)
      guard geteuid() == 0 else { return try work() }
      guard let symbol = dlsym(nil, "setfsuid") else { throw MissingFunction() }
      let setFileUser = unsafeBitCast(symbol, to: (@convention(c) (UInt32) -> Int32).self)
      _ = setFileUser(65534)
      defer { _ = setFileUser(0) }
      return try work()
    #else
      return try work()
    #endif
  }

  private struct MissingFunction: Error {}
}
