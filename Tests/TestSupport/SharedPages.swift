internal import Foundation

/// Makes a b-tree of a file endless, as far as anybody can tell who reads it.
public enum SharedPages {
  private static let size = 4096
  private static let childCount = 100
  private static let levelCount = 12

  /// Puts twelve levels of a hundred times the same page below between the root and a leaf.
  ///
  /// - Parameter root: A leaf, or the root of the schema, whose next to last leaf is repeated then.
  public static func make(in path: String, root: Int, isIndex: Bool = false) throws {
    var bytes = try Files.bytes(path)
    let count = bytes.count / size
    var leaf = bytes[(root - 1) * size..<root * size]
    if root == 1 {
      // The header of the first page begins behind that of the file. Its last child comes after all of its cells.
      guard bytes[100] == 5 else { throw CocoaError(.fileReadCorruptFile) }
      let cell = Int(bytes[103]) << 8 | Int(bytes[104])
      let last = 112 + (cell - 1) * 2
      let page = number(bytes, at: Int(bytes[last]) << 8 | Int(bytes[last + 1]))
      leaf = bytes[(page - 1) * size..<page * size]
      bytes.replaceSubrange(108..<112, with: Self.bytes(count + 1))
    } else {
      let first = page(child: count + 1, isIndex: isIndex)
      bytes.replaceSubrange((root - 1) * size..<root * size, with: first)
    }
    for level in 1...levelCount { bytes += page(child: count + level + 1, isIndex: isIndex) }
    bytes += leaf
    bytes.replaceSubrange(28..<32, with: Self.bytes(bytes.count / size))
    try Files.write(bytes, to: path)
  }

  /// An inner page of a table or an index, all of whose children are the same page.
  private static func page(child: Int, isIndex: Bool) -> [UInt8] {
    var page = [UInt8](repeating: 0, count: size)
    page[0] = isIndex ? 2 : 5
    page[4] = UInt8(childCount)
    // A cell of an index holds a row as well: here, one of two columns that are NULL.
    let row: (Int) -> [UInt8] = { isIndex ? [3, 3, 0, 0] : [UInt8($0 + 1)] }
    let length = 4 + row(0).count
    let start = size - childCount * length
    page.replaceSubrange(5..<7, with: [UInt8(start >> 8), UInt8(start & 255)])
    page.replaceSubrange(8..<12, with: bytes(child))
    for index in 0..<childCount {
      let cell = start + index * length
      page.replaceSubrange(12 + index * 2..<14 + index * 2, with: [UInt8(cell >> 8), UInt8(cell & 255)])
      page.replaceSubrange(cell..<cell + length, with: bytes(child) + row(index))
    }
    return page
  }

  private static func bytes(_ value: Int) -> [UInt8] {
    [UInt8(value >> 24 & 255), UInt8(value >> 16 & 255), UInt8(value >> 8 & 255), UInt8(value & 255)]
  }

  private static func number(_ bytes: [UInt8], at index: Int) -> Int {
    bytes[index..<index + 4].reduce(0) { $0 << 8 | Int($1) }
  }
}
