internal import MigrationDiagnostics
internal import PersistentStore
internal import SystemC

/// A part of a migration, for its statistics.
///
/// What comes after the statistics are written (their way to the disk, and the new store taking the old one's place) is
/// in none.
package struct MigrationPhase: Codable, Sendable, Hashable {
  /// `prepare`, `migrate` (of several hops `migrate_1`, `migrate_2` and so on), `verify`.
  package var name: String
  /// How long it took.
  package var seconds: Double
  /// The most memory that the process had used by its end.
  package var bytes: Int64
}

/// Measures the phases of a migration, one after the other.
final class PhaseClock {
  private(set) var phases: [MigrationPhase] = []
  private var began: ContinuousClock.Instant

  init(began: ContinuousClock.Instant) {
    self.began = began
  }

  /// Ends a phase; the next one begins.
  func end(_ name: String) {
    let now = ContinuousClock.now
    phases.append(
      MigrationPhase(
        name: name, seconds: (now - began).seconds, bytes: ProcessUsage.peakMemory))
    began = now
  }
}

extension Duration {
  /// The duration in seconds.
  package var seconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}

/// What this process has used.
package enum ProcessUsage {
  /// The greatest amount of memory that the process has had in RAM, in bytes.
  package static var peakMemory: Int64 { peakOfProgram ?? peakOfProcess }

  /// What Linux says of the program that runs now; `nil` where there is no `/proc`.
  private static var peakOfProgram: Int64? {
    guard let status = try? FileSystem.contents(of: "/proc/self/status") else { return nil }
    // VmHWM:     27404 kB
    let line = status.split(separator: UInt8(ascii: "\n")).first { $0.starts(with: "VmHWM:".utf8) }
    let number = line.map { $0.filter { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } }
    return number.flatMap { Int64(String(decoding: $0, as: UTF8.self)) }.map { $0 * 1024 }
  }

  /// What the process has had.
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
