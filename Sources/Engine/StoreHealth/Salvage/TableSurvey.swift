internal import MigrationDiagnostics
internal import PersistentStore
internal import SQLiteDatabase

/// The places of the rows of a damaged store: in the trees of their tables, in the gaps of these, or in pages that are free.
struct TableSurvey {
  let shapes: [TableShape]
  let joins: [JoinShape]
  /// The trees of the entities' tables, in the order of the shapes.
  private(set) var trees: [TableTree] = []
  /// The trees of the join tables.
  private(set) var joinTrees: [TableTree] = []
  /// The indexes of the join tables, with whether they begin with the second key.
  private(set) var joinIndexes: [[(tree: LinkIndexTree, isSwapped: Bool)]] = []
  /// The pages that fit into gaps, with their tables.
  private(set) var orphans: [(page: UInt32, table: Int)] = []
  /// The pages that would fit, but for an inner page that has their keys in another one, which is lost.
  private(set) var doubtfulPages: [(page: UInt32, table: Int)] = []
  /// The number of rows in pages of which nothing says whether they are in use.
  private(set) var unconfirmedRowCount = 0
  /// The pages with rows that are free or out of use, with their tables.
  private(set) var freePages: [(page: UInt32, table: Int)] = []
  /// The number of rows in those.
  private(set) var freeRowCount = 0
  /// The tables whose trees have fewer pages than are in use, so that their rows were taken from wherever they were.
  private(set) var distrustedTables: [String] = []
  private var otherLeaves: [UInt32]
  private var rootTables: [Int: String] = [:]
  private var claims: [KeyClaims] = []
  /// The keys of the pages that fit into gaps, by table.
  private var orphanKeys: [[ClosedRange<Int64>]] = []

  /// Looks for the rows.
  init(
    _ survey: PageSurvey, _ assembly: RecordAssembly, _ declarations: StoreDeclarations, _ skeleton: StoreSkeleton,
    shapes: [TableShape], joins: [JoinShape]
  ) throws(MigrationError) {
    (self.shapes, self.joins, otherLeaves) = (shapes, joins, declarations.leaves)
    for entry in declarations.entries where entry.type == "table" { rootTables[entry.rootPage] = entry.name }
    let fields = RecordFields(limit: (shapes.map(\.fieldCount) + joins.map(\.fieldCount)).max().map { $0 + 1 } ?? 8)
    for shape in shapes {
      trees.append(
        try Self.tree(of: shape.source.name, survey, skeleton) { page, header in
          header.cellCount == 0 || Self.contains(page, header, survey, fields) { shape.hasEntity($1) }
        })
    }
    for join in joins {
      joinTrees.append(
        try Self.tree(of: join.source.name, survey, skeleton) { page, header in
          header.cellCount == 0 || Self.contains(page, header, survey, fields) { join.entry($0, $1) != nil }
        })
      joinIndexes.append(
        try skeleton.indexes(of: join.source).map { index throws(MigrationError) in
          (try LinkIndexTree(root: index.rootPage, in: survey), index.isSwapped)
        })
    }
    // The tables that the model does not have, whose rows must not be taken for others.
    for entry in declarations.entries where entry.type == "table" && entry.rootPage > 1 {
      otherLeaves += try TableTree(root: entry.rootPage, in: survey).leaves
    }
    survey.settleMaps()
    try distrustTrees(survey, fields)
    try findOrphans(survey, fields)
    try claim(survey, assembly)
  }

  private static func tree(
    of table: String, _ survey: PageSurvey, _ skeleton: StoreSkeleton,
    fits: (UnsafeRawPointer, TreePageHeader) -> Bool
  ) throws(MigrationError) -> TableTree {
    guard let root = skeleton.entry(ofTable: table)?.rootPage, root > 0 else { return .lost }
    return try TableTree(root: root, in: survey, fits: fits)
  }

  /// Whether a row of a page is of a kind.
  private static func contains(
    _ page: UnsafeRawPointer, _ header: TreePageHeader, _ survey: PageSurvey, _ fields: RecordFields,
    _ isWanted: (Int64, RecordFields) -> Bool
  ) -> Bool {
    (0..<header.cellCount).contains { place in
      guard let cell = survey.reader.cell(place, of: page, header),
        fields.find(in: UnsafeRawBufferPointer(start: page + cell.record, count: cell.localSize))
      else { return false }
      return isWanted(cell.key, fields)
    }
  }

  /// Gives up the trees that do not lead to pages of their tables, although these are in use and have other rows.
  ///
  /// A root in whose place another page is, or that the table's definition names wrongly, may read as a tree that is whole.
  private mutating func distrustTrees(_ survey: PageSurvey, _ fields: RecordFields) throws(MigrationError) {
    // Read once for each tree: there may be as many loose pages as leaves.
    var known: [Int: [ClosedRange<Int64>]] = [:]
    for leaf in try looseLeaves(survey, fields) {
      let (page, table) = (Int(leaf.page), leaf.table)
      guard !trees[table].hasGap(around: leaf.keys), try survey.isInUse(page),
        try !belongsElsewhere(page, table, survey)
      else { continue }
      let keys = if let keys = known[table] { keys } else { try trees[table].keys(survey) }
      known[table] = keys
      guard !keys.hasOverlap(with: leaf.keys) else { continue }
      trees[table].distrust(survey)
      distrustedTables.append(shapes[table].source.name)
    }
    known = [:]
    for page in joins.isEmpty ? [] : survey.tableLeaves.map({ Int($0) })
    where !survey.facts[page].contains(.isPlaced) {
      guard try survey.isInUse(page), let bytes = try survey.source.load(page),
        let header = survey.treePage(page, bytes), let keys = header.keys(bytes, survey.reader)
      else { continue }
      let fitting = joins.indices.filter { join in
        (0..<header.cellCount).allSatisfy { place in
          guard let cell = survey.reader.cell(place, of: bytes, header),
            fields.find(in: UnsafeRawBufferPointer(start: bytes + cell.record, count: cell.localSize))
          else { return false }
          return joins[join].entry(cell.key, fields) != nil
        }
      }
      guard let join = fitting.first, !fitting.contains(where: { joinTrees[$0].hasGap(around: keys) }) else { continue }
      // Which of several tables its links are of, only their indexes can tell.
      guard fitting.count == 1 else { continue }
      let own = if let keys = known[join] { keys } else { try joinTrees[join].keys(survey) }
      known[join] = own
      guard !own.hasOverlap(with: keys) else { continue }
      joinTrees[join].distrust(survey)
      distrustedTables.append(joins[join].source.name)
    }
  }

  /// Finds the table of each page to which no tree leads, by the entities of its rows.
  private mutating func findOrphans(_ survey: PageSurvey, _ fields: RecordFields) throws(MigrationError) {
    let leaves = try looseLeaves(survey, fields)
    try findClaims(survey, leaves)
    var found: [LooseLeaf] = []
    for leaf in leaves {
      let (page, table) = (Int(leaf.page), leaf.table)
      guard try !survey.isFree(page), trees[table].hasGap(around: leaf.keys), try !belongsElsewhere(page, table, survey)
      else {
        leaveOut(leaf)
        continue
      }
      // A page that a tree leads to has changed its place, and is not free.
      guard try !survey.knowsUse(of: page), !survey.facts[page].contains(.isVisited) else {
        found.append(leaf)
        continue
      }
      switch claims[table].verdict(on: page, leaf.keys) {
      case .confirmed: found.append(leaf)
      case .unclaimed:
        found.append(leaf)
        unconfirmedRowCount += leaf.rowCount
      case .older: leaveOut(leaf)
      case .doubtful: doubtfulPages.append((leaf.page, table))
      }
    }
    take(found, survey)
    orphanKeys = shapes.indices.map { table in found.filter { $0.table == table }.map(\.keys) }
    for table in orphanKeys.indices { orphanKeys[table].sort { $0.lowerBound < $1.lowerBound } }
  }

  /// Whether a row that was not found may have been in a page that is lost.
  func mayLack(_ key: Int64, ofTable table: Int, _ survey: PageSurvey) throws(MigrationError) -> Bool {
    guard trees[table].hasGap(around: key...key), !orphanKeys[table].hasOverlap(with: key...key) else { return false }
    guard !claims[table].isLost(key) else { return true }
    guard !claims[table].isThere(key) else { return false }
    return try survey.hasLosses()
  }

  private mutating func leaveOut(_ leaf: LooseLeaf) {
    freePages.append((leaf.page, leaf.table))
    freeRowCount += leaf.rowCount
  }

  private func looseLeaves(_ survey: PageSurvey, _ fields: RecordFields) throws(MigrationError) -> [LooseLeaf] {
    var found: [LooseLeaf] = []
    for page in survey.tableLeaves where !survey.facts[Int(page)].contains(.isPlaced) {
      guard let bytes = try survey.source.load(Int(page)), let header = survey.treePage(Int(page), bytes),
        header.cellCount > 0, let keys = header.keys(bytes, survey.reader),
        let table = shapes.firstIndex(where: { shape in
          !(0..<header.cellCount).contains { place in
            guard let cell = survey.reader.cell(place, of: bytes, header),
              fields.find(in: UnsafeRawBufferPointer(start: bytes + cell.record, count: cell.localSize))
            else { return true }
            return !shape.hasEntity(fields)
          }
        })
      else { continue }
      found.append(LooseLeaf(page: page, table: table, keys: keys, rowCount: header.cellCount))
    }
    return found
  }

  /// Collects what inner pages say about the keys of each table.
  private mutating func findClaims(_ survey: PageSurvey, _ leaves: [LooseLeaf]) throws(MigrationError) {
    var counts: [Int: Int] = [:]
    for leaf in leaves { counts[leaf.table, default: 0] += 1 }
    // A table with several leaves has an inner page. With its own root, it has that.
    let loose = try LooseTrees(survey, leaves).claims(tableCount: shapes.count) { [trees] table in
      trees[table].leaves.isEmpty && counts[table] ?? 0 > 1
    }
    claims = shapes.indices.map { table in
      KeyClaims(trees[table].lostLeaves(survey) + (trees[table].isWhole ? [] : loose[table]))
    }
  }

  /// Whether a row that is in a free place may have had a newer image in a page that is lost.
  func mayBeInLostPage(_ key: Int64, ofTable table: Int, _ survey: PageSurvey) -> Bool {
    guard claims[table].isLost(key) || trees[table].hasLost(key, survey) else { return false }
    return !orphanKeys[table].hasOverlap(with: key...key)
  }

  /// Takes the pages that fit into gaps, but for those of the file whose keys a page of the log has.
  ///
  /// No two leaves of a table have keys between each other's. The checksums of the log say which page is in the right place:
  /// the other one is an older image, which has changed its place.
  private mutating func take(_ found: [LooseLeaf], _ survey: PageSurvey) {
    var newest: [Int: [ClosedRange<Int64>]] = [:]
    for orphan in found where survey.source.isImage(Int(orphan.page)) {
      newest[orphan.table, default: []].append(orphan.keys)
    }
    for table in newest.keys { newest[table]?.sort { $0.lowerBound < $1.lowerBound } }
    for orphan in found {
      let ranges = newest[orphan.table] ?? []
      if !survey.source.isImage(Int(orphan.page)), ranges.hasOverlap(with: orphan.keys) {
        freePages.append((orphan.page, orphan.table))
        freeRowCount += orphan.rowCount
      } else {
        orphans.append((orphan.page, orphan.table))
      }
    }
  }

  /// Whether the map of pages says that a page is part of the tree of another table.
  ///
  /// A page that a tree leads to may have changed places with one of another table.
  private func belongsElsewhere(_ page: Int, _ table: Int, _ survey: PageSurvey) throws(MigrationError) -> Bool {
    guard !survey.facts[page].contains(.isVisited) else { return false }
    var (page, steps) = (page, 0)
    while let entry = try survey.mapEntry(page), steps < 32 {
      if entry.use == .root { return rootTables[page].map { $0 != shapes[table].source.name } ?? false }
      guard entry.use == .tree else { return false }
      (page, steps) = (entry.parent, steps + 1)
    }
    return false
  }

  /// Notes which pages values go on in.
  private func claim(_ survey: PageSurvey, _ assembly: RecordAssembly) throws(MigrationError) {
    let memory = PageMemory(survey.format)
    for tree in trees + joinTrees { for page in tree.leaves { try assembly.claim(Int(page), isPlaced: true, memory) } }
    for page in otherLeaves { try assembly.claim(Int(page), isPlaced: true, memory) }
    for (page, _) in orphans { try assembly.claim(Int(page), isPlaced: false, memory) }
    for page in survey.wideIndexPages where try !survey.isFree(Int(page)) {
      try assembly.claim(Int(page), isPlaced: false, memory)
    }
  }
}

extension [ClosedRange<Int64>] {
  /// Whether one of these ranges, which are in order and apart from each other, has a value of another.
  fileprivate func hasOverlap(with keys: ClosedRange<Int64>) -> Bool {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if self[middle].upperBound < keys.lowerBound { low = middle + 1 } else { high = middle }
    }
    return low < count && self[low].lowerBound <= keys.upperBound
  }
}
