internal import SQLiteDatabase

/// Rows that were deleted, in the free places of a page that is in use.
///
/// SQLite writes the size of a free block over the first four bytes, where a row's key is. The key is there only in rows
/// that became part of a block before them.
struct FreedRows {
  /// The rows with their keys, and the places of their cells.
  private(set) var places: [(key: Int64, place: Int)] = []
  /// The records of the rows without.
  private(set) var keylessRecords: [StoredRecord] = []

  private let page: UnsafeRawPointer
  private let header: TreePageHeader
  private let reader: TreePageReader
  private let shape: TableShape
  private let fields: RecordFields

  /// Looks for the rows of a table.
  init(_ page: UnsafeRawPointer, _ header: TreePageHeader, _ reader: TreePageReader, _ shape: TableShape) {
    (self.page, self.header, self.reader, self.shape) = (page, header, reader, shape)
    fields = RecordFields(limit: shape.fieldCount + 1)
    let gap = header.pointersEnd..<max(header.pointersEnd, min(header.content, reader.format.usableSize))
    let blocks = reader.freeBlocks(of: page, header)
    var found: [(range: Range<Int>, key: Int64)] = []
    for free in [gap] + blocks {
      for offset in free {
        guard let cell = cell(at: offset), cell.end <= free.upperBound else { continue }
        found.append((offset..<cell.end, cell.key))
      }
    }
    for (index, (range, key)) in found.enumerated() {
      // Of two that overlap, at least one is partly overwritten.
      let isAlone = !found.enumerated().contains { $0.offset != index && $0.element.range.overlaps(range) }
      if isAlone { places.append((key, range.lowerBound)) }
    }
    // A block that has become part of the gap still begins with its size.
    let former = gap.compactMap { offset -> Range<Int>? in
      guard offset + Self.leastBlock < gap.upperBound else { return nil }
      let end = offset + page.word(offset + 2)
      return end <= gap.upperBound && end - offset > Self.leastBlock ? offset..<end : nil
    }
    var end = 0
    for block in former.prefix(Self.greatestCount) + blocks where block.lowerBound >= end {
      guard !found.contains(where: { $0.range.overlaps(block) }), let record = keylessRecord(in: block) else {
        continue
      }
      keylessRecords.append(record)
      end = block.upperBound
    }
  }

  private static let blockHeaderSize = 4
  /// A record has a size and three types at least, and one byte of values.
  private static let leastBlock = 8
  /// No page has more former blocks of its own making.
  private static let greatestCount = 4096

  private func cell(at offset: Int) -> TreeCell? {
    // The size of a record is not zero.
    guard page.load(fromByteOffset: offset, as: UInt8.self) >= 4, let cell = reader.cell(at: offset, of: page, header),
      cell.payloadSize >= 4, cell.localSize == cell.payloadSize, reader.hasLength(of: cell, page + cell.record),
      fields.find(in: UnsafeRawBufferPointer(start: page + cell.record, count: cell.localSize)),
      shape.fits(fields, isWhole: false)
    else { return nil }
    return cell
  }

  /// The record in a block that was one cell: it ends where the block does.
  private func keylessRecord(in block: Range<Int>) -> StoredRecord? {
    guard block.count > Self.leastBlock else { return nil }
    // The sizes of the record and of the key take two to twelve bytes; of the record itself, as much of the rest is lost.
    let rest = block.lowerBound + Self.blockHeaderSize
    for start in rest..<min(block.lowerBound + 12, block.upperBound - 4) {
      let record = UnsafeRawBufferPointer(start: page + start, count: block.upperBound - start)
      if isWhole(record) { return self.record(Array(record)) }
    }
    // The size of the header, and the type of the key, which is NULL.
    for lost in [[], [UInt8(0)]] {
      var (place, size) = (rest, block.upperBound - rest)
      for _ in 0..<shape.fieldCount where place < block.upperBound {
        let (type, length) = (page + place).variableInteger
        guard type < 1 << 32 else { break }
        place += length
        size -= length + RecordFields.size(of: type)
        guard size > 0 else {
          guard size == 0, let header = UInt8(exactly: 1 + lost.count + place - rest), header < 128 else { break }
          let values = UnsafeRawBufferPointer(start: page + rest, count: block.upperBound - rest)
          let record = record([header] + lost + values)
          let fits = record.bytes.withUnsafeBytes { isWhole(UnsafeRawBufferPointer(rebasing: $0[..<record.count])) }
          if fits { return record }
          break
        }
      }
    }
    return nil
  }

  /// Whether a record of the table has just the length that its header says.
  private func isWhole(_ record: UnsafeRawBufferPointer) -> Bool {
    fields.find(in: record) && fields.count > 0 && fields.extent(fields.count - 1).upperBound == record.count
      && shape.fits(fields, isWhole: false)
  }

  private func record(_ bytes: [UInt8]) -> StoredRecord {
    StoredRecord(
      key: 0, bytes: bytes + [UInt8](repeating: 0, count: TreePageReader.padding), count: bytes.count, fault: nil,
      blanks: [], joints: [])
  }
}
