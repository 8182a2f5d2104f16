internal import DataModel
internal import MigrationDiagnostics
internal import PersistentStore
internal import PropertyListFormat
internal import SQLiteDatabase

/// Everything that a damaged store says of itself, as far as it can be read: its tables, its metadata, its model, and the
/// numbers of its entities.
struct StoreDeclarations {
  /// The tables and indexes.
  private(set) var entries: [SchemaEntry] = []
  private(set) var metadata: StoreMetadata?
  /// The copy of the model, as it is stored.
  private(set) var modelCache: [UInt8]?
  /// Whether the table of that copy was read to its end, so that there is none if none was found.
  private(set) var isModelCacheWhole = false
  /// That copy, if it can be read.
  private(set) var cachedModel: ManagedObjectModel?
  /// The rows of `Z_PRIMARYKEY`.
  private(set) var primaryKeys: [PrimaryKeyRow] = []
  /// The encoding of text.
  let encoding: StoredEncoding
  /// The leaves of the tables that were followed.
  private(set) var leaves: [UInt32] = []

  private let fields = RecordFields(limit: 6)
  /// More rows than any store has in these tables.
  private static let limit = 20_000
  /// The greatest copy of a model that is read, as elsewhere.
  private static let modelLimit = 64 << 20

  /// Reads them.
  init(_ survey: PageSurvey, _ assembly: RecordAssembly, _ encoding: StoredEncoding?) throws(MigrationError) {
    if let encoding { self.encoding = encoding } else { self.encoding = try StoredEncoding.guess(survey) }
    let memory = PageMemory(survey.format)
    let schema = try TableTree(root: 1, in: survey) { page, header in
      header.cellCount == 0 || Self.hasFields(5, page, header, survey.reader)
    }
    leaves = schema.leaves
    for page in schema.leaves { try read(Int(page), survey, assembly, memory, Self.takeEntry) }
    if !schema.isWhole {
      try readOrphans(fieldCount: 5, schema, survey, assembly, memory, Self.takeEntry)
    }
    for (name, count, take) in Self.fixedTables {
      let root = entries.first { $0.type == "table" && $0.name == name }?.rootPage
      let tree = try root.map { root throws(MigrationError) in
        try TableTree(root: root, in: survey) { page, header in
          header.cellCount == 0 || Self.hasFields(count, page, header, survey.reader)
        }
      }
      leaves += tree?.leaves ?? []
      for page in tree?.leaves ?? [] {
        try read(Int(page), survey, assembly, memory, name == "Z_MODELCACHE" ? Self.takeOwnModel : take)
      }
      if name == "Z_MODELCACHE" { isModelCacheWhole = tree?.isWhole == true }
      if tree?.isWhole != true {
        try readOrphans(fieldCount: count, tree ?? .lost, survey, assembly, memory, take)
      }
    }
    primaryKeys.sort { $0.entityNumber < $1.entityNumber }
    if let modelCache { cachedModel = try? ManagedObjectModel(modelCache: modelCache) }
  }

  private typealias Take = @Sendable (inout StoreDeclarations, StoredRecord) -> Bool

  private static let fixedTables: [(name: String, fieldCount: Int, take: Take)] = [
    ("Z_METADATA", 3, takeMetadata), ("Z_PRIMARYKEY", 4, takePrimaryKey), ("Z_MODELCACHE", 1, takeModel),
  ]

  // MARK: - Pages

  private mutating func read(
    _ page: Int, _ survey: PageSurvey, _ assembly: RecordAssembly, _ memory: PageMemory, _ take: Take
  ) throws(MigrationError) {
    guard try survey.source.copy(page, to: memory), let header = survey.treePage(page, memory.page) else { return }
    for place in 0..<header.cellCount {
      guard let cell = survey.reader.cell(place, of: memory.page, header) else { continue }
      let record = try assembly.record(of: cell, memory.page, in: page)
      if record.fault == nil { _ = take(&self, record) }
    }
  }

  /// Reads the pages to which no tree leads, if all of their rows are what is looked for.
  private mutating func readOrphans(
    fieldCount: Int, _ tree: TableTree, _ survey: PageSurvey, _ assembly: RecordAssembly, _ memory: PageMemory,
    _ take: Take
  ) throws(MigrationError) {
    for page in survey.tableLeaves.map({ Int($0) }) {
      guard !survey.facts[page].contains(.isPlaced), try !survey.isFree(page), try survey.source.copy(page, to: memory),
        let header = survey.treePage(page, memory.page), header.cellCount > 0,
        let keys = header.keys(memory.page, survey.reader), tree.hasGap(around: keys),
        Self.hasFields(fieldCount, memory.page, header, survey.reader)
      else { continue }
      var trial = self
      var areAll = true
      for place in 0..<header.cellCount where areAll {
        guard let cell = survey.reader.cell(place, of: memory.page, header) else { continue }
        let record = try assembly.record(of: cell, memory.page, in: nil)
        areAll = record.fault == nil && take(&trial, record)
      }
      if areAll {
        self = trial
        survey.facts[page].insert(.isPlaced)
      }
    }
  }

  /// Whether the first row of a page has so many values.
  private static func hasFields(
    _ count: Int, _ page: UnsafeRawPointer, _ header: TreePageHeader, _ reader: TreePageReader
  ) -> Bool {
    let fields = RecordFields(limit: count + 1)
    guard let cell = reader.cell(0, of: page, header),
      fields.find(in: UnsafeRawBufferPointer(start: page + cell.record, count: cell.localSize))
    else { return false }
    return fields.count == count
  }

  // MARK: - Rows

  /// Calls a closure with the values of a record.
  private func withFields<Result>(_ record: StoredRecord, _ body: (RecordFields) -> Result?) -> Result? {
    record.bytes.withUnsafeBytes { bytes in
      fields.find(in: UnsafeRawBufferPointer(rebasing: bytes[..<record.count])) ? body(fields) : nil
    }
  }

  private func text(_ value: IndexedValue?) -> String? {
    if case .text(let bytes)? = value { encoding.text(bytes) } else { nil }
  }

  /// The bytes of a blob, or of text, which a property list may be if it was edited.
  private static func bytes(_ value: IndexedValue?) -> [UInt8]? {
    switch value {
    case .blob(let bytes)?, .text(let bytes)?: Array(bytes)
    case .null?, .integer?, .real?, nil: nil
    }
  }

  private static func integer(_ value: IndexedValue?) -> Int64? {
    if case .integer(let integer)? = value { integer } else { nil }
  }

  private static func takeEntry(_ store: inout StoreDeclarations, _ record: StoredRecord) -> Bool {
    guard store.entries.count < limit else { return false }
    let entry = store.withFields(record) { fields -> SchemaEntry? in
      guard fields.count == 5, let type = store.text(fields.value(0)), let name = store.text(fields.value(1)),
        let table = store.text(fields.value(2)), ["table", "index", "view", "trigger"].contains(type)
      else { return nil }
      let root = Int(clamping: integer(fields.value(3)) ?? 0)
      return SchemaEntry(type: type, name: name, table: table, rootPage: max(0, root), sql: store.text(fields.value(4)))
    }
    guard let entry else { return false }
    store.entries.append(entry)
    return true
  }

  private static func takePrimaryKey(_ store: inout StoreDeclarations, _ record: StoredRecord) -> Bool {
    guard store.primaryKeys.count < limit else { return false }
    let row = store.withFields(record) { fields -> PrimaryKeyRow? in
      guard fields.count == 4, case .null? = fields.value(0), let name = store.text(fields.value(1)), !name.isEmpty,
        let parent = integer(fields.value(2))
      else { return nil }
      return PrimaryKeyRow(
        entityNumber: record.key, entityName: name, superentityNumber: parent,
        greatestKey: integer(fields.value(3)) ?? 0)
    }
    guard let row, !store.primaryKeys.contains(where: { $0.entityNumber == row.entityNumber }) else { return false }
    store.primaryKeys.append(row)
    return true
  }

  private static func takeMetadata(_ store: inout StoreDeclarations, _ record: StoredRecord) -> Bool {
    let metadata = store.withFields(record) { fields -> StoreMetadata? in
      guard fields.count == 3, case .null? = fields.value(0), let uuid = store.text(fields.value(1)),
        let bytes = Self.bytes(fields.value(2)),
        let properties = (try? PropertyList(contentsOf: bytes))?.dictionary
      else { return nil }
      let metadata = StoreMetadata(uuid: uuid, properties: properties)
      return metadata.versionHashes.isEmpty ? nil : metadata
    }
    guard let metadata else { return false }
    // A reader takes the first row.
    store.metadata = store.metadata ?? metadata
    return true
  }

  private static func takeModel(_ store: inout StoreDeclarations, _ record: StoredRecord) -> Bool {
    guard let bytes = modelBytes(store, record), (try? ManagedObjectModel(modelCache: bytes)) != nil else {
      return false
    }
    store.modelCache = store.modelCache ?? bytes
    return true
  }

  /// Takes the copy from its own table, even if not all parts of it are known here.
  private static func takeOwnModel(_ store: inout StoreDeclarations, _ record: StoredRecord) -> Bool {
    store.modelCache = store.modelCache ?? modelBytes(store, record)
    return store.modelCache != nil
  }

  private static func modelBytes(_ store: StoreDeclarations, _ record: StoredRecord) -> [UInt8]? {
    store.withFields(record) { fields -> [UInt8]? in
      guard fields.count == 1, case .blob(let bytes)? = fields.value(0), !bytes.isEmpty, bytes.count <= modelLimit
      else {
        return nil
      }
      return Array(bytes)
    }
  }
}

extension TreePageHeader {
  /// The keys of a leaf with rows, from the first to the last; `nil` if they are not in order.
  func keys(_ page: UnsafeRawPointer, _ reader: TreePageReader) -> ClosedRange<Int64>? {
    var (first, last): (Int64?, Int64?)
    for place in 0..<cellCount {
      guard let cell = reader.cell(place, of: page, self), last.map({ $0 < cell.key }) ?? true else { return nil }
      (first, last) = (first ?? cell.key, cell.key)
    }
    guard let first, let last else { return nil }
    return first...last
  }
}
