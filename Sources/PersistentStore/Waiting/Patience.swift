public import Diagnostics

/// How long to wait for other programs that use a store, and who is told of it.
public struct Patience {
  /// How long to wait in all before the work, and once more before the store is replaced.
  ///
  /// Without it, a program that uses the store is waited for two seconds, and another migration not at all.
  public var limit: Duration?
  /// Called with what is in the way, when the waiting begins and whenever that changes.
  public var onWait: ((MigrationError) -> Void)?
  /// Asked now and then whether somebody wants the waiting to end.
  public var isCancelled: () -> Bool = { false }

  /// Creates patience; by default as little as is usual.
  public init(limit: Duration? = nil) {
    self.limit = limit
  }

  func limit(for code: MigrationError.Code) -> Duration {
    limit ?? (code == .alreadyRunning ? .zero : .seconds(2))
  }
}
