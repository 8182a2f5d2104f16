internal import MigrationDiagnostics
internal import PersistentStore
internal import SQLiteDatabase

/// Writes the rows of a damaged store into a new one.
final class RowSalvage {
  private let survey: PageSurvey
  private let assembly: RecordAssembly
  private let tables: TableSurvey
  private let catalogue: RowCatalogue
  private let writer: StoreWriter
  private let rejects: SalvageRejects
  /// The memory of the page that rows are read from in their order, and of any other.
  private let (memory, otherMemory): (PageMemory, PageMemory)
  private let fields: RecordFields
  /// The number of rows by entity.
  private(set) var counts: [String: Int] = [:]
  /// The number of those that come from free pages and places.
  private(set) var deletedCount = 0
  /// The greatest key that was found, by table.
  private(set) var greatestKeys: [String: Int64] = [:]
  /// The numbers of rows that contradict the order of columns, by table.
  private(set) var contradictions: [String: Int] = [:]
  /// The numbers of rows with text that is none, by table.
  private(set) var oddTexts: [String: Int] = [:]
  private let evidence: [ColumnEvidence?]

  init(
    _ survey: PageSurvey, _ assembly: RecordAssembly, _ tables: TableSurvey, _ catalogue: RowCatalogue,
    _ writer: StoreWriter, _ rejects: SalvageRejects
  ) {
    (self.survey, self.assembly, self.tables, self.catalogue) = (survey, assembly, tables, catalogue)
    (self.writer, self.rejects) = (writer, rejects)
    evidence = tables.shapes.map { $0.isAssumed ? ColumnEvidence($0.destination, of: writer.schema) : nil }
    (memory, otherMemory) = (PageMemory(survey.format), PageMemory(survey.format))
    fields = RecordFields(limit: (tables.shapes.map(\.fieldCount).max() ?? 0) + 1)
  }

  /// Writes the rows of all tables, each in the order of their keys.
  ///
  /// - Parameter takesDeleted: Whether rows are taken from free pages and places, too.
  func run(takesDeleted: Bool) throws(MigrationError) {
    for (page, table) in tables.orphans { try catalogueRows(of: Int(page), table, .orphan) }
    for (page, table) in tables.doubtfulPages { try catalogueRows(of: Int(page), table, .doubtful) }
    if takesDeleted {
      for (page, table) in tables.freePages { try catalogueRows(of: Int(page), table, .free) }
      for (table, tree) in tables.trees.enumerated() {
        for page in tree.leaves { try catalogueFreedRows(of: Int(page), table) }
      }
      for (page, table) in tables.orphans { try catalogueFreedRows(of: Int(page), table) }
    }
    for table in tables.shapes.indices { try writeRows(table) }
  }

  // MARK: - Finding

  private func catalogueRows(of page: Int, _ table: Int, _ rank: ImageRank) throws(MigrationError) {
    guard try survey.source.copy(page, to: memory), let header = survey.treePage(page, memory.page) else { return }
    for place in 0..<header.cellCount {
      guard let offset = survey.reader.offset(place, of: memory.page, header),
        let cell = survey.reader.cell(at: offset, of: memory.page, header)
      else { continue }
      try catalogue.add(RowImage(key: cell.key, rank: rank, page: page, place: offset), ofTable: table)
    }
  }

  /// Looks for rows that were deleted in a page that is in use.
  private func catalogueFreedRows(of page: Int, _ table: Int) throws(MigrationError) {
    guard try survey.source.copy(page, to: memory), let header = survey.treePage(page, memory.page) else { return }
    let shape = tables.shapes[table]
    let freed = FreedRows(memory.page, header, survey.reader, shape)
    for (key, place) in freed.places {
      try catalogue.add(RowImage(key: key, rank: .freed, page: page, place: place), ofTable: table)
    }
    for record in freed.keylessRecords {
      try rejects.add(.lostKey, table: shape.source.name, key: nil, page: page, remains(record, shape))
    }
  }

  // MARK: - Writing

  private func writeRows(_ table: Int) throws(MigrationError) {
    let shape = tables.shapes[table]
    let inserter = try SalvagedRowInserter(writer, shape.destination)
    let others = try catalogue.images(ofTable: table)
    var other = try others?.next()
    func settleOthers(upTo key: Int64?) throws(MigrationError) {
      while let first = other, key.map({ first.key < $0 }) ?? true {
        var images: [RowImage] = []
        while let image = other, image.key == first.key {
          images.append(image)
          other = try others?.next()
        }
        try settle(images, table, inserter)
      }
    }
    for page in tables.trees[table].leaves.map({ Int($0) }) {
      // Other pages are read meanwhile, but not into this memory.
      guard try survey.source.copy(page, to: memory), let header = survey.treePage(page, memory.page) else { continue }
      for place in 0..<header.cellCount {
        guard let offset = survey.reader.offset(place, of: memory.page, header),
          let cell = survey.reader.cell(at: offset, of: memory.page, header)
        else { continue }
        try settleOthers(upTo: cell.key)
        var images = [RowImage(key: cell.key, rank: .placed, page: page, place: offset)]
        while let image = other, image.key == cell.key {
          images.append(image)
          other = try others?.next()
        }
        try settle(images, table, inserter, (cell, memory.page))
      }
    }
    try settleOthers(upTo: nil)
  }

  /// Decides which of several images of a row is the right one, and writes it.
  ///
  /// - Parameter first: The cell of the first image, if its page is in memory.
  private func settle(
    _ images: [RowImage], _ table: Int, _ inserter: SalvagedRowInserter,
    _ first: (cell: TreeCell, page: UnsafeRawPointer)? = nil
  ) throws(MigrationError) {
    guard let best = images.first else { return }
    let shape = tables.shapes[table]
    if best.key > greatestKeys[shape.destination.name] ?? .min { greatestKeys[shape.destination.name] = best.key }
    let found: StoredRecord? =
      if let first { try assembly.record(of: first.cell, first.page, in: best.page) } else { try self.record(of: best) }
    guard let record = found else { return }
    var (isDoubtful, isAccepted) = (false, false)
    var older: [(RowImage, StoredRecord)] = []
    for image in images.dropFirst() {
      guard let other = try self.record(of: image) else { continue }
      // The same bytes in another place say the same.
      if other.fault == nil, record.fault == nil, other.bytes == record.bytes { continue }
      isDoubtful = isDoubtful || image.rank == best.rank
      older.append((image, other))
    }
    switch judge(record, best, table) {
    case .failure(let fault): try reject(record, best, shape, fault)
    case .success where isDoubtful: try reject(record, best, shape, .severalImages)
    case .success(let row) where evidence[table]?.isContradicted(by: row) == true:
      contradictions[shape.source.name, default: 0] += 1
      try reject(record, best, shape, .columnOrder)
    case .success(let row):
      try inserter.insert(row)
      if row.values.contains(where: \.isOddText) { oddTexts[shape.source.name, default: 0] += 1 }
      counts[row.entity, default: 0] += 1
      if best.rank > .orphan { deletedCount += 1 }
      if best.rank > .placed { try catalogue.note(best.rank, ofTable: table, key: row.key) }
      isAccepted = true
    }
    if !isAccepted { try catalogue.noteReject(ofTable: table, key: best.key) }
    for (image, other) in older {
      try reject(
        other, image, shape, isDoubtful && image.rank == best.rank && !isAccepted ? .severalImages : .olderImage)
    }
  }

  private func judge(_ record: StoredRecord, _ image: RowImage, _ table: Int) -> Result<SalvagedRow, RowFault> {
    let shape = tables.shapes[table]
    // Only a row whose place in the tree is known not to have it was deleted.
    if image.rank == .doubtful || image.rank > .doubtful && tables.mayBeInLostPage(image.key, ofTable: table, survey) {
      return .failure(.placedElsewhere)
    }
    if survey.source.outdatedPages.contains(image.page) { return .failure(.outdatedPage) }
    return record.bytes.withUnsafeBytes { bytes in
      guard fields.find(in: UnsafeRawBufferPointer(rebasing: bytes[..<record.count])) else {
        return .failure(record.fault.map { RowFault($0) } ?? .unreadableRecord)
      }
      return shape.row(record, fields)
    }
  }

  private func reject(
    _ record: StoredRecord, _ image: RowImage, _ shape: TableShape, _ fault: RowFault
  ) throws(MigrationError) {
    try rejects.add(
      fault, table: shape.source.name, key: image.key, page: image.page, lostPage: record.fault?.page,
      remains(record, shape))
  }

  private func remains(_ record: StoredRecord, _ shape: TableShape) -> RowRemains {
    record.bytes.withUnsafeBytes { bytes in
      fields.find(in: UnsafeRawBufferPointer(rebasing: bytes[..<record.count])) ? shape.remains(fields) : RowRemains()
    }
  }

  private func record(of image: RowImage) throws(MigrationError) -> StoredRecord? {
    guard try survey.source.copy(image.page, to: otherMemory),
      let header = survey.treePage(image.page, otherMemory.page),
      let cell = survey.reader.cell(at: image.place, of: otherMemory.page, header)
    else { return nil }
    let isDeleted = image.rank > .doubtful
    return try assembly.record(
      of: cell, otherMemory.page, in: image.rank == .placed ? image.page : nil, isDeleted: isDeleted)
  }

  // MARK: - Unique values

  /// Removes rows with values that must be unique and that another row has, so that the new store can be completed.
  ///
  /// A row that is in use comes before one that was deleted.
  func removeRepetitions() throws(MigrationError) {
    for (table, columns) in writer.schema.uniqueColumns {
      guard let index = tables.shapes.firstIndex(where: { $0.destination.name == table }) else { continue }
      let shape = tables.shapes[index]
      let (list, name) = (columns.map(\.quotedIdentifier).joined(separator: ", "), table.quotedIdentifier)
      // A missing value equals no other.
      let isThere = columns.map { "\($0.quotedIdentifier) IS NOT NULL" }.joined(separator: " AND ")
      let groups = try reporting(path: writer.path) { () -> [[Int64]] in
        let statement = try writer.connection.prepare(
          """
          SELECT key, place FROM (
            SELECT Z_PK AS key, dense_rank() OVER (ORDER BY \(list)) AS place, count(*) OVER (PARTITION BY \(list)) AS number
            FROM \(name) WHERE \(isThere)) WHERE number > 1 ORDER BY place, key
          """)
        var (groups, last): ([[Int64]], Int64) = ([], 0)
        while try statement.step() {
          if statement.integer(1) != last { groups.append([]) }
          groups[groups.count - 1].append(statement.integer(0))
          last = statement.integer(1)
        }
        return groups
      }
      for keys in groups {
        var ranked: [(rank: ImageRank, key: Int64)] = []
        for key in keys { ranked.append((try catalogue.rank(ofTable: index, key: key), key)) }
        ranked.sort { ($0.rank, $0.key) < ($1.rank, $1.key) }
        for (rank, key) in ranked.dropFirst() {
          try remove(key, rank, shape)
          try catalogue.noteReject(ofTable: index, key: key)
          if shape.isAssumed, rank <= .orphan { contradictions[shape.source.name, default: 0] += 1 }
        }
      }
    }
  }

  private func remove(_ key: Int64, _ rank: ImageRank, _ shape: TableShape) throws(MigrationError) {
    let name = shape.destination.name.quotedIdentifier
    var remains = RowRemains()
    try reporting(path: writer.path) {
      let names = shape.destination.columns.map(\.name)
      let list = (["Z_ENT"] + names.map(\.quotedIdentifier)).joined(separator: ", ")
      let statement = try writer.connection.prepare("SELECT \(list) FROM \(name) WHERE Z_PK = \(key)")
      guard try statement.step() else { return }
      let number = statement.integer(0)
      remains.entity = writer.schema.entityNames.first { writer.schema.entityNumber($0) == Int(number) }
      for (place, column) in names.enumerated() where !statement.isNull(place + 1) {
        remains.values.append((column, SalvagedValue(statement, place + 1), nil))
      }
    }
    try reporting(path: writer.path) { try writer.connection.execute("DELETE FROM \(name) WHERE Z_PK = \(key)") }
    if let entity = remains.entity { counts[entity, default: 0] -= 1 }
    if rank > .orphan { deletedCount -= 1 }
    try rejects.add(.notUnique, table: shape.destination.name, key: key, page: nil, remains)
  }
}

extension RecordFault {
  /// The page that is at fault.
  fileprivate var page: Int? {
    switch self {
    case .lostPage(let page), .foreignPage(let page), .outdatedPage(let page), .otherEnd(let page): page
    case .deletedOverflow: nil
    }
  }
}

extension SalvagedValue {
  /// Whether it is a text with zeros, or not of UTF-8, as the bytes of another page are.
  var isOddText: Bool {
    guard case .text(let bytes) = self, bytes.contains(where: { $0 == 0 || $0 >= 0x80 }) else { return false }
    return bytes.contains(0) || String(validating: bytes, as: UTF8.self) == nil
  }

  /// Reads a column of the current row.
  init(_ statement: Statement, _ column: Int) {
    switch statement.storageClass(column) {
    case .null: self = .null
    case .integer: self = .integer(statement.integer(column))
    case .real: self = .real(statement.real(column))
    case .text: self = .text(statement.withText(column) { $0.map { Array($0) } ?? [] })
    case .blob: self = .blob(statement.blob(column) ?? [])
    }
  }
}

/// Adds rows to a table of a new store, with their own entities and versions.
private final class SalvagedRowInserter {
  private let statement: Statement
  private let path: String

  init(_ writer: StoreWriter, _ table: EntityTable) throws(MigrationError) {
    path = writer.path
    let names = ["Z_PK", "Z_ENT", "Z_OPT"] + table.columns.map(\.name.quotedIdentifier)
    statement = try reporting(path: writer.path) {
      try writer.connection.prepare(
        """
        INSERT OR ABORT INTO \(table.name.quotedIdentifier) (\(names.joined(separator: ", "))) \
        VALUES (\(names.map { _ in "?" }.joined(separator: ", ")))
        """)
    }
  }

  func insert(_ row: SalvagedRow) throws(MigrationError) {
    do throws(SQLiteError) {
      try statement.bind(row.key, at: 1)
      try statement.bind(row.entityNumber, at: 2)
      try bind(row.version, at: 3)
      for (place, value) in zip(Int32(4)..., row.values) { try bind(value, at: place) }
      try statement.run()
    } catch {
      throw MigrationError(error, path: path)
    }
  }

  private func bind(_ value: SalvagedValue, at place: Int32) throws(SQLiteError) {
    switch value {
    case .null: try statement.bindNull(at: place)
    case .integer(let integer): try statement.bind(integer, at: place)
    case .real(let real): try statement.bind(real, at: place)
    // Without bytes there is no address, which would be NULL.
    case .text([]): try statement.bind("", at: place)
    case .text(let bytes): try statement.bind(textBytes: bytes, at: place)
    case .blob(let bytes): try statement.bind(bytes, at: place)
    }
  }
}
