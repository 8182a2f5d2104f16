package import SQLiteDatabase

/// The primary keys of tables, split into ranges that can be read independently.
///
/// How they are split depends only on the keys, never on the number of threads.
package struct KeyRanges: Sendable, Hashable {
  private let least: Int64
  /// The greatest key.
  package let greatest: Int64
  /// The number of keys in each range except the last.
  private let span: UInt64
  /// The number of ranges.
  package let count: Int

  /// If keys are consecutive, a range contains this many rows.
  private static let denseSpan: UInt64 = 1024
  /// If there are large gaps, ranges become wider rather than more numerous.
  private static let maximumCount: UInt64 = 1 << 16
  /// The number of ranges copied at a time.
  private static let rangesPerSlice = 4

  /// Splits the keys from the least to the greatest.
  package init(least: Int64, greatest: Int64) {
    self.least = least
    self.greatest = greatest
    guard least <= greatest else {
      (span, count) = (Self.denseSpan, 0)
      return
    }
    // The distance of two integers always fits.
    let distance = UInt64(bitPattern: greatest &- least)
    let isDense = distance / Self.denseSpan < Self.maximumCount
    span = isDense ? Self.denseSpan : distance / Self.maximumCount + 1
    count = Int(distance / span) + 1
  }

  /// Splits the keys of tables, or of parts of them.
  package init(_ parts: [ClosedRange<Int64>?]) {
    let keys = parts.compactMap(\.self)
    self.init(least: keys.map(\.lowerBound).min() ?? 1, greatest: keys.map(\.upperBound).max() ?? 0)
  }

  /// The ranges, some at a time.
  package var slices: [Range<Int>] {
    stride(from: 0, to: count, by: Self.rangesPerSlice).map { $0..<min($0 + Self.rangesPerSlice, count) }
  }

  /// The number of keys from the least to the greatest.
  package var keyCount: Int64 {
    guard count > 0 else { return 0 }
    let distance = UInt64(bitPattern: greatest &- least)
    return distance < UInt64(Int64.max) ? Int64(distance) + 1 : .max
  }

  /// The keys of a range.
  package subscript(place: Int) -> ClosedRange<Int64> { self[place..<(place + 1)] }

  /// The keys of several consecutive ranges.
  package subscript(places: Range<Int>) -> ClosedRange<Int64> {
    let lower = least &+ Int64(bitPattern: UInt64(places.lowerBound) * span)
    guard places.upperBound < count else { return lower...max(lower, greatest) }
    return lower...(least &+ Int64(bitPattern: UInt64(places.upperBound) * span) - 1)
  }
}

extension Connection {
  /// Returns the range of a table's keys; `nil` if it has no rows.
  package func keyRange(ofTable name: String) throws(SQLiteError) -> ClosedRange<Int64>? {
    // Two queries: SQLite would read the whole table for both at once.
    guard let least = try integer("SELECT min(Z_PK) FROM \(name.quotedIdentifier)"),
      let greatest = try integer("SELECT max(Z_PK) FROM \(name.quotedIdentifier)"), least <= greatest
    else { return nil }
    return least...greatest
  }
}
