internal import DataModel
internal import MigrationDiagnostics
internal import PersistentStore
internal import SQLiteDatabase

/// Writes the links of a damaged store into a new one that has its rows, and takes those away that lead to none.
final class LinkSalvage {
  private let survey: PageSurvey
  private let tables: TableSurvey
  private let catalogue: RowCatalogue
  private let writer: StoreWriter
  private let rejects: SalvageRejects
  private let memory: PageMemory
  private let fields: RecordFields
  /// The greatest keys that were ever given, by the tables of the new store, as far as they are known.
  private let greatestKeys: [String: Int64]
  /// The number of links by the name of the join table.
  private(set) var counts: [String: Int] = [:]
  /// The number of links that are not in the new store, of rows that are.
  private(set) var rejectedCount = 0

  init(
    _ survey: PageSurvey, _ tables: TableSurvey, _ catalogue: RowCatalogue, _ writer: StoreWriter,
    _ rejects: SalvageRejects, greatestKeys: [String: Int64]
  ) {
    self.greatestKeys = greatestKeys
    (self.survey, self.tables, self.catalogue) = (survey, tables, catalogue)
    (self.writer, self.rejects, memory) = (writer, rejects, PageMemory(survey.format))
    fields = RecordFields(limit: (tables.joins.map(\.fieldCount).max() ?? 3) + 1)
  }

  // MARK: - Keys of other rows

  /// Takes the keys of rows that were not found from the rows that have them.
  func removeDanglingKeys() throws(MigrationError) {
    let schema = writer.schema
    for table in schema.tables {
      for column in table.columns where column.content == .foreignKey {
        guard let relationship = schema.model.entity(named: column.entityName)?.relationship(named: column.propertyName)
        else { continue }
        // The hidden key of a to-many relationship without an inverse leads back to the entity that has it.
        let other = relationship.isToMany ? column.entityName : relationship.destinationEntityName
        guard let destination = schema.table(forEntityNamed: other) else { continue }
        try removeDanglingKeys(column, of: table, to: destination)
      }
    }
  }

  private func removeDanglingKeys(
    _ column: EntityTable.Column, of table: EntityTable, to destination: EntityTable
  ) throws(MigrationError) {
    let (name, key) = (table.name.quotedIdentifier, column.name.quotedIdentifier)
    let condition =
      "\(key) IS NOT NULL AND NOT EXISTS (SELECT 1 FROM \(destination.name.quotedIdentifier) AS other WHERE other.Z_PK = "
      + "\(name).\(key))"
    let count = try reporting(path: writer.path) { () -> Int in
      let statement = try writer.connection.prepare(
        "SELECT Z_PK, Z_ENT, \(key) FROM \(name) WHERE \(condition) ORDER BY Z_PK")
      var count = 0
      while try statement.step() {
        let number = Int(statement.integer(1))
        try rejects.add(
          .missingDestination, table: table.name, key: statement.integer(0),
          entity: writer.schema.entityNames.first { writer.schema.entityNumber($0) == number } ?? column.entityName,
          relationship: column.propertyName, destination: statement.integer(2))
        count += 1
      }
      return count
    }
    rejectedCount += count
    // The entity and the place among others go with the key.
    let companions = table.columns.filter {
      $0.entityName == column.entityName && $0.propertyName == column.propertyName && $0.content != .foreignKey
    }
    let entity = companions.first { $0.content == .destinationEntity }?.name.quotedIdentifier
    try reporting(path: writer.path) {
      if count > 0 {
        let list = ([key] + companions.map(\.name.quotedIdentifier)).map { "\($0) = NULL" }.joined(separator: ", ")
        try writer.connection.execute("UPDATE \(name) SET \(list) WHERE \(condition)")
      }
      guard let entity else { return }
      // A store may have been written without the column, which repeats what the other row says.
      try writer.connection.execute(
        """
        UPDATE \(name) SET \(entity) = (SELECT other.Z_ENT FROM \(destination.name.quotedIdentifier) AS other \
        WHERE other.Z_PK = \(key)) WHERE \(key) IS NOT NULL AND \(entity) IS NULL
        """)
    }
  }

  // MARK: - Join tables

  /// Fills the join tables.
  func writeJoinTables() throws(MigrationError) {
    for table in tables.joins.indices {
      if try isConfirmed(table) {
        try writeRows(of: table)
      } else {
        try writeVotes(for: table)
      }
    }
    try writeOrphans()
    try nameOthers()
  }

  /// A sum over links that does not depend on their order.
  private struct LinkSum: Equatable {
    var count = 0
    var sum: UInt64 = 0

    mutating func add(_ entry: LinkEntry) {
      var hash: UInt64 = 0
      for word in [entry.first, entry.second, entry.row] { hash.mix(in: UInt64(bitPattern: word)) }
      count += 1
      sum &+= hash
    }
  }

  /// Whether no page of a join table is lost, and an index has the same links.
  ///
  /// Rows of join tables do not say what they are of. If two such tables have exchanged pages, their indexes tell.
  private func isConfirmed(_ table: Int) throws(MigrationError) -> Bool {
    guard tables.joinTrees[table].isWhole, survey.source.outdatedPages.isEmpty else { return false }
    var rows = LinkSum()
    try forEachRow(of: table) { entry, _, _ throws(MigrationError) in rows.add(entry) }
    let indexes = tables.joinIndexes[table]
    for (tree, isSwapped) in indexes where tree.isWhole {
      var entries = LinkSum()
      try forEachEntry(of: tree) { entry, _ throws(MigrationError) in entries.add(isSwapped ? entry.swapped : entry) }
      if entries == rows { return true }
    }
    return indexes.isEmpty
  }

  private func forEachRow(
    of table: Int, _ body: (LinkEntry, [Int64?], _ page: Int) throws(MigrationError) -> Void
  ) throws(MigrationError) {
    for page in tables.joinTrees[table].leaves { try forEachRow(in: Int(page), tables.joins[table], body) }
  }

  /// Calls a closure with the links of a page.
  private func forEachRow(
    in page: Int, _ shape: JoinShape, _ body: (LinkEntry, [Int64?], _ page: Int) throws(MigrationError) -> Void
  ) throws(MigrationError) {
    guard try survey.source.copy(page, to: memory), let header = survey.treePage(page, memory.page) else { return }
    for place in 0..<header.cellCount {
      guard let cell = survey.reader.cell(place, of: memory.page, header),
        fields.find(in: UnsafeRawBufferPointer(start: memory.page + cell.record, count: cell.localSize)),
        let entry = shape.entry(cell.key, fields)
      else { continue }
      try body(entry, shape.orders(fields), page)
    }
  }

  private func forEachEntry(
    of tree: LinkIndexTree, _ body: (LinkEntry, _ page: Int) throws(MigrationError) -> Void
  ) throws(MigrationError) {
    for page in tree.pages {
      guard let bytes = try survey.source.load(Int(page)), let header = survey.treePage(Int(page), bytes),
        let entries = LinkEntry.all(in: bytes, header, survey.reader)
      else { continue }
      for (_, entry) in entries { try body(entry, Int(page)) }
    }
  }

  /// Writes the rows of a table of which nothing is in doubt.
  private func writeRows(of table: Int) throws(MigrationError) {
    let links = try LinkWriter(writer, tables.joins[table], rejects)
    try forEachRow(of: table) { entry, orders, page throws(MigrationError) in
      try links.add(entry, orders, page: page)
    }
    try finish(links)
  }

  private func finish(_ links: LinkWriter) throws(MigrationError) {
    let shape = links.shape
    counts[shape.destination.name, default: 0] += try links.finish()
    rejectedCount += links.rejectedCount
  }

  /// The sources of a link, as bits.
  private enum Source {
    static let (table, index, swappedIndex): (Int64, Int64, Int64) = (1, 2, 4)
    /// A page of which it is not known whether it is of the table.
    static let loosePage: Int64 = 8
  }

  /// Writes the links that two of a table and its indexes have, or one if all others have lost pages.
  private func writeVotes(for table: Int) throws(MigrationError) {
    let shape = tables.joins[table]
    try catalogue.work { try $0.execute("DELETE FROM entries") }
    let insertion = try entryInsertion()
    try forEachRow(of: table) { entry, orders, page throws(MigrationError) in
      guard !survey.source.outdatedPages.contains(page) else { return }
      try insert(entry, Source.table, page, orders, insertion)
    }
    var wholeSources = tables.joinTrees[table].isWhole ? Source.table : 0
    for (tree, isSwapped) in tables.joinIndexes[table] {
      let source = isSwapped ? Source.swappedIndex : Source.index
      if tree.isWhole { wholeSources |= source }
      try forEachEntry(of: tree) { entry, page throws(MigrationError) in
        guard !survey.source.outdatedPages.contains(page) else { return }
        try insert(isSwapped ? entry.swapped : entry, source, page, [], insertion)
      }
    }
    try turnPages(of: table, insertion)
    try insertOrphans(of: table, insertion)
    let links = try LinkWriter(writer, shape, rejects)
    try forEachRowOfVotes { votes throws(MigrationError) in
      let chosen = chosen(among: votes, wholeSources)
      for vote in votes where chosen.map({ !vote.entry.isSame(as: $0.entry) }) ?? true {
        try links.reject(.unconfirmedLink, vote.entry, page: vote.page)
      }
      guard let chosen else { return }
      guard !shape.destination.isOrdered || chosen.sources & Source.table != 0 else {
        return try links.reject(.lostOrder, chosen.entry, page: chosen.page)
      }
      try links.add(chosen.entry, chosen.orders, page: chosen.page)
    }
    try finish(links)
  }

  /// The testimony of a table and its indexes about a row.
  private struct Vote {
    let entry: LinkEntry
    var sources: Int64
    let page: Int
    let orders: [Int64?]
  }

  /// The link of a row, if at most one can be right.
  ///
  /// The table says which key is which: its two indexes have them in opposite order, and may have exchanged pages. Where
  /// none of them has what the table says, it has the page of another table, and they decide if they agree.
  private func chosen(among votes: [Vote], _ wholeSources: Int64) -> Vote? {
    let rows = votes.filter { $0.sources & Source.table != 0 }
    guard rows.count < 2 else { return nil }
    if var row = rows.first {
      for other in votes where other.entry.isSame(as: row.entry) { row.sources |= other.sources }
      if row.sources.nonzeroBitCount > 1 || wholeSources & ~row.sources == 0 { return row }
    }
    let others = votes.filter { $0.sources & Source.table == 0 }
    guard others.count == 1, let only = others.first else { return nil }
    let isDenied = rows.isEmpty && wholeSources & ~only.sources != 0 || !rows.isEmpty
    return only.sources.nonzeroBitCount > 1 || !isDenied ? only : nil
  }

  /// Turns the entries of pages that are of the table's other index, which has the keys in the other order.
  ///
  /// Two roots may have changed places, or one may be a copy of the other. The rows of the table tell, and so do those of
  /// pages to which no tree leads.
  private func turnPages(of table: Int, _ insertion: Statement) throws(MigrationError) {
    guard !tables.joinIndexes[table].isEmpty else { return }
    for page in tables.joinTrees[table].isWhole ? [] : orphanPages where !takenPages.contains(page) {
      guard let rows = try linkRows(of: page, tables.joins[table]) else { continue }
      for (entry, _) in rows.entries { try insert(entry, Source.loosePage, page, [], insertion) }
    }
    try catalogue.work { connection in
      try connection.execute(
        """
        CREATE INDEX entries_by_row ON entries (row);
        UPDATE entries SET (first, second) = (second, first) WHERE source IN (2, 4) AND page IN (
          SELECT i.page FROM entries AS i JOIN entries AS t ON t.row = i.row
          WHERE i.source IN (2, 4) AND t.source IN (1, 8) AND i.first <> i.second GROUP BY i.page
          HAVING sum((t.first, t.second) = (i.second, i.first)) > sum((t.first, t.second) = (i.first, i.second)));
        DROP INDEX entries_by_row;
        DELETE FROM entries WHERE source = \(Source.loosePage);
        """)
    }
  }

  private func entryInsertion() throws(MigrationError) -> Statement {
    try catalogue.work { try $0.prepare("INSERT INTO entries VALUES (?, ?, ?, ?, ?, ?, ?)") }
  }

  private func insert(
    _ entry: LinkEntry, _ source: Int64, _ page: Int, _ orders: [Int64?], _ insertion: Statement
  ) throws(MigrationError) {
    try catalogue.work { _ in
      for (place, value) in zip(Int32(1)..., [entry.first, entry.second, entry.row, source, Int64(page)]) {
        try insertion.bind(value, at: place)
      }
      for place in 0..<2 {
        try insertion.bind(orders.indices.contains(place) ? orders[place] : nil, at: Int32(6 + place))
      }
      try insertion.run()
    }
  }

  /// Calls a closure with the votes about each row.
  private func forEachRowOfVotes(_ body: ([Vote]) throws(MigrationError) -> Void) throws(MigrationError) {
    try catalogue.work { connection in
      let statement = try connection.prepare(
        """
        SELECT first, second, row, max(source = 1) + 2 * max(source = 2) + 4 * max(source = 4), min(page), max(one), max(two)
        FROM entries GROUP BY row, first, second ORDER BY row, first, second
        """)
      var votes: [Vote] = []
      while try statement.step() {
        let entry = LinkEntry(first: statement.integer(0), second: statement.integer(1), row: statement.integer(2))
        if let last = votes.last, last.entry.row != entry.row {
          try body(votes)
          votes = []
        }
        let orders = [5, 6].map { statement.isNull($0) ? nil : statement.integer($0) }
        votes.append(
          Vote(entry: entry, sources: statement.integer(3), page: Int(statement.integer(4)), orders: orders))
      }
      if !votes.isEmpty { try body(votes) }
    }
  }

  // MARK: - Pages without a table

  /// The pages with links to which no tree leads.
  private lazy var orphanPages: [Int] =
    tables.joins.isEmpty
    ? []
    : survey.tableLeaves.map { Int($0) }.filter { page in
      !survey.facts[page].contains(.isPlaced)
    }
  private var takenPages: Set<Int> = []

  /// Adds the rows of pages that fit into the gaps of a table, and all of whose links are in its indexes.
  private func insertOrphans(of table: Int, _ insertion: Statement) throws(MigrationError) {
    let shape = tables.joins[table]
    guard !tables.joinTrees[table].isWhole else { return }
    for page in orphanPages where !takenPages.contains(page) {
      guard let rows = try linkRows(of: page, shape), tables.joinTrees[table].hasGap(around: rows.keys) else {
        continue
      }
      let isConfirmed = try catalogue.work { connection in
        let statement = try connection.prepare(
          "SELECT 1 FROM entries WHERE first = ? AND second = ? AND row = ? AND source > 1 LIMIT 1")
        return try rows.entries.allSatisfy { entry, _ in
          for (place, value) in zip(Int32(1)..., [entry.first, entry.second, entry.row]) {
            try statement.bind(value, at: place)
          }
          defer { statement.reset() }
          return try statement.step()
        }
      }
      guard isConfirmed else { continue }
      takenPages.insert(page)
      for (entry, orders) in rows.entries { try insert(entry, Source.table, page, orders, insertion) }
    }
  }

  private typealias LinkRows = (entries: [(LinkEntry, [Int64?])], keys: ClosedRange<Int64>)

  /// The links of a page, if it has nothing else and is not free.
  private func linkRows(of page: Int, _ shape: JoinShape) throws(MigrationError) -> LinkRows? {
    guard try !survey.isFree(page), !survey.source.outdatedPages.contains(page),
      let bytes = try survey.source.load(page), let header = survey.treePage(page, bytes), header.cellCount > 0,
      let keys = header.keys(bytes, survey.reader)
    else { return nil }
    let count = header.cellCount
    var entries: [(LinkEntry, [Int64?])] = []
    try forEachRow(in: page, shape) { entry, orders, _ throws(MigrationError) in entries.append((entry, orders)) }
    return entries.count == count ? (entries, keys) : nil
  }

  /// Adds the links of pages of which neither the table nor its indexes are known, if they can be of one table only.
  ///
  /// Each must be in an index, wherever that is, and all keys of a page must be those of rows that were found, or that may
  /// have been in a lost page.
  private func writeOrphans() throws(MigrationError) {
    let lost = tables.joins.indices.filter { !tables.joinTrees[$0].isWhole && tables.joinIndexes[$0].isEmpty }
    guard !lost.isEmpty else { return }
    try catalogue.work { try $0.execute("DELETE FROM entries") }
    let insertion = try entryInsertion()
    for page in survey.indexPages where !survey.facts[Int(page)].contains(.isPlaced) {
      guard try !survey.isFree(Int(page)), let bytes = try survey.source.load(Int(page)),
        let header = survey.treePage(Int(page), bytes), let entries = LinkEntry.all(in: bytes, header, survey.reader)
      else { continue }
      for (_, entry) in entries { try insert(entry, Source.index, Int(page), [], insertion) }
    }
    let writers = try lost.map { table throws(MigrationError) in try LinkWriter(writer, tables.joins[table], rejects) }
    for page in orphanPages where !takenPages.contains(page) {
      var fitting: [(links: LinkWriter, rows: LinkRows)] = []
      for (table, links) in zip(lost, writers) {
        guard let rows = try linkRows(of: page, links.shape), tables.joinTrees[table].hasGap(around: rows.keys),
          try areKnown(rows.entries.map(\.0)), try mayHaveRows(rows, links)
        else { continue }
        fitting.append((links, rows))
      }
      guard let first = fitting.first else { continue }
      takenPages.insert(page)
      for (entry, orders) in first.rows.entries {
        try insert(entry, Source.table, page, [], insertion)
        if fitting.count == 1 {
          try first.links.add(entry, orders, page: page)
        } else {
          try first.links.reject(.ambiguousLink, entry, page: page)
        }
      }
    }
    if let first = writers.first { try nameEntries(first) }
    for links in writers { try finish(links) }
  }

  /// Whether the rows at both ends of all links were found, or may have been in a page that is lost.
  private func mayHaveRows(_ rows: LinkRows, _ links: LinkWriter) throws(MigrationError) -> Bool {
    for (entry, _) in rows.entries {
      for (name, key) in try links.missingRows(of: entry) {
        guard key > 0, greatestKeys[name].map({ key <= $0 }) ?? true,
          let table = tables.shapes.firstIndex(where: { $0.destination.name == name })
        else { return false }
        if try catalogue.hasReject(ofTable: table, key: key) { continue }
        guard try tables.mayLack(key, ofTable: table, survey) else { return false }
      }
    }
    return true
  }

  /// Names the links that two indexes of some relationship have, and no page of a table.
  private func nameEntries(_ links: LinkWriter) throws(MigrationError) {
    let found = try catalogue.work { connection in
      let statement = try connection.prepare(
        """
        SELECT one.first, one.second, one.row, min(one.page) FROM entries AS one
        JOIN entries AS other ON (other.first, other.second, other.row) = (one.second, one.first, one.row)
        WHERE one.source > 1 AND other.source > 1 AND one.first <= one.second AND one.page <> other.page AND NOT EXISTS (
          SELECT 1 FROM entries AS taken WHERE taken.source = 1 AND taken.row = one.row
          AND (taken.first, taken.second) IN ((one.first, one.second), (one.second, one.first)))
        GROUP BY one.first, one.second, one.row ORDER BY one.row, one.first
        """)
      var found: [(entry: LinkEntry, page: Int)] = []
      while try statement.step() {
        let entry = LinkEntry(first: statement.integer(0), second: statement.integer(1), row: statement.integer(2))
        found.append((entry, Int(statement.integer(3))))
      }
      return found
    }
    for (entry, page) in found {
      let isSwapped = try !links.missingRows(of: entry).isEmpty
      try links.reject(.lostLinkRow, isSwapped ? entry.swapped : entry, page: page)
    }
  }

  /// Names the links of pages that no index confirms: they are in no place that anything leads to.
  private func nameOthers() throws(MigrationError) {
    let lost = tables.joins.indices.filter { !tables.joinTrees[$0].isWhole }
    guard !lost.isEmpty else { return }
    let writers = try lost.map { table throws(MigrationError) in try LinkWriter(writer, tables.joins[table], rejects) }
    for page in orphanPages where !takenPages.contains(page) {
      var fitting: [(links: LinkWriter, rows: LinkRows)] = []
      for (table, links) in zip(lost, writers) {
        guard let rows = try linkRows(of: page, links.shape), tables.joinTrees[table].hasGap(around: rows.keys) else {
          continue
        }
        fitting.append((links, rows))
      }
      guard let first = fitting.first else { continue }
      for (entry, _) in first.rows.entries {
        var isThere = false
        for (links, _) in fitting where !isThere { isThere = try links.hasLink(entry) }
        guard !isThere else { continue }
        try first.links.reject(fitting.count == 1 ? .unconfirmedLink : .ambiguousLink, entry, page: page)
      }
    }
    for links in writers { rejectedCount += links.rejectedCount }
  }

  private func areKnown(_ entries: [LinkEntry]) throws(MigrationError) -> Bool {
    try catalogue.work { connection in
      let statement = try connection.prepare("SELECT 1 FROM entries WHERE first = ? AND second = ? AND row = ? LIMIT 1")
      return try entries.allSatisfy { entry in
        try [entry, entry.swapped].contains { entry in
          for (place, value) in zip(Int32(1)..., [entry.first, entry.second, entry.row]) {
            try statement.bind(value, at: place)
          }
          defer { statement.reset() }
          return try statement.step()
        }
      }
    }
  }
}
