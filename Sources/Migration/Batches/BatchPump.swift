internal import Diagnostics

/// Takes what threads have prepared, and lets a policy apply it.
final class BatchPump<Policy: BatchMigrationPolicy> {
  /// The keys of the rows, in the pieces in which they are prepared.
  let ranges: KeyRanges
  /// The rows whose batches have been applied.
  private(set) var rowCount = 0

  private let policy: Policy
  private let mapping: EntityMapping
  private let feed: any BatchFeed<Policy.Preparer.Batch>
  /// The ranges whose batches have been applied.
  private var place = 0

  init(_ policy: Policy, _ mapping: EntityMapping, _ ranges: KeyRanges, _ feed: any BatchFeed<Policy.Preparer.Batch>) {
    self.policy = policy
    self.mapping = mapping
    self.ranges = ranges
    self.feed = feed
  }

  /// Applies the batches of all ranges before one, waiting for those that are still being prepared.
  func applyRanges(before end: Int, _ manager: MigrationManager, didApply: () -> Void = {}) throws {
    while place < min(end, ranges.count) {
      guard let batch = try feed.next() else {
        place += 1
        continue
      }
      try policy.apply(batch.content, in: mapping, manager: manager)
      try manager.checkCancellation()
      try manager.destinationObjects.flushIfNeeded()
      rowCount += batch.rowCount
      didApply()
    }
  }

  /// Ends the reading, whether all has been read or not.
  func stop() { feed.stop() }
}
