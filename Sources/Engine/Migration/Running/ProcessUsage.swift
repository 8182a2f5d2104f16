internal import PersistentStore
internal import SystemC

/// The resources that this process has used.
package enum ProcessUsage {
  /// The greatest amount of memory that the process has had in RAM, in bytes.
  package static var peakMemory: Int64 { peakOfProgram ?? peakOfProcess }

  /// The peak of the running program according to Linux; `nil` if there is no `/proc`.
  private static var peakOfProgram: Int64? {
    guard let status = try? FileSystem.contents(of: "/proc/self/status") else { return nil }
    // VmHWM:     27404 kB
    let line = status.split(separator: UInt8(ascii: "\n")).first { $0.starts(with: "VmHWM:".utf8) }
    let number = line.map { $0.filter { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } }
    return number.flatMap { Int64(String(decoding: $0, as: UTF8.self)) }.map { $0 * 1024 }
  }

  /// The peak of the process.
  ///
  /// On Linux that is also what a large program had that became this one (`exec`).
  private static var peakOfProcess: Int64 {
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
