// Hot path: one call for every row and every entry. Hence memory that no array has to check, and no checks of exclusive
// access: one thread at a time uses the objects.

/// Sums up the rows of a table as each of its indexes must have them.
final class RowSums: RecordReader {
  let check: IndexCheck
  /// The names of the columns that the indexes have.
  let columns: [String]
  /// Whether rows have values that are not in their pages.
  @exclusivity(unchecked) private(set) var isIncomplete = false

  /// The positions of those columns in the table.
  private let positions: UnsafeMutableBufferPointer<Int>
  /// The places of each index's columns among them, with -1 after the last.
  private let places: UnsafeMutableBufferPointer<Int>
  private let values: UnsafeMutableBufferPointer<IndexedValue>
  private let indexSums: UnsafeMutableBufferPointer<IndexCheck.Sum>
  private let fields: RecordFields

  init(_ check: IndexCheck) {
    self.check = check
    var columns: [String] = []
    var positions: [Int] = []
    var places: [Int] = []
    for index in check.indexes {
      for (column, position) in zip(index.columns, index.positions) where !positions.contains(position) {
        columns.append(column)
        positions.append(position)
      }
      places += index.positions.compactMap(positions.firstIndex) + [-1]
    }
    self.columns = columns
    (self.positions, self.places) = (.copy(positions), .copy(places))
    values = .copy(columns.map { _ in .null })
    indexSums = .copy(check.indexes.map { _ in IndexCheck.Sum() })
    fields = RecordFields(limit: (positions.max() ?? -1) + 1)
  }

  deinit {
    positions.deallocate()
    places.deallocate()
    values.deallocate()
    indexSums.deallocate()
  }

  /// The sums, in the order of the indexes.
  var sums: [IndexCheck.Sum] { Array(indexSums) }

  /// Adds a row of a statement that selects the key and the columns.
  func add(_ row: Statement) {
    for place in values.indices { values[place] = IndexedValue(row, place + 1) }
    add(row.integer(0))
  }

  func read(_ record: UnsafeRawBufferPointer, key: Int64) {
    guard !isIncomplete else { return }
    isIncomplete = !fields.find(in: record)
    guard !isIncomplete else { return }
    for place in values.indices {
      let position = positions[place]
      // A row from before a column was added ends before it.
      guard let value = position < fields.count ? fields.value(position) : .null else {
        isIncomplete = true
        return
      }
      values[place] = value
    }
    add(key)
  }

  private func add(_ key: Int64) {
    var row = check.seed
    row.mix(in: UInt64(bitPattern: key))
    var (hash, number) = (row, 0)
    for place in places {
      if place >= 0 {
        values[place].mix(into: &hash)
      } else {
        indexSums[number].add(hash)
        (hash, number) = (row, number + 1)
      }
    }
  }
}

/// Sums up the entries of an index.
final class EntrySum: RecordReader {
  /// The sum; `nil` if the entries are not in order, or have values that are not in their pages.
  var sum: IndexCheck.Sum? { isSorted ? entrySum : nil }

  @exclusivity(unchecked) private var isSorted = true
  @exclusivity(unchecked) private var entrySum = IndexCheck.Sum()
  private let seed: UInt64
  private let isUnique: Bool
  private let isDescending: UnsafeMutableBufferPointer<Bool>
  private let fields: RecordFields
  private let values: UnsafeMutableBufferPointer<IndexedValue>
  private let last: KeptValues
  @exclusivity(unchecked) private var lastKey: Int64?

  init(_ index: IndexCheck.Index, seed: UInt64) {
    (self.seed, isUnique) = (seed, index.isUnique)
    isDescending = .copy(index.isDescending)
    values = .copy(index.columns.map { _ in .null })
    last = KeptValues(count: index.columns.count)
    // The key follows the columns.
    fields = RecordFields(limit: index.columns.count + 1)
  }

  deinit {
    isDescending.deallocate()
    values.deallocate()
  }

  /// Adds an entry of a statement that selects the key and the columns.
  func add(_ entry: Statement) {
    for place in values.indices { values[place] = IndexedValue(entry, place + 1) }
    add(entry.integer(0))
  }

  func read(_ record: UnsafeRawBufferPointer, key: Int64) {
    guard isSorted else { return }
    guard fields.find(in: record), fields.count == values.count + 1, fields.isComplete,
      case .integer(let key)? = fields.value(values.count)
    else { return isSorted = false }
    for place in values.indices {
      guard let value = fields.value(place) else { return isSorted = false }
      values[place] = value
    }
    add(key)
  }

  private func add(_ key: Int64) {
    var hash = seed
    hash.mix(in: UInt64(bitPattern: key))
    var (order, hasNull) = (0, false)
    for place in values.indices {
      let value = values[place]
      if order == 0 { order = last.values[place].order(before: value) * (isDescending[place] ? -1 : 1) }
      if case .null = value { hasNull = true }
      value.mix(into: &hash)
    }
    if let lastKey {
      let isRepeated = order == 0 && isUnique && !hasNull
      guard order > 0 || order == 0 && lastKey < key && !isRepeated else { return isSorted = false }
    }
    last.keep(values)
    lastKey = key
    entrySum.add(hash)
  }
}

extension UnsafeMutableBufferPointer {
  /// Memory with the elements of an array, which the caller deallocates.
  static func copy(_ elements: [Element]) -> Self {
    let memory = allocate(capacity: elements.count)
    _ = memory.initialize(from: elements)
    return memory
  }
}
