/// The primary keys of a table, cut into ranges that can be read independently of each other.
///
/// How a table is cut depends on its keys alone, never on the number of threads.
struct KeyRanges: Sendable, Hashable {
  private let least: Int64
  let greatest: Int64
  /// The number of keys in each range but the last.
  private let span: UInt64
  let count: Int

  /// Where keys follow each other without a gap, a range holds this many rows.
  static let denseSpan: UInt64 = 1024
  /// Where there are large gaps, ranges are wider rather than more.
  private static let maximumCount: UInt64 = 1 << 16

  /// Cuts the keys from the least to the greatest.
  init(least: Int64, greatest: Int64) {
    self.least = least
    self.greatest = greatest
    guard least <= greatest else {
      (span, count) = (Self.denseSpan, 0)
      return
    }
    let distance = UInt64(bitPattern: greatest &- least)
    let isDense = distance / Self.denseSpan < Self.maximumCount
    span = isDense ? Self.denseSpan : distance / Self.maximumCount + 1
    count = Int(distance / span) + 1
  }

  /// How many ranges are copied at a time.
  static let rangesPerSlice = 4

  /// All keys, in larger pieces.
  var slices: [ClosedRange<Int64>] {
    stride(from: 0, to: count, by: Self.rangesPerSlice).map { start in
      self[places: start..<min(start + Self.rangesPerSlice, count)]
    }
  }

  /// How many keys there are from the least to the greatest.
  var keyCount: Int64 {
    guard count > 0 else { return 0 }
    let distance = UInt64(bitPattern: greatest &- least)
    return distance < UInt64(Int64.max) ? Int64(distance) + 1 : .max
  }

  subscript(place: Int) -> ClosedRange<Int64> { self[places: place..<(place + 1)] }

  /// The keys of some ranges that follow each other.
  subscript(places places: Range<Int>) -> ClosedRange<Int64> {
    let lower = least &+ Int64(bitPattern: UInt64(places.lowerBound) * span)
    guard places.upperBound < count else { return lower...max(lower, greatest) }
    return lower...(least &+ Int64(bitPattern: UInt64(places.upperBound) * span) - 1)
  }
}
