internal import Foundation

/// The processors of this machine.
enum Processors {
  /// How many of them this process may use: fewer than there are, where somebody has bound it to some (`taskset`).
  static var availableCount: Int { ProcessInfo.processInfo.activeProcessorCount }
}
