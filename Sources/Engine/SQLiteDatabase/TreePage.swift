/// The sizes of a file's pages, and which of them belong to no table (sqlite.org/fileformat.html).
package struct PageFormat: Sendable, Hashable {
  /// The size of a page in bytes.
  package let pageSize: Int
  /// The bytes at the beginning of a page that may hold something; the rest is reserved for extensions.
  package let usableSize: Int
  /// Whether the file has a map of its pages, as one that can be vacuumed page by page.
  package let hasPageMap: Bool

  /// Creates a format.
  package init(pageSize: Int, usableSize: Int, hasPageMap: Bool) {
    (self.pageSize, self.usableSize, self.hasPageMap) = (pageSize, usableSize, hasPageMap)
  }

  /// The page that SQLite never uses, because its locks are there.
  package var lockPage: Int { 0x4000_0000 / pageSize + 1 }

  /// Whether a page is one of the map.
  package func isMapPage(_ page: Int) -> Bool { hasPageMap && page > 1 && mapPage(of: page) == page }

  /// The page of the map that has the entry of a page.
  package func mapPage(of page: Int) -> Int {
    let span = usableSize / 5 + 1
    let map = (page - 2) / span * span + 2
    return map == lockPage ? map + 1 : map
  }

  /// The number of bytes of a record that are in its page.
  @inline(__always)
  package func localSize(_ size: Int, isIndex: Bool) -> Int {
    let greatest = isIndex ? (usableSize - 12) * 64 / 255 - 23 : usableSize - 35
    if size <= greatest { return size }
    let least = (usableSize - 12) * 32 / 255 - 23
    let local = least + (size - least) % (usableSize - 4)
    return local <= greatest ? local : least
  }
}

/// A row, an entry or a key with the page of those before it.
package struct TreeCell {
  /// The page of those before it; 0 in a leaf.
  package internal(set) var child = 0
  /// The row's key; 0 for an entry.
  package internal(set) var key: Int64 = 0
  /// The number of bytes of the record.
  package internal(set) var payloadSize = 0
  /// The place of the record's beginning in the page.
  package internal(set) var record = 0
  /// The number of bytes of the record that are in the page.
  package internal(set) var localSize = 0
  /// The place behind the cell.
  package internal(set) var end = 0
}

/// The header of a page of a b-tree.
package struct TreePageHeader {
  /// The place of the header: the first page begins with that of the file.
  package let start: Int
  /// Whether the page has no pages below it.
  package let isLeaf: Bool
  /// Whether it has entries rather than rows.
  package let isIndex: Bool
  /// The number of cells.
  package let cellCount: Int
  /// The place of the places of the cells.
  let pointers: Int
  /// The place at which the cells may begin.
  package let content: Int

  /// The place behind the places of the cells.
  package var pointersEnd: Int { pointers + 2 * cellCount }

  /// Reads a header; `nil` if there is none of a b-tree.
  ///
  /// - Parameter start: 100 in the first page, 0 in all others.
  @inline(__always)
  package init?(_ page: UnsafeRawPointer, at start: Int) {
    let kind = page.load(fromByteOffset: start, as: UInt8.self)
    guard kind == 2 || kind == 5 || kind == 10 || kind == 13 else { return nil }
    self.start = start
    isLeaf = kind & 8 != 0
    isIndex = kind & 1 == 0
    cellCount = page.word(start + 3)
    pointers = start + (isLeaf ? 8 : 12)
    content = page.word(start + 5) == 0 ? 65536 : page.word(start + 5)
  }

  /// The last page below it.
  package func lastChild(_ page: UnsafeRawPointer) -> Int { page.doubleWord(start + 8) }
}

/// Judges pages of b-trees by themselves: whether their cells and free blocks fill them without gaps or overlaps.
///
/// Hot path: all cells of a file. Hence raw pointers; every offset in a page is compared with its size first, and
/// ``padding`` follows each page in memory, so that an integer that begins in it can be read.
package final class TreePageReader {
  /// The sizes of the pages.
  package let format: PageFormat
  private let usableSize: Int
  /// A bit for each byte of the page that is looked at.
  private let coverage: UnsafeMutablePointer<UInt64>

  /// Room for the greatest head of a cell, or of a record's header.
  package static let padding = 32

  /// Prepares to read pages.
  package init(_ format: PageFormat) {
    self.format = format
    usableSize = format.usableSize
    coverage = .allocate(capacity: 65536 / 64)
    coverage.initialize(repeating: 0, count: 65536 / 64)
  }

  deinit { coverage.deallocate() }

  /// Calls a closure with each cell, in the order of the keys, until it returns false.
  ///
  /// - Returns: Whether it always returned true, and nothing in the page is out of place.
  @inline(__always)
  package func forEachCell<Failure: Error>(
    of page: UnsafeRawPointer, _ header: TreePageHeader, _ body: (TreeCell) throws(Failure) -> Bool
  ) throws(Failure) -> Bool {
    let content = header.content
    guard header.pointersEnd <= content, content <= usableSize else { return false }
    coverage.update(repeating: 0, count: (usableSize + 63) / 64)
    var coveredCount = 0
    for place in 0..<header.cellCount {
      let offset = page.word(header.pointers + 2 * place)
      guard offset >= content, let cell = cell(at: offset, of: page, header), cover(offset, cell.end) else {
        return false
      }
      coveredCount += cell.end - offset
      guard try body(cell) else { return false }
    }
    var block = page.word(header.start + 1)
    while block != 0 {
      guard block >= content, block + 4 <= usableSize else { return false }
      let (next, size) = (page.word(block), page.word(block + 2))
      guard size >= 4, block + size <= usableSize, next == 0 || next > block, cover(block, block + size) else {
        return false
      }
      coveredCount += size
      block = next
    }
    return usableSize - content - coveredCount == Int(page.load(fromByteOffset: header.start + 7, as: UInt8.self))
  }

  /// The place of the cell at a position below the count; `nil` if the page does not have room for so many.
  @inline(__always)
  package func offset(_ place: Int, of page: UnsafeRawPointer, _ header: TreePageHeader) -> Int? {
    let pointer = header.pointers + 2 * place
    return pointer + 2 <= usableSize ? page.word(pointer) : nil
  }

  /// The cell at a position below the count; `nil` if it is not in the page as a whole.
  @inline(__always)
  package func cell(_ place: Int, of page: UnsafeRawPointer, _ header: TreePageHeader) -> TreeCell? {
    guard let offset = offset(place, of: page, header) else { return nil }
    return cell(at: offset, of: page, header)
  }

  /// Reads the beginning of a cell; `nil` if it is not in the page as a whole.
  ///
  /// A page that was judged may have been written since, if nothing locks the file.
  @inline(__always)
  package func cell(at offset: Int, of page: UnsafeRawPointer, _ header: TreePageHeader) -> TreeCell? {
    guard offset < usableSize else { return nil }
    var cell = TreeCell()
    var place = offset
    if !header.isLeaf {
      cell.child = page.doubleWord(place)
      place += 4
    }
    if header.isLeaf || header.isIndex {
      let (size, length) = (page + place).variableInteger
      guard size <= UInt64(Int32.max) else { return nil }
      cell.payloadSize = Int(size)
      place += length
    }
    if !header.isIndex {
      let (key, length) = (page + place).variableInteger
      cell.key = Int64(bitPattern: key)
      place += length
    }
    cell.record = place
    cell.localSize = format.localSize(cell.payloadSize, isIndex: header.isIndex)
    place += cell.localSize + (cell.localSize < cell.payloadSize ? 4 : 0)
    cell.end = max(place, offset + 4)
    return cell.end <= usableSize ? cell : nil
  }

  /// Whether a record is as long as its header says; a header that goes on in other pages is not looked at.
  @inline(__always)
  package func hasLength(of cell: TreeCell, _ record: UnsafeRawPointer) -> Bool {
    let (headerSize, sizeLength) = record.variableInteger
    guard headerSize <= UInt64(cell.localSize) else { return headerSize <= UInt64(cell.payloadSize) }
    let header = Int(headerSize)
    var (place, size) = (sizeLength, header)
    while place < header {
      let (type, length) = (record + place).variableInteger
      guard type <= UInt64(Int32.max) * 2 + 13, type != 10, type != 11 else { return false }
      place += length
      size += RecordFields.size(of: type)
    }
    return place == header && size == cell.payloadSize
  }

  /// The free blocks of a page in which nothing is out of place, by their beginnings and ends.
  package func freeBlocks(of page: UnsafeRawPointer, _ header: TreePageHeader) -> [Range<Int>] {
    var (blocks, block) = ([Range<Int>](), page.word(header.start + 1))
    while block != 0, block + 4 <= usableSize, blocks.last.map({ $0.upperBound <= block }) ?? true {
      blocks.append(block..<min(usableSize, block + page.word(block + 2)))
      block = page.word(block)
    }
    return blocks
  }

  /// Marks bytes of a page, unless some of them are marked.
  @inline(__always)
  private func cover(_ start: Int, _ end: Int) -> Bool {
    var word = start >> 6
    let last = (end - 1) >> 6
    var mask = UInt64.max << UInt64(start & 63)
    while true {
      if word == last { mask &= .max >> UInt64(63 - (end - 1) & 63) }
      guard coverage[word] & mask == 0 else { return false }
      coverage[word] |= mask
      guard word < last else { return true }
      word += 1
      mask = .max
    }
  }
}

extension UnsafeRawPointer {
  /// An integer of one to nine bytes, and their number (sqlite.org/fileformat.html#varint).
  @inline(__always)
  package var variableInteger: (value: UInt64, size: Int) {
    let first = load(as: UInt8.self)
    if first < 0x80 { return (UInt64(first), 1) }
    var value: UInt64 = 0
    for place in 0..<8 {
      let byte = load(fromByteOffset: place, as: UInt8.self)
      value = value << 7 | UInt64(byte & 0x7F)
      if byte < 0x80 { return (value, place + 1) }
    }
    return (value << 8 | UInt64(load(fromByteOffset: 8, as: UInt8.self)), 9)
  }

  /// Two bytes, the greater one first.
  @inline(__always)
  package func word(_ place: Int) -> Int {
    Int(UInt16(bigEndian: loadUnaligned(fromByteOffset: place, as: UInt16.self)))
  }

  /// Four bytes, the greatest first.
  @inline(__always)
  package func doubleWord(_ place: Int) -> Int {
    Int(UInt32(bigEndian: loadUnaligned(fromByteOffset: place, as: UInt32.self)))
  }
}
