/// Primary keys in the order in which they were handed out, which is nearly always one after the other.
struct KeyRuns {
  private var runs: [ClosedRange<Int64>] = []
  private(set) var count = 0

  mutating func append(_ key: Int64) {
    count += 1
    if let last = runs.last, last.upperBound < key, last.upperBound + 1 == key {
      runs[runs.count - 1] = last.lowerBound...key
    } else {
      runs.append(key...key)
    }
  }

  func forEach(_ body: (Int64) throws -> Void) rethrows {
    for run in runs { for key in run { try body(key) } }
  }
}
