internal import MigrationDiagnostics
internal import SystemC

/// Records that were sorted piece by piece, in a file, and that are read in the order of all.
///
/// The file has no name: it lies beside the store, and is gone with the process, however that ends.
final class SortedRuns {
  /// One record: its words are compared from the first on, of which the second may be missing.
  typealias Record = (first: UInt64, second: UInt64)

  private let path: String
  private let wordsPerRecord: Int
  private let descriptor: Int32
  /// The ends of the runs, in words.
  private var ends: [Int] = []

  /// The size of the blocks in which a run is read, in bytes.
  private static let blockSize = 64 << 10

  /// Creates the file.
  ///
  /// - Parameters:
  ///   - path: The store, which errors are about.
  ///   - wordsPerRecord: One or two; no two records of two words have the same first one.
  init(besideStoreAt path: String, wordsPerRecord: Int) throws(MigrationError) {
    (self.path, self.wordsPerRecord) = (path, wordsPerRecord)
    let hidden = path + Self.suffix
    descriptor = try FileSystem.createFile(hidden)
    FileSystem.remove(hidden)
  }

  deinit { close(descriptor) }

  /// The suffix of a store's file of runs, for the moment in which it has a name.
  static let suffix = ".links"

  /// The number of records.
  var count: Int { (ends.last ?? 0) / wordsPerRecord }

  /// Adds sorted records.
  func append(_ words: [UInt64]) throws(MigrationError) {
    let start = ends.last ?? 0
    try words.withUnsafeBufferPointer { words throws(MigrationError) in
      try DatabasePages.write(
        UnsafeRawBufferPointer(words), to: descriptor, at: off_t(start * Self.wordSize), path: path)
    }
    ends.append(start + words.count)
  }

  private static let wordSize = MemoryLayout<UInt64>.size

  /// Calls a closure with each record, in the order of their first words.
  func forEach(_ body: (Record) throws(MigrationError) -> Void) throws(MigrationError) {
    var cursors: [Cursor] = []
    var heap: [(first: UInt64, run: Int)] = []
    for (start, end) in zip([0] + ends, ends) {
      var cursor = Cursor(next: start, end: end, wordsPerRecord)
      if try fill(&cursor) { heap.append((cursor.first, cursors.count)) }
      cursors.append(cursor)
    }
    // What is sorted is a heap.
    heap.sort { $0.first < $1.first }
    while let top = heap.first {
      try body((top.first, cursors[top.run].second))
      cursors[top.run].place += wordsPerRecord
      if cursors[top.run].place < cursors[top.run].words.count {
        heap[0].first = cursors[top.run].first
      } else if try fill(&cursors[top.run]) {
        heap[0].first = cursors[top.run].first
      } else {
        let last = heap.removeLast()
        if !heap.isEmpty { heap[0] = last }
      }
      Self.sink(&heap)
    }
  }

  /// Moves the first element of a heap to its place.
  @inline(__always)
  private static func sink(_ heap: inout [(first: UInt64, run: Int)]) {
    var place = 0
    while 2 * place + 1 < heap.count {
      let left = 2 * place + 1
      let right = left + 1
      let child = right < heap.count && heap[right].first < heap[left].first ? right : left
      guard heap[child].first < heap[place].first else { return }
      heap.swapAt(place, child)
      place = child
    }
  }

  /// A place in a run.
  private struct Cursor {
    /// The words that have been read of the run.
    var words: [UInt64] = []
    var place = 0
    /// The first word that has not been read.
    var next: Int
    let end: Int
    private let hasSecond: Bool

    init(next: Int, end: Int, _ wordsPerRecord: Int) {
      (self.next, self.end, hasSecond) = (next, end, wordsPerRecord > 1)
    }

    var first: UInt64 { words[place] }
    var second: UInt64 { hasSecond ? words[place + 1] : 0 }
  }

  /// Reads on; returns false at the end of a run.
  private func fill(_ cursor: inout Cursor) throws(MigrationError) -> Bool {
    let count = min(cursor.end - cursor.next, Self.blockSize / Self.wordSize)
    guard count > 0 else { return false }
    if cursor.words.count != count { cursor.words = Array(repeating: 0, count: count) }
    let offset = off_t(cursor.next * Self.wordSize)
    let read = cursor.words.withUnsafeMutableBytes { FileSystem.read(descriptor, into: $0, at: offset) }
    guard let read else { throw FileSystem.failure(.inputOutput, path) }
    guard read == count * Self.wordSize else {
      throw MigrationError(.inputOutput, path: path, detail: "a file of its links ends too early")
    }
    cursor.next += count
    cursor.place = 0
    return true
  }
}
