/// Takes the rows of a table or the entries of an index, in the order in which its pages have them.
protocol RecordReader: AnyObject {
  /// Takes a row or an entry.
  ///
  /// - Parameters:
  ///   - record: The beginning of its record, as far as it is in the page.
  ///   - key: The row's key; 0 for an entry.
  func read(_ record: UnsafeRawBufferPointer, key: Int64)
}

/// Walks over all pages of a database file, and finds out whether they fit together
/// (sqlite.org/fileformat.html).
///
/// It looks at the same as `PRAGMA quick_check` does with pages and the lengths of records, in a fraction of the time, and can
/// take the rows of tables and the entries of indexes on the way. It does not say what is wrong: whatever is unusual is left to SQLite.
///
/// Hot path: all cells of the file, see ``TreePageReader``.
final class PageWalk {
  private let connection: Connection
  private let file: DatabaseFile
  private let pages: TreePageReader
  private let pageSize: Int
  private let usableSize: Int
  private let pageCount: Int
  private let hasPageMap: Bool
  private let (firstTrunk, freeCount): (Int, Int)
  /// A bit for each page.
  private var usedPages: [UInt64]

  /// The pages that were read last.
  private let window: UnsafeMutableRawPointer
  private var (firstInWindow, countInWindow) = (0, 0)
  /// The page of the map of pages that was read last.
  private var (mapPage, mapBytes): (Int, [UInt8]) = (0, [])
  /// The inner pages above the page that is looked at.
  private var levels: [UnsafeMutableRawPointer] = []

  private static let padding = TreePageReader.padding
  private static let windowSize = 128 << 10
  /// Trees of 2³¹ pages have fewer levels.
  private static let greatestDepth = 32

  /// Prepares to walk over the pages.
  ///
  /// - Parameter connection: It must be reading, and not be used meanwhile.
  /// - Returns: `nil` if the file does not hold all of the pages, because some are in a log.
  init?(_ connection: Connection) throws(SQLiteError) {
    guard let pageCount = try connection.integer("PRAGMA main.page_count"), pageCount > 0,
      let pageSize = try connection.integer("PRAGMA main.page_size")
    else { return nil }
    file = try DatabaseFile(connection)
    guard file.holdsAllPages else { return nil }
    var header = [UInt8](repeating: 0, count: 100)
    try file.read(100, at: 0, into: &header)
    (self.connection, self.pageCount, self.pageSize) = (connection, Int(pageCount), Int(pageSize))
    usableSize = self.pageSize - Int(header[20])
    guard usableSize >= 480 else { return nil }
    // The greatest root page is not 0 in a file that can be vacuumed page by page.
    hasPageMap = Self.doubleWord(header, 52) != 0
    pages = TreePageReader(PageFormat(pageSize: self.pageSize, usableSize: usableSize, hasPageMap: hasPageMap))
    (firstTrunk, freeCount) = (Self.doubleWord(header, 32), Self.doubleWord(header, 36))
    usedPages = Array(repeating: 0, count: self.pageCount / 64 + 1)
    let size = max(Self.windowSize, self.pageSize) + Self.padding
    window = .allocate(byteCount: size, alignment: 16)
    window.initializeMemory(as: UInt8.self, repeating: 0, count: size)
  }

  deinit {
    window.deallocate()
    for level in levels { level.deallocate() }
  }

  /// A b-tree to walk over.
  struct Tree {
    /// The page at its root.
    let root: Int
    /// Whether it holds entries; `nil` if its first page says so.
    let isIndex: Bool?
    /// What takes its rows or entries.
    let reader: (any RecordReader)?
  }

  /// Whether all pages belong to one of some trees or to the list of free pages, each to one and once, and fit together.
  func fits(_ trees: [Tree]) throws(SQLiteError) -> Bool {
    for tree in trees {
      guard tree.root <= pageCount, try take(tree.root, as: .root) else { return false }
      let first = try load(tree.root).load(fromByteOffset: tree.root == 1 ? 100 : 0, as: UInt8.self)
      var state = TreeState(isIndex: tree.isIndex ?? (first & 1 == 0), reader: tree.reader)
      guard try walk(tree.root, depth: 0, &state) else { return false }
    }
    guard try walkFreePages() else { return false }
    return (1...pageCount).allSatisfy { isUsed($0) || $0 == pages.format.lockPage || pages.format.isMapPage($0) }
  }

  // MARK: - Trees

  private struct TreeState {
    let isIndex: Bool
    let reader: (any RecordReader)?
    var leafDepth: Int?
    var lastKey: Int64?
  }

  /// Looks at a page of a tree, and at those below it.
  private func walk(_ number: Int, depth: Int, _ tree: inout TreeState) throws(SQLiteError) -> Bool {
    guard depth < Self.greatestDepth else { return false }
    var page = try load(number)
    guard let header = TreePageHeader(page, at: number == 1 ? 100 : 0), header.isIndex == tree.isIndex else {
      return false
    }
    if header.isLeaf {
      if tree.leafDepth == nil { tree.leafDepth = depth }
      guard tree.leafDepth == depth else { return false }
    } else {
      // The pages below take its place in the window.
      while levels.count <= depth {
        levels.append(.allocate(byteCount: pageSize + Self.padding, alignment: 16))
        levels[levels.count - 1].initializeMemory(as: UInt8.self, repeating: 0, count: pageSize + Self.padding)
      }
      levels[depth].copyMemory(from: page, byteCount: pageSize)
      page = UnsafeRawPointer(levels[depth])
    }
    guard header.cellCount > 0 || depth == 0 || !header.isLeaf else { return false }
    let reader = tree.reader
    let isWhole = try pages.forEachCell(of: page, header) { cell throws(SQLiteError) in
      guard header.isLeaf else { return true }
      return try visit(cell, of: page, number, isLeaf: true, &tree, reader)
    }
    guard isWhole else { return false }
    guard !header.isLeaf else { return true }
    for place in 0..<header.cellCount {
      guard let cell = pages.cell(place, of: page, header), try take(cell.child, as: .tree, below: number),
        try walk(cell.child, depth: depth + 1, &tree), try visit(cell, of: page, number, isLeaf: false, &tree, reader)
      else { return false }
    }
    let last = header.lastChild(page)
    guard try take(last, as: .tree, below: number) else { return false }
    return try walk(last, depth: depth + 1, &tree)
  }

  /// Takes a row, an entry or a key, in its order.
  @inline(__always)
  private func visit(
    _ cell: TreeCell, of page: UnsafeRawPointer, _ number: Int, isLeaf: Bool, _ tree: inout TreeState,
    _ reader: (any RecordReader)?
  ) throws(SQLiteError) -> Bool {
    if !tree.isIndex {
      // The key above pages is the greatest of theirs, or was once.
      if let last = tree.lastKey, isLeaf ? cell.key <= last : cell.key < last { return false }
      tree.lastKey = cell.key
      guard isLeaf else { return true }
    }
    if cell.localSize < cell.payloadSize {
      let (rest, room) = (cell.payloadSize - cell.localSize, usableSize - 4)
      let first = page.doubleWord(cell.record + cell.localSize)
      guard try walkOverflow(first, count: (rest + room - 1) / room, of: number) else { return false }
    }
    guard pages.hasLength(of: cell, page + cell.record) else { return false }
    reader?.read(UnsafeRawBufferPointer(start: page + cell.record, count: cell.localSize), key: cell.key)
    return true
  }

  // MARK: - Bounds

  /// Whether no page is reached twice from the roots of some trees, so that these have no more rows than fit into the file.
  ///
  /// Of the pages with rows and entries only the kind is read, so this takes a small part of the time of counting them.
  func reachesPagesOnce(from roots: [Int]) throws(SQLiteError) -> Bool {
    for root in roots {
      guard try take(root, as: .root), try reachesOnce(root, depth: 0) else { return false }
    }
    return true
  }

  private func reachesOnce(_ number: Int, depth: Int) throws(SQLiteError) -> Bool {
    guard depth < Self.greatestDepth else { return false }
    let (start, offset) = (number == 1 ? 100 : 0, Int64(number - 1) * Int64(pageSize))
    var kind: UInt8 = 0
    try withUnsafeMutableBytes(of: &kind) { bytes throws(SQLiteError) in
      try file.read(at: offset + Int64(start), into: bytes)
    }
    if kind == 10 || kind == 13 { return true }
    var children: [Int] = []
    let page = try load(number)
    guard let header = TreePageHeader(page, at: start), header.isLeaf == false else { return false }
    for place in 0..<header.cellCount {
      guard let cell = pages.cell(place, of: page, header) else { return false }
      children.append(cell.child)
    }
    children.append(header.lastChild(page))
    for child in children {
      guard try take(child, as: .tree, below: number), try reachesOnce(child, depth: depth + 1) else { return false }
    }
    return true
  }

  // MARK: - Other pages

  private func walkOverflow(_ first: Int, count: Int, of parent: Int) throws(SQLiteError) -> Bool {
    var (page, before) = (first, parent)
    for place in 0..<count {
      guard try take(page, as: place == 0 ? .overflow : .nextOverflow, below: before) else { return false }
      before = page
      page = try doubleWords(1, ofPage: page)[0]
    }
    return page == 0
  }

  private func walkFreePages() throws(SQLiteError) -> Bool {
    var (trunk, count) = (firstTrunk, freeCount)
    while trunk != 0 {
      guard try take(trunk, as: .free) else { return false }
      let words = try doubleWords(usableSize / 4, ofPage: trunk)
      guard words[1] <= usableSize / 4 - 2 else { return false }
      for page in words[2..<2 + words[1]] {
        guard try take(page, as: .free) else { return false }
      }
      count -= 1 + words[1]
      trunk = words[0]
    }
    return count == 0
  }

  /// The way in which a page belongs to another, as the map of pages has it.
  private enum Use: UInt8 {
    case root = 1, free, overflow, nextOverflow, tree
  }

  /// Marks a page as used, unless it is, or cannot be used in this way.
  private func take(_ page: Int, as use: Use, below parent: Int = 0) throws(SQLiteError) -> Bool {
    guard page > 0, page <= pageCount, page != pages.format.lockPage, !pages.format.isMapPage(page), !isUsed(page)
    else { return false }
    usedPages[page >> 6] |= 1 << UInt64(page & 63)
    guard hasPageMap, page > 1 else { return true }
    let map = pages.format.mapPage(of: page)
    if map != mapPage {
      mapBytes = [UInt8](repeating: 0, count: usableSize)
      try file.read(usableSize, at: Int64(map - 1) * Int64(pageSize), into: &mapBytes)
      mapPage = map
    }
    let place = 5 * (page - map - 1)
    guard place >= 0, place + 5 <= mapBytes.count else { return false }
    return mapBytes[place] == use.rawValue && Self.doubleWord(mapBytes, place + 1) == parent
  }

  private func isUsed(_ page: Int) -> Bool { usedPages[page >> 6] >> UInt64(page & 63) & 1 == 1 }

  // MARK: - Reading

  /// Reads a page, which stays where it is until the next is read.
  private func load(_ page: Int) throws(SQLiteError) -> UnsafeRawPointer {
    if page < firstInWindow || page >= firstInWindow + countInWindow {
      try requireNoEnd()
      // Pages that follow each other are read together.
      let end = firstInWindow + countInWindow
      let isNear = page >= end && page < end + 8
      let count = isNear ? min(max(Self.windowSize / pageSize, 1), pageCount - page + 1) : 1
      countInWindow = 0
      try file.read(
        at: Int64(page - 1) * Int64(pageSize),
        into: UnsafeMutableRawBufferPointer(start: window, count: count * pageSize))
      (firstInWindow, countInWindow) = (page, count)
    }
    return UnsafeRawPointer(window) + (page - firstInWindow) * pageSize
  }

  private func doubleWords(_ count: Int, ofPage page: Int) throws(SQLiteError) -> [Int] {
    try requireNoEnd()
    var bytes = [UInt8](repeating: 0, count: 4 * count)
    try file.read(bytes.count, at: Int64(page - 1) * Int64(pageSize), into: &bytes)
    return stride(from: 0, to: bytes.count, by: 4).map { Self.doubleWord(bytes, $0) }
  }

  private static func doubleWord(_ bytes: [UInt8], _ place: Int) -> Int {
    bytes[place..<place + 4].reduce(0) { $0 << 8 | Int($1) }
  }

  private func requireNoEnd() throws(SQLiteError) {
    guard connection.isInterrupted.load(ordering: .relaxed) || connection.progressCallback?() == true else { return }
    throw connection.interruptionError
      ?? SQLiteError(extendedCode: SQLiteError.interrupted, message: "interrupted", path: connection.path)
  }
}

extension Connection {
  /// Whether some tables and indexes of the main database have no more rows than fit into its file, as far as that can be
  /// told by their pages: each is reached once.
  ///
  /// - Parameter roots: The pages at the roots of the tables and indexes.
  package func reachesPagesOnce(from roots: [Int]) throws(SQLiteError) -> Bool {
    do throws(SQLiteError) {
      return try reading { () throws(SQLiteError) in
        // Until something is read, SQLite has not begun to.
        _ = try integer("SELECT count(*) FROM main.sqlite_schema")
        return try PageWalk(self)?.reachesPagesOnce(from: roots) ?? false
      }
    } catch {
      // SQLite says better what is wrong, but not that it was interrupted.
      guard error.code != SQLiteError.interrupted else { throw error }
      return false
    }
  }
}
