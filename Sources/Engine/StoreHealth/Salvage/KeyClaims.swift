internal import MigrationDiagnostics
internal import SQLiteDatabase

/// The pages in which inner pages place the keys of a table, also where the pages above those are lost.
///
/// Without the list of free pages, an older image of a page looks like the page itself. What an inner page says tells them
/// apart: rows that it places in another page are not those that were written last.
struct KeyClaims {
  /// The keys that an inner page gives to a page.
  struct Claim {
    var keys: ClosedRange<Int64>
    let page: Int
    /// Whether nothing of that page is left, so that its rows may have been any.
    let isLost: Bool
    /// Whether a page above says where the keys begin or end, and is lost.
    var isOpen = false
  }

  /// The outcome for a page.
  enum Verdict {
    /// An inner page leads to it.
    case confirmed
    /// Nothing is said about its keys.
    case unclaimed
    /// Its keys are in another page, which is there.
    case older
    /// Its keys were in another page, which is lost.
    case doubtful
  }

  private let claims: [Claim]
  /// The greatest key of each claim and those before it.
  private let greatest: [Int64]

  init(_ claims: [Claim] = []) {
    self.claims = claims.sorted { $0.keys.lowerBound < $1.keys.lowerBound }
    var last = Int64.min
    greatest = self.claims.map { claim in
      last = max(last, claim.keys.upperBound)
      return last
    }
  }

  /// The claims to any of these keys.
  private func claims(to keys: ClosedRange<Int64>) -> [Claim] {
    var (low, high) = (0, claims.count)
    while low < high {
      let middle = (low + high) / 2
      if claims[middle].keys.lowerBound <= keys.upperBound { low = middle + 1 } else { high = middle }
    }
    var found: [Claim] = []
    for place in (0..<low).reversed() {
      guard greatest[place] >= keys.lowerBound else { break }
      if claims[place].keys.overlaps(keys) { found.append(claims[place]) }
    }
    return found
  }

  /// Whether a key was in a page that is lost.
  func isLost(_ key: Int64) -> Bool { claims(to: key...key).contains(where: \.isLost) }

  /// Whether a key belongs in a page that is there.
  func isThere(_ key: Int64) -> Bool { claims(to: key...key).contains { !$0.isLost } }

  /// Judges a page with keys, of which nothing else says whether it is free.
  func verdict(on page: Int, _ keys: ClosedRange<Int64>) -> Verdict {
    let found = claims(to: keys)
    let isConfirmed = found.contains { $0.page == page && $0.keys.contains(keys) }
    let others = found.filter { $0.page != page && !(isConfirmed && $0.isOpen) }
    if others.contains(where: \.isLost) { return .doubtful }
    guard !others.isEmpty else { return isConfirmed ? .confirmed : .unclaimed }
    // Two inner pages contradict each other: one of them is an older image itself.
    return isConfirmed ? .unclaimed : .older
  }
}

extension ClosedRange<Int64> {
  fileprivate func contains(_ other: Self) -> Bool { lowerBound <= other.lowerBound && other.upperBound <= upperBound }
}

/// Leaves with rows to which no tree leads.
struct LooseLeaf {
  let page: UInt32
  let table: Int
  let keys: ClosedRange<Int64>
  let rowCount: Int
}

/// The inner pages to which no tree leads, and what they say about the keys of tables.
struct LooseTrees {
  private let survey: PageSurvey
  private let leaves: [Int: LooseLeaf]
  private var inner: Set<Int> = []

  /// A tree without a known root.
  private struct Tree {
    var claims: [KeyClaims.Claim] = []
    /// The table of its leaves; `nil` if all are lost.
    var table: Int?
    /// Whether a leaf is that of another tree or of no entity.
    var isForeign = false
    var leafDepth: Int?
    var lost: [(claim: KeyClaims.Claim, depth: Int)] = []
    var keys: ClosedRange<Int64>?
  }

  init(_ survey: PageSurvey, _ leaves: [LooseLeaf]) throws(MigrationError) {
    self.survey = survey
    self.leaves = Dictionary(leaves.map { (Int($0.page), $0) }, uniquingKeysWith: { first, _ in first })
    for page in survey.innerTablePages.map({ Int($0) }) where !survey.facts[page].contains(.isPlaced) {
      if try !survey.isFree(page) { inner.insert(page) }
    }
  }

  /// The claims for each of a number of tables.
  ///
  /// - Parameter needsTree: Whether a table has so many leaves that a tree of lost leaves only may be its own.
  func claims(tableCount: Int, needsTree: (Int) -> Bool) throws(MigrationError) -> [[KeyClaims.Claim]] {
    var byTable = [[Tree]](repeating: [], count: tableCount)
    var unknown: [Tree] = []
    for root in try roots() {
      var tree = Tree()
      var visited: Set<Int> = []
      try walk(root, Int64.min...Int64.max, depth: 0, &tree, &visited)
      // What was lost above the leaves had any number of these.
      tree.claims += tree.lost.filter { lost in tree.leafDepth.map { lost.depth >= $0 } ?? true }.map(\.claim)
      if let table = tree.table { byTable[table].append(tree) } else if !tree.isForeign { unknown.append(tree) }
    }
    for table in byTable.indices where byTable[table].isEmpty && needsTree(table) { byTable[table] = unknown }
    return byTable.map { Self.bounded($0) }
  }

  /// The inner pages to which no other leads.
  private func roots() throws(MigrationError) -> [Int] {
    var children: Set<Int> = []
    for page in inner {
      guard let bytes = try survey.source.load(page), let header = survey.treePage(page, bytes) else { continue }
      children.insert(header.lastChild(bytes))
      for place in 0..<header.cellCount {
        if let cell = survey.reader.cell(place, of: bytes, header) { children.insert(cell.child) }
      }
    }
    return inner.subtracting(children).sorted()
  }

  private func walk(
    _ page: Int, _ keys: ClosedRange<Int64>, depth: Int, _ tree: inout Tree, _ visited: inout Set<Int>
  ) throws(MigrationError) {
    let isOpen = keys.lowerBound == .min || keys.upperBound == .max
    if inner.contains(page), depth < TableTree.greatestDepth, visited.insert(page).inserted {
      guard let bytes = try survey.source.load(page), let header = survey.treePage(page, bytes),
        let cells = TableTree.cells(of: bytes, header, within: keys, survey.reader), let first = cells.first,
        let last = cells.last
      else { return }
      let lastChild = header.lastChild(bytes)
      if depth == 0 { tree.keys = first.key...last.key }
      var low = keys.lowerBound
      for (child, key) in cells {
        try walk(child, low...key, depth: depth + 1, &tree, &visited)
        guard key < keys.upperBound else { return }
        low = key + 1
      }
      return try walk(lastChild, low...keys.upperBound, depth: depth + 1, &tree, &visited)
    }
    if let leaf = leaves[page], keys.contains(leaf.keys), tree.table.map({ $0 == leaf.table }) ?? true {
      (tree.table, tree.leafDepth) = (leaf.table, depth)
      tree.claims.append(KeyClaims.Claim(keys: keys, page: page, isLost: false, isOpen: isOpen))
    } else if survey.isLost(page) {
      tree.lost.append((KeyClaims.Claim(keys: keys, page: page, isLost: true, isOpen: isOpen), depth))
    } else {
      tree.isForeign = true
    }
  }

  /// Ends the open claims of trees of one table where the next tree begins.
  private static func bounded(_ trees: [Tree]) -> [KeyClaims.Claim] {
    let sorted = trees.sorted { ($0.keys?.lowerBound ?? 0) < ($1.keys?.lowerBound ?? 0) }
    var claims: [KeyClaims.Claim] = []
    for (place, tree) in sorted.enumerated() {
      guard let keys = tree.keys else { continue }
      let before = place > 0 ? sorted[place - 1].keys?.upperBound : nil
      let after = place + 1 < sorted.count ? sorted[place + 1].keys?.lowerBound : nil
      let low = before.flatMap { $0 < keys.lowerBound ? $0 + 1 : nil } ?? .min
      let high = after.flatMap { $0 > keys.upperBound ? $0 : nil } ?? .max
      claims += tree.claims.map { claim in
        var claim = claim
        claim.keys = claim.keys.clamped(to: low...high)
        return claim
      }
    }
    return claims
  }
}
