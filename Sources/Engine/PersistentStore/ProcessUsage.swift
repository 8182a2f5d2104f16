internal import Foundation
internal import SystemC

/// The processors and the memory of the machine that this process has.
package enum ProcessUsage {
  /// The number of processors that this process may use, which can be limited (`taskset`).
  package static var processorCount: Int {
    let all = ProcessInfo.processInfo.activeProcessorCount
    // Foundation returns the machine's processors. Linux reports those of the process in hexadecimal digits.
    guard let line = status("Cpus_allowed:") else { return all }
    let allowed = line.compactMap { Character(UnicodeScalar($0)).hexDigitValue?.nonzeroBitCount }.reduce(0, +)
    return allowed == 0 ? all : min(all, allowed)
  }

  /// The greatest amount of memory that the process has had in RAM, in bytes.
  package static var peakMemory: Int64 { peakOfProgram ?? peakOfProcess }

  /// The peak of the running program according to Linux; `nil` if there is no `/proc`.
  private static var peakOfProgram: Int64? {
    // VmHWM:     27404 kB
    let number = status("VmHWM:").map { $0.filter { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } }
    return number.flatMap { Int64(String(decoding: $0, as: UTF8.self)) }.map { $0 * 1024 }
  }

  /// The rest of a line of Linux' status of this process; `nil` if there is no `/proc`.
  private static func status(_ name: String) -> ArraySlice<UInt8>? {
    guard let status = try? FileSystem.contents(of: "/proc/self/status") else { return nil }
    return status.split(separator: UInt8(ascii: "\n")).first { $0.starts(with: name.utf8) }?.dropFirst(name.utf8.count)
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
