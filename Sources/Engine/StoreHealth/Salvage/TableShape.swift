internal import DataModel
internal import PersistentStore
internal import SQLiteDatabase

/// A value of a row.
enum SalvagedValue: Hashable {
  case null
  case integer(Int64)
  case real(Double)
  /// The bytes of a text in UTF-8, which need not be valid.
  case text([UInt8])
  case blob([UInt8])
}

/// A row that is right, as far as anything in the file can tell.
struct SalvagedRow {
  let key: Int64
  /// The name of the entity.
  let entity: String
  /// The entity's number in a new store.
  let entityNumber: Int64
  let version: SalvagedValue
  /// The values of the new table's columns, in their order.
  let values: [SalvagedValue]
}

/// The parts of a row that are there, for people.
struct RowRemains {
  /// The name of the entity, if it is known.
  var entity: String?
  /// The columns with their values; of one that is cut off, the size that it had.
  var values: [(column: String, value: SalvagedValue, size: Int?)] = []
}

/// The table of an entity and its subentities in a damaged store, and the place of its values in a new one.
struct TableShape {
  /// The table in the damaged store.
  let source: EntityTable
  /// The table in the new store.
  let destination: EntityTable

  /// Whether the columns are taken to be those of a new store, since the definition of the table is lost.
  let isAssumed: Bool

  private struct Field {
    let name: String
    /// The place among the new table's columns; `nil` for columns that the model does not have.
    let target: Int?
    let affinity: ColumnAffinity
    let hasDefault: Bool
    /// Whether the value is the number of an entity.
    let isEntity: Bool
  }

  private let fields: [Field]
  private let (keyPlace, entityPlace, versionPlace): (Int, Int, Int)
  /// The entities of the rows, by their numbers in the damaged store.
  private let entities: [Int64: (name: String, number: Int64)]
  /// The new numbers of all entities, by their numbers in the damaged store.
  private let numbers: [Int64: Int64]
  private let encoding: StoredEncoding

  /// The columns that the model does not have.
  var foreignColumns: [String] { fields.enumerated().filter { $1.target == nil && !isFixed($0) }.map(\.element.name) }

  /// Matches two tables.
  ///
  /// - Parameters:
  ///   - columns: The columns of the damaged store's table, in the order in which rows have them; empty if they are those of a
  ///     new store.
  ///   - isAssumed: Whether nothing in the file says which columns these are.
  /// - Returns: `nil` if the table lacks a column that each has.
  init?(
    _ source: EntityTable, of old: StoreSchema, columns: [StoreSkeleton.Column], _ destination: EntityTable,
    of new: StoreSchema, _ encoding: StoredEncoding, isAssumed: Bool
  ) {
    (self.source, self.destination, self.encoding) = (source, destination, encoding)
    self.isAssumed = isAssumed
    let names =
      columns.isEmpty
      ? (Self.fixedColumns + source.columns.map(\.name)).map { StoreSkeleton.Column(name: $0) } : columns
    let byName = Dictionary(
      source.columns.map { ($0.name.sqlNameKey, $0) }, uniquingKeysWith: { first, _ in first })
    fields = names.map { name in
      let column = byName[name.name.sqlNameKey]
      let target = column.flatMap { column in
        destination.columns.firstIndex {
          $0.entityName == column.entityName && $0.propertyName == column.propertyName && $0.content == column.content
        }
      }
      return Field(
        name: name.name, target: target, affinity: column.map { ColumnAffinity($0.sqlType) } ?? .number,
        hasDefault: name.hasDefault, isEntity: column?.content == .destinationEntity)
    }
    let places = Self.fixedColumns.map { fixed in names.firstIndex { $0.name.sqlNameKey == fixed.sqlNameKey } }
    guard let key = places[0], let entity = places[1], let version = places[2] else { return nil }
    (keyPlace, entityPlace, versionPlace) = (key, entity, version)
    var numbers: [Int64: Int64] = [:]
    for name in old.entityNames { numbers[Int64(old.entityNumber(name))] = Int64(new.entityNumber(name)) }
    self.numbers = numbers
    var entities: [Int64: (name: String, number: Int64)] = [:]
    for name in source.entityNames where old.model.entity(named: name)?.isAbstract == false {
      entities[Int64(old.entityNumber(name))] = (name, Int64(new.entityNumber(name)))
    }
    self.entities = entities
  }

  private static let fixedColumns = ["Z_PK", "Z_ENT", "Z_OPT"]

  private func isFixed(_ place: Int) -> Bool { [keyPlace, entityPlace, versionPlace].contains(place) }

  /// The number of values that a row can have.
  var fieldCount: Int { fields.count }

  // MARK: - Rows

  /// Whether a record looks like a row of this table: without a value for the key, and with the number of an entity.
  func hasEntity(_ values: RecordFields) -> Bool {
    guard values.count > max(keyPlace, entityPlace), case .null? = values.value(keyPlace),
      case .integer(let number)? = values.value(entityPlace)
    else { return false }
    return entities[number] != nil
  }

  /// Whether all values of a record are there, and of the kinds that their columns keep.
  ///
  /// - Parameter isWhole: Whether it must have a value for each column.
  func fits(_ values: RecordFields, isWhole: Bool) -> Bool {
    guard hasEntity(values), values.isComplete, values.count <= fields.count, !isWhole || values.count == fields.count
    else { return false }
    if case .integer? = values.value(versionPlace) {} else { return false }
    return (0..<values.count).allSatisfy { place in
      guard !isFixed(place) else { return true }
      return values.value(place).map { fields[place].affinity.keeps($0) } ?? false
    }
  }

  /// Reads a row.
  ///
  /// - Parameter values: The record's values, which lie in its bytes.
  func row(_ record: StoredRecord, _ values: RecordFields) -> Result<SalvagedRow, RowFault> {
    guard values.isComplete, values.count <= fields.count else { return .failure(.unreadableRecord) }
    guard values.count > max(keyPlace, entityPlace), case .null? = values.value(keyPlace) else {
      return .failure(.unreadableRecord)
    }
    guard case .integer(let number)? = values.value(entityPlace), let entity = entities[number] else {
      return .failure(.unknownEntity)
    }
    if let fault = record.fault { return .failure(RowFault(fault)) }
    var row = [SalvagedValue](repeating: .null, count: destination.columns.count)
    var version = SalvagedValue.null
    for place in 0..<fields.count {
      let field = fields[place]
      guard place < values.count else {
        // Rows that are older than the column have its default value.
        if field.hasDefault, field.target != nil { return .failure(.missingDefault) }
        continue
      }
      guard place == versionPlace || field.target != nil else { continue }
      guard let stored = values.value(place) else { return .failure(.unreadableRecord) }
      if let fault = fault(stored, values.extent(place), field, record) { return .failure(fault) }
      guard var value = value(stored) else { return .failure(.invalidText) }
      if place == versionPlace {
        version = value
        continue
      }
      if field.isEntity, case .integer(let number) = value {
        guard let new = numbers[number] else { return .failure(.unknownEntity) }
        value = .integer(new)
      }
      if let target = field.target { row[target] = value }
    }
    return .success(
      SalvagedRow(key: record.key, entity: entity.name, entityNumber: entity.number, version: version, values: row))
  }

  /// The reason why a value cannot be what was stored; `nil` if there is none.
  private func fault(
    _ value: IndexedValue, _ extent: Range<Int>, _ field: Field, _ record: StoredRecord
  ) -> RowFault? {
    if record.blanks.contains(where: { $0.overlaps(extent) }) { return .blankedValue }
    guard field.affinity.keeps(value) else { return .otherType }
    guard case .text(let bytes) = value, encoding == .utf8, !record.joints.isEmpty else { return nil }
    // A character that ends in another page, with other bytes than it needs, tells that this is not the right page.
    for joint in record.joints where joint > extent.lowerBound && joint < extent.upperBound {
      if bytes.hasBrokenCharacter(at: joint - extent.lowerBound) { return .invalidText }
    }
    return nil
  }

  private func value(_ value: IndexedValue) -> SalvagedValue? {
    switch value {
    case .null: .null
    case .integer(let integer): .integer(integer)
    case .real(let real): .real(real)
    case .text(let bytes): encoding.utf8(bytes).map { .text($0) }
    case .blob(let bytes): .blob(Array(bytes))
    }
  }

  /// The parts of a row that are there.
  func remains(_ values: RecordFields) -> RowRemains {
    var remains = RowRemains()
    for place in 0..<min(values.count, fields.count) where place != keyPlace {
      if place == entityPlace, case .integer(let number)? = values.value(place) {
        remains.entity = entities[number]?.name
      }
      let stored = values.value(place)
      guard let value = stored ?? values.beginning(place) else { continue }
      var known: SalvagedValue? = self.value(value)
      // UTF-16 that is not valid is kept as bytes.
      if known == nil, case .text(let bytes) = value { known = .blob(Array(bytes)) }
      guard let known, known != .null else { continue }
      remains.values.append((fields[place].name, known, stored == nil ? values.extent(place).count : nil))
    }
    return remains
  }
}

/// The way in which a column keeps values (sqlite.org/datatype3.html#type_affinity).
enum ColumnAffinity {
  case text, number, blob

  init(_ type: String) {
    switch AttributeType.ColumnType(rawValue: type) {
    case .varchar: self = .text
    case .blob: self = .blob
    case .integer, .decimal, .float, .timestamp, nil: self = .number
    }
  }

  /// Whether a column stores a value as it is: what it would have converted was never in it.
  func keeps(_ value: IndexedValue) -> Bool {
    switch (self, value) {
    case (.text, .integer), (.text, .real): false
    case (.number, .text(let bytes)): !bytes.isNumber
    case (.text, _), (.number, _), (.blob, _): true
    }
  }
}

extension UnsafeRawBufferPointer {
  /// Whether SQLite takes the text for a number.
  fileprivate var isNumber: Bool {
    guard count < 400 else { return false }
    let text = String(decoding: self, as: UTF8.self).trimming(while: {
      " \t\n\r\u{0B}\u{0C}".unicodeScalars.contains($0)
    })
    // Other spellings of numbers, as Swift reads them, have letters.
    guard text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || "+-.eE".utf8.contains($0) })
    else {
      return false
    }
    return Double(text) != nil
  }

  /// Whether a character of UTF-8 that goes on over a place is broken.
  fileprivate func hasBrokenCharacter(at place: Int) -> Bool {
    // The beginning of the last character before the place.
    var start = place - 1
    while start > 0, place - start < 4, self[start] & 0xC0 == 0x80 { start -= 1 }
    var end = place
    while end < count, end - place < 3, self[end] & 0xC0 == 0x80 { end += 1 }
    guard end > place || self[start] >= 0xC0 else { return false }
    return String(validating: self[start..<end], as: UTF8.self) == nil
  }
}

extension String {
  fileprivate func trimming(while isWanted: (Unicode.Scalar) -> Bool) -> String {
    var scalars = unicodeScalars[...]
    while let first = scalars.first, isWanted(first) { scalars.removeFirst() }
    while let last = scalars.last, isWanted(last) { scalars.removeLast() }
    return String(scalars)
  }
}
