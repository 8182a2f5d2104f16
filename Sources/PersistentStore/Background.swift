internal import Foundation
package import MigrationDiagnostics

/// Work that is done on a thread of its own.
package final class Background<Output: Sendable>: Sendable {
  private let ended = DispatchSemaphore(value: 0)
  /// Written before `ended` is signalled, and read afterwards.
  nonisolated(unsafe) private var outcome: Result<Output, MigrationError>?

  /// Starts the work.
  package init(_ work: @escaping @Sendable () throws(MigrationError) -> Output) {
    Thread.detachNewThread { [self] in
      outcome = Result { () throws(MigrationError) in try work() }
      ended.signal()
    }
  }

  /// Waits for the end of the work.
  package func result() -> Result<Output, MigrationError> {
    ended.wait()
    // For whoever asks again.
    ended.signal()
    return outcome ?? .failure(MigrationError(.interrupted))
  }
}
