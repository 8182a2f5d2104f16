package import DataModel
internal import MigrationDiagnostics
package import SQLiteDatabase

// Hot path: one call for every row of a copied table, on the threads that read them. Hence raw pointers, and memory that
// no array has to check.

/// The layout of a table's rows, as made of the columns of a statement.
package struct RowLayout: Sendable, Hashable {
  /// The source of a column's value.
  package enum Value: Sendable, Hashable {
    case null
    case integer(Int64)
    /// The value of the statement's column of this name, if SQLite would store it as it is.
    case column(String, AttributeType)
  }

  /// The values of all columns after the primary key.
  let values: [Value]
  /// The greatest size of a record that needs no overflow page.
  let greatestSize: Int

  /// The statement's columns, in the order in which rows take them.
  package var columnNames: [String] {
    values.compactMap { value in
      guard case .column(let name, _) = value else { return nil }
      return name
    }
  }
}

/// Rows of a table as cells of its b-tree, made by one thread and written by another.
///
/// A row whose values SQLite might convert, or whose record needs an overflow page, is left to SQLite.
package final class RowCells: @unchecked Sendable {
  private let layout: RowLayout
  private let affinities: [Affinity?]
  /// The serial types of a record, and its texts and blobs.
  private let types: UnsafeMutablePointer<UInt64>
  private let contents: UnsafeMutablePointer<UnsafeRawBufferPointer>
  private let numbers: UnsafeMutablePointer<UInt64>
  // One thread at a time uses the object; to check that for each row would take longer than to encode the key.
  @exclusivity(unchecked) private var bytes: UnsafeMutableRawPointer
  @exclusivity(unchecked) private var capacity: Int
  /// The number of bytes of all cells.
  @exclusivity(unchecked) package private(set) var byteCount = 0
  @exclusivity(unchecked) private var cells: [(key: Int64, end: Int)] = []
  /// The keys of the rows that are left to SQLite.
  package private(set) var leftKeys: [Int64] = []

  /// The number of rows in cells.
  package var count: Int { cells.count }

  /// Which values a column of the table keeps as they are.
  private enum Affinity {
    case text, integer, blob

    /// The affinity of columns of a type; `nil` if SQLite stores their numbers in other forms.
    init?(_ type: AttributeType) {
      switch type.columnType {
      case .varchar: self = .text
      case .integer, .timestamp, .decimal: self = .integer
      case .blob: self = .blob
      case .float: return nil
      }
    }
  }

  /// Prepares to take rows.
  package init(_ layout: RowLayout, capacity: Int = 1 << 12) {
    self.layout = layout
    affinities = layout.values.map { value in
      guard case .column(_, let type) = value else { return nil }
      return Affinity(type)
    }
    // One more for the primary key.
    types = .allocate(capacity: layout.values.count + 1)
    contents = .allocate(capacity: layout.values.count + 1)
    numbers = .allocate(capacity: layout.values.count + 1)
    self.capacity = capacity
    bytes = .allocate(byteCount: capacity, alignment: 16)
  }

  deinit {
    types.deallocate()
    contents.deallocate()
    numbers.deallocate()
    bytes.deallocate()
  }

  /// Leaves a row to SQLite.
  package func leave(_ key: Int64) { leftKeys.append(key) }

  /// Adds the row that a statement is at.
  ///
  /// - Parameter firstColumn: The statement's first column that the rows take.
  package func append(_ key: Int64, _ statement: Statement, from firstColumn: Int) {
    guard let size = measure(statement, firstColumn), add(key, size) else { return leave(key) }
  }

  /// Adds the row that was measured.
  ///
  /// - Returns: Whether it fits into a page.
  private func add(_ key: Int64, _ size: Int) -> Bool {
    let headerSize = headerSize
    let recordSize = headerSize + size
    guard recordSize <= layout.greatestSize else { return false }
    reserve(recordSize + 2 * 9)
    var end = bytes + byteCount
    end += VariableInteger.write(UInt64(recordSize), to: end)
    end += VariableInteger.write(UInt64(bitPattern: key), to: end)
    end += VariableInteger.write(UInt64(headerSize), to: end)
    let count = layout.values.count + 1
    for place in 0..<count { end += VariableInteger.write(types[place], to: end) }
    for place in 0..<count {
      let type = types[place]
      if type >= 12 {
        let content = contents[place]
        if let base = content.baseAddress { end.copyMemory(from: base, byteCount: content.count) }
        end += content.count
      } else {
        var shift = SerialType.size(of: type) * 8
        while shift > 0 {
          shift -= 8
          end.storeBytes(of: UInt8(truncatingIfNeeded: numbers[place] >> UInt64(shift)), as: UInt8.self)
          end += 1
        }
      }
    }
    byteCount = end - bytes
    cells.append((key, byteCount))
    return true
  }

  /// Finds the serial types of a row, and the size of its values; `nil` if SQLite would store one in another form.
  private func measure(_ statement: Statement, _ firstColumn: Int) -> Int? {
    // The primary key is the row id, and NULL in the record.
    types[0] = 0
    var (size, column) = (0, firstColumn)
    for (index, value) in layout.values.enumerated() {
      let place = index + 1
      switch value {
      case .null: types[place] = 0
      case .integer(let number): size += setInteger(number, at: place)
      case .column:
        guard let affinity = affinities[index] else { return nil }
        switch statement.storageClass(column) {
        case .null: types[place] = 0
        case .integer:
          guard affinity != .text else { return nil }
          size += setInteger(statement.integer(column), at: place)
        case .real:
          let number = statement.real(column)
          // Those that are integers are stored as such.
          guard affinity == .blob || affinity == .integer && Int64(exactly: number) == nil else { return nil }
          (types[place], numbers[place]) = (7, number.bitPattern)
          size += 8
        case .text:
          guard affinity != .integer else { return nil }
          statement.withText(column) { text in
            let text = text ?? UnsafeRawBufferPointer(start: nil, count: 0)
            (types[place], contents[place]) = (UInt64(text.count) * 2 + 13, text)
            size += text.count
          }
        case .blob:
          statement.withText(column) { blob in
            let blob = blob ?? UnsafeRawBufferPointer(start: nil, count: 0)
            (types[place], contents[place]) = (UInt64(blob.count) * 2 + 12, blob)
            size += blob.count
          }
        }
        column += 1
      }
      guard size <= layout.greatestSize else { return nil }
    }
    return size
  }

  private func setInteger(_ number: Int64, at place: Int) -> Int {
    let (type, size) = SerialType.of(number)
    (types[place], numbers[place]) = (UInt64(type), UInt64(bitPattern: number))
    return size
  }

  /// The size of the record's header, which counts itself.
  private var headerSize: Int {
    var size = 0
    for place in 0...layout.values.count { size += VariableInteger.size(of: types[place]) }
    return size + (size < 0x7F ? 1 : 2)
  }

  private func reserve(_ additional: Int) {
    guard capacity - byteCount < additional else { return }
    capacity = max(capacity * 2, byteCount + additional)
    let new = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 16)
    new.copyMemory(from: bytes, byteCount: byteCount)
    bytes.deallocate()
    bytes = new
  }

  /// Lends the cells in the order in which they were added.
  func forEach(_ body: (Int64, UnsafeRawBufferPointer) throws(MigrationError) -> Void) throws(MigrationError) {
    var start = 0
    for cell in cells {
      try body(cell.key, UnsafeRawBufferPointer(start: bytes + start, count: cell.end - start))
      start = cell.end
    }
  }
}

// Rows that come from elsewhere than a statement.
extension RowCells {
  /// A value of a row.
  package enum Value {
    case null
    case integer(Int64)
    case real(Double)
    /// Text; without a base address, it is NULL.
    case text(UnsafeRawBufferPointer)
  }

  /// Adds a row.
  ///
  /// - Parameter value: Returns the value for one of the layout's ``RowLayout/columnNames``, by its place.
  /// - Returns: Whether it was added; if not, SQLite has to write it.
  package func append(_ key: Int64, _ value: (_ column: Int) -> Value) -> Bool {
    guard let size = measure(value) else { return false }
    return add(key, size)
  }

  private func measure(_ valueOfColumn: (Int) -> Value) -> Int? {
    types[0] = 0
    var (size, column) = (0, 0)
    for (index, value) in layout.values.enumerated() {
      let place = index + 1
      switch value {
      case .null: types[place] = 0
      case .integer(let number): size += setInteger(number, at: place)
      case .column:
        guard let affinity = affinities[index], let valueSize = set(valueOfColumn(column), affinity, at: place) else {
          return nil
        }
        size += valueSize
        column += 1
      }
      guard size <= layout.greatestSize else { return nil }
    }
    return size
  }

  /// Sets the type of a value as SQLite would store it, and returns its size; `nil` if SQLite has to convert it.
  private func set(_ value: Value, _ affinity: Affinity, at place: Int) -> Int? {
    switch value {
    case .integer(let number):
      guard affinity != .text else { return nil }
      return setInteger(number, at: place)
    case .real(let number):
      guard affinity != .text else { return nil }
      // SQLite stores whole numbers as integers, but for the greatest and the least.
      if affinity == .integer, let whole = Int64(exactly: number), whole > .min, whole < .max {
        return setInteger(whole, at: place)
      }
      guard !number.isNaN else { return nil }
      (types[place], numbers[place]) = (7, number.bitPattern)
      return 8
    case .text(let text) where text.baseAddress != nil:
      guard affinity != .integer else { return nil }
      (types[place], contents[place]) = (UInt64(text.count) * 2 + 13, text)
      return text.count
    case .null, .text:
      types[place] = 0
      return 0
    }
  }
}
