package import Diagnostics
internal import Dispatch
internal import SQLite
internal import Synchronization
internal import SystemC

/// The bytes of a store on their way into another file, on a thread of their own.
///
/// They are on the disk when they are all there; so the disk is at work while somebody looks at the rows.
package final class StoreCopy: Sendable {
  private let source: DatabaseFile
  private let size: Int64
  private let sourceName: String
  private let path: String
  private let isCancelled: @Sendable () -> Bool
  private let isStopped = Atomic(false)
  private let queue = DispatchQueue(label: "PersistentStore.StoreCopy")
  /// Only touched on the queue.
  nonisolated(unsafe) private var outcome: Result<Void, MigrationError> = .success(())

  /// Begins to copy.
  init(
    _ source: DatabaseFile, size: Int64, named sourceName: String, to path: String,
    isCancelled: @escaping @Sendable () -> Bool
  ) {
    (self.source, self.size, self.sourceName, self.path) = (source, size, sourceName, path)
    self.isCancelled = isCancelled
    queue.async { [self] in
      do throws(MigrationError) {
        try copy()
      } catch {
        outcome = .failure(error)
      }
    }
  }

  /// Waits until all is copied and on the disk.
  package func finish() throws(MigrationError) {
    try queue.sync { outcome }.get()
  }

  /// Waits until the other thread has let go of both files.
  package func stop() {
    isStopped.store(true, ordering: .relaxed)
    queue.sync {}
  }

  /// Does the same, and leaves an empty file, in which another store can be built.
  package func discard() throws(MigrationError) {
    stop()
    guard truncate(path, 0) == 0 else { throw FileSystem.failure(.inputOutput, path) }
  }

  /// As many bytes as stay near the processor.
  ///
  /// Larger blocks are no faster where memory is at hand, and slower where the kernel has to look for it.
  private static let blockSize = 64 << 10

  private func copy() throws(MigrationError) {
    let descriptor = try FileSystem.openFile(path, O_WRONLY | O_CREAT | O_TRUNC, orThrow: .cannotCreate)
    defer { close(descriptor) }
    var block = [UInt8](repeating: 0, count: Self.blockSize)
    var offset: Int64 = 0
    while offset < size {
      guard !isStopped.load(ordering: .relaxed), !isCancelled() else {
        throw MigrationError(.interrupted, path: sourceName)
      }
      let count = Int(min(size - offset, Int64(block.count)))
      do throws(SQLiteError) {
        try source.read(count, at: offset, into: &block)
      } catch {
        throw MigrationError(error, path: sourceName)
      }
      // The copy has no log of its own: bytes 18 and 19 of the header say so (sqlite.org/fileformat.html).
      if offset == 0, count >= 100 { (block[18], block[19]) = (1, 1) }
      try FileSystem.write(block, count: count, to: descriptor, named: path)
      offset += Int64(count)
    }
    guard fsync(descriptor) == 0 else { throw FileSystem.failure(.inputOutput, path) }
  }
}
