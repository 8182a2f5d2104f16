internal import MigrationDiagnostics
internal import PersistentStore

/// The lines of a feed, read by several threads and taken in the order in which they stand there.
///
/// The thread that takes the batches reads the feed too, from which the other threads make batches, so that a signal
/// interrupts a feed that never ends. Memory is bounded by the few blocks that are under way, or by a few long lines.
final class FeedBatches {
  private let feed: any TrackFeed
  private let makeReader: () -> FeedLineReader
  /// Reads the first block, because a small feed is not worth a thread, and all others if there is to be one thread.
  private lazy var reader = makeReader()
  private var isFirst = true
  private let threadCount: Int
  private var pipeline: OrderedPipeline<FeedBlock, FeedBatch>?
  /// The sizes of the blocks that are under way.
  private var sizes: [Int] = []
  /// The end of the feed or its error, once it is known.
  private var end: Result<Void, MigrationError>?

  private static let blocksPerThread = 4

  /// The size of the blocks under way from which no more are read: only those of long lines reach it.
  private static let greatestSize = 16 << 20

  /// Prepares to read a feed.
  ///
  /// - Parameter makeReader: Makes a reader for each thread.
  init(_ feed: any TrackFeed, threadCount: Int, makeReader: @escaping () -> FeedLineReader) {
    (self.feed, self.threadCount, self.makeReader) = (feed, threadCount, makeReader)
  }

  /// Takes the next batch; `nil` at the end.
  ///
  /// - Throws: The error that ends the feed, after everything before it.
  func next() throws(MigrationError) -> FeedBatch? {
    guard threadCount > 1, !isFirst else {
      isFirst = false
      return try feed.nextBlock().map(reader.read)
    }
    readAhead()
    guard let batch = pipeline?.take() else {
      try end?.get()
      return nil
    }
    sizes.removeFirst()
    return batch
  }

  /// Stops the threads, and waits until they have ended.
  func stop() { pipeline?.stop() }

  private func readAhead() {
    while end == nil, pipeline?.isFull != true, sizes.reduce(0, +) < Self.greatestSize {
      do throws(MigrationError) {
        if let block = try feed.nextBlock() { put(block) } else { end = .success(()) }
      } catch {
        end = .failure(error)
      }
    }
  }

  private func put(_ block: FeedBlock) {
    let pipeline =
      self.pipeline
      ?? OrderedPipeline(
        capacity: threadCount * Self.blocksPerThread, (0..<threadCount).map { _ in makeReader().read })
    self.pipeline = pipeline
    pipeline.put(block)
    sizes.append(block.byteCount)
  }
}
