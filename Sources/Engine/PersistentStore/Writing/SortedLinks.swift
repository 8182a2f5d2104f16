internal import MigrationDiagnostics

/// The links of a join table in their order, each once.
struct SortedLinks {
  /// Those of narrow keys, if they are in memory.
  private let narrow: [UInt64]
  /// Those of narrow keys otherwise, and the same ordered by the second key, each with its row.
  private let runs: (sorted: SortedRuns, inverse: SortedRuns)?
  private let wide: [Link]
  /// The number of links.
  let count: Int

  /// Sorts links.
  ///
  /// - Throws: The error that has kept links from being written into a file, now or earlier.
  init(_ list: consuming LinkList) throws(MigrationError) {
    var list = list
    wide = list.takeWide()
    guard let sorted = try list.takeRuns() else {
      narrow = list.takeSorted()
      runs = nil
      count = narrow.count + wide.count
      return
    }
    narrow = []
    let inverse = try SortedRuns(besideStoreAt: list.path, wordsPerRecord: 2)
    // A run of these takes four times the memory of a run of links while it is sorted.
    let length = max(1, list.runLength / 2)
    var rowCount = 0
    var chunk: [UInt64] = []
    func writeChunk() throws(MigrationError) {
      var words: [UInt64] = []
      words.reserveCapacity(2 * chunk.count)
      for place in chunk.placesByLowerHalf() {
        let link = chunk[Int(place)]
        words.append(link << 32 | link >> 32)
        words.append(UInt64(rowCount - chunk.count + Int(place) + 1))
      }
      chunk.removeAll(keepingCapacity: true)
      try inverse.append(words)
    }
    try Self.forEachOnce(sorted) { link throws(MigrationError) in
      chunk.append(link)
      rowCount += 1
      if chunk.count == length { try writeChunk() }
    }
    try writeChunk()
    runs = (sorted, inverse)
    count = rowCount + wide.count
  }

  /// Whether all keys are positive and below 2³².
  var areNarrow: Bool { wide.isEmpty }

  /// Calls a closure with each link, ordered by the first key, then by the second.
  func forEach(_ body: (Link) throws(MigrationError) -> Void) throws(MigrationError) {
    var next = 0
    func visit(_ word: UInt64) throws(MigrationError) {
      let link = Link(first: Int64(word >> 32), second: Int64(word & 0xFFFF_FFFF))
      while next < wide.count, wide[next] < link {
        try body(wide[next])
        next += 1
      }
      try body(link)
    }
    if let runs { try Self.forEachOnce(runs.sorted, visit) } else { for word in narrow { try visit(word) } }
    for link in wide[next...] { try body(link) }
  }

  /// Calls a closure with each narrow link and its row, from 1, ordered by the second key, then by the first.
  func forEachInverse(_ body: (Link, _ row: Int64) throws(MigrationError) -> Void) throws(MigrationError) {
    if let runs {
      return try runs.inverse.forEach { record throws(MigrationError) in
        try body(
          Link(first: Int64(record.first & 0xFFFF_FFFF), second: Int64(record.first >> 32)), Int64(record.second))
      }
    }
    for place in narrow.placesByLowerHalf() {
      let word = narrow[Int(place)]
      try body(Link(first: Int64(word >> 32), second: Int64(word & 0xFFFF_FFFF)), Int64(place) + 1)
    }
  }

  /// Two runs may have the same link.
  private static func forEachOnce(
    _ runs: SortedRuns, _ body: (UInt64) throws(MigrationError) -> Void
  ) throws(MigrationError) {
    var last: UInt64?
    try runs.forEach { record throws(MigrationError) in
      guard record.first != last else { return }
      last = record.first
      try body(record.first)
    }
  }
}
