internal import Foundation

/// The processors of this machine.
enum Processors {
  /// How many of them this process may use: fewer than there are, where somebody has bound it to some (`taskset`).
  static var availableCount: Int {
    let all = ProcessInfo.processInfo.activeProcessorCount
    // Foundation counts those of the machine. Linux tells those of the process in hexadecimal digits.
    guard let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8),
      let line = status.split(separator: "\n").first(where: { $0.hasPrefix("Cpus_allowed:") })
    else { return all }
    let allowed = line.dropFirst("Cpus_allowed:".count).compactMap { $0.hexDigitValue?.nonzeroBitCount }.reduce(0, +)
    return allowed == 0 ? all : min(all, allowed)
  }
}
