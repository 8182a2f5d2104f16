internal import Synchronization

/// A request to stop, which any thread or signal handler may make.
public final class MigrationCancellation: Sendable {
  private let flag = Atomic(false)

  /// Creates a request that has not been made.
  public init() {}

  /// Asks the migration to stop.
  ///
  /// It does so soon, and leaves the library as it was.
  public func cancel() { flag.store(true, ordering: .relaxed) }

  /// Whether the migration has been asked to stop.
  public var isCancelled: Bool { flag.load(ordering: .relaxed) }
}
