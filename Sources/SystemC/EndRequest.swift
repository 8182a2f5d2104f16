internal import Synchronization

/// A signal that has asked the process to end, for all that waits for others: pipes, terminals, programs.
///
/// It is the program's to listen; where nobody does, no request is ever made, and signals do what they do by themselves.
package enum EndRequest {
  private static let signal = Atomic<Int32>(0)

  /// The number of the signal; `nil` while there was none.
  package static var signalNumber: Int32? {
    let number = signal.load(ordering: .relaxed)
    return number == 0 ? nil : number
  }

  /// Whether there was one.
  package static var isMade: Bool { signalNumber != nil }

  /// Notes a signal; to be called by its handler.
  ///
  /// The first one counts.
  package static func note(_ number: Int32) {
    _ = signal.compareExchange(expected: 0, desired: number, ordering: .relaxed)
  }
}
