internal import MigrationDiagnostics
internal import SystemC

/// The links of one join table, before they are written.
///
/// A link takes eight bytes as long as all keys are positive and below 2³², which is nearly always the case. Of these, only
/// half a million are in memory: a full list is sorted and written into a file beside the store.
package struct LinkList: ~Copyable {
  /// Both keys in one word, the first in its upper half.
  private var narrow: [UInt64] = []
  /// The links that need more room.
  private var wide: [Link] = []
  private var runs: SortedRuns?
  /// The reason why links could not be written into the file.
  private var failure: MigrationError?
  /// The store.
  package let path: String
  /// The greatest number of narrow links in memory.
  let runLength: Int

  /// Creates an empty list.
  ///
  /// - Parameters:
  ///   - path: The store beside which links may be written, which only this run knows; without it, all stay in memory.
  ///   - runLength: How many links are kept in memory.
  package init(besideStoreAt path: String = "", runLength: Int = usualRunLength) {
    self.path = path
    self.runLength = path.isEmpty ? .max : runLength
  }

  /// The greatest number of links in memory where nothing else is said.
  ///
  /// A debug build takes a smaller one from a variable, so that the sweep of disturbed runs spills the links of small stores.
  package static let usualRunLength: Int = {
    #if DEBUG
      if let text = getenv("TRACKS_MIGRATE_TEST_RUN_LENGTH"), let length = Int(String(cString: text)), length > 0 {
        return length
      }
    #endif
    return 1 << 19
  }()

  /// The number of links, with those that are repeated.
  package var count: Int { narrow.count + wide.count + (runs?.count ?? 0) }

  /// Adds a link.
  @inline(__always)
  package mutating func append(_ link: Link) {
    guard let first = UInt32(exactly: link.first), let second = UInt32(exactly: link.second) else {
      return wide.append(link)
    }
    narrow.append(UInt64(first) << 32 | UInt64(second))
    if narrow.count >= runLength { writeRun() }
  }

  /// Writes the links in memory into the file; an error is thrown when the links are taken.
  @inline(never)
  private mutating func writeRun() {
    do throws(MigrationError) {
      sortAndUnique()
      if runs == nil { runs = try SortedRuns(besideStoreAt: path, wordsPerRecord: 1) }
      try runs?.append(narrow)
    } catch {
      failure = failure ?? error
    }
    narrow.removeAll(keepingCapacity: failure == nil)
  }

  /// Sorts the links in memory by the first key, then by the second, and removes duplicates.
  private mutating func sortAndUnique() {
    // Most policies link one instance after the other, in the order of their keys.
    let isSecondInOrder = zip(narrow, narrow.dropFirst()).allSatisfy { $0 & 0xFFFF_FFFF <= $1 & 0xFFFF_FFFF }
    narrow.radixSort(fromBit: isSecondInOrder ? 32 : 0)
    narrow.removeRepetitions()
  }

  // MARK: - Taking the links

  /// Takes the links of wide keys, sorted and each once.
  mutating func takeWide() -> [Link] {
    wide.sort()
    wide.removeRepetitions()
    defer { wide = [] }
    return wide
  }

  /// Takes the others if all of them are in memory, sorted and each once.
  mutating func takeSorted() -> [UInt64] {
    sortAndUnique()
    defer { narrow = [] }
    return narrow
  }

  /// Takes the others if they are in the file; `nil` if they are not.
  mutating func takeRuns() throws(MigrationError) -> SortedRuns? {
    if runs != nil, !narrow.isEmpty { writeRun() }
    if let failure { throw failure }
    if runs != nil { narrow = [] }
    return runs
  }
}

extension Array where Element: Equatable {
  /// Removes elements that are equal to the one before.
  fileprivate mutating func removeRepetitions() {
    guard count > 1 else { return }
    var end = 1
    for place in 1..<count where self[place] != self[end - 1] {
      self[end] = self[place]
      end += 1
    }
    removeLast(count - end)
  }
}

/// One row of a join table.
package struct Link: Sendable, Hashable, Comparable {
  /// The key in the first column of the table.
  package var first: Int64
  /// The key in the second column.
  package var second: Int64

  /// Creates a link.
  package init(first: Int64, second: Int64) {
    self.first = first
    self.second = second
  }

  /// Sorts by the first key, then by the second.
  package static func < (left: Link, right: Link) -> Bool {
    left.first == right.first ? left.second < right.second : left.first < right.first
  }
}

/// The numbers with which Core Data stores the order of a relationship's destinations.
package enum OrderKey {
  /// The number for a place: 2048 for the first, and 1024 more for each of the next.
  package static func key(at place: Int) -> Int64 { 2048 + 1024 * Int64(place) }
}

/// Sorts by digits instead of comparisons, in a few passes over millions of links instead of twenty.
private enum RadixSort {
  /// Small enough that the counters of a digit stay in the processor's nearest cache.
  static let bits: UInt64 = 11
  static let radix = 1 << bits

  /// The start of the elements with each digit; `nil` if all have the same digit.
  static func starts(_ keys: [UInt64], shift: UInt64, mask: UInt64 = UInt64(radix - 1)) -> [Int]? {
    var counts = [Int](repeating: 0, count: radix)
    for key in keys { counts[Int(truncatingIfNeeded: key >> shift & mask)] += 1 }
    if counts.contains(keys.count) { return nil }
    var start = 0
    for digit in counts.indices { (counts[digit], start) = (start, start + counts[digit]) }
    return counts
  }
}

extension [UInt64] {
  /// Sorts the words.
  ///
  /// - Parameter start: The first bit that counts: words that agree from there on keep their order.
  mutating func radixSort(fromBit start: UInt64 = 0) {
    guard count > 1 else { return }
    var other = [UInt64](repeating: 0, count: count)
    for shift in stride(from: start, to: 64, by: UInt64.Stride(RadixSort.bits)) {
      guard var starts = RadixSort.starts(self, shift: shift) else { continue }
      for word in self {
        let digit = Int(truncatingIfNeeded: word >> shift) & (RadixSort.radix - 1)
        other[starts[digit]] = word
        starts[digit] += 1
      }
      swap(&self, &other)
    }
  }

  /// The places of the words in the order of their lower halves; equal ones keep theirs.
  func placesByLowerHalf() -> [UInt32] {
    var places = (0..<UInt32(truncatingIfNeeded: count)).map { $0 }
    guard count > 1 else { return places }
    var other = [UInt32](repeating: 0, count: count)
    for shift in stride(from: 0 as UInt64, to: 32, by: UInt64.Stride(RadixSort.bits)) {
      // The last digit must not reach into the upper half.
      let mask: UInt64 = Swift.min(UInt64(RadixSort.radix - 1), 0xFFFF_FFFF >> shift)
      guard var starts = RadixSort.starts(self, shift: shift, mask: mask) else { continue }
      for place in places {
        let digit = Int(truncatingIfNeeded: self[Int(place)] >> shift & mask)
        other[starts[digit]] = place
        starts[digit] += 1
      }
      swap(&places, &other)
    }
    return places
  }
}
