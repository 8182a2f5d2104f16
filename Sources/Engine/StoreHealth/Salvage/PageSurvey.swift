internal import MigrationDiagnostics
internal import SQLiteDatabase

/// A value for each page, which takes memory only where there are others than the usual one.
struct PageTable<Value> {
  private var chunks: [Int: [Value]] = [:]
  private let usual: Value
  private static var chunkSize: Int { 1 << 12 }

  init(_ usual: Value) { self.usual = usual }

  subscript(page: Int) -> Value {
    get { chunks[page / Self.chunkSize]?[page % Self.chunkSize] ?? usual }
    set {
      let unknown = Array(repeating: usual, count: chunks[page / Self.chunkSize] == nil ? Self.chunkSize : 0)
      chunks[page / Self.chunkSize, default: unknown][page % Self.chunkSize] = newValue
    }
  }
}

/// Facts about a page.
struct PageFacts: OptionSet {
  let rawValue: UInt16

  /// All of its bytes are zeros.
  static let isZero = PageFacts(rawValue: 1)
  /// It begins as a page of a b-tree, and its cells do not fit.
  static let isBroken = PageFacts(rawValue: 2)
  /// It is a leaf with rows.
  static let isTableLeaf = PageFacts(rawValue: 4)
  /// It is another page of a b-tree.
  static let isOtherTreePage = PageFacts(rawValue: 8)
  /// It is in the list of free pages.
  static let isListedAsFree = PageFacts(rawValue: 16)
  /// A tree leads to it, whether its contents fit there or not.
  static let isVisited = PageFacts(rawValue: 32)
  /// A tree leads to it, and its contents fit there.
  static let isPlaced = PageFacts(rawValue: 64)
  /// A value goes on in it.
  static let isClaimed = PageFacts(rawValue: 128)
  /// Several values go on in it, so that it is not known whose it is.
  static let isContested = PageFacts(rawValue: 256)
  /// It is there.
  static let isPresent = PageFacts(rawValue: 512)
}

/// All pages of a damaged store, each judged by itself.
final class PageSurvey {
  let source: PageSource
  let reader: TreePageReader
  let header: FileHeader?
  var facts = PageTable(PageFacts())
  /// The leaves with rows, in the order of their numbers.
  private(set) var tableLeaves: [UInt32] = []
  /// The inner pages of tables.
  private(set) var innerTablePages: [UInt32] = []
  /// Whether the list of free pages is known to its end.
  private(set) var knowsFreeList = false
  /// The leaves and inner pages of indexes.
  private(set) var indexPages: [UInt32] = []
  /// Those of them whose entries go on in other pages.
  private(set) var wideIndexPages: [UInt32] = []
  /// The pages that the disk refuses, or that are in holes of the file.
  private var absentPages = PageRanges()
  private var maps: [Int: PageMapContent?] = [:]
  private var mapVotes: [Int: Int] = [:]

  var format: PageFormat { source.format }

  /// Reads all pages once.
  init(_ source: PageSource, _ header: FileHeader?) throws(MigrationError) {
    (self.source, self.header) = (source, header)
    reader = TreePageReader(source.format)
    var (expected, next) = (1, source.nextPage(from: 1))
    while let page = next {
      next = source.nextPage(from: page + 1)
      if page > expected { absentPages.add(expected...page - 1) }
      expected = page + 1
      guard let bytes = try source.load(page) else {
        if page <= source.wholeCount { absentPages.add(page...page) }
        continue
      }
      facts[page] = judge(page, bytes)
    }
    if expected <= source.wholeCount { absentPages.add(expected...source.wholeCount) }
    try readFreeList()
  }

  /// Whether a page can belong to a tree or a value.
  func isUsable(_ page: Int) -> Bool {
    page > 0 && page <= source.pageCount && page != format.lockPage && !format.isMapPage(page)
  }

  private func judge(_ page: Int, _ bytes: UnsafeRawPointer) -> PageFacts {
    guard page != format.lockPage else { return .isPresent }
    // No entry of a map begins as a leaf does: such a page has taken the place of the map.
    guard !format.isMapPage(page) || TreePageHeader(bytes, at: 0)?.isLeaf == true else { return .isPresent }
    let all = UnsafeRawBufferPointer(start: bytes, count: format.pageSize)
    if all.isZero { return [.isPresent, .isZero] }
    guard let start = start(of: page, bytes), let header = TreePageHeader(bytes, at: start) else { return .isPresent }
    var (hasLengths, isWide) = (true, false)
    let isWhole = reader.forEachCell(of: bytes, header) { cell in
      if header.isLeaf || header.isIndex { hasLengths = hasLengths && reader.hasLength(of: cell, bytes + cell.record) }
      isWide = isWide || cell.localSize < cell.payloadSize
      return true
    }
    guard isWhole, hasLengths else { return [.isPresent, .isBroken] }
    if header.isIndex {
      indexPages.append(UInt32(page))
      if isWide { wideIndexPages.append(UInt32(page)) }
    }
    guard header.isLeaf, !header.isIndex else {
      if !header.isIndex { innerTablePages.append(UInt32(page)) }
      return [.isPresent, .isOtherTreePage]
    }
    tableLeaves.append(UInt32(page))
    return [.isPresent, .isTableLeaf]
  }

  /// The place of a page's header: behind that of the file in the first page, even where another page has taken its place.
  func start(of page: Int, _ bytes: UnsafeRawPointer) -> Int? {
    let isFileHeader = UnsafeRawBufferPointer(start: bytes, count: 15).elementsEqual("SQLite format 3".utf8)
    guard isFileHeader || page == 1 else { return 0 }
    let places = isFileHeader ? [100] : [100, 0]
    return places.first { place in
      guard let header = TreePageHeader(bytes, at: place) else { return false }
      return reader.forEachCell(of: bytes, header) { _ in true }
    } ?? places.first
  }

  /// The header of a page that belongs to a tree.
  func treePage(_ page: Int, _ bytes: UnsafeRawPointer) -> TreePageHeader? {
    guard !facts[page].isDisjoint(with: [.isTableLeaf, .isOtherTreePage]) else { return nil }
    return start(of: page, bytes).flatMap { TreePageHeader(bytes, at: $0) }
  }

  // MARK: - Free pages

  private func readFreeList() throws(MigrationError) {
    guard let header else { return }
    var (trunk, rest) = (header.firstTrunk, header.freeCount)
    while trunk != 0, rest > 0 {
      guard isUsable(trunk), !facts[trunk].contains(.isListedAsFree), let bytes = try source.load(trunk) else { return }
      let (next, count) = (bytes.doubleWord(0), bytes.doubleWord(4))
      guard count <= format.usableSize / 4 - 2 else { return }
      let pages = (0..<count).map { bytes.doubleWord(8 + 4 * $0) }
      guard pages.allSatisfy({ isUsable($0) }), next <= source.pageCount else { return }
      for page in [trunk] + pages { facts[page].insert(.isListedAsFree) }
      (trunk, rest) = (next, rest - 1 - count)
    }
    knowsFreeList = trunk == 0 && rest == 0
  }

  /// The entry of a page in the map of pages; `nil` if there is none.
  func mapEntry(_ page: Int) throws(MigrationError) -> (use: PageMapContent.Use, parent: Int)? {
    guard format.hasPageMap, page > 2 else { return nil }
    let map = format.mapPage(of: page)
    if source.outdatedPages.contains(map) { return nil }
    if let known = maps[map] { return known?[page] }
    let content = try source.load(map).map {
      PageMapContent($0, format, pageCount: source.pageCount, map: map)
    }
    let valid = content.flatMap { $0.isValid ? $0 : nil }
    maps[map] = .some(valid)
    return valid?[page]
  }

  /// Counts whether the map agrees with a tree about a page.
  ///
  /// - Parameter parent: The page above it; 0 for a root.
  func compareMap(_ page: Int, parent: Int) throws(MigrationError) {
    guard let entry = try mapEntry(page) else { return }
    let agrees = parent == 0 ? entry.use == .root : entry.use == .tree && entry.parent == parent
    mapVotes[format.mapPage(of: page), default: 0] += agrees ? 1 : -1
  }

  /// Distrusts the pages of the map that contradict the trees more often than they agree with them.
  func settleMaps() {
    for (map, votes) in mapVotes where votes < 0 { maps[map] = .some(nil) }
    mapVotes = [:]
  }

  /// Whether a page is free, as far as the map of pages and the list of free pages say.
  func isFree(_ page: Int) throws(MigrationError) -> Bool {
    if let count = header?.pageCount, source.imageCount == 0, page > count { return true }
    if let entry = try mapEntry(page) { return entry.use == .free }
    return facts[page].contains(.isListedAsFree)
  }

  /// Whether the file says of a page if it is free.
  func knowsUse(of page: Int) throws(MigrationError) -> Bool { try mapEntry(page) != nil || knowsFreeList }

  /// Whether the file says of a page that it is in use, and it is the newest image.
  func isInUse(_ page: Int) throws(MigrationError) -> Bool {
    guard !source.outdatedPages.contains(page), try knowsUse(of: page) else { return false }
    return try !isFree(page)
  }

  /// Whether nothing of a page is left.
  func isLost(_ page: Int) -> Bool {
    guard isUsable(page), facts[page].contains(.isPresent) else { return true }
    return !facts[page].isDisjoint(with: [.isZero, .isBroken]) || source.outdatedPages.contains(page)
  }

  private var knownHasLosses: Bool?

  /// Whether a page is lost that may have had rows, besides the first.
  func hasLosses() throws(MigrationError) -> Bool {
    if let knownHasLosses { return knownHasLosses }
    var hasLosses = absentPages.ranges.contains { $0.upperBound > 1 } || source.pageCount > source.wholeCount
    var page = 2
    while !hasLosses, page <= source.pageCount {
      if isUsable(page), facts[page].contains(.isPresent), isLost(page) { hasLosses = try !isFree(page) }
      page += 1
    }
    knownHasLosses = hasLosses
    return hasLosses
  }

  // MARK: - Result

  /// The pages that can neither be read nor be free, and those that hold nothing that is known.
  func losses() throws(MigrationError) -> (unreadable: PageRanges, unclaimed: PageRanges) {
    var (unreadable, unclaimed) = (absentPages, PageRanges())
    var next = source.nextPage(from: 1)
    while let page = next {
      next = source.nextPage(from: page + 1)
      let facts = facts[page]
      guard facts.contains(.isPresent), isUsable(page),
        facts.isDisjoint(with: [.isTableLeaf, .isOtherTreePage, .isClaimed]), try !isFree(page)
      else { continue }
      if facts.isDisjoint(with: [.isZero, .isBroken, .isVisited]) {
        unclaimed.add(page...page)
      } else {
        unreadable.add(page...page)
      }
    }
    if source.pageCount > source.wholeCount { unreadable.add(source.wholeCount + 1...source.pageCount) }
    return (unreadable, unclaimed)
  }
}

/// Numbers of pages, of which neighbours are together.
package struct PageRanges: Sendable, Hashable {
  /// The ranges, in their order.
  package private(set) var ranges: [ClosedRange<Int>] = []
  /// The number of pages.
  package private(set) var count = 0

  /// Adds pages that are not among these.
  mutating func add(_ pages: ClosedRange<Int>) {
    count += pages.count
    let place = ranges.lastIndex { $0.lowerBound < pages.lowerBound }.map { $0 + 1 } ?? 0
    if place > 0, ranges[place - 1].upperBound + 1 == pages.lowerBound {
      ranges[place - 1] = ranges[place - 1].lowerBound...pages.upperBound
    } else {
      ranges.insert(pages, at: place)
    }
  }

  /// The ranges for people, as many as there is room for: "3, 7 to 12 and 40 more".
  package func text(limit: Int = 20) -> String {
    var rest = count
    let words = ranges.prefix(limit).map { range in
      rest -= range.count
      return range.count == 1 ? "\(range.lowerBound)" : "\(range.lowerBound) to \(range.upperBound)"
    }
    return words.joined(separator: ", ") + (rest > 0 ? " and \(rest) more" : "")
  }
}

extension UnsafeRawBufferPointer {
  /// Whether all bytes are zeros.
  var isZero: Bool {
    var place = 0
    while count - place >= 8 {
      guard loadUnaligned(fromByteOffset: place, as: UInt64.self) == 0 else { return false }
      place += 8
    }
    while place < count {
      guard self[place] == 0 else { return false }
      place += 1
    }
    return true
  }
}
