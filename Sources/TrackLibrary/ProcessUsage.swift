internal import SystemC

/// What this process has used.
enum ProcessUsage {
  /// The greatest amount of memory that the process has had in RAM, in bytes.
  static var peakMemory: Int64 {
    var usage = rusage()
    #if canImport(Glibc)
      getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    #else
      getrusage(Int32(RUSAGE_SELF), &usage)
    #endif
    #if canImport(Darwin)
      return Int64(usage.ru_maxrss)
    #else
      return Int64(usage.ru_maxrss) * 1024
    #endif
  }
}
