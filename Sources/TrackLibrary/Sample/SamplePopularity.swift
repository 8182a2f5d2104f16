/// How often artists occur: about as the power 0.9 of their rank, so that few are heard often and most hardly ever.
///
/// With that power the distribution function is a tenth root, whose inverse takes a few multiplications. So no table of
/// weights is needed, and no `pow`, whose last digit differs from one C library to the next.
struct SamplePopularity {
  private let count: Int
  private let low: Double
  private let span: Double

  /// Distributes over artists 0 to `count` - 1, the first being the most popular.
  init(count: Int) {
    self.count = count
    // Rank r stands for the values from r - 0.5 to r + 0.5.
    low = Self.tenthRoot(0.5)
    span = Self.tenthRoot(Double(count) + 0.5) - low
  }

  /// Draws an artist.
  func draw(_ random: inout SplitMix64) -> Int {
    let root = low + random.unit() * span
    let square = root * root
    let fourth = square * square
    let rank = Int(fourth * fourth * square + 0.5)
    return min(max(rank, 1), count) - 1
  }

  /// Newton's method from above, which falls until it has arrived.
  static func tenthRoot(_ value: Double) -> Double {
    var root = 128.0
    while true {
      let square = root * root
      let fourth = square * square
      let ninth = fourth * fourth * root
      let next = root - (ninth * root - value) / (10 * ninth)
      guard next < root else { return root }
      root = next
    }
  }
}
