/// Ascending keys, of which those that follow each other take no memory.
struct AscendingKeys {
  private var ranges: [ClosedRange<Int64>] = []

  var isEmpty: Bool { ranges.isEmpty }

  /// Adds a key that is greater than all others, and returns it.
  mutating func note(_ key: Int64) -> Int64 {
    if let last = ranges.last, last.upperBound == key - 1 {
      ranges[ranges.count - 1] = last.lowerBound...key
    } else {
      ranges.append(key...key)
    }
    return key
  }

  func contains(_ key: Int64) -> Bool {
    var (low, high) = (0, ranges.count)
    while low < high {
      let middle = (low + high) / 2
      if ranges[middle].upperBound < key { low = middle + 1 } else { high = middle }
    }
    return low < ranges.count && ranges[low].contains(key)
  }
}
