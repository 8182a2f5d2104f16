internal import MigrationDiagnostics
internal import SQLiteDatabase

/// The b-tree of a table, as far as its pages lead from one to the next.
struct TableTree {
  /// The leaves that are where the pages above them say, in the order of their keys.
  private(set) var leaves: [UInt32] = []
  /// The keys of which the pages are lost, in their order.
  private(set) var gaps: [ClosedRange<Int64>] = []
  /// The lost pages, and how far they are from the root, in the order of the gaps.
  private var lostPages: [(page: Int, depth: Int)] = []
  private var leafDepth: Int?

  /// A tree of which nothing is known: any page may belong to it.
  static let lost: TableTree = {
    var tree = TableTree()
    tree.gaps = [Int64.min...Int64.max]
    return tree
  }()

  /// Whether no page is lost.
  var isWhole: Bool { gaps.isEmpty }

  /// Whether rows with these keys may have been in a lost page.
  func hasGap(around keys: ClosedRange<Int64>) -> Bool { gap(around: keys) != nil }

  private func gap(around keys: ClosedRange<Int64>) -> Int? {
    // The gaps are in order: the first that does not end before the keys is the only one that can hold them.
    var (low, high) = (0, gaps.count)
    while low < high {
      let middle = (low + high) / 2
      if gaps[middle].upperBound < keys.upperBound { low = middle + 1 } else { high = middle }
    }
    let isAround =
      low < gaps.count && gaps[low].lowerBound <= keys.lowerBound && keys.upperBound <= gaps[low].upperBound
    return isAround ? low : nil
  }

  /// The keys of the rows that the tree has, by leaf, in their order.
  func keys(_ survey: PageSurvey) throws(MigrationError) -> [ClosedRange<Int64>] {
    var ranges: [ClosedRange<Int64>] = []
    for leaf in leaves {
      guard let page = try survey.source.load(Int(leaf)), let header = survey.treePage(Int(leaf), page),
        let keys = header.keys(page, survey.reader)
      else { continue }
      ranges.append(keys)
    }
    return ranges
  }

  /// Gives up the tree, so that any page may belong to the table again.
  mutating func distrust(_ survey: PageSurvey) {
    for leaf in leaves { survey.facts[Int(leaf)].remove(.isPlaced) }
    self = .lost
  }

  /// The keys whose leaves are lost, with nothing in their place.
  ///
  /// If pages above the leaves are lost, these may be anywhere; so they are if the root is.
  func lostLeaves(_ survey: PageSurvey) -> [KeyClaims.Claim] {
    zip(gaps, lostPages).compactMap { keys, lost in
      guard lost.depth > 0, lost.depth >= leafDepth ?? 0, survey.isLost(lost.page) else { return nil }
      return KeyClaims.Claim(keys: keys, page: lost.page, isLost: true)
    }
  }

  /// Whether a key may have been in a page of which nothing is left.
  func hasLost(_ key: Int64, _ survey: PageSurvey) -> Bool {
    // Of a tree of which nothing is known, no page is known to be lost.
    gap(around: key...key).map { $0 < lostPages.count && survey.isLost(lostPages[$0].page) } ?? false
  }

  /// Follows a tree from its root on.
  ///
  /// A page is taken for what the one above it says only if its keys are between those there: if two pages have changed
  /// places, each is a gap, into which the contents of the other fit.
  ///
  /// - Parameter fits: Whether the rows of a leaf can be of the table.
  init(
    root: Int, in survey: PageSurvey, fits: (UnsafeRawPointer, TreePageHeader) -> Bool = { _, _ in true }
  ) throws(MigrationError) {
    try walk(root, Int64.min...Int64.max, parent: 0, depth: 0, survey, fits)
  }

  private init() {}

  /// Trees of 2³¹ pages have fewer levels.
  static let greatestDepth = 32

  private mutating func walk(
    _ page: Int, _ keys: ClosedRange<Int64>, parent: Int, depth: Int, _ survey: PageSurvey,
    _ fits: (UnsafeRawPointer, TreePageHeader) -> Bool
  ) throws(MigrationError) {
    guard depth < Self.greatestDepth, survey.isUsable(page), !survey.facts[page].contains(.isVisited) else {
      return lose(keys, page, depth)
    }
    survey.facts[page].insert(.isVisited)
    guard let bytes = try survey.source.load(page), let header = survey.treePage(page, bytes), !header.isIndex,
      let cells = Self.cells(of: bytes, header, within: keys, survey.reader)
    else { return lose(keys, page, depth) }
    // What an older or newer image has below it need not be there; the rows of a leaf are named.
    guard header.isLeaf && header.cellCount > 0 || !survey.source.outdatedPages.contains(page) else {
      return lose(keys, page, depth)
    }
    if header.isLeaf {
      guard fits(bytes, header) else { return lose(keys, page, depth) }
      survey.facts[page].insert(.isPlaced)
      try survey.compareMap(page, parent: parent)
      leaves.append(UInt32(page))
      leafDepth = depth
      return
    }
    let last = header.lastChild(bytes)
    survey.facts[page].insert(.isPlaced)
    try survey.compareMap(page, parent: parent)
    var low = keys.lowerBound
    for (child, key) in cells {
      try walk(child, low...key, parent: page, depth: depth + 1, survey, fits)
      // The last key of all has no successor, and no page after it.
      guard key < keys.upperBound else { return }
      low = key + 1
    }
    try walk(last, low...keys.upperBound, parent: page, depth: depth + 1, survey, fits)
  }

  private mutating func lose(_ keys: ClosedRange<Int64>, _ page: Int, _ depth: Int) {
    gaps.append(keys)
    lostPages.append((page, depth))
  }

  /// The keys of a page, with the pages before them; `nil` if they are not in order, or not in a range.
  static func cells(
    of page: UnsafeRawPointer, _ header: TreePageHeader, within keys: ClosedRange<Int64>, _ reader: TreePageReader
  ) -> [(child: Int, key: Int64)]? {
    var cells: [(child: Int, key: Int64)] = []
    if !header.isLeaf { cells.reserveCapacity(header.cellCount) }
    var last: Int64?
    for place in 0..<header.cellCount {
      guard let cell = reader.cell(place, of: page, header), keys.contains(cell.key),
        last.map({ $0 < cell.key }) ?? true
      else { return nil }
      last = cell.key
      if !header.isLeaf { cells.append((cell.child, cell.key)) }
    }
    return cells
  }
}

/// A row of a join table, as the table or one of its indexes has it.
struct LinkEntry: Hashable, Comparable {
  /// The values of the first two columns.
  var first: Int64
  var second: Int64
  /// The key of the row.
  var row: Int64

  static func < (left: Self, right: Self) -> Bool {
    (left.first, left.second, left.row) < (right.first, right.second, right.row)
  }

  /// The entry of an index whose columns are in the other order.
  var swapped: LinkEntry { LinkEntry(first: second, second: first, row: row) }

  /// Whether another entry has the same keys, in whatever order.
  func isSame(as other: Self) -> Bool { self == other || swapped == other }
}

/// The entries of an index of a join table, as far as its pages lead from one to the next.
struct LinkIndexTree {
  /// The pages that are where the pages above them say.
  private(set) var pages: [UInt32] = []
  /// Whether no page is lost.
  private(set) var isWhole = true

  /// Follows an index from its root on.
  init(root: Int, in survey: PageSurvey) throws(MigrationError) {
    try walk(root, after: nil, before: nil, parent: 0, depth: 0, survey)
  }

  private mutating func walk(
    _ page: Int, after low: LinkEntry?, before high: LinkEntry?, parent: Int, depth: Int, _ survey: PageSurvey
  ) throws(MigrationError) {
    guard depth < TableTree.greatestDepth, survey.isUsable(page), !survey.facts[page].contains(.isVisited) else {
      isWhole = false
      return
    }
    survey.facts[page].insert(.isVisited)
    guard let bytes = try survey.source.load(page), let header = survey.treePage(page, bytes), header.isIndex,
      let cells = LinkEntry.all(in: bytes, header, survey.reader), Self.areInOrder(cells, after: low, before: high)
    else {
      isWhole = false
      return
    }
    survey.facts[page].insert(.isPlaced)
    try survey.compareMap(page, parent: parent)
    pages.append(UInt32(page))
    guard !header.isLeaf else { return }
    let last = header.lastChild(bytes)
    var before = low
    for (child, entry) in cells {
      try walk(child, after: before, before: entry, parent: page, depth: depth + 1, survey)
      before = entry
    }
    try walk(last, after: before, before: high, parent: page, depth: depth + 1, survey)
  }

  private static func areInOrder(
    _ cells: [(child: Int, entry: LinkEntry)], after low: LinkEntry?, before high: LinkEntry?
  ) -> Bool {
    var last = low
    for (_, entry) in cells {
      if let last, entry <= last { return false }
      last = entry
    }
    guard let high, let last = cells.last?.entry else { return true }
    return last < high
  }
}

extension LinkEntry {
  /// The entries of a page of an index, with the pages before them; `nil` if one is not of three integers.
  static func all(
    in page: UnsafeRawPointer, _ header: TreePageHeader, _ reader: TreePageReader
  ) -> [(child: Int, entry: LinkEntry)]? {
    let fields = RecordFields(limit: 4)
    var entries: [(child: Int, entry: LinkEntry)] = []
    entries.reserveCapacity(header.cellCount)
    for place in 0..<header.cellCount {
      guard let cell = reader.cell(place, of: page, header), cell.localSize == cell.payloadSize,
        fields.find(in: UnsafeRawBufferPointer(start: page + cell.record, count: cell.localSize)), fields.count == 3,
        case .integer(let first)? = fields.value(0), case .integer(let second)? = fields.value(1),
        case .integer(let row)? = fields.value(2)
      else { return nil }
      entries.append((cell.child, LinkEntry(first: first, second: second, row: row)))
    }
    return entries
  }
}
