internal import Diagnostics
internal import PersistentStore

/// One row of a sample: texts that are ranges of one buffer, which the next row uses again.
///
/// A text that is not there is NULL. What stands in the JSON word for word need not be written twice: ranges may
/// overlap.
struct SampleRow {
  /// The attributes, in the order of `insert`.
  static let properties = ["artistName", "imageURL", "json", "lastPlayedAt", "title"]

  var bytes: [UInt8] = []
  var artistName: Range<Int>?
  var imageURL: Range<Int>?
  var json: Range<Int>?
  /// Seconds in decimal digits.
  ///
  /// The column's affinity makes a number of them (sqlite.org/datatype3.html), an integer where there is no fraction,
  /// which is just how Core Data's dates look.
  var lastPlayedAt: Range<Int>?
  var title: Range<Int>?

  /// Makes room for the next row.
  mutating func clear() {
    bytes.removeAll(keepingCapacity: true)
    (artistName, imageURL, json, lastPlayedAt, title) = (nil, nil, nil, nil, nil)
  }

  /// Appends what `compose` writes, and returns where it is.
  mutating func text(_ compose: (inout [UInt8]) -> Void) -> Range<Int> {
    let start = bytes.count
    compose(&bytes)
    return start..<bytes.count
  }

  /// Adds the row to a store.
  ///
  /// Hot: raw pointers, because a copy of every document would cost as much as making it.
  func insert(into inserter: InstanceInserter, primaryKey: Int64) throws(MigrationError) {
    try bytes.withUnsafeBufferPointer { bytes throws(MigrationError) in
      let buffer = UnsafeRawBufferPointer(bytes)
      func text(_ range: Range<Int>?) -> UnsafeRawBufferPointer {
        range.map { UnsafeRawBufferPointer(rebasing: buffer[$0]) } ?? UnsafeRawBufferPointer(start: nil, count: 0)
      }
      try inserter.insert(
        primaryKey: primaryKey, texts: text(artistName), text(imageURL), text(json), text(lastPlayedAt), text(title))
    }
  }
}
