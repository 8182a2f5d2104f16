/// Sorting by digits instead of comparisons, which takes a few passes over millions of links instead of twenty.
private enum RadixSort {
  /// Small enough that the counters of a digit stay in the processor's nearest cache.
  static let bits: UInt64 = 11
  static let radix = 1 << bits

  /// Where the elements of each digit begin; `nil` where all have the same one.
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
  mutating func radixSort() {
    guard count > 1 else { return }
    var other = [UInt64](repeating: 0, count: count)
    for shift in stride(from: 0 as UInt64, to: 64, by: UInt64.Stride(RadixSort.bits)) {
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
