internal import Synchronization

/// A signal that has asked the process to end, for code that waits for pipes, terminals or programs.
///
/// The program must install the signal handler. Without one, no request is ever made, and signals have their default
/// effect.
package enum EndRequest {
  private static let signal = Atomic<Int32>(0)

  /// The number of the signal; `nil` if there was none.
  package static var signalNumber: Int32? {
    let number = signal.load(ordering: .relaxed)
    return number == 0 ? nil : number
  }

  /// Whether the process was asked to end.
  package static var isMade: Bool { signalNumber != nil }

  /// Records a signal; called by its handler.
  ///
  /// Only the first signal is recorded.
  package static func note(_ number: Int32) {
    _ = signal.compareExchange(expected: 0, desired: number, ordering: .relaxed)
  }
}
